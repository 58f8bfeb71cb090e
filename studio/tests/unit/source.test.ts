import { describe, expect, it } from 'vitest';
import { firstWord, sourceOf } from '../../src/query/source';

describe('the graph of a statement', () => {
  it('is that of its first word, as the server sees it', () => {
    for (const [text, word] of [
      ['g.V()', 'g'],
      ['x = gmodern.V().next()', 'gmodern'],
      ['def x = y= g.V()', 'g'],
      [' \n gmodern\n  .V()', 'gmodern'],
      ['// all of them\n/* really */ g . V()', 'g'],
      ['größe.V()', 'größe'],
    ])
      expect(firstWord(text ?? ''), text).toBe(word);
    for (const text of ['', 'x = 1', 'x == g.V()', '1+1', '1.0', 'V()', "'g'.x", '/* open', '// only', 'g'])
      expect(firstWord(text), text).toBeNull();
  });

  it('is the chosen one for `g`, and unknown for a word that is no graph', () => {
    const known = ['g', 'gmodern', 'evil'];
    expect(sourceOf('g.V(1)', 'evil', known)).toBe('evil');
    expect(sourceOf('gmodern.V(1)', 'evil', known)).toBe('gmodern');
    expect(sourceOf('gone.V(1)', 'evil', known)).toBeNull();
  });

  it('is told in a moment of a statement with a thousand lines of comments', () => {
    const began = performance.now();
    expect(firstWord(`${'// g. /* a */ x = \n'.repeat(1000)}${' '.repeat(10_000)}`)).toBeNull();
    expect(performance.now() - began).toBeLessThan(500);
  });
});
