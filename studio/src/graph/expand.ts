/** What is beside a vertex: counted first, and then as much of it as somebody wants. */
import { run } from '../server/client';
import { type Edge, type Id, kindOf, textOf, type Value, type Vertex } from '../server/value';
import { type Elements, elementsOf, keyOf } from './elements';

/** Edges of a label in a direction. */
export interface Side {
  direction: 'out' | 'in';
  label: string;
  count: number;
}

const MOST_BETWEEN = 2000;
const PATIENCE = 10_000;

// Variables are called x and y, since `id` and `label` are words of Gremlin and no names.

function countsIn(value: Value | undefined, direction: Side['direction']): Side[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value) || value.kind !== 'map') return [];
  return value.entries.map(([label, count]) => ({ direction, label: textOf(label), count: Number(count) }));
}

/** An id as it is bound. The text of a UUID finds it as well, and an element whose id is that text, too: what is found is looked at. */
function bound(id: Id): string | number | bigint {
  return typeof id === 'object' ? id.text : id;
}

function isSame(found: Value, id: Id): boolean {
  return found !== null && keyOf(found as Id) === keyOf(id);
}

/** The edges of a vertex, by label and direction. */
export async function sidesOf(id: Id, graph: string): Promise<Side[]> {
  const gremlin =
    "g.V(x).project('of', 'out', 'in').by(id).by(outE().groupCount().by(label)).by(inE().groupCount().by(label))";
  const found = await run({ gremlin, graph, bindings: { x: bound(id) }, timeout: PATIENCE });
  const own = found.find((row) => isSame(fieldOf(row, 'of'), id));
  const all = [...countsIn(fieldOf(own, 'out'), 'out'), ...countsIn(fieldOf(own, 'in'), 'in')];
  return all.sort((a, b) => b.count - a.count);
}

function fieldOf(row: Value | undefined, name: string): Value {
  if (row === null || typeof row !== 'object' || Array.isArray(row) || row.kind !== 'map') return null;
  return row.entries.find(([key]) => key === name)?.[1] ?? null;
}

/** At most `most` edges of a side, with the vertices at their other ends. */
export async function expand(id: Id, { direction, label }: Side, most: number, graph: string): Promise<Elements> {
  const gremlin = `g.V(x).flatMap(${direction}E(y).limit(${most})).project('e', 'v').by().by(${direction === 'out' ? 'inV()' : 'outV()'})`;
  const rows = await run({ gremlin, graph, bindings: { x: bound(id), y: label }, timeout: PATIENCE });
  const isOwn = (edge: Value) => kindOf(edge) === 'edge' && keyOf((edge as Edge)[direction].id) === keyOf(id);
  return elementsOf(rows.filter((row) => isOwn(fieldOf(row, 'e'))));
}

/** The edges among vertices that are drawn. */
export async function between(ids: Id[], graph: string): Promise<Elements> {
  const gremlin = `g.V(xs).outE().where(inV().hasId(within(xs))).limit(${MOST_BETWEEN})`;
  const known = new Set(ids.map(keyOf));
  const found = await run({ gremlin, graph, bindings: { xs: ids.map(bound) }, timeout: PATIENCE });
  const isAmong = (value: Value): value is Edge =>
    kindOf(value) === 'edge' && [(value as Edge).out, (value as Edge).in].every((end) => known.has(keyOf(end.id)));
  return elementsOf(found.filter(isAmong));
}

/** Vertices with their properties: an edge knows only the ids of its ends. */
export async function whole(ids: Id[], graph: string): Promise<Elements> {
  const known = new Set(ids.map(keyOf));
  const found = await run({ gremlin: 'g.V(xs)', graph, bindings: { xs: ids.map(bound) }, timeout: PATIENCE });
  return elementsOf(found.filter((value) => kindOf(value) === 'vertex' && known.has(keyOf((value as Vertex).id))));
}
