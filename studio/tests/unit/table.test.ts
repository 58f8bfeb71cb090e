import { describe, expect, it } from 'vitest';
import { cell, compare, csv, harmless, shownIn, sorted, tableOf, tsv, undrawn } from '../../src/results/columns';
import { inSight, scrollTo } from '../../src/results/virtual';
import type { Value, Vertex } from '../../src/server/value';

const map = (fields: Record<string, Value>): Value => ({ kind: 'map', entries: Object.entries(fields) });
const vertex = (id: number, name: string): Vertex => ({
  kind: 'vertex',
  id,
  label: 'person',
  properties: [['name', [{ kind: 'vertexProperty', id: 0, key: 'name', value: name, meta: [] }]]],
});

describe('a table', () => {
  it('has a column for each field of maps and elements', () => {
    const table = tableOf([map({ a: 1, b: 'x' }), map({ b: 'y', c: null })]);
    expect(table.columns).toEqual(['a', 'b', 'c']);
    expect(table.rows[1]).toEqual([undefined, 'y', null]);
    expect(tableOf([vertex(1, 'ada')])).toEqual({ columns: ['~id', '~label', 'name'], rows: [[1, 'person', 'ada']] });
  });

  it('has one column where results have nothing in common', () => {
    expect(tableOf([1, map({ a: 1 })]).columns).toEqual(['value']);
    expect(tableOf([]).rows).toEqual([]);
  });

  it('has more columns than are drawn, and says so', () => {
    const wide = (fields: number) => map(Object.fromEntries(Array.from({ length: fields }, (_, at) => [`k${at}`, at])));
    const table = tableOf([wide(75)]);
    expect(csv(table).split('\r\n')[1]?.split(',').length).toBe(75);
    expect(undrawn(table)).toBe(', and 15 columns more in CSV and Copy');
    expect(undrawn(tableOf([wide(60)]))).toBe('');
    const path: Value = { kind: 'path', labels: [], objects: Array.from({ length: 61 }, () => 1) };
    expect(undrawn(tableOf([path]))).toBe(', and 1 column more in CSV and Copy');
    // Of many rows with fields of their own a table has no room for all.
    const apart = Array.from({ length: 100 }, (_, row) => map({ [`k${row}`]: row }));
    const bounded = tableOf(apart, 8_000);
    expect([bounded.columns.length, bounded.left]).toEqual([80, 20]);
    expect(undrawn(bounded)).toBe(', and 20 columns more in CSV and Copy, and 20 columns more in the JSON alone');
  });

  it('says what people call a vertex in a path', () => {
    const path: Value = { kind: 'path', labels: [], objects: [vertex(1, 'ada'), 7] };
    const table = tableOf([path]);
    expect(table.rows[0]?.map(shownIn)).toEqual(['v[1] person ada', '7']);
  });

  it('sorts numbers by size, texts as people do, and what is missing last', () => {
    const table = { columns: ['a'], rows: [['b10'], [undefined], [2], ['b9'], [10n], [null], [1.5]] };
    const up = sorted(table, 0, false).map(([value]) => cell(value));
    expect(up).toEqual(['1.5', '2', '10', 'b9', 'b10', '', 'null']);
    const down = sorted(table, 0, true).map(([value]) => cell(value));
    expect(down.slice(0, 5)).toEqual(['b10', 'b9', '10', '2', '1.5']);
    expect(compare(1, 1n)).toBe(0);
  });

  it('becomes CSV and what spreadsheets paste', () => {
    const table = {
      columns: ['a', 'b, c'],
      rows: [
        ['x "y"', 'line\nbreak'],
        [1, undefined],
      ],
    };
    expect(csv(table)).toBe('a,"b, c"\r\n"x ""y""","line\nbreak"\r\n1,\r\n');
    expect(tsv([['a\tb', 1]])).toBe('a b\t1');
  });

  it('tells null from the text null, and from an empty text, as CSV', () => {
    expect(csv({ columns: ['a', 'b', 'c', 'd'], rows: [[null, 'null', '', undefined]] })).toBe(
      'a,b,c,d\r\n,null,"",\r\n',
    );
  });

  it('keeps formulas as CSV, and defuses them for spreadsheets', () => {
    const formulas = ['=HYPERLINK("http://evil","x")', '+1+1', '@SUM(1)', '\t=1', '-2+3', '-x'];
    const table = { columns: ['=a'], rows: [...formulas, -5, '-1.5e3', 'a=b'].map((value) => [value]) };
    const lines = (text: string) => text.replaceAll('""', '!').replaceAll('"', '').split('\r\n');
    expect(lines(csv(table)).slice(1, 7)).toEqual(formulas.map((text) => text.replaceAll('"', '!')));
    const [head, ...rest] = lines(csv(table, harmless));
    expect(head).toBe("'=a");
    expect(rest.slice(0, 6).every((line) => line.startsWith("'"))).toBe(true);
    expect(rest.slice(6, 9)).toEqual(['-5', '-1.5e3', 'a=b']);
  });
});

describe('rows in sight', () => {
  it('are those of the window and a few more', () => {
    expect(inSight(1000, 20, 400, 200, 2)).toEqual({ first: 18, end: 32, top: 360, height: 20_000 });
    expect(inSight(3, 20, 0, 200)).toEqual({ first: 0, end: 3, top: 0, height: 60 });
  });

  it('reach the last one of millions, though no element is that tall', () => {
    const sight = inSight(2_000_000, 20, 8_000_000 - 400, 400);
    expect(sight.height).toBe(8_000_000);
    expect(sight.end).toBe(2_000_000);
    expect(sight.top + (sight.end - sight.first) * 20).toBe(8_000_000);
  });

  it('can be brought into sight', () => {
    expect(scrollTo(5, 1000, 20, 0, 200)).toBeNull();
    expect(scrollTo(500, 1000, 20, 0, 200)).toBe(501 * 20 - 200);
    expect(scrollTo(0, 1000, 20, 500, 200)).toBe(0);
  });
});
