import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { run } from '../../src/server/client';
import { askSession, choose, ended, enter, graph, leave, lost, session, unreachable } from '../../src/session/session';

/** A server as a browser with one cookie sees it: one user is logged in at a time. */
const server = { user: null as string | null, asked: [] as string[], sources: ['g'], isForbidden: false };
const reload = vi.fn();

function answer(path: string, shown: string): Response {
  const told = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });
  if (path === '/studio/session')
    return told(200, {
      stranger: server.user === null,
      user: server.user,
      admin: false,
      sources: server.sources,
      version: '',
    });
  if (path === '/studio/login') return told(200, {});
  if (server.user === null) return told(401, { message: 'who?', 'Exception-Class': 'mangrove.AuthenticationError' });
  if (shown !== encodeURIComponent(server.user))
    return told(401, { message: 'another', 'Exception-Class': 'mangrove.OtherUserError' });
  return server.isForbidden ? told(403, { message: 'no role' }) : told(200, { result: { data: [1] } });
}

beforeEach(() => {
  server.user = null;
  server.asked = [];
  server.sources = ['g'];
  server.isForbidden = false;
  reload.mockClear();
  session.value = null;
  ended.value = '';
  vi.stubGlobal('location', { reload });
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const shown = new Headers(init.headers).get('X-Mangrove-Studio') ?? 'none';
    server.asked.push(`${path} ${shown}`);
    return answer(path, shown);
  });
});
afterEach(() => vi.unstubAllGlobals());

const ask = () => run({ gremlin: 'g.inject(1)', graph: 'g' });

describe('the page', () => {
  it('says with each request which user it shows', async () => {
    server.user = 'ada läuft';
    await askSession();
    await ask();
    expect(server.asked.at(-1)).toBe('/gremlin ada%20l%C3%A4uft');
  });

  it('shows the login and says why, when another user has logged in in another tab', async () => {
    server.user = 'reader';
    await askSession();
    server.user = 'writer';
    await expect(ask()).rejects.toMatchObject({ kind: 'OtherUserError' });
    expect(session.value).toMatchObject({ stranger: true, user: 'reader' });
    expect(ended.value).toContain('Somebody else');
  });

  it('goes on as it was when the same user logs in again, and begins anew for another', async () => {
    server.user = 'reader';
    await askSession();
    server.user = null;
    await expect(ask()).rejects.toMatchObject({ kind: 'AuthenticationError' });
    expect(ended.value).toContain('ended');
    server.user = 'reader';
    await enter('reader', 'x');
    expect(session.value).toMatchObject({ stranger: false, user: 'reader' });
    expect(reload).not.toHaveBeenCalled();
    server.user = 'writer';
    await enter('writer', 'x');
    expect(reload).toHaveBeenCalledOnce();
    expect(session.value).toMatchObject({ user: 'reader' });
  });

  it('says so when the browser does not keep the login', async () => {
    await askSession();
    await expect(enter('reader', 'right')).rejects.toMatchObject({ kind: 'CookieError' });
    expect(session.value).toMatchObject({ stranger: true });
  });

  it('looks again at the graphs when something is forbidden, and asks no other one instead', async () => {
    server.user = 'reader';
    server.sources = ['g', 'modern'];
    await askSession();
    choose('modern');
    server.sources = ['g'];
    server.isForbidden = true;
    await expect(ask()).rejects.toMatchObject({ status: 403 });
    await vi.waitFor(() => expect(session.value?.sources).toEqual(['g']));
    expect([graph.value, lost.value]).toEqual(['modern', 'modern']);
    choose('g');
    expect([graph.value, lost.value]).toEqual(['g', null]);
  });

  it('logs out nobody else, and says when the server does not answer', async () => {
    server.user = 'reader';
    await askSession();
    server.user = 'writer';
    await leave();
    expect(reload).not.toHaveBeenCalled();
    expect(ended.value).toContain('Somebody else');
    server.user = 'reader';
    await askSession();
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')));
    await leave();
    expect(unreachable.value).toContain('does not answer');
    unreachable.value = null;
  });
});
