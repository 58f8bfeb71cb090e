/** Reads GraphSON 3, the typed one: it alone says what is a vertex, and what is a map that looks like one. */
import { tableOf } from '../plan/measured';
import { type Edge, type Id, numberText, type Tree, type Value, type Vertex, type VertexProperty } from './value';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A number that has more digits than a double holds would be changed by `JSON.parse`, so it is quoted first.
 *
 * The text cannot stand inside a string of the answer: there each quotation mark has a backslash before it. */
const LONG_NUMBER = /("@type":"(?:g:Int64|gx:BigInteger|gx:BigDecimal)","@value":)(-?[\d.eE+-]{16,})/g;

/** Parses an answer, with each number as it was sent. */
export function parse(text: string): Json {
  return JSON.parse(text.replace(LONG_NUMBER, '$1"$2"'));
}

/** Reads a value out of its wrappers. */
export function decode(json: Json): Value {
  if (json === null || typeof json !== 'object') return json;
  if (Array.isArray(json)) return json.map(decode);
  const type = json['@type'];
  if (typeof type !== 'string')
    return { kind: 'map', entries: Object.entries(json).map(([key, held]) => [key, decode(held)]) };
  return typed(type, json['@value'] ?? null);
}

function typed(type: string, held: Json): Value {
  const items = Array.isArray(held) ? held : [];
  const fields = held !== null && typeof held === 'object' && !Array.isArray(held) ? held : {};
  switch (type) {
    case 'g:Int32':
    case 'g:Float':
    case 'g:Double':
    case 'gx:Int16':
    case 'gx:Byte':
      return typeof held === 'number' ? held : scalar(type, held);
    case 'g:Int64':
    case 'gx:BigInteger':
      return typeof held === 'string' ? whole(held) : decode(held);
    case 'g:List':
      return items.map(decode);
    case 'g:Set':
      return { kind: 'set', items: items.map(decode) };
    case 'g:BulkSet':
      return bulkSet(items);
    case 'g:Map':
      return { kind: 'map', entries: pairs(items) };
    case 'g:Vertex':
      return vertex(fields);
    case 'g:Edge':
      return edge(fields);
    case 'g:VertexProperty':
      return vertexProperty(fields);
    case 'g:Property':
      return { kind: 'property', key: text(fields.key), value: decode(fields.value ?? null) };
    case 'g:Path':
      return path(fields);
    case 'g:Metrics':
      return decode(held);
    case 'g:TraversalMetrics':
      return tableOf(decode(held));
    case 'g:Tree':
      return tree(items);
    case 'tinker:graph':
      return { kind: 'subgraph', vertices: list(fields.vertices) as Vertex[], edges: list(fields.edges) as Edge[] };
    case 'g:Class':
      return text(held);
    case 'g:Date':
    case 'g:Timestamp':
      return typeof held === 'number'
        ? { kind: 'scalar', type, text: new Date(held).toISOString() }
        : scalar(type, held);
    default:
      return scalar(type, held);
  }
}

function scalar(type: string, held: Json): Value {
  return { kind: 'scalar', type, text: typeof held === 'object' ? JSON.stringify(held) : String(held) };
}

function whole(digits: string): Value {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

function text(json: Json | undefined): string {
  return typeof json === 'string' ? json : json === undefined || json === null ? '' : JSON.stringify(json);
}

function id(json: Json | undefined): Id {
  const value = decode(json ?? null);
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  const isScalar = value !== null && typeof value === 'object' && 'kind' in value && value.kind === 'scalar';
  return isScalar ? value : text(json);
}

/** A list with its wrapper, or without one. */
function list(json: Json | undefined): Value[] {
  const value = decode(json ?? []);
  return Array.isArray(value) ? value : [];
}

function pairs(items: Json[]): [Value, Value][] {
  const found: [Value, Value][] = [];
  for (let at = 0; at + 1 < items.length; at += 2)
    found.push([decode(items[at] ?? null), decode(items[at + 1] ?? null)]);
  return found;
}

function bulkSet(items: Json[]): Value {
  return pairs(items).flatMap(([value, bulk]) => Array.from({ length: Number(bulk) }, () => value));
}

function vertex(fields: { [key: string]: Json }): Vertex {
  const properties = fields.properties;
  const all = properties && typeof properties === 'object' && !Array.isArray(properties) ? properties : {};
  const read = Object.entries(all).map(([key, held]): [string, VertexProperty[]] => [
    key,
    list(held) as VertexProperty[],
  ]);
  return { kind: 'vertex', id: id(fields.id), label: text(fields.label), properties: read };
}

function edge(fields: { [key: string]: Json }): Edge {
  const properties = fields.properties;
  const all = properties && typeof properties === 'object' && !Array.isArray(properties) ? properties : {};
  const read = Object.entries(all).map(([key, held]): [string, Value] => {
    const property = decode(held);
    const isProperty =
      property !== null && typeof property === 'object' && 'kind' in property && property.kind === 'property';
    return [key, isProperty ? property.value : property];
  });
  return {
    kind: 'edge',
    id: id(fields.id),
    label: text(fields.label),
    out: { id: id(fields.outV), label: text(fields.outVLabel) },
    in: { id: id(fields.inV), label: text(fields.inVLabel) },
    properties: read,
  };
}

function vertexProperty(fields: { [key: string]: Json }): VertexProperty {
  const meta = fields.properties;
  const all = meta && typeof meta === 'object' && !Array.isArray(meta) ? Object.entries(meta) : [];
  return {
    kind: 'vertexProperty',
    id: id(fields.id),
    key: text(fields.label),
    value: decode(fields.value ?? null),
    meta: all.map(([key, held]) => [key, decode(held)]),
  };
}

function path(fields: { [key: string]: Json }): Value {
  const labels = list(fields.labels).map((set) => {
    const isSet = set !== null && typeof set === 'object' && 'kind' in set && set.kind === 'set';
    return isSet ? set.items.map(String) : Array.isArray(set) ? set.map(String) : [];
  });
  return { kind: 'path', labels, objects: list(fields.objects) };
}

function tree(items: Json[]): Tree {
  const branches = items.flatMap((item) => {
    if (item === null || typeof item !== 'object' || Array.isArray(item)) return [];
    const below = decode(item.value ?? null);
    const isTree = below !== null && typeof below === 'object' && 'kind' in below && below.kind === 'tree';
    return [{ key: decode(item.key ?? null), tree: isTree ? below : ({ kind: 'tree', branches: [] } as Tree) }];
  });
  return { kind: 'tree', branches };
}

/** Writes what a variable of a query is bound to. A whole number of any size keeps its digits. */
export function encode(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && Number.isFinite(value)) return numberText(value);
  if (Array.isArray(value)) return `[${value.map(encode).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const fields = Object.entries(value).filter(([, held]) => held !== undefined);
    return `{${fields.map(([key, held]) => `${JSON.stringify(key)}:${encode(held)}`).join(',')}}`;
  }
  return JSON.stringify(value ?? null);
}
