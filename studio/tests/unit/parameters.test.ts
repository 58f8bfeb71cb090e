import { describe, expect, it } from 'vitest';
import { bindings } from '../../src/query/run';
import { encode } from '../../src/server/graphson';

describe('parameters', () => {
  it('keep the sign of zero', () => {
    const json = '{"x":-0.0,"d":0.5}';
    expect(encode(bindings(json))).toBe(json);
  });

  it('are refused where a number is beyond what can be sent, and do not become null', () => {
    expect(() => bindings('{"x": 1e400}')).toThrow(/1e400 is beyond|a number is beyond/);
    expect(() => bindings('{"x": [-1e400]}')).toThrow(/cannot be sent/);
    expect(() => bindings('{"x": ')).toThrow(/no JSON/);
  });
});
