import { CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { complete } from '../../src/editor/completion';
import { unquoted } from '../../src/editor/context';
import { literal, meant, type Quote, written } from '../../src/editor/literal';
import { statementsOf } from '../../src/query/statements';
import { askNames, type Names } from '../../src/session/names';
import { session } from '../../src/session/session';

/** What is offered behind a text. */
function offered(text: string): Promise<CompletionResult | null> {
  return complete(new CompletionContext(EditorState.create({ doc: text }), text.length, true));
}

/** A server that has these names, and these values of every key. */
async function serverWith(
  names: Partial<Names>,
  values: string[] = [],
  asked: (body: { bindings: { z?: string }; aliases: { g: string } }) => void = () => {},
): Promise<void> {
  const known = { vertices: [], edges: [], keys: [], ...names };
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    if (body.includes('mangrove.schema.names')) return new Response(JSON.stringify({ result: { data: [known] } }));
    asked(JSON.parse(body));
    return new Response(JSON.stringify({ result: { data: { '@type': 'g:List', '@value': values } } }));
  });
  await askNames();
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

  it('is one statement still, whatever is in it', () => {
    for (const text of NASTY) {
      const statement = `g.V().hasLabel(${literal(text)}).limit(25)`;
      expect(statementsOf(statement).map((one) => one.text)).toEqual([statement]);
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
    for (const quote of ["'", '"'] as Quote[]) {
      await serverWith(
        { keys: ['nick'] },
        NASTY.map((text) => text + quote),
      );
      const { options = [] } = (await offered(`g.V().has('nick',${quote}`)) ?? {};
      expect(options).toHaveLength(NASTY.length);
      for (const { label, displayLabel } of options)
        expect(unquoted(`${quote}${label}${quote}`)).toBe(displayLabel ?? label);
    }
  });

  it('is looked for by what is typed, without its escapes', async () => {
    const asked: string[] = [];
    await serverWith({ keys: ['nick'] }, [], ({ bindings }) => asked.push(bindings.z ?? ''));
    await offered(String.raw`g.V().has('nick','it\'s`);
    expect(asked).toEqual(["it's"]);
  });
});

describe('a label', () => {
  it('is offered as it has to be written', async () => {
    await serverWith({ vertices: [NASTY[1] ?? ''] });
    const [single] = (await offered("g.V().hasLabel('"))?.options ?? [];
    expect(single).toMatchObject({ label: String.raw`it\'s "lab" \\ $x`, displayLabel: NASTY[1] });
    const [double] = (await offered('g.V().hasLabel("'))?.options ?? [];
    expect(double?.label).toBe(String.raw`it's \"lab\" \\ $x`);
  });
});

describe('what is offered', () => {
  it('are values for a key that has come since the page was opened', async () => {
    await serverWith({ vertices: ['person'], edges: ['knows'], keys: ['name'] }, ['neo']);
    expect((await offered("g.V().has('nick9','"))?.options.map(({ label }) => label)).toEqual(['neo']);
    expect((await offered("g.V().has('person','"))?.options.map(({ label }) => label)).toEqual(['name']);
  });

  it('are the names that there are now, and not when the page was opened', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    await serverWith({});
    vi.stubGlobal(
      'fetch',
      async () => new Response('{"result":{"data":[{"vertices":["born"],"edges":[],"keys":[]}]}}'),
    );
    vi.advanceTimersByTime(60_000);
    expect((await offered("g.V().hasLabel('"))?.options.map(({ label }) => label)).toEqual(['born']);
    vi.useRealTimers();
  });

  it('are those of the graph that the statement names, and none of a graph that is unknown', async () => {
    session.value = { stranger: false, user: null, admin: false, sources: ['g', 'modern'], version: '' };
    const asked: string[] = [];
    await serverWith({ keys: ['nick'] }, ['neo'], ({ aliases }) => asked.push(aliases.g));
    expect((await offered("g.V();\nmodern.V().has('nick','t"))?.options).toHaveLength(1);
    expect(asked).toEqual(['modern']);
    expect(await offered("gone.V().hasLabel('")).toBeNull();
    session.value = null;
  });

  it('are predicates behind P, and the tokens of a class behind its name', async () => {
    const labels = async (text: string) => (await offered(text))?.options.map(({ label }) => label) ?? [];
    expect(await labels("g.V().has('age', P.")).toEqual(expect.arrayContaining(['gt', 'within']));
    expect(await labels("g.V().has('age', P.")).not.toContain('out');
    expect(await labels('g.V().by(T.i')).toEqual(['id', 'label', 'key', 'value']);
    expect(await labels('g.V().order().by(x, Order.')).toEqual(['asc', 'desc', 'shuffle']);
    expect(await labels('g.V().')).toContain('out');
    expect(await labels('g.toString.')).toContain('out');
  });
});
