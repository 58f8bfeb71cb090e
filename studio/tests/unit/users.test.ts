import { describe, expect, it } from 'vitest';
import { roleOn, said } from '../../src/operate/user-row';

describe('roles', () => {
  it('are said and sent with the graph that they are on', () => {
    expect(said({ '*': 'read', modern: 'write' })).toBe('read, write@modern');
    expect(said({})).toBe('none');
    expect([roleOn('*', 'none'), roleOn('modern', 'none')]).toEqual(['none', 'none@modern']);
  });
});
