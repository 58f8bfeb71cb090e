import { defineConfig } from 'vitest/config';
import { stepsOfServer } from './build/steps.ts';

export default defineConfig({
  plugins: [stepsOfServer()],
  test: { include: ['tests/unit/**/*.test.ts'], environment: 'node', maxWorkers: 1 },
});
