import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launch, Studio, type View } from './page';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/** What axe finds serious. */
async function serious(studio: Studio): Promise<string[]> {
  // The page's policy lets no script be written into it; the browser's own tools may.
  const session = await studio.context.newCDPSession(studio.page);
  await session.send('Runtime.evaluate', { expression: axe.source });
  const found = await studio.page.evaluate(async () => {
    const { axe: tool } = window as unknown as {
      axe: {
        run(): Promise<{
          violations: { id: string; impact: string; nodes: { target: unknown; failureSummary: string }[] }[];
        }>;
      };
    };
    return (await tool.run()).violations;
  });
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) => `${id} ${JSON.stringify(target)} ${failureSummary.split('\n')[1] ?? ''}`,
      ),
    );
}

const VIEWS: [string, (studio: Studio) => Promise<void>][] = [
  ['the editor', async () => {}],
  [
    'a graph',
    async (studio) => {
      await studio.run("g.V().hasLabel('Person').limit(1).outE('knows').limit(5).inV().path()");
      await studio.tab('Graph').click();
      await studio.page.locator('.canvas canvas').first().waitFor();
      await studio.page.locator('.canvas').focus();
      await studio.page.keyboard.press('ArrowRight');
      await studio.page.locator('.side').first().waitFor();
    },
  ],
  ['a table', (studio) => studio.run("g.V().hasLabel('Person').limit(30).values('firstName')")],
  [
    'JSON',
    async (studio) => {
      await studio.run("g.V().hasLabel('Person').limit(3)");
      await studio.tab('JSON').click();
    },
  ],
  ['an error', (studio) => studio.run('g.V().foo()')],
  [
    'a plan',
    async (studio) => {
      await studio.write("g.V().hasLabel('Person').where(out('knows').count().is(gt(5))).limit(3)");
      await studio.button('Profile').click();
      await studio.page.locator('.operator').first().waitFor();
    },
  ],
  [
    'the drawer',
    async (studio) => {
      await studio.run('g.inject(1)');
      await studio.button('Parameters').click();
      await studio.button('History').click();
    },
  ],
  [
    'the schema',
    async (studio) => {
      await studio.go('schema');
      await studio.page.locator('.schema-box').first().click();
    },
  ],
  [
    'operate',
    async (studio) => {
      await studio.go('operate');
      await studio.page.getByRole('region', { name: 'Indexes' }).waitFor();
    },
  ],
  ['the tour', (studio) => studio.go('tour')],
];

describe.each([
  ['light', {}],
  ['dark', { dark: true }],
  ['small', { small: true }],
] as [string, View][])('axe finds nothing serious in the %s page', (_, view) => {
  it.each(VIEWS)('%s', async (_name, show) => {
    const studio = await Studio.open(browser, view);
    await studio.editor.waitFor();
    await show(studio);
    await studio.page.waitForTimeout(300);
    expect(await serious(studio)).toEqual([]);
    expect(studio.wrong).toEqual([]);
    if (view.small)
      expect(
        await studio.page.evaluate(() => document.documentElement.scrollWidth),
        'nothing is wider than the screen',
      ).toBeLessThanOrEqual(390);
    await studio.close();
  });

  it('the login', async () => {
    const studio = await Studio.open(browser, { ...view, url: inject('closed') });
    await studio.button('Log in').waitFor();
    expect(await serious(studio)).toEqual([]);
    await studio.close();
  });
});

describe('the keyboard', () => {
  it('reaches everything in the order in which it is seen, and leaves the editor by Tab', async () => {
    const studio = await Studio.open(browser);
    await studio.editor.waitFor();
    await studio.editor.focus();
    const names: string[] = [];
    for (let at = 0; at < 14; at++) {
      await studio.page.keyboard.press('Tab');
      names.push(
        await studio.page.evaluate(
          () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
        ),
      );
    }
    expect(names[0]).toBe('Height of the editor');
    for (const name of ['Query', 'Schema', 'Operate', 'Tour']) expect(names.join('|')).toContain(name);
    await studio.page.keyboard.press('Alt+2');
    await studio.page.getByRole('heading', { name: /^Schema of/ }).waitFor();
    await studio.page.keyboard.press('Alt+1');
    await studio.editor.waitFor();
    await studio.close();
  });

  it('changes between light and dark', async () => {
    const studio = await Studio.open(browser);
    const theme = () => studio.page.evaluate(() => document.documentElement.dataset.theme);
    expect(await theme()).toBe('light');
    await studio.button(/^Colours/).press('Enter');
    await studio.button(/^Colours/).press('Enter');
    expect(await theme()).toBe('dark');
    await studio.page.reload();
    expect(await theme()).toBe('dark');
    await studio.close();
  });
});
