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

const ask = (gremlin: string) =>
  fetch(`${inject('open')}/gremlin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ gremlin }),
  });

describe('operate', () => {
  it('shows what runs, and stops it', async () => {
    const answer = ask('g.V().repeat(both()).times(9).count()');
    await studio.go('operate');
    const row = studio.page.getByRole('row', { name: /times\(9\)/ });
    await row.waitFor();
    expect(await row.textContent()).toMatch(/running/);
    await row.getByRole('button', { name: /^Stop/ }).click();
    expect((await answer).status).toBe(500);
    await row.waitFor({ state: 'detached' });
  });

  it('shows sessions, memory, loads, latency and conflicts as they are now', async () => {
    await studio.go('operate');
    const number = async (name: string) =>
      studio.page
        .locator('.numbers div', { has: studio.page.getByText(name, { exact: true }) })
        .locator('dd')
        .textContent();
    await expect.poll(() => number('connections')).not.toBe('0');
    for (const name of ['sessions', 'open transactions', 'conflicts', 'memory', 'loads that wait'])
      expect(await number(name), name).toMatch(/^\d/);
    await ask('g.V().count()');
    const chart = (title: string) => studio.page.locator('.chart', { hasText: title });
    await expect.poll(async () => chart('Latency').textContent(), { timeout: 15_000 }).toMatch(/median \d.*(ms|s|µs)/);
    await expect.poll(async () => chart('Memory').textContent()).toMatch(/process \d+ MiB/);
    for (const title of ['Requests a second', 'Loads a second', 'Commits a second', 'Under way'])
      await chart(title).locator('canvas').waitFor();
  });

  it('shows indexes, and how far those are that are being built', async () => {
    await studio.go('operate');
    const indexes = studio.page.getByRole('region', { name: 'Indexes' });
    await indexes.getByText('Person (firstName)').waitFor();
    expect(await indexes.textContent()).toContain('ready');
    await studio.page.route('**/gremlin', async (route) => {
      if (!route.request().postData()?.includes('mangrove.index.list')) return route.continue();
      const building = { label: 'Person', keys: ['lastName'], kind: 'range', state: 'building', progress: 0.4 };
      return route.fulfill({ json: { result: { data: [building] } } });
    });
    await expect.poll(() => indexes.getByRole('progressbar').getAttribute('value'), { timeout: 10_000 }).toBe('0.4');
  });

  it('shows no users where there are none', async () => {
    await studio.go('operate');
    await studio.page.getByRole('region', { name: 'Indexes' }).waitFor();
    expect(await studio.page.getByRole('region', { name: 'Users' }).count()).toBe(0);
  });
});
