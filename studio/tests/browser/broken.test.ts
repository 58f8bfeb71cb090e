import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch, Studio } from './page';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/** What belongs to the page, but not the page: as if the server was away, or had another version. */
const PARTS = /\/studio\/[^/]+\.(js|css)$/;

describe('a part of the page that does not come', () => {
  it('is said to be missing, and comes when it is tried again', async () => {
    const studio = await Studio.open(browser);
    await studio.editor.waitFor();
    await studio.run('g.V().limit(3)');
    await studio.page.route(PARTS, (route) => route.abort());
    for (const [open, sign] of [
      [() => studio.go('operate'), '.charts'],
      [() => studio.go('schema'), '.schema-box'],
      [() => studio.go('tour'), '.stops'],
    ] as const) {
      await open();
      await studio.button('Try again').waitFor();
      await studio.button('Try again').click();
      await studio.button('Try again').waitFor();
      await studio.page.unroute(PARTS);
      await studio.button('Try again').click();
      await studio.page.locator(sign).first().waitFor();
      await studio.page.route(PARTS, (route) => route.fulfill({ status: 404, body: '{}' }));
    }
    await studio.close();
  });

  it('leaves the other forms of results, and comes with a reload', async () => {
    const studio = await Studio.open(browser);
    await studio.editor.waitFor();
    await studio.page.route(PARTS, (route) => route.fulfill({ status: 404, body: '{}' }));
    await studio.run('g.V().limit(3)');
    await studio.tab('Graph').click();
    await studio.button('Reload the page').waitFor();
    await studio.tab('Table').click();
    expect(await studio.page.locator('.row').count()).toBe(3);
    await studio.tab('Graph').click();
    // It is asked for once more, and must not come yet.
    await studio.button('Reload the page').waitFor();
    await studio.page.unroute(PARTS);
    await studio.button('Reload the page').click();
    await studio.editor.waitFor();
    await studio.run('g.V().limit(3)');
    await studio.page.locator('.canvas canvas').first().waitFor();
    await studio.close();
  });
});

describe('an error while something is drawn', () => {
  it('is said, and leaves everything else', async () => {
    const studio = await Studio.open(browser);
    await studio.editor.waitFor();
    const vertex = { '@type': 'g:Vertex', '@value': { id: 1, label: 'a', properties: { name: [null] } } };
    await studio.page.route('**/gremlin', (route) =>
      route.fulfill({ json: { result: { data: { '@type': 'g:List', '@value': [vertex] } } } }),
    );
    await studio.run('g.V()');
    await studio.tab('Table').click();
    await studio.page.getByText("An error of the page's own").first().waitFor();
    await studio.page.unroute('**/gremlin');
    await studio.run('g.inject(7)');
    expect(await studio.column(1)).toEqual(['7']);
    expect(studio.wrong.join()).toContain('TypeError');
    await studio.close();
  });
});
