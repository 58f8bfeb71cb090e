import { describe, expect, it } from 'vitest';
import { tableOf } from '../../src/results/columns';
import { decode, parse } from '../../src/server/graphson';
import { jsonOf } from '../../src/server/json';
import type { Value, Vertex } from '../../src/server/value';

const map = (...entries: [Value, Value][]): Value => ({ kind: 'map', entries });
const token = (text: string): Value => ({ kind: 'scalar', type: 'g:T', text });
const plain = (...values: Value[]) => JSON.parse(jsonOf(values));

describe('results as JSON', () => {
  it('have each entry of a map, though keys of it have the same text', () => {
    expect(plain(map([1, 'int'], ['1', 'str'], [1.5, 'dbl']))).toEqual([
      [
        [1, 'int'],
        ['1', 'str'],
        [1.5, 'dbl'],
      ],
    ]);
    const counted = decode(
      parse('{"@type":"g:Map","@value":["12345",1,{"@type":"g:Int64","@value":12345},{"@type":"g:Int64","@value":1}]}'),
    );
    expect(plain(counted)[0]).toHaveLength(2);
    expect(plain(map(['a', 1], ['__proto__', 2]))[0]).toEqual(JSON.parse('{"a":1,"__proto__":2}'));
  });

  it('have a property called id beside the id', () => {
    const row = map([token('id'), 7], [token('label'), 'Person'], ['id', 933]);
    expect(plain(row)).toEqual([{ '~id': 7, label: 'Person', id: 933 }]);
    expect(tableOf([row])).toEqual({ columns: ['~id', 'label', 'id'], rows: [[7, 'Person', 933]] });
  });

  it('keep the order of a map', () => {
    expect(jsonOf([map(['b', 1], ['10', 2], ['9', 3])])).toBe('[\n  {\n    "b": 1,\n    "10": 2,\n    "9": 3\n  }\n]');
  });

  it('have of an element what it has, and long numbers as texts', () => {
    const vertex: Vertex = {
      kind: 'vertex',
      id: 9007199254740993n,
      label: 'a',
      properties: [
        ['name', [{ kind: 'vertexProperty', id: 0, key: 'name', value: 'x"\n', meta: [] }]],
        ['none', []],
      ],
    };
    expect(plain(vertex, map(), [])).toEqual([
      { id: '9007199254740993', label: 'a', properties: { name: 'x"\n', none: [] } },
      {},
      [],
    ]);
  });
});
