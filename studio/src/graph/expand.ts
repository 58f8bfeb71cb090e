/** What is beside a vertex: counted first, and then as much of it as somebody wants. */
import { run } from '../server/client';
import type { Id, Value } from '../server/value';
import { type Elements, elementsOf } from './elements';

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
  return value.entries.map(([label, count]) => ({ direction, label: String(label), count: Number(count) }));
}

/** The edges of a vertex, by label and direction. */
export async function sidesOf(id: Id, graph: string): Promise<Side[]> {
  const gremlin = "g.V(x).project('out', 'in').by(outE().groupCount().by(label)).by(inE().groupCount().by(label))";
  const [found] = await run({ gremlin, graph, bindings: { x: id }, timeout: PATIENCE });
  if (found === undefined || found === null || typeof found !== 'object' || !('kind' in found)) return [];
  if (found.kind !== 'map') return [];
  const side = (name: string) => found.entries.find(([key]) => key === name)?.[1];
  return [...countsIn(side('out'), 'out'), ...countsIn(side('in'), 'in')].sort((a, b) => b.count - a.count);
}

/** At most `most` edges of a side, with the vertices at their other ends. */
export async function expand(id: Id, { direction, label }: Side, most: number, graph: string): Promise<Elements> {
  const gremlin = `g.V(x).${direction}E(y).limit(${most}).project('e', 'v').by().by(${direction === 'out' ? 'inV()' : 'outV()'})`;
  return elementsOf(await run({ gremlin, graph, bindings: { x: id, y: label }, timeout: PATIENCE }));
}

/** The edges among vertices that are drawn. */
export async function between(ids: Id[], graph: string): Promise<Elements> {
  const gremlin = `g.V(xs).outE().where(inV().hasId(within(xs))).limit(${MOST_BETWEEN})`;
  return elementsOf(await run({ gremlin, graph, bindings: { xs: ids }, timeout: PATIENCE }));
}

/** Vertices with their properties: an edge knows only the ids of its ends. */
export async function whole(ids: Id[], graph: string): Promise<Elements> {
  return elementsOf(await run({ gremlin: 'g.V(xs)', graph, bindings: { xs: ids }, timeout: PATIENCE }));
}
