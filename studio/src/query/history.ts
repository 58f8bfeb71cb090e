/** What was run before, and what is kept under a name. Both stay in this browser. */
import { kept, mayStay } from '../ui/kept';

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

/** What may stay: an older page kept all. */
function harmless<T extends { text: string }>(entries: T[]): T[] {
  return entries.filter(({ text }) => mayStay(text));
}

/** What was run, the latest first. */
export const past = kept<Past[]>({ name: 'history', usual: [], isValid: Array.isArray, part: harmless });

/** What is kept under a name, in the order of the names. */
export const saved = kept<Saved[]>({ name: 'saved', usual: [], isValid: Array.isArray, part: harmless });

/** Notes that something was run. The same text again takes the place of the one before; one with passwords is not noted. */
export function remember(entry: Past): void {
  if (!mayStay(entry.text)) return;
  const others = past.value.filter(({ text, graph }) => text !== entry.text || graph !== entry.graph);
  past.value = [entry, ...others].slice(0, MOST_PAST);
}

/** Keeps a text under a name; one of the same name goes. Whether it may be kept: one with passwords is not. */
export function save(entry: Saved): boolean {
  if (!mayStay(entry.text)) return false;
  const others = saved.value.filter(({ name }) => name !== entry.name);
  saved.value = [...others, entry].sort((a, b) => a.name.localeCompare(b.name)).slice(0, MOST_SAVED);
  return true;
}

/** Forgets a text that is kept. */
export function forget(name: string): void {
  saved.value = saved.value.filter((entry) => entry.name !== name);
}
