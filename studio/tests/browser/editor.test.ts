import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { launch, Studio } from './page';

let browser: Browser;
let studio: Studio;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
beforeEach(async () => {
  studio = await Studio.open(browser);
});
afterEach(async () => {
  expect(studio.wrong).toEqual([]);
  await studio.close();
});

/** Accepts what the list of completions, which is shown, has chosen. */
async function accept() {
  // The list takes no key in its first moments, so that nobody accepts what he has not seen.
  await studio.page.waitForTimeout(200);
  await studio.page.keyboard.press('Enter');
}

describe('the editor', () => {
  it('colours Gremlin', async () => {
    await studio.write("g.V().has('name', 'ada').limit(3) // few");
    const colours = await studio.editor
      .locator('.cm-line')
      .first()
      .locator('span')
      .evaluateAll((spans) => spans.map((span) => [span.textContent, getComputedStyle(span).color]));
    const of = (text: string) => colours.find(([found]) => found === text)?.[1];
    const all = ['g', 'has', "'name'", '3', '// few'].map(of);
    expect(new Set(all).size, JSON.stringify(colours)).toBe(5);
    expect(all).not.toContain(undefined);
  });

  it('completes steps with what they do', async () => {
    await studio.write('g.V()');
    await studio.page.keyboard.type('.hasL');
    const list = studio.page.getByRole('listbox');
    await list.getByRole('option', { name: 'hasLabel' }).waitFor();
    await expect.poll(() => studio.page.locator('.cm-completionInfo').textContent()).toContain('labels');
    await accept();
    expect(await studio.editor.textContent()).toContain('g.V().hasLabel(');
  });

  it('completes labels, keys and values of the graph that is chosen', async () => {
    const offers = async (typed: string, wanted: string) => {
      await studio.write('g.V()');
      await studio.page.keyboard.type(typed);
      await studio.page.getByRole('option', { name: wanted }).first().waitFor();
      await studio.page.keyboard.press('Escape');
    };
    await offers(".hasLabel('Pers", 'Person');
    await offers(".out('kno", 'knows');
    await offers(".values('first", 'firstName');
    await offers(".has('Person', 'firstName', 'Jab", 'Jabari');
    await studio.choose('gmodern');
    await offers(".hasLabel('per", 'person');
    await offers(".has('person', 'name', 'mar", 'marko');
  });

  it('takes a value of the graph for a text, whatever it says', async () => {
    await studio.choose('gmodern');
    await studio.run(`g.addV('odd').property('nick3', "x').fold().sideEffect(__.V().drop()).constant('").iterate()`);
    try {
      await studio.write('g.V()');
      await studio.page.keyboard.type(".has('nick3','x");
      await studio.page.locator('.cm-tooltip-autocomplete li').first().waitFor();
      await accept();
      await studio.page.keyboard.press('Control+Enter');
      await studio.page.locator('.results-said').filter({ hasText: '1 result' }).waitFor();
      await studio.run('g.V().count()');
      expect(await studio.column(1)).toEqual(['7']);
    } finally {
      await studio.run("g.V().hasLabel('odd').drop()");
    }
  });

  it('shows an error under the text, at its column', async () => {
    await studio.run("g.V()\n  .outt('knows')");
    const below = studio.page.locator('.cm-mistake');
    expect(await below.textContent()).toMatch(/unknown step `outt`/);
    const [caret, wrong] = [
      await studio.page.locator('.cm-caret').boundingBox(),
      await studio.page.locator('.cm-wrong').boundingBox(),
    ];
    if (!caret || !wrong) throw new Error('nothing is marked');
    expect(caret.y).toBeGreaterThan(wrong.y);
    const column = await studio.page.locator('.cm-caret').evaluate((element) => element.textContent?.indexOf('▲'));
    expect(column).toBe(3);
    expect(await studio.page.getByRole('alert').textContent()).toContain('line 2, column 4');
    await studio.editor.click();
    await studio.page.keyboard.type('x');
    await below.waitFor({ state: 'detached' });
  });

  it('knows where an error is in a statement that is not the first', async () => {
    await studio.run("g.V().count();\n\n  g.V().outt('knows')");
    expect(await studio.page.locator('.cm-wrong').textContent()).toBe('outt');
  });

  it('runs with parameters, and says what is wrong with them', async () => {
    await studio.choose('gmodern');
    await studio.button('Parameters').click();
    const field = studio.page.getByLabel('Variables of the query, as JSON');
    await field.fill('{"x": "marko", "n": 9007199254740993}');
    await studio.run("g.V().has('name', x).values('age').inject(n)");
    await studio.tab('Table').click();
    expect((await studio.column(1)).sort()).toEqual(['29', '9007199254740993']);
    await field.fill('{"x": ');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await studio.run('g.V(x)');
    expect(await studio.page.getByRole('alert').textContent()).toContain('no JSON');
  });

  it('runs several statements, and shows what came of each', async () => {
    await studio.choose('gmodern');
    await studio.run("g.V().count();\ng.E().count()\ng.V().has('name','josh').values('age')");
    const which = studio.page.locator('.statements select');
    expect(await which.locator('option').count()).toBe(3);
    expect(await studio.column(1)).toEqual(['32']);
    await which.selectOption('0');
    expect(await studio.column(1)).toEqual(['6']);
  });

  it('runs the statement at the cursor alone, or what is selected', async () => {
    await studio.choose('gmodern');
    await studio.write("g.V().count()\ng.V().has('name','josh').values('age')");
    await studio.page.keyboard.press('Control+Home');
    await studio.page.keyboard.press('Shift+Enter');
    await studio.done();
    expect(await studio.column(1)).toEqual(['6']);
    expect(await studio.page.locator('.statements select').count()).toBe(0);
    await studio.page.keyboard.press('Control+End');
    await studio.page.keyboard.press('Shift+Home');
    await studio.page.keyboard.press('Control+Enter');
    await expect.poll(() => studio.column(1)).toEqual(['32']);
  });

  it('remembers what was run, and what is saved, over a reload', async () => {
    await studio.choose('gmodern');
    await studio.run("g.V().has('name','peter')");
    await studio.button('Saved').click();
    await studio.page.getByLabel('Name', { exact: true }).fill('Peter');
    await studio.button('Save').last().click();
    await studio.run('g.V().count()');
    await studio.page.reload();
    await studio.button('Saved').click();
    await studio.page.locator('.entry', { hasText: 'Peter' }).click();
    await expect.poll(() => studio.editor.textContent()).toContain('peter');
    await studio.button('History').click();
    await studio.page.getByLabel('Find in the history').fill('count');
    await studio.page.locator('.entry', { hasText: 'g.V().count()' }).first().click();
    await expect.poll(() => studio.editor.textContent()).toBe('g.V().count()');
    await studio.button('Saved').click();
    await studio.button('Forget Peter').click();
    expect(await studio.page.locator('.entry', { hasText: 'Peter' }).count()).toBe(0);
  });

  it('stops what runs, on the server too', async () => {
    await studio.write('g.V().repeat(both()).times(9).count()');
    await studio.page.keyboard.press('Control+Enter');
    await studio.button('Stop').first().waitFor();
    const underWay = async () => (await (await fetch(`${inject('open')}/gremlin/status`)).json()).queries.length;
    await expect.poll(underWay).toBeGreaterThan(0);
    await studio.button('Stop').first().click();
    await studio.done();
    expect(await studio.page.getByRole('alert').textContent()).toMatch(/CancelledError/);
    await expect.poll(underWay).toBe(0);
  });

  it('gives up when the time is over that somebody chose', async () => {
    await studio.page.getByLabel('Time-out').selectOption('1000');
    await studio.run('g.V().repeat(both()).times(9).count()');
    expect(await studio.page.getByRole('alert').textContent()).toMatch(/TimeoutError.*timeout of 1s/s);
  });
});
