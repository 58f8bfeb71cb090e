import { CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { complete } from '../../src/editor/completion';
import { unquoted } from '../../src/editor/context';
import { meant, type Quote, written } from '../../src/editor/literal';
import { names } from '../../src/session/session';

/** What is offered behind a text. */
function offered(text: string): Promise<CompletionResult | null> {
  return complete(new CompletionContext(EditorState.create({ doc: text }), text.length, true));
}

/** A server that has these values of every key. */
function serverWith(values: string[]): void {
  const data = { '@type': 'g:List', '@value': values };
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify({ result: { data } })));
}

afterEach(() => vi.unstubAllGlobals());

const NASTY = [
  "x').fold().sideEffect(__.V('victim1').drop()).constant('",
  `it's "lab" \\ $x`,
  'a\nb\r\tc\b\f',
  '\\',
  "\\'",
  'z\u0000\u007f\u202eabc\u2028',
  '🌱',
];

describe('a text between quotation marks', () => {
  it('is read as what it was, and does not end before its mark', () => {
    for (const quote of ["'", '"'] as Quote[])
      for (const text of NASTY) {
        const literal = `${quote}${written(text, quote)}${quote}`;
        expect(unquoted(literal), literal).toBe(text);
        expect(literal).not.toMatch(/\p{Cc}|[\u2028\u202e]/u);
      }
  });

  it('has the escapes of the grammar', () => {
    expect(meant(String.raw`\101\7\uu0041\n\'\"\\`)).toBe('A\u0007A\n\'"\\');
    expect(meant('it\\')).toBe('it');
    expect(unquoted("'a' + 'b'")).toBeNull();
  });
});

describe('a value of the graph', () => {
  it('never ends the quotation that it is put into', async () => {
    names.value = { vertices: [], edges: [], keys: ['nick'] };
    for (const quote of ["'", '"'] as Quote[]) {
      serverWith(NASTY.map((text) => text + quote));
      const { options = [] } = (await offered(`g.V().has('nick',${quote}`)) ?? {};
      expect(options).toHaveLength(NASTY.length);
      for (const { label, displayLabel } of options)
        expect(unquoted(`${quote}${label}${quote}`)).toBe(displayLabel ?? label);
    }
  });

  it('is looked for by what is typed, without its escapes', async () => {
    names.value = { vertices: [], edges: [], keys: ['nick'] };
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
      asked.push(JSON.parse(body).bindings.z);
      return new Response('{"result":{"data":{"@type":"g:List","@value":[]}}}');
    });
    await offered(String.raw`g.V().has('nick','it\'s`);
    expect(asked).toEqual(["it's"]);
  });
});

describe('a label', () => {
  it('is offered as it has to be written', async () => {
    names.value = { vertices: [NASTY[1] ?? ''], edges: [], keys: [] };
    const [single] = (await offered("g.V().hasLabel('"))?.options ?? [];
    expect(single).toMatchObject({ label: String.raw`it\'s "lab" \\ $x`, displayLabel: NASTY[1] });
    const [double] = (await offered('g.V().hasLabel("'))?.options ?? [];
    expect(double?.label).toBe(String.raw`it's \"lab\" \\ $x`);
  });
});
