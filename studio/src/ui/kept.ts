/** What stays when the page is closed: signals whose values are in the browser's storage, for each user on his own. */
import { effect, type Signal, signal, untracked } from '@preact/signals';

const PREFIX = 'mangrove.';

/** What calls that are about users have in their texts. They have passwords beside it, so such a text is kept nowhere. */
const SECRETIVE = 'mangrove.users.';

/** Whether a text may stay: not if passwords may be in it. */
export function mayStay(text: string): boolean {
  return !text.includes(SECRETIVE);
}

/** How something is kept. */
interface Kept<T> {
  name: string;
  usual: T;
  /** Looks at what an older page may have kept. */
  isValid?: (value: unknown) => boolean;
  /** What of a value may be kept; `undefined` if nothing. */
  part?: (value: T) => T | undefined;
  /** Whether it ends with the tab. */
  isBrief?: boolean;
}

/** Whose page it is; `null` until that is known. Nothing of anybody's is read or kept before. */
const owner = signal<string | null>(null);

/** What reads a value again, now that it is known whose. */
const readers: (() => void)[] = [];

/** The storage, where there is one. */
function storage(isBrief: boolean): Storage | null {
  try {
    return isBrief ? sessionStorage : localStorage;
  } catch {
    return null;
  }
}

/** Under which names somebody's values are: those of a server without users have no name before theirs. */
function prefixOf(user: string): string {
  return user === '' ? PREFIX : `${PREFIX}@${encodeURIComponent(user)}.`;
}

function read<T>(
  { name, usual, isValid = (value) => typeof value === typeof usual, isBrief = false }: Kept<T>,
  key: string,
): T {
  try {
    const value: unknown = JSON.parse(storage(isBrief)?.getItem(key + name) ?? 'null');
    return value !== null && isValid(value) ? (value as T) : usual;
  } catch {
    // Somebody else's text: the page works all the same.
    return usual;
  }
}

function write<T>({ name, part = (value) => value, isBrief = false }: Kept<T>, key: string, value: T): void {
  const left = part(value);
  try {
    if (left === undefined) storage(isBrief)?.removeItem(key + name);
    else storage(isBrief)?.setItem(key + name, JSON.stringify(left));
  } catch {
    // The storage is full or off.
  }
}

/** A signal whose value is kept for the user whose page it is. */
export function kept<T>(how: Kept<T>): Signal<T> {
  // A view that comes later finds whose page it is.
  const user = owner.peek();
  const held = signal(user === null ? how.usual : read(how, prefixOf(user)));
  readers.push(() => {
    held.value = read(how, prefixOf(owner.peek() ?? ''));
  });
  effect(() => {
    const value = held.value;
    const whose = untracked(() => owner.value);
    if (whose !== null) write(how, prefixOf(whose), value);
  });
  return held;
}

/** A signal whose value is kept for whoever uses the browser: it says nothing of anybody's work. */
export function keptForAll<T>(name: string, usual: T): Signal<T> {
  const how: Kept<T> = { name, usual };
  const held = signal(read(how, PREFIX));
  effect(() => write(how, PREFIX, held.value));
  return held;
}

/** The page is this user's from now on; empty on a server without users. What ends with the tab ends for all others. */
export function belongTo(user: string): void {
  if (owner.peek() === user) return;
  const own = prefixOf(user);
  forgetBrief((key) => !key.startsWith(own) || (user === '' && key.startsWith(`${PREFIX}@`)));
  owner.value = user;
  for (const again of readers) again();
}

/** Forgets what ends with the tab: somebody has logged out. */
export function forgetBrief(which: (key: string) => boolean = () => true): void {
  const brief = storage(true);
  for (const key of Object.keys(brief ?? {})) if (key.startsWith(PREFIX) && which(key)) brief?.removeItem(key);
}
