/** A small chart over time. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { colour, isDark } from '../ui/theme';

/** A line of a chart. */
export interface Curve {
  name: string;
  /** A colour of the page. */
  colour: string;
  values: (number | null)[];
}

/** A chart: the latest values stand beside its title, so that nobody needs to see the lines. */
export function Chart({
  title,
  times,
  curves,
  format,
}: {
  title: string;
  times: number[];
  curves: Curve[];
  format: (value: number) => string;
}) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const dark = isDark.value;
  useEffect(() => {
    const host = place.current;
    if (!host) return;
    const axis = {
      stroke: colour('text-3'),
      grid: { stroke: colour('border'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui, sans-serif',
    };
    const options: uPlot.Options = {
      width: Math.max(160, host.clientWidth),
      height: 120,
      legend: { show: false },
      cursor: { y: false, points: { size: 5 } },
      scales: { y: { range: (_, __, most) => [0, (most || 1) * 1.15] } },
      axes: [
        {
          ...axis,
          space: 70,
          size: 24,
          values: (_, at) => at.map((second) => new Date(second * 1000).toLocaleTimeString('en-GB')),
        },
        { ...axis, size: 54, space: 28, values: (_, at) => at.map(format) },
      ],
      series: [
        {},
        ...curves.map(({ name, colour: of }) => ({
          label: name,
          stroke: colour(of),
          width: 1.75,
          fill: curves.length === 1 ? `${colour(of)}1f` : undefined,
          points: { show: false },
          spanGaps: false,
        })),
      ] as uPlot.Series[],
    };
    plot.current = new uPlot(options, [times, ...curves.map(({ values }) => values)] as uPlot.AlignedData, host);
    const observer = new ResizeObserver(() =>
      plot.current?.setSize({ width: Math.max(160, host.clientWidth), height: 120 }),
    );
    observer.observe(host);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
    };
  }, [dark]);
  useEffect(() => plot.current?.setData([times, ...curves.map(({ values }) => values)] as uPlot.AlignedData), [times]);
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        {curves.map(({ name, colour: of, values }) => {
          const value = values.at(-1);
          return (
            <span key={name} class="chart-value">
              <i style={{ background: `var(--${of})` }} />
              {curves.length > 1 && <span class="quiet">{name}</span>}{' '}
              <strong>{value === null || value === undefined ? '–' : format(value)}</strong>
            </span>
          );
        })}
      </figcaption>
      <div ref={place} aria-hidden="true" />
    </figure>
  );
}
