/** Starts what the tests ask: the server as `make run` starts it, and one with users and TLS. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

const ROOT = resolve(import.meta.dirname, '../../..');
const WORK = resolve(ROOT, 'target/studio');
const PATIENCE = 120_000;

/** The password of `admin` on the server with users. */
export const PASSWORD = 'mangroves grow in salt water';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server that `make run` starts. */
    open: string;
    /** The one with users and TLS. */
    closed: string;
    /** One with a graph that is empty, and without the studio. */
    bare: string;
    work: string;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done));
  const address = probe.address();
  await new Promise((done) => probe.close(done));
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}

/** Starts a program, and waits for the line that says that it listens. */
function listening(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<ChildProcess> {
  const process_ = spawn(command, args, {
    cwd: WORK,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  return new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error(`${command} ${args.join(' ')} does not listen:\n${said}`)), PATIENCE);
    const hear = (chunk: Buffer) => {
      said = `${said}${chunk}`.slice(-4000);
      if (!said.includes('listening on ')) return;
      clearTimeout(timer);
      done(process_);
    };
    process_.stdout?.on('data', hear);
    process_.stderr?.on('data', hear);
    process_.on('exit', (code) => fail(new Error(`${command} ended with ${code}:\n${said}`)));
  });
}

function certificate(): { certificate: string; key: string } {
  const [certificate, key] = [resolve(WORK, 'certificate.pem'), resolve(WORK, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      key,
      '-out',
      certificate,
      ...subject,
    ],
    { stdio: 'ignore' },
  );
  return { certificate, key };
}

/** Called by vitest before the tests; what it gives is called after them. */
export default async function start(project: TestProject): Promise<() => Promise<void>> {
  const mangrove = process.env.MANGROVE;
  if (!mangrove || !existsSync(mangrove))
    throw new Error('MANGROVE must name the binary to test; `make studio-test` does');
  mkdirSync(WORK, { recursive: true });
  const [open, closed, bare] = [await freePort(), await freePort(), await freePort()];
  const { certificate: cert, key } = certificate();
  writeFileSync(resolve(WORK, 'password.txt'), PASSWORD);
  rmSync(resolve(WORK, 'closed'), { recursive: true, force: true });
  const secured = ['--set', `server.tls_certificate=${cert}`, '--set', `server.tls_key=${key}`];
  const started = await Promise.allSettled([
    listening(resolve(ROOT, 'tests/run-demo'), [mangrove, '1000', '7', String(open)]),
    listening(mangrove, [
      '--data',
      'closed',
      ...secured,
      'serve',
      '--port',
      String(closed),
      '--admin-password-file',
      'password.txt',
    ]),
    listening(mangrove, ['--data', ':memory:', '--set', 'server.studio=false', 'serve', '--port', String(bare)]),
  ]);
  const servers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const stop = async () => {
    for (const server of servers) server.removeAllListeners('exit').kill();
  };
  const failed = started.find((one) => one.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  project.provide('open', `http://localhost:${open}`);
  project.provide('closed', `https://localhost:${closed}`);
  project.provide('bare', `http://localhost:${bare}`);
  project.provide('work', WORK);
  return stop;
}
