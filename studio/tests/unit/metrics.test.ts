import { describe, expect, it } from 'vitest';
import { buckets, quantile, readMetrics, total } from '../../src/server/metrics';

const page = (fast: number, slow: number) => `# TYPE mangrove_requests counter
mangrove_requests_total{graph="g",kind="script",status="200"} ${fast + slow}
mangrove_seconds_bucket{le="0.001",graph="g"} ${fast}
mangrove_seconds_bucket{le="0.1",graph="g"} ${fast + slow}
mangrove_seconds_bucket{le="+Inf",graph="g"} ${fast + slow}
mangrove_seconds_bucket{le="0.001",graph="a \\"b\\""} 0
mangrove_seconds_bucket{le="0.1",graph="a \\"b\\""} 0
mangrove_seconds_bucket{le="+Inf",graph="a \\"b\\""} 0
mangrove_connections{} 3.0
# EOF`;

describe('metrics', () => {
  it('are read with their labels', () => {
    const samples = readMetrics(page(1, 2));
    expect(total(samples, 'mangrove_requests_total')).toBe(3);
    expect(total(samples, 'mangrove_connections')).toBe(3);
    expect(samples.find(({ labels }) => labels.graph === 'a "b"')).toBeDefined();
    expect(total(samples, 'mangrove_requests_total', ({ graph }) => graph === 'other')).toBe(0);
  });

  it('tell how long requests took between two looks', () => {
    const [before, after] = [page(100, 0), page(190, 10)].map((text) => buckets(readMetrics(text), 'mangrove_seconds'));
    expect(quantile(before ?? [], after ?? [], 0.5)).toBeCloseTo(0.00056, 5);
    expect(quantile(before ?? [], after ?? [], 0.95)).toBeGreaterThan(0.04);
    expect(quantile(after ?? [], after ?? [], 0.5)).toBeNull();
  });
});
