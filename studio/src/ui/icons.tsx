/** The page's few pictures. */

const PATHS = {
  query: 'M4 5h16M4 10h10M4 15h7M14 14l5 3-5 3z',
  schema: 'M4 4h6v5H4zM14 15h6v5h-6zM14 4h6v5h-6zM7 9v4h10M17 9v6',
  operate: 'M3 12h4l3-8 4 16 3-8h4',
  tour: 'M12 21c5-4.500 7-8 7-11a7 7 0 1 0-14 0c0 3 2 6.500 7 11zM12 12a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z',
  run: 'M7 4l13 8-13 8z',
  stop: 'M6 6h12v12H6z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M4.900 4.900l1.400 1.400M17.700 17.700l1.400 1.400M2 12h2M20 12h2M4.900 19.100l1.400-1.400M17.700 6.300l1.400-1.400',
  moon: 'M20 14.500A8 8 0 0 1 9.500 4 8 8 0 1 0 20 14.500z',
  system: 'M3 4h18v12H3zM9 20h6M12 16v4',
  history: 'M4 12a8 8 0 1 0 2.500-5.800L4 8.500M4 4v4.500h4.500M12 8v4.500l3 2',
  star: 'M12 3.500l2.600 5.400 5.900.8-4.300 4.100 1 5.900L12 16.900l-5.200 2.800 1-5.900L3.500 9.700l5.900-.8z',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  download: 'M12 4v11M7 10.500l5 5 5-5M4 20h16',
  search: 'M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM20 20l-4.800-4.800',
  pin: 'M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v6',
  hide: 'M3 3l18 18M10 6.300A9 9 0 0 1 12 6c5 0 8.500 4 9.500 6a15 15 0 0 1-2.600 3.300M6.300 8A14 14 0 0 0 2.500 12c1 2 4.500 6 9.500 6a9 9 0 0 0 3.500-.7M10 10a3 3 0 0 0 4 4',
  fit: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  out: 'M10 4H4v16h6M15 8l4 4-4 4M19 12H9',
  params: 'M8 4c-3 0-2 3-2 5s-1 3-3 3c2 0 3 1 3 3s-1 5 2 5M16 4c3 0 2 3 2 5s1 3 3 3c-2 0-3 1-3 3s1 5-2 5',
  tree: 'M12 3v6M12 9c0 4-6 3-6 7M12 9c0 4 6 3 6 7M12 9v7M4 16h4v4H4zM10 16h4v4h-4zM16 16h4v4h-4z',
  gauge: 'M4 17a8.500 8.500 0 1 1 16 0M12 15l4-5',
  layout:
    'M6 6m-2.500 0a2.500 2.500 0 1 0 5 0 2.500 2.500 0 1 0-5 0M18 8m-2.500 0a2.500 2.500 0 1 0 5 0 2.500 2.500 0 1 0-5 0M10 18m-2.500 0a2.500 2.500 0 1 0 5 0 2.500 2.500 0 1 0-5 0M8.400 6.400l7.200 1.200M7 8.300l2.200 7.400M16.400 9.900l-4.900 6',
} as const;

/** The name of a picture. */
export type IconName = keyof typeof PATHS;

const FILLED: IconName[] = ['run', 'stop'];

/** A picture. It says nothing to a screen reader: what it is for stands beside it. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  const fill = FILLED.includes(name) ? 'currentColor' : 'none';
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill={fill}
      stroke="currentColor"
      stroke-width="1.8"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The tree on its roots. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 32 32"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d="M16 17V9M16 17C16 22 8 20 6 28M16 17c0 5 8 3 10 11M16 17c0 6-4 5-4.500 11M16 17c0 6 4 5 4.500 11M16 12 9.500 8M16 12l6.500-4" />
      <g class="leaves" stroke="none">
        <circle cx="16" cy="6" r="3.400" />
        <circle cx="8" cy="7" r="2.600" />
        <circle cx="24" cy="7" r="2.600" />
      </g>
    </svg>
  );
}
