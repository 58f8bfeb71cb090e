/** A page in a browser, and what tests do with it. */
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { inject } from 'vitest';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
];

/** Starts the browser. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
}

/** Serves files from a folder in place of those in the binary: for who changes the page and does not want to wait for cargo. */
async function serve(context: BrowserContext, url: string, dist: string): Promise<void> {
  const policy = (await context.request.get(url)).headers()['content-security-policy'] ?? '';
  await context.route(new RegExp(`^${url}/(studio/[^/]+\\.(js|css|svg))?(#.*)?$`), async (route) => {
    const { pathname } = new URL(route.request().url());
    const path = `${dist}${pathname === '/' ? '/index.html' : pathname}`;
    await route.fulfill({ path, headers: { 'content-security-policy': policy } });
  });
}

/** How a page is looked at. */
export interface View {
  url?: string;
  dark?: boolean;
  small?: boolean;
}

/** A page and what its console said that was wrong. */
export class Studio {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors, without those that say that a request which was meant to fail has failed. */
  readonly wrong: string[] = [];

  private constructor(page: Page, context: BrowserContext) {
    this.page = page;
    this.context = context;
    page.on('pageerror', (error) => this.wrong.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.wrong.push(message.text());
    });
  }

  /** Opens the studio of a server. */
  static async open(
    browser: Browser,
    { url = inject('open'), dark = false, small = false }: View = {},
  ): Promise<Studio> {
    const context = await browser.newContext({
      viewport: small ? { width: 390, height: 780 } : { width: 1400, height: 880 },
      colorScheme: dark ? 'dark' : 'light',
      ignoreHTTPSErrors: true,
      acceptDownloads: true,
    });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    if (process.env.STUDIO_DIST) await serve(context, url, process.env.STUDIO_DIST);
    const studio = new Studio(await context.newPage(), context);
    await studio.page.goto(url);
    return studio;
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  tab(name: string): Locator {
    return this.page.getByRole('tab', { name });
  }

  get editor(): Locator {
    return this.page.locator('.cm-content');
  }

  /** Puts a text into the editor as it is, without what the editor would close by itself. */
  async write(text: string): Promise<void> {
    await this.editor.click();
    await this.page.keyboard.press('Control+a');
    await this.page.keyboard.press('Delete');
    await this.page.keyboard.insertText(text);
  }

  /** Runs a text, and waits for what comes of it. */
  async run(text: string): Promise<void> {
    await this.write(text);
    await this.page.keyboard.press('Escape');
    await this.page.keyboard.press('Control+Enter');
    await this.done();
  }

  /** Waits until nothing is under way. */
  async done(): Promise<void> {
    await this.page.locator('.results-said').waitFor();
  }

  async go(place: 'query' | 'schema' | 'operate' | 'tour'): Promise<void> {
    await this.page.locator(`.rail a[href="#${place}"]`).last().click();
  }

  async choose(graph: string): Promise<void> {
    await this.page.getByLabel('Graph', { exact: true }).selectOption(graph);
  }

  /** The text of all cells of a column that are in sight. */
  async column(at: number): Promise<string[]> {
    return this.page.locator(`.row > span:nth-child(${at + 1})`).allTextContents();
  }

  /** The picture of the graph, as the page's own code has it. */
  async shown(): Promise<{ order: number; size: number; hidden: number; pinned: number; labels: string[] }> {
    await this.page.locator('.canvas canvas').first().waitFor();
    return this.page.locator('.canvas').evaluate((element) => {
      const { graph } = (element as unknown as { picture: { sigma: { getGraph(): never } } }).picture
        .sigma as unknown as { graph: never };
      const held = graph as unknown as {
        order: number;
        size: number;
        filterNodes(which: (key: string, attributes: { hidden: boolean; pinned: boolean }) => boolean): string[];
        mapNodes(to: (key: string, attributes: { label: string }) => string): string[];
      };
      return {
        order: held.order,
        size: held.size,
        hidden: held.filterNodes((_, { hidden }) => hidden).length,
        pinned: held.filterNodes((_, { pinned }) => pinned).length,
        labels: held.mapNodes((_, { label }) => label),
      };
    });
  }

  /** Where a vertex is on the page, by its caption. */
  async place(caption: string): Promise<{ x: number; y: number }> {
    const inside = await this.page.locator('.canvas').evaluate((element, wanted) => {
      const { sigma } = (element as unknown as { picture: { sigma: never } }).picture as unknown as {
        sigma: {
          getGraph(): {
            findNode(which: (key: string, attributes: { label: string }) => boolean): string;
            getNodeAttributes(key: string): { x: number; y: number };
          };
          graphToViewport(place: { x: number; y: number }): { x: number; y: number };
        };
      };
      const graph = sigma.getGraph();
      return sigma.graphToViewport(graph.getNodeAttributes(graph.findNode((_, { label }) => label === wanted)));
    }, caption);
    const box = await this.page.locator('.canvas').boundingBox();
    if (!box) throw new Error('there is no picture');
    return { x: box.x + inside.x, y: box.y + inside.y };
  }

  /** Waits until forces have come to rest. */
  async rest(): Promise<void> {
    await this.button('Rest').waitFor({ state: 'detached', timeout: 60_000 });
  }

  close(): Promise<void> {
    return this.context.close();
  }
}
