/** Values as the page holds them: GraphSON without its wrappers, and nothing lost. */

/** What identifies an element: a text, a whole number, or a UUID, which is another id than its text. */
export type Id = string | number | bigint | Scalar;

/** A vertex's property, with its own properties. */
export interface VertexProperty {
  kind: 'vertexProperty';
  id: Id;
  key: string;
  value: Value;
  meta: [string, Value][];
}

/** A vertex. */
export interface Vertex {
  kind: 'vertex';
  id: Id;
  label: string;
  properties: [string, VertexProperty[]][];
}

/** An edge and the vertices that it joins. */
export interface Edge {
  kind: 'edge';
  id: Id;
  label: string;
  out: { id: Id; label: string };
  in: { id: Id; label: string };
  properties: [string, Value][];
}

/** A property of an edge, or of a vertex's property. */
export interface Property {
  kind: 'property';
  key: string;
  value: Value;
}

/** What was visited on the way. */
export interface Path {
  kind: 'path';
  labels: string[][];
  objects: Value[];
}

/** A part of a graph. */
export interface Subgraph {
  kind: 'subgraph';
  vertices: Vertex[];
  edges: Edge[];
}

/** A map, whose keys can be anything. */
export interface GMap {
  kind: 'map';
  entries: [Value, Value][];
}

/** A set. */
export interface GSet {
  kind: 'set';
  items: Value[];
}

/** A tree: each object with what was visited after it. */
export interface Tree {
  kind: 'tree';
  branches: { key: Value; tree: Tree }[];
}

/** A value of a type that JSON has no notation for, as text. */
export interface Scalar {
  kind: 'scalar';
  type: string;
  text: string;
}

/** Anything that a query answers with. */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Value[]
  | Scalar
  | GMap
  | GSet
  | Vertex
  | Edge
  | VertexProperty
  | Property
  | Path
  | Subgraph
  | Tree;

/** The kind of a value that is none of JSON's. */
export function kindOf(value: Value): string | null {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value.kind : null;
}

/** A number's digits. Zero has a sign, too: JavaScript alone does not show it. */
export function numberText(value: number): string {
  return Object.is(value, -0) ? '-0.0' : String(value);
}

/** A text that people read. It is only ever shown as text. */
export function textOf(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  switch (value.kind) {
    case 'scalar':
      return value.text;
    case 'map':
      return `{${value.entries.map(([key, held]) => `${textOf(key)}: ${textOf(held)}`).join(', ')}}`;
    case 'set':
      return `{${value.items.map(textOf).join(', ')}}`;
    case 'vertex':
      return `v[${textOf(value.id)}]`;
    case 'edge':
      return `e[${textOf(value.id)}][${textOf(value.out.id)}-${value.label}->${textOf(value.in.id)}]`;
    case 'vertexProperty':
    case 'property':
      return `${value.key}: ${textOf(value.value)}`;
    case 'path':
      return value.objects.map(textOf).join(' → ');
    case 'subgraph':
      return `a graph of ${value.vertices.length} vertices and ${value.edges.length} edges`;
    case 'tree':
      return `{${value.branches.map(({ key, tree }) => `${textOf(key)}: ${textOf(tree)}`).join(', ')}}`;
  }
}
