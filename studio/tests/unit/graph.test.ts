import Graph from 'graphology';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { elementsOf, hasElements, keyOf } from '../../src/graph/elements';
import { expand, sidesOf } from '../../src/graph/expand';
import { circle, grid, layers } from '../../src/graph/layouts';
import { schemaOf } from '../../src/schema/data';
import { pictureOf } from '../../src/schema/layout';
import type { Edge, Value, Vertex } from '../../src/server/value';

const vertex = (id: Vertex['id'], properties: Vertex['properties'] = []): Vertex => ({
  kind: 'vertex',
  id,
  label: 'a',
  properties,
});
const edge = (id: number, from: number, to: number): Edge => ({
  kind: 'edge',
  id,
  label: 'e',
  out: { id: from, label: 'a' },
  in: { id: to, label: 'a' },
  properties: [],
});

describe('elements in results', () => {
  it('are found wherever they are', () => {
    const nested: Value = { kind: 'map', entries: [[vertex(1), [edge(5, 1, 2), { kind: 'set', items: [vertex(3)] }]]] };
    const found = elementsOf([nested, { kind: 'subgraph', vertices: [vertex(4)], edges: [edge(6, 4, 1)] }]);
    expect([...found.vertices.keys()]).toEqual(['n1', 'n2', 'n3', 'n4']);
    expect(found.edges.size).toBe(2);
    expect(hasElements([1, { kind: 'map', entries: [['a', [vertex(1)]]] }])).toBe(true);
    expect(hasElements([1, 'v[1]', { kind: 'map', entries: [['id', 1]] }])).toBe(false);
  });

  it('are two where their ids are a number and its text', () => {
    expect(elementsOf([vertex(7), vertex('7')]).vertices.size).toBe(2);
  });

  it('are two where their ids are a UUID and its text', () => {
    const text = '41d2e28a-20a4-4ab0-b379-d810dede3786';
    const [one, other] = [vertex({ kind: 'scalar', type: 'g:UUID', text }), vertex(text)];
    const joined: Edge = { ...edge(5, 1, 2), out: { id: one.id, label: 'a' }, in: { id: text, label: 'a' } };
    const found = elementsOf([one, other, joined]);
    expect([...found.vertices.keys()]).toEqual([keyOf(joined.out.id), keyOf(joined.in.id)]);
    expect([found.vertices.size, found.edges.size]).toEqual([2, 1]);
  });

  it('keep what is known of a vertex that an edge only names', () => {
    const known = vertex(1, [['name', [{ kind: 'vertexProperty', id: 0, key: 'name', value: 'ada', meta: [] }]]]);
    expect(elementsOf([known, edge(5, 1, 2)]).vertices.get('n1')).toBe(known);
    expect(elementsOf([edge(5, 1, 2), known]).vertices.get('n1')).toBe(known);
  });

  it('of a path are joined', () => {
    const found = elementsOf([{ kind: 'path', labels: [], objects: [vertex(1), vertex(2), 'x', vertex(3)] }]);
    expect(found.hops).toEqual([{ from: 'n1', to: 'n2' }]);
  });

  it('are bounded', () => {
    const found = elementsOf(Array.from({ length: 12_000 }, (_, id) => vertex(id)));
    expect([found.vertices.size, found.isCut]).toEqual([10_000, true]);
  });
});

describe('what is beside a vertex', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('is not what is beside the one whose id is the text of its id', async () => {
    const text = '41d2e28a-20a4-4ab0-b379-d810dede3786';
    const uuid = { '@type': 'g:UUID', '@value': text };
    const typedMap = (...items: unknown[]) => ({ '@type': 'g:Map', '@value': items });
    const typedEdge = (id: string, outV: unknown) => ({
      '@type': 'g:Edge',
      '@value': { id, label: 'knows', outV, outVLabel: 'a', inV: 'other', inVLabel: 'a' },
    });
    const answers = [
      [
        typedMap('of', text, 'out', typedMap('likes', 9), 'in', typedMap()),
        typedMap('of', uuid, 'out', typedMap('knows', 1), 'in', typedMap()),
      ],
      [typedMap('e', typedEdge('e1', text)), typedMap('e', typedEdge('e2', uuid))],
    ];
    const bodies: string[] = [];
    vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
      bodies.push(body);
      return new Response(JSON.stringify({ result: { data: { '@type': 'g:List', '@value': answers.shift() } } }));
    });
    const id: Vertex['id'] = { kind: 'scalar', type: 'g:UUID', text };
    const sides = await sidesOf(id, 'g');
    expect(sides).toEqual([{ direction: 'out', label: 'knows', count: 1 }]);
    const found = await expand(id, { direction: 'out', label: 'knows', count: 1 }, 10, 'g');
    expect([...found.edges.keys()]).toEqual(['se2']);
    expect(bodies.every((body) => JSON.parse(body).bindings.x === text)).toBe(true);
  });
});

describe('layouts', () => {
  const graph = new Graph({ multi: true, type: 'directed' });
  for (const node of ['a', 'b', 'c', 'd', 'hidden']) graph.addNode(node, { kind: 'x', hidden: node === 'hidden' });
  graph.addEdge('a', 'b');
  graph.addEdge('b', 'c');
  graph.addEdge('b', 'd');

  it('place each vertex that is shown, and none on another', () => {
    for (const layout of [circle, grid, layers]) {
      const places = layout(graph);
      expect([...places.keys()].sort()).toEqual(['a', 'b', 'c', 'd']);
      expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(4);
    }
  });

  it('have layers below what leads to them', () => {
    const y = (from: string[]) => [...layers(graph, from)].sort().map(([, place]) => place.y + 0);
    expect(y([])).toEqual([0, -60, -120, -120]);
    expect(y(['c'])).toEqual([-120, -60, 0, -120]);
  });
});

describe('a schema', () => {
  const summary = {
    numNodes: 3,
    numEdges: 4,
    nodeLabels: ['person', 'software'],
    edgeLabels: ['knows', 'created'],
    nodeStructures: [
      { count: 2, nodeProperties: ['name'] },
      { count: 1, nodeProperties: [] },
    ],
    edgeStructures: [
      { count: 1, edgeProperties: [] },
      { count: 3, edgeProperties: ['weight'] },
    ],
  };
  const degrees = [
    { vertices: 'person', edges: 'knows', direction: 'OUT', count: 1 },
    { vertices: 'person', edges: 'knows', direction: 'IN', count: 1 },
    { vertices: 'person', edges: 'created', direction: 'OUT', count: 3 },
    { vertices: 'software', edges: 'created', direction: 'IN', count: 3 },
  ];
  const schema = schemaOf(
    summary,
    degrees,
    {
      mode: 'strict',
      vertices: { person: { keys: { name: 'string', age: { type: 'int', required: true } } }, dog: {} },
    },
    [],
  );

  it('knows what edges join, and what is declared', () => {
    expect(schema.edges[1]).toMatchObject({
      name: 'created',
      count: 3,
      from: [{ label: 'person', count: 3 }],
      to: [{ label: 'software', count: 3 }],
    });
    expect(schema.vertices[0]?.keys).toEqual([
      { name: 'name', declared: 'string' },
      { name: 'age', declared: 'int, required' },
    ]);
    expect(schema.vertices.map(({ name }) => name)).toEqual(['person', 'software', 'dog']);
  });

  it('is a picture in which no box lies on another', () => {
    const { boxes, lines } = pictureOf(schema);
    expect(boxes).toHaveLength(5);
    expect(lines).toHaveLength(4);
    for (const [at, one] of boxes.entries()) {
      for (const other of boxes.slice(at + 1)) {
        const apart =
          Math.abs(one.x - other.x) >= (one.width + other.width) / 2 ||
          Math.abs(one.y - other.y) >= (one.height + other.height) / 2;
        expect(apart, `${one.name} and ${other.name}`).toBe(true);
      }
    }
  });
});
