import { afterEach, expect, it, vi } from 'vitest';
import { plan, run } from '../../src/server/client';

/** A server that says `status` at once, and whose body ends in `error` when somebody stops, or by itself. */
function answering(status: number, begun: () => void, isByItself = false): void {
  vi.stubGlobal('fetch', async (_: string, { signal }: RequestInit) => {
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode('{"message": "gone"'));
        if (isByItself) return controller.error(new TypeError('network error'));
        begun();
        return new Promise<void>((resolve) => {
          signal?.addEventListener('abort', () => {
            controller.error(signal.reason);
            resolve();
          });
        });
      },
    });
    return new Response(body, { status });
  });
}

afterEach(() => vi.unstubAllGlobals());

it.each([200, 500])('says that a query was stopped whose answer of status %i had begun to come', async (status) => {
  for (const ask of [run, plan.bind(null, 'profile')]) {
    const controller = new AbortController();
    answering(status, () => setTimeout(() => controller.abort(), 5));
    const asked = ask({ gremlin: 'g.V()', graph: 'g', signal: controller.signal });
    await expect(asked).rejects.toMatchObject({ kind: 'CancelledError', message: 'stopped' });
  }
});

it('says of an answer that breaks off that the server does not answer', async () => {
  answering(200, () => {}, true);
  await expect(run({ gremlin: 'g.V()', graph: 'g' })).rejects.toMatchObject({ kind: 'NetworkError' });
});
