import { describe, expect, it } from 'vitest';
import { offsetIn, statementAt, statementsOf } from '../../src/query/statements';

const texts = (text: string) => statementsOf(text).map((one) => one.text);

describe('statements', () => {
  it('end at semicolons and at lines with which a traversal is complete', () => {
    expect(texts('g.V(); g.E()')).toEqual(['g.V()', 'g.E()']);
    expect(texts('g.V()\ng.E()\n')).toEqual(['g.V()', 'g.E()']);
    expect(texts(' ;; ')).toEqual([]);
  });

  it('go on over lines while brackets are open or a step follows', () => {
    expect(texts("g.V()\n  .out('a')\n  .where(\n    out()\n  )\ng.E()")).toEqual([
      "g.V()\n  .out('a')\n  .where(\n    out()\n  )",
      'g.E()',
    ]);
    expect(texts('g.V().\n  out()\ng.E()')).toEqual(['g.V().\n  out()', 'g.E()']);
    expect(texts('g.V()\n// over here\n.out()')).toEqual(['g.V()\n// over here\n.out()']);
  });

  it('are not split by what stands in quotes or comments', () => {
    expect(texts(`g.V().has('a;b', "c\\";\\n").count()`)).toHaveLength(1);
    expect(texts('// g.V();\ng.E() /* ; */.count()')).toEqual(['g.E() /* ; */.count()']);
    expect(texts("g.V('never closed; g.E()")).toHaveLength(1);
  });

  it('are found by where the cursor is', () => {
    const all = statementsOf('g.V()\n\ng.E()');
    expect(statementAt(all, 2)?.text).toBe('g.V()');
    expect(statementAt(all, 6)?.text).toBe('g.V()');
    expect(statementAt(all, 9)?.text).toBe('g.E()');
    expect(statementAt([], 0)).toBeNull();
  });

  it('know where in the whole text a line and a column of theirs are', () => {
    const text = "g.V()\n\ng.E()\n  .has('🌱', x).foo()";
    const [, second] = statementsOf(text);
    if (!second) throw new Error('there are two');
    expect(offsetIn(second, 1, 3)).toBe(text.indexOf('E()'));
    expect(offsetIn(second, 2, 16)).toBe(text.indexOf('.foo') + 1);
  });
});
