import { describe, expect, it } from 'vitest';
import { decode, encode, parse } from '../../src/server/graphson';
import { jsonOf } from '../../src/server/json';
import { textOf } from '../../src/server/value';

const read = (json: string) => decode(parse(json));

describe('GraphSON', () => {
  it('keeps each digit of a number that a double would round', () => {
    expect(read('{"@type":"g:Int64","@value":9007199254740993}')).toBe(9007199254740993n);
    expect(read('{"@type":"g:Int64","@value":-9223372036854775808}')).toBe(-9223372036854775808n);
    expect(read('{"@type":"g:Int64","@value":7}')).toBe(7);
    expect(textOf(read('{"@type":"gx:BigDecimal","@value":0.1234567890123456789}'))).toBe('0.1234567890123456789');
  });

  it('changes nothing in a text that looks like a number with its type', () => {
    const text = '"@type":"g:Int64","@value":9007199254740993';
    expect(read(JSON.stringify(text))).toBe(text);
  });

  it('tells vertices from maps that look like them', () => {
    const vertex =
      '{"@type":"g:Vertex","@value":{"id":{"@type":"g:Int32","@value":1},"label":"person","properties":{"name":[{"@type":"g:VertexProperty","@value":{"id":{"@type":"g:Int64","@value":0},"value":"marko","label":"name"}}]}}}';
    expect(read(vertex)).toMatchObject({
      kind: 'vertex',
      id: 1,
      label: 'person',
      properties: [['name', [{ value: 'marko' }]]],
    });
    const map = read(
      '{"@type":"g:Map","@value":["label","person",{"@type":"g:T","@value":"id"},{"@type":"g:Int32","@value":1}]}',
    );
    expect(map).toEqual({
      kind: 'map',
      entries: [
        ['label', 'person'],
        [{ kind: 'scalar', type: 'g:T', text: 'id' }, 1],
      ],
    });
  });

  it('reads edges, paths, sets and subgraphs', () => {
    const edge =
      '{"@type":"g:Edge","@value":{"id":{"@type":"g:Int32","@value":9},"label":"created","inVLabel":"software","outVLabel":"person","inV":{"@type":"g:Int32","@value":3},"outV":{"@type":"g:Int32","@value":1},"properties":{"weight":{"@type":"g:Property","@value":{"key":"weight","value":{"@type":"g:Double","@value":0.4}}}}}}';
    expect(read(edge)).toMatchObject({
      kind: 'edge',
      out: { id: 1, label: 'person' },
      in: { id: 3 },
      properties: [['weight', 0.4]],
    });
    const path =
      '{"@type":"g:Path","@value":{"labels":{"@type":"g:List","@value":[{"@type":"g:Set","@value":["a"]},{"@type":"g:Set","@value":[]}]},"objects":{"@type":"g:List","@value":["x",{"@type":"g:Int32","@value":2}]}}}';
    expect(read(path)).toEqual({ kind: 'path', labels: [['a'], []], objects: ['x', 2] });
    expect(read('{"@type":"g:Set","@value":["a"]}')).toEqual({ kind: 'set', items: ['a'] });
    expect(read('{"@type":"g:BulkSet","@value":["a",{"@type":"g:Int64","@value":2}]}')).toEqual(['a', 'a']);
    expect(read('{"@type":"tinker:graph","@value":{"vertices":[],"edges":[]}}')).toEqual({
      kind: 'subgraph',
      vertices: [],
      edges: [],
    });
  });

  it('shows what it does not know as text', () => {
    expect(textOf(read('{"@type":"gx:Duration","@value":"PT5S"}'))).toBe('PT5S');
    expect(textOf(read('{"@type":"g:Double","@value":"NaN"}'))).toBe('NaN');
  });

  it('writes variables with each digit that they have', () => {
    expect(encode({ id: 9007199254740993n, all: [1, 'a', null], none: undefined })).toBe(
      '{"id":9007199254740993,"all":[1,"a",null]}',
    );
  });

  it('keeps the sign of zero, as it reads it and as it writes it', () => {
    const zero = read('{"@type":"g:Double","@value":-0.0}');
    expect([textOf(zero), jsonOf([zero]), encode({ x: zero })]).toEqual(['-0.0', '[\n  -0.0\n]', '{"x":-0.0}']);
    expect(Object.is(JSON.parse(encode(zero)), -0)).toBe(true);
  });
});
