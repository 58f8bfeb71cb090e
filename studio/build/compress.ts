/** Writes each file of the page once more in both compressed forms, so that the server compresses nothing when it is asked. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

/** Compresses what was built. */
export function compress(): Plugin {
  let folder = 'dist';
  return {
    name: 'compress',
    apply: 'build',
    configResolved(config) {
      folder = config.build.outDir;
    },
    buildStart() {
      // All but the file that keeps the folder in the repository.
      for (const name of existsSync(folder) ? readdirSync(folder) : [])
        if (name !== '.gitignore') rmSync(join(folder, name), { recursive: true });
    },
    closeBundle() {
      for (const path of filesBelow(folder).filter((path) => !/\.(br|gz|gitignore)$/.test(path))) {
        const bytes = readFileSync(path);
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
        writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
      }
    },
  };
}
