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

const draw = async (query: string) => {
  await studio.run(query);
  await studio.tab('Graph').click();
  await studio.page.locator('.canvas canvas').first().waitFor();
  await studio.rest();
};

describe('a graph', () => {
  it('is drawn of elements, paths and subgraphs', async () => {
    for (const [query, order, size] of [
      ['g.V()', 6, 0],
      ['g.E()', 6, 6],
      ["g.V().has('name','marko').outE().inV().path()", 4, 3],
      ["g.V().has('name','marko').out('created').path()", 2, 1],
      ["g.E().hasLabel('knows').subgraph('s').cap('s')", 3, 2],
      ["g.V().has('name','marko').out().tree()", 4, 3],
      ["g.V().has('name','marko').project('a').by(out().fold())", 3, 0],
    ] as const) {
      await draw(query);
      expect(await studio.shown(), query).toMatchObject({ order, size });
    }
  });

  it('has the names of vertices that edges only name by their ids', async () => {
    await draw('g.E()');
    await expect
      .poll(async () => (await studio.shown()).labels.sort())
      .toEqual(['josh', 'lop', 'marko', 'peter', 'ripple', 'vadas']);
  });

  it('expands a vertex by label and direction, with counts first and a bound', async () => {
    await draw("g.V().has('name','josh')");
    const { x, y } = await studio.place('josh');
    await studio.page.mouse.click(x, y);
    const details = studio.page.getByRole('region', { name: 'Selected vertex' });
    await details.getByRole('heading', { name: 'josh' }).waitFor();
    const sides = details.locator('.side');
    await sides.first().waitFor();
    expect(await sides.allTextContents()).toEqual(['→outgoing created2', '←incoming knows1']);
    await details.getByLabel('Expand, at most').selectOption('10');
    await sides.nth(1).click();
    await details.getByText('1 vertices and 1 edges came').waitFor();
    expect(await studio.shown()).toMatchObject({ order: 2, size: 1 });
    await sides.nth(0).click();
    await expect.poll(() => studio.shown()).toMatchObject({ order: 4, size: 3 });
  });

  it('expands in the graph that a statement names, whichever is chosen', async () => {
    await studio.choose('g');
    await draw("gmodern.V().has('name','marko')");
    await studio.page.locator('.canvas').focus();
    await studio.page.keyboard.press('ArrowRight');
    const sides = studio.page.getByRole('region', { name: 'Selected vertex' }).locator('.side');
    await sides.first().waitFor();
    expect((await sides.allTextContents()).sort()).toEqual(['→outgoing created1', '→outgoing knows2']);
    await studio.page.keyboard.press('Enter');
    await expect.poll(() => studio.shown()).toMatchObject({ order: 4, size: 3 });
    expect((await studio.shown()).labels.sort()).toEqual(['josh', 'lop', 'marko', 'vadas']);
  });

  it('takes no more than the bound says', async () => {
    await studio.choose('g');
    await draw("g.V().hasLabel('Person').order().by(out('knows').count(), desc).limit(1)");
    await studio.page.locator('.canvas').focus();
    await studio.page.keyboard.press('ArrowRight');
    const details = studio.page.getByRole('region', { name: 'Selected vertex' });
    await details.getByLabel('Expand, at most').selectOption('10');
    await details.locator('.side', { hasText: 'hasCreator' }).click();
    await details.getByText('10 vertices and 10 edges came').waitFor();
    expect(await studio.shown()).toMatchObject({ order: 11, size: 10 });
  });

  it('hides and shows, a vertex or a label', async () => {
    await draw('g.E()');
    const { x, y } = await studio.place('lop').catch(() => studio.place('software 3'));
    await studio.page.mouse.click(x, y);
    await studio.page.getByRole('region', { name: 'Selected vertex' }).getByRole('button', { name: 'Hide' }).click();
    expect(await studio.shown()).toMatchObject({ hidden: 1 });
    await studio.page.locator('.legend-item', { hasText: 'person' }).click();
    await studio.button('Hide all').click();
    expect(await studio.shown()).toMatchObject({ hidden: 5 });
    await studio.page.locator('.legend-item', { hasText: 'person' }).click();
    expect(await studio.shown()).toMatchObject({ hidden: 1 });
    await studio.button(/Show 1 hidden/).click();
    expect(await studio.shown()).toMatchObject({ hidden: 0 });
  });

  it('pins what is dragged, and it stays when forces act', async () => {
    await draw('g.E()');
    await expect.poll(async () => (await studio.shown()).labels).toContain('marko');
    const from = await studio.place('marko');
    await studio.page.mouse.move(from.x, from.y);
    await studio.page.mouse.down();
    await studio.page.mouse.move(from.x + 60, from.y + 40, { steps: 5 });
    await studio.page.mouse.up();
    expect(await studio.shown()).toMatchObject({ pinned: 1 });
    const place = () =>
      studio.page.locator('.canvas').evaluate((element) => {
        const { graph } = (
          element as unknown as {
            picture: {
              sigma: {
                graph: {
                  findNode(w: (k: string, a: { label: string }) => boolean): string;
                  getNodeAttributes(k: string): { x: number; y: number };
                };
              };
            };
          }
        ).picture.sigma;
        const { x, y } = graph.getNodeAttributes(graph.findNode((_, { label }) => label === 'marko'));
        return [x, y];
      });
    const before = await place();
    await studio.page.getByRole('radio', { name: 'force' }).click();
    await studio.page.waitForTimeout(400);
    await studio.rest();
    expect(await place()).toEqual(before);
  });

  it('changes how a label looks, for good', async () => {
    await draw('g.E()');
    await studio.page.locator('.legend-item', { hasText: 'person' }).click();
    await studio.page.getByLabel('Caption').selectOption('~id');
    await studio.page.getByLabel('Colour', { exact: true }).fill('#123456');
    await expect.poll(async () => (await studio.shown()).labels).toContain('1');
    expect(await studio.page.locator('.legend-item circle').first().getAttribute('fill')).toBe('#123456');
    await studio.page.reload();
    await draw('g.E()');
    await expect.poll(async () => (await studio.shown()).labels).toContain('1');
  });

  it('is searched', async () => {
    await draw('g.V()');
    await studio.page.getByLabel('Find in the graph').fill('ripp');
    await studio.page.getByText('1 vertex', { exact: true }).waitFor();
    await studio.page.keyboard.press('Enter');
    await studio.page.getByRole('region', { name: 'Selected vertex' }).getByText('ripple').first().waitFor();
  });

  it('is laid out in four ways, and joined by the edges among what is shown', async () => {
    await draw('g.V()');
    await studio.button('Edges among').click();
    await expect.poll(() => studio.shown()).toMatchObject({ order: 6, size: 6 });
    await studio.rest();
    const places = () =>
      studio.page.locator('.canvas').evaluate((element) => {
        const { graph } = (
          element as unknown as {
            picture: {
              sigma: { graph: { mapNodes(to: (k: string, a: { x: number; y: number }) => string): string[] } };
            };
          }
        ).picture.sigma;
        return graph.mapNodes((_, { x, y }) => `${Math.round(x)} ${Math.round(y)}`).join('; ');
      });
    const seen = new Set<string>();
    for (const layout of ['layers', 'circle', 'grid', 'force']) {
      await studio.page.getByRole('radio', { name: layout }).click();
      await studio.page.waitForTimeout(300);
      await studio.rest();
      seen.add(await places());
    }
    expect(seen.size).toBe(4);
  });

  it('is walked by the keyboard', async () => {
    await draw('g.V()');
    await studio.page.locator('.canvas').focus();
    await studio.page.keyboard.press('ArrowRight');
    const details = studio.page.getByRole('region', { name: 'Selected vertex' });
    await details.waitFor();
    const first = await details.locator('h3').textContent();
    await studio.page.keyboard.press('ArrowRight');
    await expect.poll(() => details.locator('h3').textContent()).not.toBe(first);
    await studio.page.keyboard.press('h');
    await expect.poll(() => studio.shown()).toMatchObject({ hidden: 1 });
    await studio.page.keyboard.press('ArrowRight');
    await studio.page.keyboard.press('p');
    await expect.poll(() => studio.shown()).toMatchObject({ pinned: 1 });
    await studio.page.keyboard.press('Enter');
    await expect.poll(async () => (await studio.shown()).size).toBeGreaterThan(0);
    await studio.page.keyboard.press('Escape');
    expect(await details.count()).toBe(0);
  });
});

describe('the picture', () => {
  it.each([
    ['wide', 1280, 880],
    ['small', 360, 780],
  ])('of a %s page has room, and no vertex lies under a button', async (_, width, height) => {
    await studio.page.setViewportSize({ width, height });
    await draw('g.E()');
    const canvas = await studio.page.locator('.canvas').boundingBox();
    if (!canvas) throw new Error('there is no picture');
    expect(canvas.height).toBeGreaterThanOrEqual(200);
    for (const part of ['.stage-tools', '.stage-foot']) {
      const box = await studio.page.locator(part).boundingBox();
      if (!box) throw new Error(`${part} is not there`);
      expect(box.y >= canvas.y + canvas.height - 1 || box.y + box.height <= canvas.y + 1, part).toBe(true);
    }
    await expect.poll(async () => (await studio.shown()).labels).toContain('ripple');
    for (const name of ['marko', 'lop', 'ripple']) {
      const { x, y } = await studio.place(name);
      expect(x > canvas.x && x < canvas.x + canvas.width, name).toBe(true);
      expect(y > canvas.y && y < canvas.y + canvas.height, name).toBe(true);
    }
  });
});
