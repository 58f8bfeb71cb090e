/** What is known of a graph: labels, keys, indexes, and which labels edges join. */
import { call, type Summary, summary } from '../server/client';

/** A label of vertices. */
export interface VertexLabel {
  name: string;
  count: number;
  keys: Key[];
}

/** A property key, with what is declared of it. */
export interface Key {
  name: string;
  declared: string;
}

/** An index. */
export interface Index {
  label: string;
  keys: string[];
  kind: string;
  state: string;
  progress: number;
  failure?: string;
}

/** A label of edges, with the labels of vertices that it leaves and enters, and how many edges do. */
export interface EdgeLabel {
  name: string;
  count: number;
  keys: Key[];
  from: { label: string; count: number }[];
  to: { label: string; count: number }[];
}

/** A graph's schema as it is, declared or not. */
export interface Schema {
  vertices: VertexLabel[];
  edges: EdgeLabel[];
  indexes: Index[];
  mode: string;
}

interface Degree {
  vertices: string;
  edges: string;
  direction: string;
  count: number;
}

type Declared = Record<
  string,
  { keys?: Record<string, string | { type?: string; required?: boolean; cardinality?: string }> }
>;

function keysOf(names: string[], declared: Declared[string] | undefined): Key[] {
  const all = [...new Set([...Object.keys(declared?.keys ?? {}), ...names])];
  return all.map((name) => {
    const said = declared?.keys?.[name];
    if (said === undefined) return { name, declared: '' };
    if (typeof said === 'string') return { name, declared: said };
    return { name, declared: [said.type, said.cardinality, said.required && 'required'].filter(Boolean).join(', ') };
  });
}

/** Puts together what the server says. */
export function schemaOf(found: Summary, degrees: Degree[], shown: Record<string, unknown>, indexes: Index[]): Schema {
  const ends = (edges: string, direction: string) =>
    degrees
      .filter((one) => one.edges === edges && one.direction === direction && one.count > 0)
      .map(({ vertices, count }) => ({ label: vertices, count }));
  const ofVertices = (shown.vertices ?? {}) as Declared;
  const ofEdges = (shown.edges ?? {}) as Declared;
  const declaredOnly = Object.keys(ofVertices).filter((name) => !found.nodeLabels.includes(name));
  const vertices = found.nodeLabels.map((name, at): VertexLabel => {
    const { count = 0, nodeProperties = [] } = found.nodeStructures[at] ?? {};
    return { name, count, keys: keysOf(nodeProperties, ofVertices[name]) };
  });
  return {
    vertices: [...vertices, ...declaredOnly.map((name) => ({ name, count: 0, keys: keysOf([], ofVertices[name]) }))],
    edges: found.edgeLabels.map((name, at): EdgeLabel => {
      const { count = 0, edgeProperties = [] } = found.edgeStructures[at] ?? {};
      return {
        name,
        count,
        keys: keysOf(edgeProperties, ofEdges[name]),
        from: ends(name, 'OUT'),
        to: ends(name, 'IN'),
      };
    }),
    indexes,
    mode: String(shown.mode ?? 'open'),
  };
}

/** Asks the server for the schema of a graph. */
export async function askSchema(graph: string): Promise<Schema> {
  const [found, degrees, shown, indexes] = await Promise.all([
    summary(graph),
    call('mangrove.statistics', {}, graph),
    call('mangrove.schema.show', {}, graph),
    call('mangrove.index.list', {}, graph),
  ]);
  const counted = degrees.filter((row) => 'direction' in row && 'edges' in row);
  return schemaOf(found, counted as unknown as Degree[], shown[0] ?? {}, indexes as unknown as Index[]);
}
