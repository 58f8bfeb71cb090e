import { createServer, type Server } from 'node:http';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launch, Studio } from './page';
import { PASSWORD } from './servers';

let browser: Browser;
let foreign: Server;
let elsewhere = '';
beforeAll(async () => {
  browser = await launch();
  // A page on another port of the same host: to cookies it is the same site.
  foreign = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end('<title>elsewhere</title>'));
  await new Promise<void>((done) => foreign.listen(0, 'localhost', done));
  const address = foreign.address();
  elsewhere = `http://localhost:${typeof address === 'object' ? address?.port : 0}`;
});
afterAll(async () => {
  await browser.close();
  foreign.close();
});

const HTML = '<img src=x onerror="window.hurt=1"><script>window.hurt=2</script><b>bold</b>';

describe('a value with HTML in it', () => {
  it('shows as text everywhere', async () => {
    const studio = await Studio.open(browser);
    const literal = JSON.stringify(HTML);
    await studio.run(`g.inject(${literal}).project(${literal}).by()`);
    expect(await studio.column(1)).toEqual([HTML]);
    expect(await studio.page.getByRole('columnheader').last().textContent()).toContain(HTML);
    await studio.tab('JSON').click();
    expect(await studio.page.locator('.json').textContent()).toContain('<b>bold</b>');
    await studio.run(`g.V().hasLabel(${literal}).fail(${literal})`);
    await studio.run(`g.inject(1).fail(${literal})`);
    expect(await studio.page.getByRole('alert').textContent()).toContain('<script>');
    await studio.write(`g.V().has(${literal}).foo()`);
    await studio.button('Explain').click();
    await studio.done();
    await studio.button('History').click();
    expect(await studio.page.locator('.entries').textContent()).toContain('<b>bold</b>');
    // A graph, its legend and its details; and a schema.
    const vertex = {
      '@type': 'g:Vertex',
      '@value': {
        id: HTML,
        label: HTML,
        properties: { [HTML]: [{ '@type': 'g:VertexProperty', '@value': { id: 1, value: HTML, label: HTML } }] },
      },
    };
    const list = (items: unknown[]) => ({ '@type': 'g:List', '@value': items });
    await studio.page.route('**/gremlin', (route) => {
      const body = route.request().postData() ?? '';
      const data = body.includes('mangrove.')
        ? [{ vertices: [HTML], edges: [HTML], keys: [HTML], label: HTML, state: HTML, kind: HTML }]
        : body.includes('groupCount')
          ? list([{ '@type': 'g:Map', '@value': ['of', HTML, 'out', { '@type': 'g:Map', '@value': [HTML, 3] }] }])
          : list([vertex]);
      return route.fulfill({ json: { result: { data } } });
    });
    await studio.run('g.V()');
    await studio.tab('Graph').click();
    await studio.page.locator('.canvas').focus();
    await studio.page.keyboard.press('ArrowRight');
    const details = studio.page.getByRole('region', { name: 'Selected vertex' });
    await details.locator('.side').waitFor();
    expect(await details.textContent()).toContain(HTML);
    expect(await studio.page.getByRole('region', { name: 'Legend' }).textContent()).toContain(HTML);
    const summary = {
      nodeLabels: [HTML],
      edgeLabels: [HTML],
      nodeStructures: [{ count: 1, nodeProperties: [HTML] }],
      edgeStructures: [{ count: 1, edgeProperties: [HTML] }],
    };
    await studio.page.route('**/pg/**', (route) => route.fulfill({ json: { payload: { graphSummary: summary } } }));
    await studio.go('schema');
    await studio.page.locator('.schema-box').first().click();
    expect(await studio.page.locator('.panel').textContent()).toContain(HTML);
    await studio.page.route('**/gremlin/status**', (route) =>
      route.fulfill({
        json: {
          queries: [
            {
              queryId: HTML,
              queryString: HTML,
              queryEvalStats: {},
              graph: HTML,
              user: HTML,
              state: HTML,
              age: 1,
              rows: 1,
              memory: 1,
              peakMemory: 1,
              operators: [HTML],
            },
          ],
        },
      }),
    );
    await studio.go('operate');
    await studio.page.getByRole('row', { name: /bold/ }).waitFor();
    expect(
      await studio.page.evaluate(() => [
        (window as { hurt?: number }).hurt,
        document.querySelectorAll('b, img, #app script').length,
      ]),
    ).toEqual([undefined, 0]);
    expect(studio.wrong).toEqual([]);
    await studio.close();
  });
});

describe('the policy', () => {
  it('forbids inline scripts, evaluation, styles and everything from elsewhere', async () => {
    const studio = await Studio.open(browser);
    const policy = (await studio.page.request.get(inject('open'))).headers()['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    const blocked = await studio.page.evaluate(async (other) => {
      const found: string[] = [];
      document.addEventListener('securitypolicyviolation', (event) => found.push(event.effectiveDirective));
      const script = document.createElement('script');
      try {
        script.textContent = 'window.hurt = 1';
        document.head.append(script);
      } catch {
        found.push('trusted types');
      }
      try {
        document.body.insertAdjacentHTML('beforeend', '<i onclick="window.hurt=1">');
      } catch {
        found.push('trusted types for markup');
      }
      const style = document.createElement('style');
      style.textContent = 'body { display: none }';
      document.head.append(style);
      await fetch(other).catch(() => found.push('fetch'));
      await new Promise((done) => setTimeout(done, 300));
      return { found, hurt: (window as { hurt?: number }).hurt, hidden: getComputedStyle(document.body).display };
    }, elsewhere);
    expect(blocked.hurt).toBeUndefined();
    expect(blocked.hidden).not.toBe('none');
    expect(blocked.found).toEqual(
      expect.arrayContaining(['trusted types', 'trusted types for markup', 'style-src-elem', 'connect-src', 'fetch']),
    );
    await studio.close();
  });

  it('lets the page be in no frame', async () => {
    const page = await browser.newPage();
    await page.goto(elsewhere);
    const seen = await page.evaluate(async (studio) => {
      const frame = document.createElement('iframe');
      frame.src = studio;
      document.body.append(frame);
      await new Promise((done) => frame.addEventListener('load', done));
      try {
        return frame.contentWindow?.location.href ?? 'nothing';
      } catch {
        return 'refused';
      }
    }, inject('open'));
    expect(seen).toBe('refused');
    expect(page.frames().some((frame) => frame.url() === `${inject('open')}/`)).toBe(false);
    await page.close();
  });

  it('loads nothing from elsewhere', async () => {
    const studio = await Studio.open(browser);
    const asked: string[] = [];
    studio.page.on('request', (request) => asked.push(request.url()));
    await studio.page.reload();
    for (const place of ['schema', 'operate', 'tour', 'query'] as const) await studio.go(place);
    await studio.run('g.E().limit(20)');
    await studio.tab('Graph').click();
    await studio.page.locator('.canvas canvas').first().waitFor();
    expect(asked.length).toBeGreaterThan(8);
    expect(asked.filter((url) => !url.startsWith(inject('open')) && !url.startsWith('blob:'))).toEqual([]);
    await studio.close();
  });
});

describe('a page from elsewhere', () => {
  it('cannot use the studio, nor the login of who uses it', async () => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    await page.goto(inject('closed'));
    await page.getByLabel('Name').fill('admin');
    await page.getByLabel('Password or token').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.locator('.cm-content').waitFor();
    await page.goto(elsewhere);
    const told = await page.evaluate(async (server) => {
      const attempt = async (path: string, init: RequestInit) => {
        try {
          const answer = await fetch(server + path, { credentials: 'include', ...init });
          return `${answer.type} ${answer.status}`;
        } catch {
          return 'refused';
        }
      };
      const body = JSON.stringify({ gremlin: "g.addV('hurt')" });
      const header = { 'X-Mangrove-Studio': '1' };
      return Promise.all([
        attempt('/studio/session', {}),
        attempt('/studio/session', { headers: header }),
        attempt('/gremlin', { method: 'POST', body }),
        attempt('/gremlin', { method: 'POST', body, headers: { ...header, 'content-type': 'application/json' } }),
        attempt('/gremlin', { method: 'POST', body, mode: 'no-cors' }),
        attempt('/studio/logout', { method: 'POST', mode: 'no-cors' }),
      ]);
    }, inject('closed'));
    expect(told.filter((one) => one !== 'refused' && one !== 'opaque 0')).toEqual([]);
    await page.goto(inject('closed'));
    await page.locator('.cm-content').waitFor();
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText("g.V().hasLabel('hurt').count()");
    await page.keyboard.press('Control+Enter');
    await page.locator('.results-said').filter({ hasText: '1 result' }).waitFor();
    expect(await page.locator('.row > span:nth-child(2)').allTextContents()).toEqual(['0']);
    await context.close();
  });
});

describe('a server without the studio', () => {
  it('has nothing of it', async () => {
    const page = await browser.newPage();
    expect((await page.request.get(`${inject('bare')}/`)).status()).toBe(400);
    expect((await page.request.get(`${inject('bare')}/studio/session`)).status()).toBe(404);
    await page.close();
  });
});
