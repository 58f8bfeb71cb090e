import { describe, expect, it } from 'vitest';
import { flat, ownTime, planOf, rounded, stagesOf, wrongBy } from '../../src/plan/parse';

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

const PROFILED = `step                        batches     rows in        read  rows out  expected  traversers    opened cancelled        time      %
V(label Person)                   1           1        1000      1000        1k        1000         0         0        14 µs    7.0
union                             1           3           0         5         5           5         0         0       183 µs   90.0
  bulkByDegree(out knows)         1           3           0         3         3          39         0         0         7 µs    3.8
  count()                         1           3           0         1         1           1         0         0         7 µs    3.5
  choose                          1           3           0         3         3           3        22         5        88 µs   43.4
    filter(gender = $0)           1           3           0         2      0.15           2         0         0        76 µs   37.5
  choose                          1           3           0         3         3           3         0         0        12 µs    6.3
    values(b)                     1           2           0         2         3           2         0         0         5 µs    2.8
    values(c)                     1           1           0        90         3           1         0         0         1 µs    0.7
limit(2)                          1           5           0         2         2           2         0         0         6 µs    3.0
total                                                                                                                     203 µs`;

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
