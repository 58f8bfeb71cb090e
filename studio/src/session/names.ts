/** The names that there are in graphs: of labels and keys. */
import { effect, signal } from '@preact/signals';
import { call } from '../server/client';
import { graph, session } from './session';

/** The names that there are in a graph. */
export interface Names {
  vertices: string[];
  edges: string[];
  keys: string[];
}

/** The names in the graph that is chosen; none until the server has said. */
export const names = signal<Names>({ vertices: [], edges: [], keys: [] });

/** Milliseconds after which names may have changed, and for which is waited until they are there. */
const STALE = 5000;
const PATIENCE = 400;

const NONE: Names = { vertices: [], edges: [], keys: [] };

/** What was last known of each graph that was asked about, and when it was asked. */
const known = new Map<string, { names: Names; at: number }>();

/** The names in a graph. They are asked for again if that was not done lately: others write, too. Waits for them, but not for long. */
export async function namesIn(source: string): Promise<Names> {
  if (performance.now() - (known.get(source)?.at ?? Number.NEGATIVE_INFINITY) >= STALE)
    await Promise.race([askNames(source), new Promise((done) => setTimeout(done, PATIENCE))]);
  return known.get(source)?.names ?? NONE;
}

/** Asks for the names again: a query may have made new ones. */
export async function askNames(source = graph.value): Promise<void> {
  const entry = { names: known.get(source)?.names ?? NONE, at: performance.now() };
  known.set(source, entry);
  try {
    const [found] = await call('mangrove.schema.names', {}, source);
    if (!found) return;
    entry.names = found as unknown as Names;
    if (source === graph.value) names.value = entry.names;
  } catch {
    // Completion does without.
  }
}

effect(() => {
  const source = graph.value;
  if (session.value && !session.value.stranger) void askNames(source);
});
