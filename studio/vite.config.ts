import { defineConfig } from 'vite';
import { compress } from './build/compress.ts';
import { stepsOfServer } from './build/steps.ts';

/** The server that `npm run dev` asks. */
const server = process.env.MANGROVE_URL ?? 'http://localhost:8182';

const asked = [
  '/gremlin',
  '/pg',
  '/status',
  '/health',
  '/metrics',
  '/studio/session',
  '/studio/login',
  '/studio/logout',
];
// The server lets only its own pages ask, so a page of the development server must look like one.
const proxy = Object.fromEntries(
  asked.map((path) => [path, { target: server, headers: { origin: server }, changeOrigin: true }]),
);

export default defineConfig({
  plugins: [stepsOfServer(), compress()],
  server: { proxy },
  preview: { proxy },
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    assetsDir: 'studio',
    // `compress` empties the folder, and leaves what is of the repository.
    emptyOutDir: false,
    // A data: URL for a small file would be one more thing to allow.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
});
