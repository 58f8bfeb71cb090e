/** What `profile()` tells: as the table that the server prints, or as TinkerPop's metrics, of which the same table is made. */
import type { Value } from '../server/value';
import type { Counters } from './parse';

/** An operator of a profile. */
export interface Measured {
  depth: number;
  step: string;
  guessed: string;
  counters: Counters;
}

/** A table of a profile begins like this. */
export const TABLE = /^Traversal Metrics\n/;

/** Letters of the columns that every table has: step, count, traversers, milliseconds, percent. */
const COLUMNS = [50, 22, 12, 16, 9];
/** Letters of each column for an annotation. */
const ANNOTATION = 12;
const FIXED = COLUMNS.reduce((sum, letters) => sum + letters, 0);

function cells(line: string, annotations: number): string[] {
  const letters = [...line];
  let from = 0;
  return [...COLUMNS, ...Array.from({ length: annotations }, () => ANNOTATION)].map((width) => {
    from += width;
    return letters.slice(from - width, from).join('');
  });
}

/** The operators of a table, and microseconds in all. */
export function readTable(table: string): { operators: Measured[]; total: number } {
  const [, header = '', , ...rows] = table.split('\n').filter((line) => line !== '');
  const keys = header.slice(FIXED).trim().split(/\s+/).filter(Boolean);
  const last = cells(rows.at(-1) ?? '', 0);
  const microseconds = (cell: string | undefined) => Math.round(Number(cell ?? 0) * 1000);
  const operators = rows.slice(0, -1).map((row) => {
    const [step = '', traversers, rowsOut, time, , ...annotated] = cells(row, keys.length);
    const cell = (key: string) => annotated[keys.indexOf(key)]?.trim() ?? '';
    const counters: Counters = {
      batches: Number(cell('batches')),
      rowsIn: Number(cell('rowsIn')),
      read: Number(cell('read')),
      rowsOut: Number(rowsOut),
      traversers: Number(traversers),
      opened: Number(cell('opened')),
      cancelled: Number(cell('cancelled')),
      time: microseconds(time),
      memory: Number(cell('memory')),
    };
    const depth = (/^ */.exec(step)?.[0].length ?? 0) / 2;
    return { depth, step: step.trim(), guessed: cell('expected'), counters };
  });
  return { operators, total: microseconds(last[3]) };
}

function entry(value: Value, key: string): Value {
  if (value === null || typeof value !== 'object' || !('kind' in value) || value.kind !== 'map') return null;
  return value.entries.find(([known]) => known === key)?.[1] ?? null;
}

/** The table of metrics, which are maps. */
export function tableOf(metrics: Value): string {
  const rows: [string, Value][] = [];
  const keys: string[] = [];
  const add = (steps: Value, depth: number) => {
    for (const step of Array.isArray(steps) ? steps : []) {
      rows.push([' '.repeat(2 * depth) + String(entry(step, 'name')), step]);
      const annotations = entry(step, 'annotations');
      if (
        annotations !== null &&
        typeof annotations === 'object' &&
        'entries' in annotations &&
        Array.isArray(annotations.entries)
      )
        for (const [key] of annotations.entries as [Value, Value][])
          if (key !== 'percentDur' && !keys.includes(String(key))) keys.push(String(key));
      add(entry(step, 'metrics'), depth + 1);
    }
  };
  add(entry(metrics, 'metrics'), 0);
  const line = (named: string, figures: unknown[]) =>
    [...named].slice(0, 50).join('').padEnd(50) +
    figures.map((figure, at) => String(figure ?? '').padStart(COLUMNS[at + 1] ?? ANNOTATION)).join('');
  const milliseconds = (of: Value) => Number(entry(of, 'dur') ?? 0).toFixed(3);
  return [
    'Traversal Metrics',
    line('Step', ['Count', 'Traversers', 'Time (ms)', '% Dur', ...keys]),
    '='.repeat(FIXED + ANNOTATION * keys.length),
    ...rows.map(([name, step]) => {
      const [counts, annotations] = [entry(step, 'counts'), entry(step, 'annotations')];
      const share = entry(annotations, 'percentDur');
      return line(name, [
        entry(counts, 'elementCount'),
        entry(counts, 'traverserCount'),
        milliseconds(step),
        share === null ? '' : Number(share).toFixed(2),
        ...keys.map((key) => entry(annotations, key)),
      ]);
    }),
    line('>TOTAL'.padStart(50), ['-', '-', milliseconds(metrics), '-']),
  ].join('\n');
}
