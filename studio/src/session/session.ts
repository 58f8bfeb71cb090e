/** Who is logged in, and the graph that is looked at. */
import { batch, computed, signal } from '@preact/signals';
import {
  session as ask,
  login,
  logout,
  OTHER_USER,
  type Session,
  showing,
  whenForbidden,
  whenStranger,
} from '../server/client';
import { Failure } from '../server/failure';
import { belongTo, forgetBrief, kept } from '../ui/kept';

/** Who is logged in; `null` until the server has said. */
export const session = signal<Session | null>(null);

/** Why somebody has to log in who had done so; empty if that is not so. */
export const ended = signal('');

/** Why the server could not be asked. */
export const unreachable = signal<string | null>(null);

const chosen = kept({ name: 'graph', usual: 'g' });

/** A graph that is looked at, and that may not be read any more. It stays: what was written for it must not be asked of another. */
export const lost = signal<string | null>(null);

/** The traversal source that `g` stands for. */
export const graph = computed(() => {
  const sources = session.value?.sources ?? [];
  const isThere = sources.includes(chosen.value) || chosen.value === lost.value;
  return isThere ? chosen.value : (sources[0] ?? 'g');
});

/** Chooses a graph. */
export function choose(source: string): void {
  if (source !== lost.value) lost.value = null;
  chosen.value = source;
}

/** Asks who is logged in. */
export async function askSession(): Promise<void> {
  try {
    begin(await ask());
    unreachable.value = null;
  } catch (failure) {
    unreachable.value = failure instanceof Failure ? failure.message : String(failure);
  }
}

/** Milliseconds between two looks at what somebody may do. */
const PAUSE = 2000;
let lookedAt = Number.NEGATIVE_INFINITY;

/** Looks again at which graphs somebody may read: roles come and go, and so do graphs. */
export async function lookAgain(): Promise<void> {
  const before = session.value;
  if (!before || before.stranger || performance.now() - lookedAt < PAUSE) return;
  lookedAt = performance.now();
  const found = await ask().catch(() => null);
  // That the login has ended is told when something is asked with it.
  if (!found || found.stranger || found.user !== before.user) return;
  const looked = graph.value;
  const isLost = !found.sources.includes(looked) && (before.sources.includes(looked) || looked === lost.value);
  batch(() => {
    if (isLost) chosen.value = looked;
    lost.value = isLost ? looked : null;
    session.value = found;
  });
}

/** The page is of this user from now on. */
function begin(found: Session): void {
  showing(found.user);
  if (found.stranger) forgetBrief();
  else belongTo(found.user ?? '');
  session.value = found;
}

/** Logs in; throws a `Failure` if that is refused. */
export async function enter(user: string, password: string): Promise<void> {
  const before = session.value?.user ?? null;
  await login(user, password);
  const found = await ask();
  if (found.stranger) {
    const message =
      'The name and password are right, but the browser did not keep the cookie that says so. Does it allow cookies here?';
    throw new Failure(message, 'CookieError', 0);
  }
  // What was shown to one must not be there for the next.
  if (before !== null && found.user !== before) location.reload();
  else begin(found);
}

/** Logs out, and forgets what was shown. */
export async function leave(): Promise<void> {
  try {
    await logout();
  } catch (failure) {
    // Another has logged in meanwhile, or nobody is: the login is shown, and says so.
    if (!session.value?.stranger) unreachable.value = (failure as Failure).message;
    return;
  }
  forgetBrief();
  // What was shown to one must not be there for the next: nothing of it outlives the page.
  location.reload();
}

whenStranger(({ kind }) => {
  const known = session.value;
  if (!known || known.stranger) return;
  forgetBrief();
  ended.value =
    kind === OTHER_USER
      ? `Somebody else has logged in in another tab, so this one can do nothing more as ${known.user}. Log in again, or reload the page to go on as who is logged in.`
      : 'Your login has ended. Log in again to go on.';
  session.value = { ...known, stranger: true };
});

whenForbidden(() => void lookAgain());
