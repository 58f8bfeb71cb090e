/** What can be typed next: steps, and the labels, keys and values that the server has. */

import { SOURCES, STEPS } from 'virtual:steps';
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { sourceOf } from '../query/source';
import { statementAt, statementsOf } from '../query/statements';
import { run } from '../server/client';
import { type Names, namesIn } from '../session/names';
import { graph, session } from '../session/session';
import { membersOf } from './classes';
import { labelBefore, openCall, openQuote, unquoted } from './context';
import { TOKENS } from './language';
import { meant, type Quote, written } from './literal';

const TO_EDGES = new Set(['out', 'in', 'both', 'outE', 'inE', 'bothE', 'toE', 'addE', 'mergeE']);
const MOST_VALUES = 40;
/** Characters before the cursor that are looked at. */
const LOOKED_BACK = 20_000;

const steps = Object.entries(STEPS).map(
  ([name, info]): Completion => ({ label: name, type: 'function', info, apply: `${name}(` }),
);
const sources = Object.entries(SOURCES).map(
  ([name, info]): Completion => ({ label: name, type: 'function', info, apply: `${name}(` }),
);
const tokens = TOKENS.map((name): Completion => ({ label: name, type: 'keyword' }));

/** Completes what stands before the cursor. */
export async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  const before = context.state.sliceDoc(Math.max(0, context.pos - 4000), context.pos);
  const quote = openQuote(before);
  if (quote >= 0) return inQuotes(before, quote, context);
  const word = context.matchBefore(/[\w$]*/);
  const from = word?.from ?? context.pos;
  const ahead = context.state.sliceDoc(Math.max(0, from - 1), from);
  if (ahead === '.') {
    const owner = /(?:^|[^\w.)$])(\w+)\.$/.exec(context.state.sliceDoc(Math.max(0, from - 40), from))?.[1] ?? '';
    const members = membersOf(owner);
    if (members) return { from, options: members.map(memberOf), validFor: /^\w*$/ };
    const isFirst = /(^|[^\w.)])\w+\.$/.test(context.state.sliceDoc(Math.max(0, from - 40), from));
    return { from, options: isFirst ? [...sources, ...steps] : steps, validFor: /^\w*$/ };
  }
  if (!context.explicit && word?.text === '') return null;
  const options =
    ahead === '(' || ahead === ',' || ahead === ' ' ? [...steps, ...tokens] : [{ label: 'g', type: 'namespace' }];
  return { from, options, validFor: /^\w*$/ };
}

function memberOf(apply: string): Completion {
  return { label: apply.replace('(', ''), type: 'keyword', apply };
}

async function inQuotes(before: string, quote: number, context: CompletionContext): Promise<CompletionResult | null> {
  const call = openCall(before.slice(0, quote));
  if (!call) return null;
  const from = context.pos - (before.length - quote - 1);
  const mark = before[quote] as Quote;
  const typed = before.slice(quote + 1);
  const source = sourceAt(context);
  if (source === null) return null;
  const known = await namesIn(source);
  const value = valueTyped(call.name, call.arguments, before.slice(0, call.at), known);
  if (value) {
    const found = await valuesOf(source, value.label, value.key, meant(typed));
    const options = found.map((text): Completion => ({ ...asWritten(text, mark), type: 'value', detail: value.key }));
    return context.aborted ? null : { from, options, filter: false };
  }
  const names = namesFor(call.name, call.arguments.length, known);
  const options = names.map((name): Completion => ({ ...name, ...asWritten(name.label, mark) }));
  return { from, options, validFor: /^[^'"]*$/ };
}

/** What of a name or a value goes into the text, which it must never leave, and what is shown of it. */
function asWritten(text: string, mark: Quote): { label: string; displayLabel?: string } {
  const label = written(text, mark);
  return label === text ? { label } : { label, displayLabel: text };
}

/** The graph of the statement that is being typed: what it names is not in the one that is chosen. */
function sourceAt(context: CompletionContext): string | null {
  const text = context.state.sliceDoc(Math.max(0, context.pos - LOOKED_BACK), context.pos);
  const statement = statementAt(statementsOf(text), text.length)?.text ?? '';
  return sourceOf(statement, graph.value, session.value?.sources ?? []);
}

function namesFor(step: string, argument: number, { vertices, edges, keys }: Names): Completion[] {
  const of = (all: string[], detail: string, boost = 0) =>
    all.map((label): Completion => ({ label, type: detail, detail, boost }));
  const labels = [...of(vertices, 'vertex', 2), ...of(edges, 'edge', 1)];
  if (TO_EDGES.has(step)) return of(edges, 'edge');
  if (step === 'addV' || step === 'mergeV') return of(vertices, 'vertex');
  if (step === 'hasLabel') return labels;
  if (step === 'has' && argument === 0) return [...of(keys, 'key', 3), ...labels];
  return of(keys, 'key');
}

/** The key whose value is being typed, and the label of what has it, if both can be told. */
function valueTyped(
  step: string,
  given: string[],
  before: string,
  { vertices, edges }: Names,
): { label: string | null; key: string } | null {
  if (step === 'has' && given.length === 2) {
    const [label, key] = given.map(unquoted);
    return key ? { label: label ?? null, key } : null;
  }
  const known = unquoted(given[0]);
  if (step !== 'has' || given.length !== 1 || !known) return null;
  // `has('Person', '…` has a key second, `has('name', '…` a value. What is no label must be a key, though it may be a new one.
  const isLabel = vertices.includes(known) || edges.includes(known);
  return isLabel ? null : { label: labelBefore(before), key: known };
}

const remembered = new Map<string, string[]>();

/** Values that there are, or that begin as what is typed: looked for among a few thousand elements, and for a second at most. */
async function valuesOf(source: string, label: string | null, key: string, typed: string): Promise<string[]> {
  const at = JSON.stringify([source, label, key, typed]);
  const known = remembered.get(at);
  if (known) return known;
  const ofLabel = label ? '.hasLabel(x)' : '';
  const begins = typed ? '.has(y, startingWith(z))' : '';
  const gremlin = `g.V()${ofLabel}${begins}.limit(2000).values(y).dedup().limit(${MOST_VALUES})`;
  try {
    const values = await run({ gremlin, graph: source, bindings: { x: label, y: key, z: typed }, timeout: 1000 });
    const found = values.filter((value): value is string => typeof value === 'string').sort();
    if (remembered.size > 500) remembered.clear();
    remembered.set(at, found);
    return found;
  } catch {
    return [];
  }
}

/** Completion as an extension of the editor. */
export const completion = autocompletion({
  override: [complete],
  activateOnTyping: true,
  icons: false,
  maxRenderedOptions: 60,
});
