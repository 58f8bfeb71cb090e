import { describe, expect, it } from 'vitest';
import { type Answer, answers, bindings } from '../../src/query/run';
import { Failure } from '../../src/server/failure';
import { encode } from '../../src/server/graphson';
import { session } from '../../src/session/session';

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

describe('an answer that nobody was logged in', () => {
  it('is gone as soon as somebody is', () => {
    const known = { stranger: false, user: 'ada', admin: false, sources: ['g'], version: '' };
    const failed = (status: number) => ({ failure: new Failure('no', 'Error', status) }) as Answer;
    session.value = { ...known, stranger: true };
    answers.value = [failed(400), failed(401)];
    session.value = known;
    expect(answers.value.map(({ failure }) => failure?.status)).toEqual([400]);
  });
});
