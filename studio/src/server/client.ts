/** All that the page asks of the server. */
import { Failure, failureOf } from './failure';
import { decode, encode, parse } from './graphson';
import type { Value } from './value';

/** A query and what belongs to it. */
export interface Question {
  gremlin: string;
  /** The traversal source that `g` stands for. */
  graph: string;
  bindings?: Record<string, unknown>;
  /** Milliseconds. */
  timeout?: number | undefined;
  /** What it is called, so that it can be stopped. */
  id?: string;
  signal?: AbortSignal;
}

/** Called when the server says that nobody is logged in, or somebody else. */
let onStranger: (why: Failure) => void = () => {};

/** Says what happens when a login is needed. */
export function whenStranger(then: (why: Failure) => void): void {
  onStranger = then;
}

/** Called when the server says that whoever is logged in may not do that. */
let onForbidden: () => void = () => {};

/** Says what happens when something is forbidden: what somebody may do may have changed. */
export function whenForbidden(then: () => void): void {
  onForbidden = then;
}

/** The kind of the failure that says that another user has logged in, in another tab. */
export const OTHER_USER = 'OtherUserError';

let shown = '';

/** Says which user the page shows, if any: the server does nothing that the page asks while another is logged in. */
export function showing(user: string | null): void {
  shown = encodeURIComponent(user ?? '');
}

/** Asks, and reads all that comes: whoever stops does so while the body comes, as often as not. */
async function sent(path: string, init: RequestInit): Promise<{ ok: boolean; status: number; body: string }> {
  try {
    // Its own cookie and nothing else: no page of another origin could ask like this.
    const answer = await fetch(path, {
      ...init,
      // The server takes what has this for its own page: no other page can set it, since no preflight allows it.
      headers: { ...init.headers, 'X-Mangrove-Studio': shown },
      credentials: 'same-origin',
      mode: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
    });
    return { ok: answer.ok, status: answer.status, body: await answer.text() };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw new Failure('stopped', 'CancelledError', 0);
    throw new Failure('the server does not answer; is it still running?', 'NetworkError', 0);
  }
}

/** What the server answers, whole. */
async function ask(path: string, init: RequestInit = {}): Promise<string> {
  const answer = await sent(path, init);
  if (answer.ok) return answer.body;
  const failure = failureOf(answer.status, answer.body);
  if (answer.status === 401) onStranger(failure);
  if (answer.status === 403) onForbidden();
  throw failure;
}

function bodyOf({ gremlin, graph, bindings = {}, timeout, id }: Question): string {
  return encode({ gremlin, aliases: { g: graph }, bindings, evaluationTimeout: timeout, queryId: id });
}

function post(path: string, question: Question, accept: string): Promise<string> {
  return ask(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: accept },
    body: bodyOf(question),
    signal: question.signal ?? null,
  });
}

/** Runs a query; all its results. */
export async function run(question: Question): Promise<Value[]> {
  const answer = await post('/gremlin', question, 'application/vnd.gremlin-v3.0+json');
  const json = parse(answer) as { result?: { data?: never } };
  const data = decode(json.result?.data ?? null);
  return Array.isArray(data) ? data : [data];
}

/** Calls a service; its results, maps as objects. */
export async function call(
  service: string,
  parameters: Record<string, unknown> = {},
  graph = 'g',
): Promise<Record<string, unknown>[]> {
  const question = { gremlin: `g.call('${service}', parameters)`, graph, bindings: { parameters } };
  const answer = await post('/gremlin', question, 'application/vnd.gremlin-v3.0+json;types=false');
  return JSON.parse(answer).result?.data ?? [];
}

/** How a query would be run, or how it was, as the server words it. */
export async function plan(what: 'explain' | 'profile', question: Question): Promise<string> {
  const answer = await post(`/gremlin/${what}`, question, 'text/plain');
  return answer.replace(/^==>/, '');
}

/** Stops a query. That there is none any more is no failure. */
export async function cancel(id: string): Promise<void> {
  try {
    const body = new URLSearchParams({ cancelQuery: 'true', queryId: id });
    await ask('/gremlin/status', { method: 'POST', body });
  } catch (failure) {
    if (!(failure instanceof Failure && failure.status === 400)) throw failure;
  }
}

/** A query that is under way. */
export interface Running {
  queryId: string;
  queryString: string;
  queryEvalStats: { waited: number; elapsed: number; cancelled: boolean };
  graph: string;
  user: string | null;
  client: string;
  state: string;
  age: number;
  rows: number;
  memory: number;
  peakMemory: number;
  operators: string[];
}

/** The queries that are under way, those that wait among them. */
export async function running(): Promise<Running[]> {
  return JSON.parse(await ask('/gremlin/status?includeWaiting=true')).queries;
}

/** Vertices or edges of one label. */
export interface Structure {
  count: number;
  nodeProperties?: string[];
  edgeProperties?: string[];
  distinctOutgoingEdgeLabels?: string[];
}

/** Labels and keys of a graph with their counts. */
export interface Summary {
  numNodes: number;
  numEdges: number;
  nodeLabels: string[];
  edgeLabels: string[];
  nodeStructures: Structure[];
  edgeStructures: Structure[];
}

/** Labels and keys of a graph with their counts. */
export async function summary(graph: string): Promise<Summary> {
  const path = `/pg/statistics/summary?mode=detailed&g=${encodeURIComponent(graph)}`;
  return JSON.parse(await ask(path)).payload.graphSummary;
}

/** What there is to measure, as text. */
export async function metrics(): Promise<string> {
  return ask('/metrics');
}

/** Who is logged in, and what he may see. */
export interface Session {
  /** Whether somebody has to log in, and nobody is. */
  stranger: boolean;
  /** His name; `null` where there are no users. */
  user: string | null;
  /** Whether he looks after all graphs. */
  admin: boolean;
  /** The traversal sources that he may read. */
  sources: string[];
  version: string;
}

/** Who is logged in. */
export async function session(): Promise<Session> {
  return JSON.parse(await ask('/studio/session'));
}

/** Logs in by name and password, or by a token. The server keeps what proves it in a cookie that no script can read. */
export async function login(user: string, password: string): Promise<void> {
  await ask('/studio/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ user, password }),
  });
}

/** Logs out. */
export async function logout(): Promise<void> {
  await ask('/studio/logout', { method: 'POST' });
}
