/** Which elements are in results, wherever they stand in them. */
import type { Edge, Id, Value, Vertex } from '../server/value';

/** Two elements that follow each other in a path and that no edge of it joins. */
export interface Hop {
  from: string;
  to: string;
}

/** What there is to draw. */
export interface Elements {
  vertices: Map<string, Vertex>;
  edges: Map<string, Edge>;
  hops: Hop[];
  /** Whether there were more than are kept. */
  isCut: boolean;
}

/** Most vertices, and most edges, that are drawn of one result. */
export const MOST_VERTICES = 10_000;
/** The same of edges. */
export const MOST_EDGES = 40_000;

/** The name of an element among all others: `7` and `'7'` are two, and so are a UUID and its text. */
export function keyOf(id: Id): string {
  if (typeof id === 'object') return `u${id.text}`;
  return `${typeof id === 'string' ? 's' : 'n'}${id}`;
}

/** Finds the elements in results. */
export function elementsOf(values: Value[]): Elements {
  const found: Elements = { vertices: new Map(), edges: new Map(), hops: [], isCut: false };
  for (const value of values) look(value, found);
  return found;
}

/** Whether there is an element in results: it stops at the first one. */
export function hasElements(values: Value[]): boolean {
  return values.some(isOrHas);
}

function isOrHas(value: Value): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some(isOrHas);
  switch (value.kind) {
    case 'vertex':
    case 'edge':
      return true;
    case 'subgraph':
      return value.vertices.length > 0;
    case 'path':
      return value.objects.some(isOrHas);
    case 'map':
      return value.entries.some(([key, held]) => isOrHas(key) || isOrHas(held));
    case 'set':
      return value.items.some(isOrHas);
    case 'tree':
      return value.branches.some(({ key, tree }) => isOrHas(key) || isOrHas(tree));
    default:
      return false;
  }
}

function look(value: Value, found: Elements): void {
  if (value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) {
    for (const item of value) look(item, found);
    return;
  }
  switch (value.kind) {
    case 'vertex':
      addVertex(value, found);
      return;
    case 'edge':
      addEdge(value, found);
      return;
    case 'subgraph':
      for (const vertex of value.vertices) addVertex(vertex, found);
      for (const edge of value.edges) addEdge(edge, found);
      return;
    case 'path':
      lookAtPath(value.objects, found);
      return;
    case 'map':
      for (const [key, held] of value.entries) {
        look(key, found);
        look(held, found);
      }
      return;
    case 'set':
      for (const item of value.items) look(item, found);
      return;
    case 'tree':
      lookAtTree(value, null, found);
      return;
  }
}

function addVertex(vertex: Vertex, found: Elements): void {
  const key = keyOf(vertex.id);
  const known = found.vertices.get(key);
  if (known ? known.properties.length >= vertex.properties.length : found.vertices.size >= MOST_VERTICES) {
    found.isCut ||= !known;
    return;
  }
  found.vertices.set(key, vertex);
}

function addEdge(edge: Edge, found: Elements): void {
  if (found.edges.size >= MOST_EDGES) {
    found.isCut = true;
    return;
  }
  // Of its ends an edge knows label and id; what else they have is asked when somebody looks at them.
  for (const end of [edge.out, edge.in])
    addVertex({ kind: 'vertex', id: end.id, label: end.label, properties: [] }, found);
  if (found.vertices.has(keyOf(edge.out.id)) && found.vertices.has(keyOf(edge.in.id)))
    found.edges.set(keyOf(edge.id), edge);
}

function lookAtPath(objects: Value[], found: Elements): void {
  for (const object of objects) look(object, found);
  for (let at = 1; at < objects.length; at++) hop(objects[at - 1] ?? null, objects[at] ?? null, found);
}

function lookAtTree(tree: Extract<Value, { kind: 'tree' }>, above: Value, found: Elements): void {
  for (const { key, tree: below } of tree.branches) {
    look(key, found);
    hop(above, key, found);
    lookAtTree(below, key, found);
  }
}

function hop(from: Value, to: Value, found: Elements): void {
  const isVertex = (value: Value): value is Vertex =>
    value !== null && typeof value === 'object' && !Array.isArray(value) && value.kind === 'vertex';
  if (isVertex(from) && isVertex(to) && found.hops.length < MOST_EDGES)
    found.hops.push({ from: keyOf(from.id), to: keyOf(to.id) });
}
