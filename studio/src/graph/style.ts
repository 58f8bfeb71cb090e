/** How elements of a label look. */
import { computed } from '@preact/signals';
import type { Vertex } from '../server/value';
import { textOf } from '../server/value';
import { graph } from '../session/session';
import { kept } from '../ui/kept';
import { isDark } from '../ui/theme';

/** What somebody chose for a label. */
export interface Style {
  colour?: string;
  /** How large, compared with others. */
  size?: number;
  /** The key of the property that stands beside it; `~id` and `~label` for these. */
  caption?: string;
}

const all = kept<Record<string, Record<string, Style>>>({ name: 'styles', usual: {} });

/** What was chosen in the graph that is looked at, by label. */
export const styles = computed(() => all.value[graph.value] ?? {});

/** Changes how a label looks. */
export function restyle(label: string, style: Style): void {
  const here = styles.value;
  all.value = { ...all.value, [graph.value]: { ...here, [label]: { ...here[label], ...style } } };
}

/** Colours that are told apart on both grounds, by people who see few colours too (after Okabe and Ito, and Tol). */
export const LIGHT = [
  '#0f766e',
  '#c2410c',
  '#4f46a5',
  '#a16207',
  '#be185d',
  '#0369a1',
  '#4d7c0f',
  '#7e22ce',
  '#92400e',
  '#047857',
  '#b91c1c',
  '#475569',
];
/** The same for a dark ground. */
export const DARK = [
  '#34d3b4',
  '#fb9a5c',
  '#a5a0f5',
  '#e5c04b',
  '#f48ab8',
  '#62bdf2',
  '#a3d65c',
  '#cf9df7',
  '#d9a066',
  '#5fdc9a',
  '#f68a8a',
  '#9fb0c3',
];

/** The labels in the order in which they got their colours: that of a graph's names, so that they are the same tomorrow. */
const places = new Map<string, number>();

/** Gives labels their colours. */
export function paletteOf(labels: string[]): void {
  for (const label of labels) placeOf(label);
}

function placeOf(label: string): number {
  const known = places.get(label) ?? places.size;
  places.set(label, known);
  return known;
}

/** The colour of a label. */
export function colourOf(label: string): string {
  const palette = isDark.value ? DARK : LIGHT;
  return styles.value[label]?.colour ?? palette[placeOf(label) % palette.length] ?? '#888888';
}

const NAMES = ['name', 'title', 'firstName', 'label', 'caption', 'username', 'content', 'code', 'key'];
const LONGEST = 28;

/** What stands beside a vertex. */
export function captionOf(vertex: Vertex): string {
  const wanted = styles.value[vertex.label]?.caption;
  if (wanted === '~id') return textOf(vertex.id);
  if (wanted === '~label') return vertex.label;
  const value = (key: string) => vertex.properties.find(([name]) => name === key)?.[1][0]?.value;
  const found = wanted !== undefined ? value(wanted) : NAMES.map(value).find((one) => one !== undefined && one !== '');
  const text = found === undefined ? `${vertex.label} ${textOf(vertex.id)}` : textOf(found);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
