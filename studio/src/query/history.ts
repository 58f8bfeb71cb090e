/** What was run before, and what is kept under a name. Both stay in this browser. */
import { kept } from '../ui/kept';

/** Something that was run. */
export interface Past {
  text: string;
  graph: string;
  /** When, in milliseconds since 1970. */
  at: number;
  took: number;
  /** How many results it had; `null` if it failed. */
  rows: number | null;
}

/** A text with a name. */
export interface Saved {
  name: string;
  text: string;
  graph: string;
}

const MOST_PAST = 200;
const MOST_SAVED = 500;

/** What was run, the latest first. */
export const past = kept<Past[]>('history', [], Array.isArray);

/** What is kept under a name, in the order of the names. */
export const saved = kept<Saved[]>('saved', [], Array.isArray);

/** Notes that something was run. The same text again takes the place of the one before. */
export function remember(entry: Past): void {
  const others = past.value.filter(({ text, graph }) => text !== entry.text || graph !== entry.graph);
  past.value = [entry, ...others].slice(0, MOST_PAST);
}

/** Keeps a text under a name; one of the same name goes. */
export function save(entry: Saved): void {
  const others = saved.value.filter(({ name }) => name !== entry.name);
  saved.value = [...others, entry].sort((a, b) => a.name.localeCompare(b.name)).slice(0, MOST_SAVED);
}

/** Forgets a text that is kept. */
export function forget(name: string): void {
  saved.value = saved.value.filter((entry) => entry.name !== name);
}
