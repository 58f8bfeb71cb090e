/** Reads the text format of Prometheus (OpenMetrics), as far as the server writes it. */

/** A number with its labels. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([^ ]+)/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** The samples of a page. */
export function readMetrics(page: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of page.split('\n')) {
    const found = line.startsWith('#') ? null : LINE.exec(line);
    if (!found) continue;
    const labels: Record<string, string> = {};
    for (const [, key = '', held = ''] of (found[2] ?? '').matchAll(LABEL)) labels[key] = held.replace(/\\(.)/g, '$1');
    samples.push({ name: found[1] ?? '', labels, value: Number(found[3]) });
  }
  return samples;
}

/** The sum of a metric over all its labels, or over those that `which` lets through. */
export function total(
  samples: Sample[],
  name: string,
  which: (labels: Record<string, string>) => boolean = () => true,
): number {
  return samples.reduce((sum, sample) => (sample.name === name && which(sample.labels) ? sum + sample.value : sum), 0);
}

/** The buckets of a histogram, added up over all its labels: how many observations are at most `le`. */
export function buckets(samples: Sample[], name: string): [number, number][] {
  const counts = new Map<number, number>();
  for (const sample of samples) {
    if (sample.name !== `${name}_bucket`) continue;
    const le = sample.labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(sample.labels.le);
    counts.set(le, (counts.get(le) ?? 0) + sample.value);
  }
  return [...counts].sort(([a], [b]) => a - b);
}

/** What a share of the observations between two pages is at most; `null` if there were none.
 *
 * Within a bucket the observations are taken to lie evenly. */
export function quantile(before: [number, number][], after: [number, number][], share: number): number | null {
  const earlier = new Map(before);
  const grown = after.map(([le, count]): [number, number] => [le, count - (earlier.get(le) ?? 0)]);
  const all = grown.at(-1)?.[1] ?? 0;
  if (all <= 0) return null;
  let [low, under] = [0, 0];
  for (const [le, count] of grown) {
    if (count >= share * all) {
      if (le === Number.POSITIVE_INFINITY) return low;
      return low + ((le - low) * (share * all - under)) / Math.max(count - under, 1);
    }
    [low, under] = [le, count];
  }
  return low;
}
