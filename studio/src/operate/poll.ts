/** Looks at the server every two seconds, as long as somebody looks at the page. */
import { signal } from '@preact/signals';
import { metrics, type Running, running } from '../server/client';
import { Failure } from '../server/failure';
import { buckets, quantile, readMetrics, type Sample, total } from '../server/metrics';

/** Milliseconds between two looks. */
const PERIOD = 2000;
/** Looks that are kept: five minutes. */
const KEPT = 150;

/** What is drawn over time. `null` where there is nothing to say. */
export interface Series {
  requests: (number | null)[];
  p50: (number | null)[];
  p95: (number | null)[];
  resident: (number | null)[];
  cache: (number | null)[];
  loads: (number | null)[];
  commits: (number | null)[];
  conflicts: (number | null)[];
  flight: (number | null)[];
  transactions: (number | null)[];
}

/** Seconds since 1970 of each look. */
export const times = signal<number[]>([]);
/** What was seen then. */
export const series = signal<Series>(empty());
/** The queries that are under way. */
export const queries = signal<Running[]>([]);
/** The numbers of the last look. */
export const latest = signal<Sample[]>([]);
/** Why the last look failed. */
export const failed = signal('');

function empty(): Series {
  return {
    requests: [],
    p50: [],
    p95: [],
    resident: [],
    cache: [],
    loads: [],
    commits: [],
    conflicts: [],
    flight: [],
    transactions: [],
  };
}

/** What a look adds to what was seen, given the one before. */
export function seen(before: Sample[], after: Sample[], seconds: number): Record<keyof Series, number | null> {
  const rate = (name: string) =>
    before.length === 0 ? null : Math.max(0, (total(after, name) - total(before, name)) / seconds);
  const taken = (share: number) => {
    if (before.length === 0) return null;
    const found = quantile(
      buckets(before, 'mangrove_request_seconds'),
      buckets(after, 'mangrove_request_seconds'),
      share,
    );
    return found === null ? null : found * 1000;
  };
  return {
    requests: rate('mangrove_requests_total'),
    p50: taken(0.5),
    p95: taken(0.95),
    resident: total(after, 'process_resident_memory_bytes'),
    cache: total(after, 'mangrove_cache_bytes'),
    loads: rate('mangrove_loads_total'),
    commits: rate('mangrove_commit_attempts_total'),
    conflicts: rate('mangrove_commit_conflicts_total'),
    flight: total(after, 'mangrove_requests_in_flight'),
    transactions: total(after, 'mangrove_open_transactions'),
  };
}

async function look(): Promise<void> {
  try {
    const [page, under] = await Promise.all([metrics(), running()]);
    const now = Date.now() / 1000;
    const samples = readMetrics(page);
    const point = seen(latest.value, samples, Math.max(0.1, now - (times.value.at(-1) ?? now)));
    const grown = empty();
    for (const name of Object.keys(grown) as (keyof Series)[])
      grown[name] = [...series.value[name], point[name]].slice(-KEPT);
    series.value = grown;
    times.value = [...times.value, now].slice(-KEPT);
    latest.value = samples;
    queries.value = under;
    failed.value = '';
  } catch (failure) {
    failed.value = failure instanceof Failure ? failure.message : String(failure);
  }
}

/** Begins to look; what ends it. */
export function watch(): () => void {
  let isOver = false;
  let timer: ReturnType<typeof setTimeout>;
  const again = async () => {
    if (!document.hidden) await look();
    if (!isOver) timer = setTimeout(again, PERIOD);
  };
  void again();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Looks at once. */
export const lookNow = look;
