/** Who is logged in, and the graph that is looked at. */
import { computed, effect, signal } from '@preact/signals';
import { session as ask, call, login, logout, OTHER_USER, type Session, showing, whenStranger } from '../server/client';
import { Failure } from '../server/failure';
import { belongTo, forgetBrief, kept } from '../ui/kept';

/** Who is logged in; `null` until the server has said. */
export const session = signal<Session | null>(null);

/** Why somebody has to log in who had done so; empty if that is not so. */
export const ended = signal('');

/** Why the server could not be asked. */
export const unreachable = signal<string | null>(null);

const chosen = kept({ name: 'graph', usual: 'g' });

/** The traversal source that `g` stands for. */
export const graph = computed(() => {
  const sources = session.value?.sources ?? [];
  return sources.includes(chosen.value) ? chosen.value : (sources[0] ?? 'g');
});

/** Chooses a graph. */
export function choose(source: string): void {
  chosen.value = source;
}

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

let askedNames = { source: '', at: Number.NEGATIVE_INFINITY };

/** Asks for the names again if that was not done lately: others write, too. Waits for them, but not for long. */
export async function freshNames(): Promise<void> {
  if (askedNames.source === graph.value && performance.now() - askedNames.at < STALE) return;
  await Promise.race([askNames(), new Promise((done) => setTimeout(done, PATIENCE))]);
}

/** Asks for the names again: a query may have made new ones. */
export async function askNames(source = graph.value): Promise<void> {
  askedNames = { source, at: performance.now() };
  try {
    const [found] = await call('mangrove.schema.names', {}, source);
    if (found && source === graph.value) names.value = found as unknown as Names;
  } catch {
    // Completion does without.
  }
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

/** The page is of this user from now on. */
function begin(found: Session): void {
  showing(found.user);
  if (!found.stranger) belongTo(found.user ?? '');
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
  await logout();
  forgetBrief();
  // What was shown to one must not be there for the next: nothing of it outlives the page.
  location.reload();
}

whenStranger(({ kind }) => {
  const known = session.value;
  if (!known || known.stranger) return;
  ended.value =
    kind === OTHER_USER
      ? `Somebody else has logged in in another tab, so this one can do nothing more as ${known.user}. Log in again, or reload the page to go on as who is logged in.`
      : 'Your login has ended. Log in again to go on.';
  session.value = { ...known, stranger: true };
});

effect(() => {
  const source = graph.value;
  if (session.value && !session.value.stranger) void askNames(source);
});
