/** Running what is in the editor, and what came of it. */

import { computed, effect, signal } from '@preact/signals';
import { TABLE } from '../plan/measured';
import { cancel, plan, run } from '../server/client';
import { Failure } from '../server/failure';
import type { Value } from '../server/value';
import { askNames } from '../session/names';
import { graph, session } from '../session/session';
import { kept, mayStay } from '../ui/kept';
import { remember } from './history';
import { sourceOf } from './source';
import { offsetIn, type Statement, statementAt, statementsOf } from './statements';

/** A statement and what came of it. */
export interface Answer {
  statement: Statement;
  /** The traversal source that `g` stood for. */
  graph: string;
  /** The one that answered, which the statement may name itself; `null` if that cannot be told. */
  source: string | null;
  /** Its results, if it has ended well. */
  values: Value[] | null;
  failure: Failure | null;
  /** The plan, as the server words it, if that was asked for. */
  explained: string | null;
  profiled: string | null;
  /** Milliseconds until all of it was here. */
  took: number;
}

/** The text in the editor. */
export const text = kept({
  name: 'text',
  usual: "g.V().hasLabel('Person').limit(25)",
  part: (value) => (mayStay(value) ? value : undefined),
});

/** Variables, as a JSON object. Passwords are given so, too: they end with the tab, and when somebody logs out. */
export const parameters = kept({ name: 'parameters', usual: '', isBrief: true });

/** Milliseconds that a statement may take; 0 for as long as the server says. */
export const timeout = kept({ name: 'timeout', usual: 30_000 });

/** Where the cursor is, and what is selected. */
export const selection = signal<{ from: number; to: number }>({ from: 0, to: 0 });

/** What came of the statements that were run last. */
export const answers = signal<Answer[]>([]);

/** Which of them is shown. */
export const shown = signal(0);

/** The one that is shown. */
export const answer = computed(() => answers.value[shown.value] ?? null);

/** What is under way, and since when; `null` if nothing is. */
export const underWay = signal<{ id: string; since: number; what: Asked; left: number } | null>(null);

/** What can be asked of a statement. */
export type Asked = 'run' | 'explain' | 'profile';

/** Which part of the text is meant. */
export type Part = 'all' | 'here';

/** Where an error is in the text of the editor, with its message. */
export const mistake = signal<{ at: number; message: string } | null>(null);

/** Keeps each digit of a whole number, where the browser says how it was written; refuses a number that is none any more. */
function whole(_: string, value: unknown, written?: { source?: string }): unknown {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
    throw new RangeError(`${written?.source ?? 'a number'} is beyond what a number can be`);
  }
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value);
  return isRounded && /^-?\d+$/.test(written?.source ?? '') ? BigInt(written?.source ?? '') : value;
}

/** Reads the variables. */
export function bindings(json = parameters.value): Record<string, unknown> {
  if (json.trim() === '') return {};
  let read: unknown;
  try {
    read = JSON.parse(json, whole as (key: string, value: unknown) => unknown);
  } catch (error) {
    const why = error instanceof RangeError ? 'cannot be sent' : 'are no JSON';
    throw new Failure(`the parameters ${why}: ${(error as Error).message}`, 'ParameterError', 0);
  }
  if (read === null || typeof read !== 'object' || Array.isArray(read)) {
    throw new Failure('the parameters must be a JSON object, such as {"x": 1}', 'ParameterError', 0);
  }
  return read as Record<string, unknown>;
}

function meant(part: Part): Statement[] {
  const { from, to } = selection.value;
  if (from !== to) {
    const selected = statementsOf(text.value.slice(from, to));
    return selected.map((one) => ({ ...one, from: one.from + from, to: one.to + from }));
  }
  const all = statementsOf(text.value);
  if (part === 'all') return all;
  const one = statementAt(all, from);
  return one ? [one] : [];
}

let abort: AbortController | null = null;

/** Runs, explains or profiles statements, one after the other until one fails. */
export async function start(what: Asked, part: Part): Promise<void> {
  const statements = meant(what === 'run' ? part : 'here');
  if (underWay.value || statements.length === 0) return;
  mistake.value = null;
  const done: Answer[] = [];
  const controller = new AbortController();
  abort = controller;
  for (const [index, statement] of statements.entries()) {
    const id = `studio-${crypto.randomUUID()}`;
    underWay.value = { id, since: performance.now(), what, left: statements.length - index - 1 };
    const outcome = await attempt(what, statement, id, controller.signal);
    done.push(outcome);
    note(outcome);
    if (outcome.failure) break;
  }
  underWay.value = null;
  abort = null;
  answers.value = done;
  shown.value = done.length - 1;
  if (what === 'run') void askNames();
}

async function attempt(what: Asked, statement: Statement, id: string, signal: AbortSignal): Promise<Answer> {
  const began = performance.now();
  const asked = graph.value;
  const outcome: Answer = {
    statement,
    graph: asked,
    source: sourceOf(statement.text, asked, session.value?.sources ?? []),
    values: null,
    failure: null,
    explained: null,
    profiled: null,
    took: 0,
  };
  try {
    const question = {
      gremlin: statement.text,
      graph: asked,
      bindings: bindings(),
      timeout: timeout.value || undefined,
      id,
      signal,
    };
    if (what === 'run') outcome.values = await run(question);
    else outcome.explained = await plan('explain', question);
    if (what === 'profile') outcome.profiled = await plan('profile', question);
    const told = outcome.values?.length === 1 ? outcome.values[0] : null;
    if (typeof told === 'string') readPlan(told, outcome);
  } catch (failure) {
    outcome.failure = failure instanceof Failure ? failure : new Failure(String(failure), 'Error', 0);
  }
  outcome.took = performance.now() - began;
  return outcome;
}

/** A statement may end in `explain()` or `profile()` itself. */
function readPlan(told: string, outcome: Answer): void {
  if (told.startsWith('== traversal')) outcome.explained = told;
  else if (TABLE.test(told)) outcome.profiled = told;
}

function note({ statement, failure, took, values, explained, graph }: Answer): void {
  if (failure?.place) {
    mistake.value = { at: offsetIn(statement, failure.place.line, failure.place.column), message: failure.message };
  }
  const rows = failure ? null : (values?.length ?? (explained ? 0 : null));
  remember({ text: statement.text, graph, at: Date.now(), took, rows });
}

// That nobody was logged in is over as soon as somebody is.
effect(() => {
  if (session.value?.stranger !== false) return;
  const others = answers.peek().filter(({ failure }) => failure?.status !== 401);
  if (others.length === answers.peek().length) return;
  answers.value = others;
  shown.value = Math.max(0, others.length - 1);
});

/** Stops what is under way, on the server too. */
export async function stop(): Promise<void> {
  const current = underWay.value;
  if (!current) return;
  // Said first, so that the server's log has who stopped it; the connection that closes would do as well.
  await cancel(current.id).catch(() => {});
  abort?.abort();
}
