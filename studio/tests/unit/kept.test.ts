import { beforeEach, describe, expect, it, vi } from 'vitest';

/** A browser's storage. */
class Store {
  [key: string]: unknown;
  getItem(key: string): string | null {
    return Object.hasOwn(this, key) ? String(this[key]) : null;
  }
  setItem(key: string, value: string): void {
    this[key] = value;
  }
  removeItem(key: string): void {
    delete this[key];
  }
}

let [local, brief] = [new Store(), new Store()];

/** The modules of a page that is opened anew in the same browser. */
async function opened() {
  vi.resetModules();
  const { belongTo, forgetBrief, kept } = await import('../../src/ui/kept');
  const run = await import('../../src/query/run');
  const history = await import('../../src/query/history');
  return { belongTo, forgetBrief, kept, ...run, ...history };
}

const past = (text: string) => ({ text, graph: 'g', at: 1, took: 1, rows: 1 });
const ADDED = "g.call('mangrove.users.add', ['name': 'ada', 'password': 'supersecret1'])";

beforeEach(() => {
  [local, brief] = [new Store(), new Store()];
  vi.stubGlobal('localStorage', local);
  vi.stubGlobal('sessionStorage', brief);
});

describe('what is kept in the browser', () => {
  it('is there for the same user again, and for no other', async () => {
    const first = await opened();
    first.belongTo('reader');
    first.text.value = 'g.inject(pw)';
    first.parameters.value = '{"pw":"topsecret9"}';
    first.remember(past('g.inject(pw)'));
    first.save({ name: 'mine', text: 'g.V()', graph: 'g' });
    const next = await opened();
    next.belongTo('writer');
    expect(next.text.value).not.toContain('pw');
    expect([next.parameters.value, next.past.value, next.saved.value]).toEqual(['', [], []]);
    expect(JSON.stringify(brief)).not.toContain('topsecret9');
    const again = await opened();
    again.belongTo('reader');
    expect(again.text.value).toBe('g.inject(pw)');
    expect(again.past.value).toHaveLength(1);
    expect(again.saved.value).toHaveLength(1);
  });

  it('is nothing that a text about users says', async () => {
    const page = await opened();
    page.belongTo('admin');
    page.text.value = 'g.V()';
    page.text.value = ADDED;
    page.remember(past(ADDED));
    expect(page.save({ name: 'add', text: ADDED, graph: 'g' })).toBe(false);
    expect(JSON.stringify({ ...local, ...brief })).not.toContain('supersecret1');
    expect(page.past.value).toEqual([]);
  });

  it('has no values of parameters beyond the tab, nor beyond the login', async () => {
    const page = await opened();
    page.belongTo('');
    page.parameters.value = '{"pw":"topsecret9"}';
    expect(JSON.stringify(local)).not.toContain('topsecret9');
    const reloaded = await opened();
    reloaded.belongTo('');
    expect(reloaded.parameters.value).toContain('topsecret9');
    reloaded.forgetBrief();
    expect(JSON.stringify(brief)).not.toContain('topsecret9');
  });

  it('is there for a view whose code comes later', async () => {
    const first = await opened();
    first.belongTo('ada');
    first.kept({ name: 'styles', usual: {} }).value = { a: 1 };
    const again = await opened();
    again.belongTo('ada');
    expect(again.kept({ name: 'styles', usual: {} }).value).toEqual({ a: 1 });
    expect(local.getItem('mangrove.@ada.styles')).toBe('{"a":1}');
  });

  it('is not read before it is known whose page it is', async () => {
    const page = await opened();
    page.belongTo('');
    page.text.value = 'g.E()';
    const unknown = await opened();
    expect(unknown.text.value).not.toBe('g.E()');
    unknown.belongTo('ada');
    expect(unknown.text.value).not.toBe('g.E()');
    expect(local.getItem('mangrove.text')).toBe('"g.E()"');
  });
});
