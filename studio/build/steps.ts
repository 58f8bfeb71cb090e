/** What the console of the server says of each step is in one place, in Rust; the page is built with the same words. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const SOURCE = fileURLToPath(new URL('../../crates/mangrove/src/console/steps.rs', import.meta.url));
const MODULE = 'virtual:steps';

/** Reads the names of steps, and of instructions before the first step, each with its sentence. */
export function readSteps(rust: string): { steps: Record<string, string>; sources: Record<string, string> } {
  const [steps = '', sources = ''] = rust.split('pub(super) fn source_does');
  return { steps: arms(steps), sources: arms(sources) };
}

function arms(rust: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name = '', does = ''] of rust.matchAll(/S::(\w+) => (?:\{\s*)?"((?:[^"\\]|\\.)*)"/g)) {
    const isSingle = name === 'V' || name === 'E';
    found[isSingle ? name : name.charAt(0).toLowerCase() + name.slice(1)] = JSON.parse(`"${does}"`);
  }
  return found;
}

/** Gives the page `virtual:steps`. */
export function stepsOfServer(): Plugin {
  return {
    name: 'steps-of-server',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : null),
    load(id) {
      if (id !== `\0${MODULE}`) return null;
      this.addWatchFile(SOURCE);
      const { steps, sources } = readSteps(readFileSync(SOURCE, 'utf8'));
      if (Object.keys(steps).length < 100)
        throw new Error(`${SOURCE} has only ${Object.keys(steps).length} steps; has it moved?`);
      return `export const STEPS = ${JSON.stringify(steps)};\nexport const SOURCES = ${JSON.stringify(sources)};`;
    },
  };
}
