/** Values as JSON. It is written here, since objects of JavaScript have each key once, in an order of their own, and no -0. */
import { numberText, textOf, type Value, type VertexProperty } from './value';

/** Results as a list. Numbers that JavaScript cannot hold stay texts. */
export function jsonOf(values: Value[]): string {
  return written(values, '');
}

function written(value: Value, pad: string): string {
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'bigint') return JSON.stringify(value.toString());
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return list(value, pad);
  switch (value.kind) {
    case 'scalar':
      return JSON.stringify(value.text);
    case 'map':
      return map(value.entries, pad);
    case 'set':
      return list(value.items, pad);
    case 'vertex':
      return fields(
        [
          ['id', value.id],
          ['label', value.label],
          ['properties', record(value.properties.map(([key, all]) => [key, heldIn(all)]))],
        ],
        pad,
      );
    case 'edge':
      return fields(
        [
          ['id', value.id],
          ['label', value.label],
          ['out', record(Object.entries(value.out))],
          ['in', record(Object.entries(value.in))],
          ['properties', record(value.properties)],
        ],
        pad,
      );
    case 'vertexProperty':
    case 'property':
      return fields([[value.key, value.value]], pad);
    case 'path':
      return list(value.objects, pad);
    case 'subgraph':
      return fields(
        [
          ['vertices', value.vertices],
          ['edges', value.edges],
        ],
        pad,
      );
    case 'tree':
      return list(
        value.branches.map(({ key, tree }) =>
          record([
            ['key', key],
            ['below', tree],
          ]),
        ),
        pad,
      );
  }
}

function heldIn(all: VertexProperty[]): Value {
  const values = all.map(({ value }) => value);
  return values.length === 1 ? (values[0] ?? null) : values;
}

function record(entries: [string, Value][]): Value {
  return { kind: 'map', entries };
}

/** A map as an object; as a list of pairs, where keys of it have the same text: an object would lose all but one of them. */
function map(entries: [Value, Value][], pad: string): string {
  const names = namesOf(entries.map(([key]) => key));
  if (names)
    return fields(
      entries.map(([, held], at) => [names[at] ?? '', held]),
      pad,
    );
  return list(entries, pad);
}

/** Keys as texts, if each has one of its own. `T.id` beside a property of the same name is `~id`. */
export function namesOf(keys: Value[]): string[] | null {
  const texts = new Set(keys.filter((key) => typeof key === 'string'));
  const names = keys.map((key) => (isToken(key) && texts.has(textOf(key)) ? `~${textOf(key)}` : textOf(key)));
  return new Set(names).size === names.length ? names : null;
}

/** Whether a value is `T.id`, `T.label`, or a direction. */
export function isToken(value: Value): boolean {
  return value !== null && typeof value === 'object' && 'type' in value && /^g:(T|Direction)$/.test(value.type);
}

function fields(entries: [string, Value][], pad: string): string {
  const lines = entries.map(([name, held]) => `${JSON.stringify(name)}: ${written(held, `${pad}  `)}`);
  return block('{', lines, '}', pad);
}

function list(items: Value[], pad: string): string {
  return block(
    '[',
    items.map((item) => written(item, `${pad}  `)),
    ']',
    pad,
  );
}

function block(begin: string, lines: string[], end: string, pad: string): string {
  if (lines.length === 0) return begin + end;
  return `${begin}\n${pad}  ${lines.join(`,\n${pad}  `)}\n${pad}${end}`;
}
