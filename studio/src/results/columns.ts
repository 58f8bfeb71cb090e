/** Results as rows and columns. */
import { isToken, namesOf } from '../server/json';
import { kindOf, textOf, type Value } from '../server/value';

/** Results as a table. A cell that a row does not have is `undefined`. */
export interface Table {
  columns: string[];
  rows: (Value | undefined)[][];
  /** How many columns there is no room for, if there are such: they stay in the JSON. */
  left?: number;
}

/** Most columns that are drawn; CSV and Copy take the others, too. */
export const MOST_DRAWN = 60;

/** Most cells: rows that have no field in common would be a table of nothing, as wide as it is long. */
const MOST_CELLS = 10_000_000;

/** The fields of a result that has some: an element, or a map whose keys are texts. */
function fieldsOf(value: Value): [string, Value][] | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  if (value.kind === 'vertex') {
    const properties = value.properties.map(([key, all]): [string, Value] => {
      const values = all.map((one) => one.value);
      return [key, values.length === 1 ? (values[0] ?? null) : values];
    });
    return [['~id', value.id], ['~label', value.label], ...properties];
  }
  if (value.kind === 'edge') {
    return [
      ['~id', value.id],
      ['~label', value.label],
      ['~out', value.out.id],
      ['~in', value.in.id],
      ...value.properties,
    ];
  }
  if (value.kind !== 'map' || value.entries.length === 0) return null;
  const isRecord = value.entries.every(([key]) => typeof key === 'string' || isToken(key));
  const names = isRecord ? namesOf(value.entries.map(([key]) => key)) : null;
  return names && value.entries.map(([, held], at): [string, Value] => [names[at] ?? '', held]);
}

/** Makes a table of results: a column for each field where all have fields, one for paths' places, otherwise one of values. */
export function tableOf(values: Value[], mostCells = MOST_CELLS): Table {
  const all = values.map(fieldsOf);
  const most = Math.max(MOST_DRAWN, Math.floor(mostCells / Math.max(1, values.length)));
  if (values.length > 0 && all.every((fields) => fields !== null)) {
    const places = new Map<string, number>();
    const left = new Set<string>();
    for (const fields of all)
      for (const [key] of fields ?? []) {
        if (places.has(key)) continue;
        if (places.size < most) places.set(key, places.size);
        else left.add(key);
      }
    const rows = all.map((fields) => {
      const row: (Value | undefined)[] = new Array(places.size).fill(undefined);
      for (const [key, held] of fields ?? []) {
        const at = places.get(key);
        if (at !== undefined) row[at] = held;
      }
      return row;
    });
    return { columns: [...places.keys()], rows, left: left.size || undefined };
  }
  if (values.length > 0 && values.every((value) => kindOf(value) === 'path')) return tableOfPaths(values, most);
  return { columns: ['value'], rows: values.map((value) => [value]) };
}

function tableOfPaths(paths: Value[], most: number): Table {
  const objects = paths.map((path) => (path as { objects: Value[] }).objects);
  const longest = objects.reduce((length, one) => Math.max(length, one.length), 0);
  const columns = Array.from({ length: Math.min(most, longest) }, (_, at) => String(at + 1));
  const rows = objects.map((one) => columns.map((_, at) => one[at]));
  return { columns, rows, left: longest - columns.length || undefined };
}

/** What to say of columns that are not drawn; nothing of a table of which all are. */
export function undrawn(table: Table): string {
  const more = table.columns.length - MOST_DRAWN;
  const columns = (number: number) => `${number} ${number === 1 ? 'column' : 'columns'} more`;
  const drawn = more > 0 ? `, and ${columns(more)} in CSV and Copy` : '';
  return table.left ? `${drawn}, and ${columns(table.left)} in the JSON alone` : drawn;
}

/** The text of a cell. */
export function cell(value: Value | undefined): string {
  return value === undefined ? '' : textOf(value);
}

/** Keys by which people call things. */
const NAMES = ['name', 'title', 'firstName'];

/** What is shown of a cell: its text, and of a vertex how people call it. */
export function shownIn(value: Value | undefined): string {
  if (
    value === undefined ||
    value === null ||
    typeof value !== 'object' ||
    Array.isArray(value) ||
    value.kind !== 'vertex'
  )
    return cell(value);
  const { label, properties } = value;
  const called = NAMES.flatMap((key) => properties.filter(([name]) => name === key)).at(0)?.[1][0]?.value;
  return `${cell(value)} ${label}${called === undefined ? '' : ` ${textOf(called)}`}`;
}

/** Whether a cell stands on the right, as numbers do. */
export function isNumber(value: Value | undefined): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}

function isNothing(value: Value | undefined): boolean {
  return value === undefined || value === null;
}

/** Compares cells: numbers by their size, then texts as people sort them, and last what is not there. */
export function compare(one: Value | undefined, other: Value | undefined): number {
  const rank = (value: Value | undefined) => (value === undefined || value === null ? 2 : isNumber(value) ? 0 : 1);
  const [first, second] = [rank(one), rank(other)];
  if (first !== second) return first - second;
  if (first === 0) return Number((one as number) > (other as number)) - Number((one as number) < (other as number));
  return first === 1 ? COLLATOR.compare(cell(one), cell(other)) : 0;
}

const COLLATOR = new Intl.Collator(undefined, { numeric: true });

/** The rows in the order of a column; empty cells are last in both directions. Equal ones stay as they are. */
export function sorted(table: Table, column: number, isDown: boolean): (Value | undefined)[][] {
  const filled = table.rows.filter((row) => !isNothing(row[column]));
  const empty = table.rows.filter((row) => isNothing(row[column]));
  filled.sort((a, b) => (isDown ? compare(b[column], a[column]) : compare(a[column], b[column])));
  return [...filled, ...empty];
}

/** As CSV (RFC 4180). What is null or missing is empty, and an empty text is `""`, as `mangrove import` reads them. */
export function csv(table: Table, change: (text: string) => string = (text) => text): string {
  const quote = (text: string) => (text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const written = (value: Value | undefined) => (isNothing(value) ? '' : quote(change(cell(value))));
  const lines = [table.columns.map((name) => quote(change(name))), ...table.rows.map((row) => row.map(written))];
  return `${lines.map((line) => line.join(',')).join('\r\n')}\r\n`;
}

/** A text that a spreadsheet does not take for a formula: with an apostrophe before what would begin one. A number is none. */
export function harmless(text: string): string {
  const isFormula = /^[=+\-@\p{Cc}]/u.test(text) && !/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text);
  return isFormula ? `'${text}` : text;
}

/** As what spreadsheets paste: tabs between cells. */
export function tsv(rows: (Value | undefined)[][]): string {
  return rows.map((row) => row.map((value) => cell(value).replace(/[\t\r\n]+/g, ' ')).join('\t')).join('\n');
}
