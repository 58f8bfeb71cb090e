/** Reads how the server words plans: what `explain` says of operators and what `profile` says of their work. */
import { type Measured, readTable } from './measured';

/** What an operator did. */
export interface Counters {
  batches: number;
  rowsIn: number;
  read: number;
  rowsOut: number;
  traversers: number;
  opened: number;
  cancelled: number;
  /** Microseconds, with those of what is in it. */
  time: number;
  /** Most bytes that it kept, without what is in it. */
  memory: number;
}

/** An operator, and the pipelines in it if it is a scope. */
export interface Operator {
  /** What it is, such as `Expand(out knows)`. */
  name: string;
  /** How a scope runs: `per traverser`, `inter bfs` and so on. */
  settings: string[];
  /** The step that it is there for. */
  step: string;
  /** Rows that the planner expects it to send; `null` if it does not say. */
  guessed: number | null;
  counters: Counters | null;
  branches: Branch[];
}

/** One pipeline of a scope. */
export interface Branch {
  /** `then`, `else` and the like; empty where there is one only. */
  name: string;
  operators: Operator[];
}

/** The plan as it was after a rule. */
export interface Stage {
  name: string;
  lines: string[];
}

/** A plan. */
export interface Plan {
  stages: Stage[];
  operators: Operator[];
  /** Microseconds in all; `null` if it was not run. */
  total: number | null;
}

/** A number as the planner rounds it: `17k`, `0.15`. */
export function rounded(text: string): number | null {
  const found = /^([\d.]+)([kMGT]?)$/.exec(text);
  if (!found) return null;
  const scale: Record<string, number> = { '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12 };
  return Number(found[1]) * (scale[found[2] ?? ''] ?? 1);
}

const PHYSICAL = 'physical plan';

/** The stages of an explanation. */
export function stagesOf(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const line of text.split('\n')) {
    const title = /^== (.*)$/.exec(line);
    if (title) stages.push({ name: title[1] ?? '', lines: [] });
    else if (line !== '') stages.at(-1)?.lines.push(line);
  }
  return stages;
}

interface Line {
  depth: number;
  branch: string | null;
  operator: Operator | null;
}

function explainedLine(line: string): Line {
  const depth = (/^ */.exec(line)?.[0].length ?? 0) / 2;
  const branch = /^ *([^←~]*):$/.exec(line)?.[1];
  if (branch !== undefined) return { depth, branch, operator: null };
  const [head = '', step = ''] = line.trim().split(/ {2,}← /);
  const [named = '', guess = ''] = head.split(/ {2,}~(?=[\d.]+[kMGT]?$)/);
  const settings = / \[([^[\]]*)\]$/.exec(named);
  const name = settings ? named.slice(0, settings.index) : named;
  return {
    depth,
    branch: null,
    operator: {
      name,
      settings: settings?.[1]?.split(', ') ?? [],
      step,
      guessed: rounded(guess),
      counters: null,
      branches: [],
    },
  };
}

interface Knot {
  line: Line;
  below: Knot[];
}

/** Nests lines as they are indented. */
function nest(lines: Line[]): Operator[] {
  const root: Knot = { line: { depth: -1, branch: '', operator: null }, below: [] };
  const open = [root];
  for (const line of lines) {
    while ((open.at(-1)?.line.depth ?? -1) >= line.depth && open.length > 1) open.pop();
    const knot = { line, below: [] };
    open.at(-1)?.below.push(knot);
    open.push(knot);
  }
  return operatorsIn(root.below);
}

/** What is indented below an operator are its pipelines: those with a heading each, or one without. */
function operatorsIn(knots: Knot[]): Operator[] {
  return knots.flatMap(({ line: { operator }, below }) => {
    if (!operator) return operatorsIn(below);
    const named = below.filter(({ line }) => line.branch !== null);
    const others = operatorsIn(below.filter(({ line }) => line.branch === null));
    const branches = named.map(
      ({ line, below: inside }): Branch => ({ name: line.branch ?? '', operators: operatorsIn(inside) }),
    );
    return [{ ...operator, branches: others.length > 0 ? [{ name: '', operators: others }, ...branches] : branches }];
  });
}

function measuredLine({ depth, step, guessed, counters }: Measured): Line {
  const operator: Operator = { name: '', settings: [], step, guessed: rounded(guessed), counters, branches: [] };
  return { depth, branch: null, operator };
}

/** All operators, each before those in it. */
export function flat(operators: Operator[]): Operator[] {
  return operators.flatMap((operator) => [operator, ...operator.branches.flatMap((branch) => flat(branch.operators))]);
}

/** Puts together what is there of the two. */
export function planOf(explained: string | null, profiled: string | null): Plan {
  const stages = explained ? stagesOf(explained) : [];
  const physical = stages.find(({ name }) => name === PHYSICAL)?.lines.slice(1) ?? [];
  const operators = nest(physical.map(explainedLine));
  const plan: Plan = { stages: stages.filter(({ name }) => name !== PHYSICAL), operators, total: null };
  if (!profiled) return plan;
  const table = readTable(profiled);
  plan.total = table.total;
  const counted = table.operators.map(measuredLine);
  const known = flat(operators);
  // Both go through the plan in one order. If they do not fit, what was measured is the truth.
  if (known.length === counted.length)
    for (const [at, operator] of known.entries()) operator.counters = counted[at]?.operator?.counters ?? null;
  else plan.operators = nest(counted);
  return plan;
}

/** Microseconds that an operator took itself, without what is in it. */
export function ownTime({ counters, branches }: Operator): number {
  const inside = branches
    .flatMap(({ operators }) => operators)
    .reduce((sum, { counters: held }) => sum + (held?.time ?? 0), 0);
  return Math.max(0, (counters?.time ?? 0) - inside);
}

/** What operators are coloured by. */
export type Colour = 'time' | 'memory';

/** How much of that an operator took itself: microseconds, or bytes. */
export function ownShare(operator: Operator, colour: Colour): number {
  return colour === 'time' ? ownTime(operator) : (operator.counters?.memory ?? 0);
}

/** By what factor the planner was wrong, at least 1; `null` where there is nothing to compare. */
export function wrongBy({ guessed, counters }: Operator): number | null {
  if (guessed === null || !counters) return null;
  const [guess, seen] = [Math.max(guessed, 1), Math.max(counters.rowsOut, 1)];
  return Math.max(guess / seen, seen / guess);
}
