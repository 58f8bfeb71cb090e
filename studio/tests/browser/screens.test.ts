/** Pictures of each view, in `target/studio`: to be looked at. */
import { resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launch, Studio, type View } from './page';
import { PASSWORD } from './servers';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const QUERY =
  "g.V().hasLabel('Person').order().by(out('knows').count(), desc).limit(1)\n  .outE('knows').limit(40).as('e').inV()\n  .outE('hasInterest','isLocatedIn','workAt').limit(90).inV().path()";

const VIEWS: [string, (studio: Studio) => Promise<void>][] = [
  [
    'query',
    async (studio) => {
      await studio.write("g.V().hasLabel('Person')\n  .has('firstName', 'Jan')\n  .out('knows')");
      await studio.page.keyboard.type('.ha');
      await studio.page.locator('.cm-tooltip-autocomplete li').first().waitFor();
      await studio.page.waitForTimeout(400);
    },
  ],
  [
    'graph',
    async (studio) => {
      await studio.run(QUERY);
      await studio.tab('Graph').click();
      await studio.rest();
      await studio.page.locator('.canvas').focus();
      await studio.page.keyboard.press('ArrowRight');
      await studio.page.locator('.side').first().waitFor();
      await studio.page.keyboard.press('0');
      await studio.page.waitForTimeout(600);
    },
  ],
  [
    // Of the README: nothing is chosen in it, so that all labels have their colours.
    'network',
    async (studio) => {
      await studio.run(QUERY);
      await studio.tab('Graph').click();
      await studio.rest();
      await studio.page.waitForTimeout(600);
    },
  ],
  [
    'table',
    (studio) =>
      studio.run(
        "g.V().hasLabel('Person').order().by(out('knows').count(), desc).limit(200)\n  .project('first name', 'last name', 'friends', 'browser')\n    .by('firstName').by('lastName').by(out('knows').count()).by('browserUsed')",
      ),
  ],
  [
    'json',
    async (studio) => {
      await studio.run("g.V().hasLabel('Person').limit(20)");
      await studio.tab('JSON').click();
    },
  ],
  ['error', (studio) => studio.run("g.V().hasLabel('Person')\n  .outt('knows')\n  .values('firstName')")],
  [
    'plan',
    async (studio) => {
      await studio.write(
        "g.V().hasLabel('Person')\n  .where(out('knows').out('likes').hasLabel('Post'))\n  .order().by(out('knows').count(), desc).limit(10)\n  .union(values('firstName'), repeat(out('knows')).times(2).dedup().count())",
      );
      await studio.button('Profile').click();
      await studio.page.locator('.operator').first().waitFor();
    },
  ],
  [
    'schema',
    async (studio) => {
      await studio.go('schema');
      await studio.page.locator('.schema-box').first().waitFor();
    },
  ],
  [
    'operate',
    async (studio) => {
      const ask = (gremlin: string, evaluationTimeout: number) =>
        fetch(`${inject('open')}/gremlin`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ gremlin, evaluationTimeout }),
        });
      await studio.go('operate');
      for (let at = 0; at < 24; at++) {
        await ask("g.V().hasLabel('Person').out('knows').count()", 5000);
        await studio.page.waitForTimeout(250);
      }
      const long = [
        ask("g.V().hasLabel('Person').repeat(both('knows')).times(7).count()", 5000),
        ask('g.V().repeat(both()).times(9).count()', 5000),
      ];
      await studio.page.locator('.plain-table tbody tr').first().waitFor();
      void Promise.allSettled(long);
    },
  ],
  ['tour', (studio) => studio.go('tour')],
];

describe.each([
  ['light', {}],
  ['dark', { dark: true }],
  ['small', { small: true }],
] as [string, View][])('%s', (kind, view) => {
  it.each(VIEWS)('%s', async (name, show) => {
    const studio = await Studio.open(browser, view);
    await studio.editor.waitFor();
    await show(studio);
    await studio.page.waitForTimeout(400);
    await studio.page.screenshot({ path: resolve(inject('work'), `${name}-${kind}.png`) });
    expect(studio.wrong).toEqual([]);
    await studio.close();
  });

  it('login and users', async () => {
    const studio = await Studio.open(browser, { ...view, url: inject('closed') });
    await studio.button('Log in').waitFor();
    await studio.page.screenshot({ path: resolve(inject('work'), `login-${kind}.png`) });
    await studio.page.getByLabel('Name').fill('admin');
    await studio.page.getByLabel('Password or token').fill(PASSWORD);
    await studio.button('Log in').click();
    await studio.editor.waitFor();
    await studio.go('operate');
    await studio.page.getByRole('region', { name: 'Users' }).scrollIntoViewIfNeeded();
    await studio.page.screenshot({ path: resolve(inject('work'), `users-${kind}.png`) });
    await studio.close();
  });
});
