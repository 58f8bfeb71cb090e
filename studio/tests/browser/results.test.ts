import { readFileSync } from 'node:fs';
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
  await studio.choose('gmodern');
});
afterEach(async () => {
  expect(studio.wrong).toEqual([]);
  await studio.close();
});

describe('a table', () => {
  it('sorts by its columns, and back', async () => {
    await studio.run("g.V().hasLabel('person').project('name', 'age').by('name').by('age')");
    expect(await studio.page.getByRole('columnheader').allTextContents()).toEqual(['#', 'name', 'age']);
    const before = await studio.column(2);
    await studio.button('age').click();
    expect(await studio.column(2)).toEqual(['27', '29', '32', '35']);
    await studio.button('age').click();
    expect(await studio.column(2)).toEqual(['35', '32', '29', '27']);
    expect(await studio.page.getByRole('columnheader', { name: 'age' }).getAttribute('aria-sort')).toBe('descending');
    await studio.button('age').click();
    expect(await studio.column(2)).toEqual(before);
  });

  it('is copied, whole or a row or a cell', async () => {
    await studio.run("g.V().hasLabel('person').order().by('name').project('name', 'age').by('name').by('age')");
    const clipboard = () => studio.page.evaluate(() => navigator.clipboard.readText());
    await studio.button('Copy').click();
    await expect.poll(clipboard).toBe('name\tage\njosh\t32\nmarko\t29\npeter\t35\nvadas\t27');
    await studio.page.getByRole('grid').focus();
    await studio.page.keyboard.press('ArrowDown');
    await studio.page.keyboard.press('ArrowDown');
    await studio.page.keyboard.press('Control+c');
    await expect.poll(clipboard).toBe('marko\t29');
    await studio.page.getByRole('gridcell', { name: 'peter' }).dblclick();
    await expect.poll(clipboard).toBe('peter');
  });

  it('is taken along as CSV', async () => {
    await studio.run(`g.inject('a,b', 'say "x"')`);
    const [file] = await Promise.all([studio.page.waitForEvent('download'), studio.button(/^CSV$/).click()]);
    expect(file.suggestedFilename()).toBe('results.csv');
    expect(readFileSync(await file.path(), 'utf8')).toBe('value\r\n"a,b"\r\n"say ""x"""\r\n');
  });

  it('has a hundred thousand rows, of which those in sight are there', async () => {
    await studio.choose('g');
    await studio.run("g.V().hasLabel('Comment','Post').limit(100000).values('id')");
    await studio.page
      .locator('.results-said')
      .filter({ hasText: /97,659 results/ })
      .waitFor();
    await studio.run("g.V().union(values('id'), values('creationDate')).limit(100000)");
    await studio.page
      .locator('.results-said')
      .filter({ hasText: /100,000 results/ })
      .waitFor();
    const grid = studio.page.getByRole('grid');
    expect(await grid.getAttribute('aria-rowcount')).toBe('100001');
    expect(await studio.page.locator('.row').count()).toBeLessThan(80);
    await grid.focus();
    await studio.page.keyboard.press('End');
    await studio.page.locator('.row', { has: studio.page.locator('.quiet', { hasText: /^100000$/ }) }).waitFor();
    await grid.evaluate((element) => {
      element.scrollTop = element.scrollHeight / 2;
    });
    await expect
      .poll(async () => Number((await studio.page.locator('.row .quiet').first().textContent()) ?? 0))
      .toBeGreaterThan(49_000);
    expect(await studio.page.locator('.row').count()).toBeLessThan(80);
  });
});

describe('JSON', () => {
  it('has all of a result, and each digit of a number', async () => {
    await studio.run("g.V().has('name','marko').project('v', 'n').by().by(constant(9223372036854775807L))");
    await studio.tab('JSON').click();
    const text = (await studio.page.locator('.json-line').allTextContents()).join('\n');
    expect(JSON.parse(text)).toEqual([
      { v: { id: 1, label: 'person', properties: { name: 'marko', age: 29 } }, n: '9223372036854775807' },
    ]);
    const [file] = await Promise.all([studio.page.waitForEvent('download'), studio.button('JSON').click()]);
    expect(JSON.parse(readFileSync(await file.path(), 'utf8'))).toHaveLength(1);
  });
});

describe('forms', () => {
  it('are only those that a result has', async () => {
    const tabs = () => studio.page.getByRole('tab').allTextContents();
    await studio.run("g.V().values('name')");
    expect(await tabs()).toEqual(['Table', 'JSON']);
    await studio.run('g.V().valueMap(true)');
    expect(await tabs()).toEqual(['Table', 'JSON']);
    await studio.run('g.V()');
    expect(await tabs()).toEqual(['Graph', 'Table', 'JSON']);
    await studio.run('g.V().explain()');
    expect(await tabs()).toEqual(['Plan']);
    await studio.run('g.V().hasLabel("nobody")');
    expect(await tabs()).toEqual(['Table', 'JSON']);
    expect(await studio.page.getByRole('tabpanel').textContent()).toContain('There is no result');
  });

  it('are reached by the arrow keys', async () => {
    await studio.run('g.V()');
    await studio.tab('Graph').focus();
    await studio.page.keyboard.press('ArrowRight');
    expect(await studio.tab('Table').getAttribute('aria-selected')).toBe('true');
    expect(await studio.tab('Table').evaluate((tab) => tab === document.activeElement)).toBe(true);
  });
});
