import { SOURCES, STEPS } from 'virtual:steps';
import { describe, expect, it } from 'vitest';
import { labelBefore, openCall, openQuote, unquoted } from '../../src/editor/context';
import { failureOf } from '../../src/server/failure';

describe('what the cursor stands in', () => {
  it('is a quotation that is not closed', () => {
    expect(openQuote("g.V().has('na")).toBe(10);
    expect(openQuote("g.V().has('a\"b', ")).toBe(-1);
    expect(openQuote(String.raw`g.V('a\'b`)).toBe(4);
  });

  it('is an argument of the innermost call that is open', () => {
    expect(openCall("g.V().where(out('a').has('Person', ")).toMatchObject({ name: 'has', arguments: ["'Person'"] });
    expect(openCall("g.V().has('Person','name',")).toMatchObject({ arguments: ["'Person'", "'name'"] });
    expect(openCall('g.V().has(within([1, 2]), ')).toMatchObject({ name: 'has', arguments: ['within([1, 2])'] });
    expect(openCall('g.V()')).toBeNull();
  });

  it('has a label that was said before', () => {
    expect(labelBefore("g.V().hasLabel('Person').")).toBe('Person');
    expect(labelBefore("g.V().has('Post', 'id', 1).hasLabel(\"Tag\").")).toBe('Tag');
    expect(labelBefore('g.V().')).toBeNull();
    expect([unquoted("'a'"), unquoted('a'), unquoted(undefined)]).toEqual(['a', null, null]);
  });
});

describe('steps', () => {
  it('are those of the server, each with its sentence', () => {
    expect(STEPS.hasLabel).toContain('labels');
    expect(STEPS.V).toContain('vertices');
    expect(STEPS.local).toContain('alone');
    expect(Object.keys(STEPS).length).toBeGreaterThan(120);
    expect(SOURCES.withStrategies).toContain('strategies');
  });
});

describe('a failure', () => {
  it('knows its kind and its place', () => {
    const failure = failureOf(
      400,
      '{"message":"line 2, column 7: unknown step `foo`","Exception-Class":"mangrove.SyntaxError"}',
    );
    expect(failure).toMatchObject({
      kind: 'SyntaxError',
      message: 'unknown step `foo`',
      place: { line: 2, column: 7 },
    });
    expect(failureOf(400, '{"detailedMessage":"no","code":"InvalidParameterException"}')).toMatchObject({
      message: 'no',
      place: null,
    });
    expect(failureOf(502, '<html>')).toMatchObject({ kind: 'HTTP 502', message: '<html>' });
  });
});
