import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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

describe('the schema', () => {
  it('is a picture of labels and what joins them, with counts', async () => {
    await studio.choose('gmodern');
    await studio.go('schema');
    const box = (name: string) => studio.page.getByRole('button', { name, exact: true });
    await box('vertices person 4').waitFor();
    await box('vertices software 2').waitFor();
    await box('edges created 4').waitFor();
    await box('edges knows 2').waitFor();
    const lines = await studio.page.locator('.schema-line title').allTextContents();
    expect(lines.sort()).toEqual([
      'created enters software: 4',
      'created leaves person: 4',
      'knows enters person: 2',
      'knows leaves person: 2',
    ]);
    expect(await studio.page.locator('.view-head').textContent()).toContain(
      '6 vertices of 2 labels, 6 edges of 2 labels',
    );
  });

  it('tells keys and indexes of a label, and shows some of it', async () => {
    await studio.go('schema');
    await studio.page.getByRole('button', { name: 'vertices Person 1,000', exact: true }).click();
    const details = studio.page.getByRole('region', { name: 'Vertices Person' });
    expect(await details.textContent()).toMatch(/firstName.*equality id/s);
    await details.getByRole('button', { name: 'Show 25' }).click();
    await studio.page.locator('.results-said').filter({ hasText: '25 results' }).waitFor();
  });

  it('is chosen by keyboard', async () => {
    await studio.choose('gmodern');
    await studio.go('schema');
    const box = studio.page.getByRole('button', { name: 'edges knows 2', exact: true });
    await box.focus();
    await studio.page.keyboard.press('Enter');
    await studio.page.getByRole('region', { name: 'Edges knows' }).getByText('person (2) → person (2)').waitFor();
  });
});

describe('a plan', () => {
  const query =
    "g.V().hasLabel('Person').where(out('knows').out('likes').hasLabel('Post')).limit(10).values('firstName')";

  it('is a picture of operators with scopes nested and what the rules did', async () => {
    await studio.write(query);
    await studio.button('Explain').click();
    const plan = studio.page.getByRole('region', { name: 'Plan' });
    await plan.getByText('ScanVertices(Person)').waitFor();
    const scope = plan.locator('.scope', { hasText: 'FilterScope(all)' });
    expect(await scope.locator('.operator-name code').allTextContents()).toEqual([
      'FilterScope(all)',
      'Expand(out knows)',
      'Expand(out likes)',
      'Filter(label in (Post))',
    ]);
    expect(await scope.locator('.chip').first().textContent()).toBe('per traverser');
    expect(await plan.locator('.operator-rows').first().textContent()).toBe('~1k rows');
    const rules = studio.page.getByRole('region', { name: 'What the rules did' });
    await rules.getByRole('button', { name: 'label-scan' }).click();
    expect(await rules.locator('.new').first().textContent()).toContain('V(label Person)');
  });

  it('tells instances opened and cancelled, rows guessed and seen, and time by colour', async () => {
    await studio.write(query);
    await studio.button('Profile').click();
    const plan = studio.page.getByRole('region', { name: 'Plan' });
    const scope = plan.locator('.scope > .operator');
    await scope.waitFor();
    expect(await scope.textContent()).toMatch(/\d+ opened.*\d+ cancelled/);
    expect(await scope.locator('.operator-rows').textContent()).toMatch(/~300 → \d+/);
    const heats = await plan
      .locator('.operator')
      .evaluateAll((all) => all.map((one) => /heat-(\d)/.exec(one.className)?.[1]));
    expect(new Set(heats).size).toBeGreaterThan(1);
    expect(heats).not.toContain(undefined);
    const colours = await plan
      .locator('.operator')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
    expect(new Set(colours).size).toBe(new Set(heats).size);
    expect(await plan.locator('.plan-head').textContent()).toMatch(/scope instances \d+ opened, \d+ cancelled/);
  });

  it('is coloured by the memory that operators keep, where one wants', async () => {
    await studio.write("g.V().hasLabel('Person').order().by('creationDate').limit(5000).count()");
    await studio.button('Profile').click();
    const plan = studio.page.getByRole('region', { name: 'Plan' });
    const sorting = plan.locator('.operator', { hasText: /^Order/ });
    await plan.locator('.operator-memory').first().waitFor();
    expect(await sorting.locator('.operator-memory').textContent()).toMatch(/^[\d.]+ (KiB|MiB)$/);
    await plan.getByLabel('Colour by').selectOption('memory');
    await expect.poll(() => sorting.getAttribute('class')).toContain('heat-4');
    expect(await plan.locator('.operator', { hasText: /^Scan/ }).getAttribute('class')).toContain('heat-0');
  });

  it('is drawn of what a statement tells that asks for its own profile', async () => {
    await studio.run("g.V().hasLabel('Person').out('knows').count().profile()");
    await studio.page.getByRole('region', { name: 'Plan' }).getByText('count()').first().waitFor();
  });
});

describe('the tour', () => {
  it('has five queries with a sentence each, and each of them runs', async () => {
    await studio.go('tour');
    const stops = studio.page.locator('.stop-card');
    await expect.poll(() => stops.count()).toBe(5);
    for (let at = 0; at < 5; at++) {
      const says = await stops.nth(at).locator('p').textContent();
      expect(says?.match(/[.!?](\s|$)/g)).toHaveLength(1);
      await stops
        .nth(at)
        .getByRole('button', { name: at === 3 ? 'Profile' : 'Run' })
        .click();
      await studio.done();
      expect(await studio.page.locator('.failure').count(), says ?? '').toBe(0);
      await studio.page.keyboard.press('Alt+4');
      await stops.first().waitFor();
    }
  });
});
