import { describe, expect, it } from 'vitest';
import { readTable, TABLE } from '../../src/plan/measured';
import { flat, ownShare, ownTime, planOf, rounded, stagesOf, wrongBy } from '../../src/plan/parse';
import { decode, parse } from '../../src/server/graphson';

const EXPLAINED = `== traversal
g.V().hasLabel('Person').union(out('knows').count(), choose(has('a'), values('b'), values('c')))
== logical plan
seq      V()
== label-scan
seq      V(label Person)
== physical plan
slots 1, parameters 0
ScanVertices(Person)  ~1k    ← V(label Person)
UnionScope [per stream, inter bfs, intra dfs, max 64]  ~5    ← union
  branch:
    BulkByDegree(out knows)  ~3    ← bulkByDegree(out knows)
    Aggregate(count)  ~1    ← count()
  branch:
    FilterScope(all) → s0 [per batch, inter bfs]  ~3    ← choose
      Filter(gender = 'a: ← b')  ~0.15    ← filter(gender = 'male')
    ChooseScope(s0) [per stream]  ~3    ← choose
      then:
        Properties(values b)  ~3    ← values(b)
      else:
        Properties(values c)  ~3    ← values(c)
Range limit(2)    ← limit(2)
`;

const PROFILED = `Traversal Metrics
Step                                                               Count  Traversers       Time (ms)    % Dur     batches      rowsIn        read    expected      opened   cancelled
=====================================================================================================================================================================================
V(label Person)                                                     1000        1000           0.014     7.00           1           1        1000          1k
union                                                                  5           5           0.183    90.00           1           3                       5
  bulkByDegree(out knows)                                             39           3           0.007                    1           3                       3
  count()                                                              1           1           0.007                    1           3                       1
  choose                                                               3           3           0.088                    1           3                       3          22           5
    filter(gender = $0)                                                2           2           0.076                    1           3                    0.15
  choose                                                               3           3           0.012                    1           3                       3
    values(b)                                                          2           2           0.005                    1           2                       3
    values(c)                                                          1          90           0.001                    1           1                       3
limit(2)                                                               2           2           0.006     3.00           1           5                       2
                                            >TOTAL                     -           -           0.203        -`;

describe('a profile', () => {
  it('is the same table as metrics and as text', () => {
    const metrics = parse(
      JSON.stringify({
        '@type': 'g:TraversalMetrics',
        '@value': {
          '@type': 'g:Map',
          '@value': [
            'dur',
            { '@type': 'g:Double', '@value': 0.203 },
            'metrics',
            {
              '@type': 'g:List',
              '@value': [
                step('V(label Person)', 0.014, 1000, 7, []),
                step('union', 0.183, 5, 90, [step('out()', 0.1, 3, null, [])]),
              ],
            },
          ],
        },
      }),
    );
    const table = decode(metrics);
    expect(TABLE.test(String(table))).toBe(true);
    const { operators, total } = readTable(String(table));
    expect(total).toBe(203);
    expect(operators.map(({ depth, step }) => [depth, step])).toEqual([
      [0, 'V(label Person)'],
      [0, 'union'],
      [1, 'out()'],
    ]);
    expect(operators[0]?.counters).toMatchObject({ rowsOut: 1000, traversers: 1000, rowsIn: 1, time: 14 });
    expect(operators[0]?.guessed).toBe('1k');
  });
});

/** An entry of metrics, as GraphSON has it. */
function step(name: string, dur: number, rows: number, share: number | null, nested: unknown[]): unknown {
  const map = (entries: unknown[]) => ({ '@type': 'g:Map', '@value': entries });
  const long = (value: number) => ({ '@type': 'g:Int64', '@value': value });
  const annotations = ['rowsIn', long(1), 'expected', '1k'];
  if (share !== null) annotations.unshift('percentDur', { '@type': 'g:Double', '@value': share } as never);
  return {
    '@type': 'g:Metrics',
    '@value': map([
      'dur',
      { '@type': 'g:Double', '@value': dur },
      'counts',
      map(['traverserCount', long(rows), 'elementCount', long(rows)]),
      'name',
      name,
      'annotations',
      map(annotations),
      'id',
      '0',
      'metrics',
      { '@type': 'g:List', '@value': nested },
    ]),
  };
}

describe('a plan', () => {
  it('nests what is in scopes, in branches by their names', () => {
    const { operators } = planOf(EXPLAINED, null);
    expect(operators.map(({ name }) => name)).toEqual(['ScanVertices(Person)', 'UnionScope', 'Range limit(2)']);
    const union = operators[1];
    expect(union?.settings).toEqual(['per stream', 'inter bfs', 'intra dfs', 'max 64']);
    expect(union?.branches.map(({ name }) => name)).toEqual(['branch', 'branch']);
    const choose = union?.branches[1]?.operators[1];
    expect(choose?.branches.map(({ name, operators: inside }) => [name, inside[0]?.name])).toEqual([
      ['then', 'Properties(values b)'],
      ['else', 'Properties(values c)'],
    ]);
    expect(union?.branches[1]?.operators[0]?.branches[0]?.operators[0]?.guessed).toBe(0.15);
  });

  it('has beside each operator what it did', () => {
    const plan = planOf(EXPLAINED, PROFILED);
    expect(plan.total).toBe(203);
    const all = flat(plan.operators);
    expect(all).toHaveLength(10);
    expect(all.map(({ counters }) => counters?.rowsOut)).toEqual([1000, 5, 3, 1, 3, 2, 3, 2, 90, 2]);
    expect(all[4]?.counters).toMatchObject({ opened: 22, cancelled: 5 });
    expect(all.find(({ name }) => name === 'Properties(values c)')?.counters?.rowsOut).toBe(90);
  });

  it('says what operators keep in memory, where the server does', () => {
    const widened = PROFILED.split('\n')
      .map((line, at) => (at === 1 ? `${line}      memory` : at === 4 ? `${line.padEnd(181)}       65536` : line))
      .join('\n');
    const all = flat(planOf(EXPLAINED, widened).operators);
    expect(all.map((operator) => ownShare(operator, 'memory'))).toEqual([0, 65536, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(all.map((operator) => ownShare(operator, 'time'))).toEqual(all.map(ownTime));
  });

  it('is made of the profile alone where there is no explanation that fits', () => {
    const plan = planOf(null, PROFILED);
    expect(plan.operators.map(({ step }) => step)).toEqual(['V(label Person)', 'union', 'limit(2)']);
    expect(plan.operators[1]?.branches[0]?.operators).toHaveLength(4);
    expect(planOf(EXPLAINED.replace(/Range.*\n/, ''), PROFILED).operators[2]?.step).toBe('limit(2)');
  });

  it('knows an operator’s own time and how wrong a guess was', () => {
    const { operators } = planOf(EXPLAINED, PROFILED);
    const union = operators[1];
    expect(union && ownTime(union)).toBe(183 - 7 - 7 - 88 - 12);
    const wrong = flat(operators).find(({ counters }) => counters?.rowsOut === 90);
    expect(wrong && wrongBy(wrong)).toBe(30);
  });

  it('has the stages of the rules', () => {
    expect(stagesOf(EXPLAINED).map(({ name }) => name)).toEqual([
      'traversal',
      'logical plan',
      'label-scan',
      'physical plan',
    ]);
  });

  it('reads numbers as they are rounded', () => {
    expect([rounded('17k'), rounded('0.15'), rounded('5.1M'), rounded('x')]).toEqual([17_000, 0.15, 5_100_000, null]);
  });
});
