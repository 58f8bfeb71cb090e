/** Where vertices lie, for the layouts that are computed at once. Forces, which take time, have a worker. */
import type Graph from 'graphology';

/** What can be chosen. */
export const LAYOUTS = ['force', 'layers', 'circle', 'grid'] as const;

/** A layout. */
export type Layout = (typeof LAYOUTS)[number];

type Places = Map<string, { x: number; y: number }>;

const GOLDEN = Math.PI * (3 - Math.sqrt(5));

/** A place for the n-th newcomer: a spiral, where none is on another. */
export function spiral(at: number, centre = { x: 0, y: 0 }, gap = 10): { x: number; y: number } {
  const radius = gap * Math.sqrt(at + 0.5);
  return { x: centre.x + radius * Math.cos(at * GOLDEN), y: centre.y + radius * Math.sin(at * GOLDEN) };
}

/** Vertices that are shown, those of a label beside each other. */
function shown(graph: Graph): string[] {
  const nodes = graph.filterNodes((_, { hidden }) => !hidden);
  const label = (node: string): string => graph.getNodeAttribute(node, 'kind');
  return nodes.sort((a, b) => label(a).localeCompare(label(b)));
}

/** All on a circle, or where there are many on several. */
export function circle(graph: Graph): Places {
  const nodes = shown(graph);
  const radius = Math.max(40, (nodes.length * 12) / (2 * Math.PI));
  return new Map(
    nodes.map((node, at) => {
      const angle = (at / nodes.length) * 2 * Math.PI - Math.PI / 2;
      return [node, { x: radius * Math.cos(angle), y: -radius * Math.sin(angle) }];
    }),
  );
}

/** Rows and columns. */
export function grid(graph: Graph): Places {
  const nodes = shown(graph);
  const width = Math.ceil(Math.sqrt(nodes.length * 1.6));
  return new Map(nodes.map((node, at) => [node, { x: (at % width) * 24, y: -Math.floor(at / width) * 24 }]));
}

/** From the given vertices downwards, each as far as edges lead to it. Without any, from those to which no edge leads. */
export function layers(graph: Graph, from: string[] = []): Places {
  const nodes = shown(graph);
  const isShown = new Set(nodes);
  const roots = from.filter((node) => isShown.has(node));
  const starts = roots.length > 0 ? roots : nodes.filter((node) => graph.inDegree(node) === 0);
  const depth = new Map<string, number>();
  const visit = (begin: string[]) => {
    const queue = begin.filter((node) => !depth.has(node));
    for (const node of queue) depth.set(node, 0);
    for (let at = 0; at < queue.length; at++) {
      const node = queue[at] ?? '';
      graph.forEachNeighbor(node, (next) => {
        if (depth.has(next) || !isShown.has(next)) return;
        depth.set(next, (depth.get(node) ?? 0) + 1);
        queue.push(next);
      });
    }
  };
  visit(starts.length > 0 ? starts : nodes.slice(0, 1));
  // Parts that nothing leads to, each from whatever comes first.
  for (const node of nodes) visit([node]);
  const rows: string[][] = [];
  for (const node of nodes) {
    const row = depth.get(node) ?? 0;
    rows[row] = [...(rows[row] ?? []), node];
  }
  const places: Places = new Map();
  for (const [row, members = []] of rows.entries()) {
    // Below the middle of what leads to them, so that few edges cross.
    const wish = (node: string) => {
      const above = graph
        .neighbors(node)
        .flatMap((next) => (depth.get(next) === row - 1 ? [places.get(next)?.x ?? 0] : []));
      return above.length > 0 ? above.reduce((sum, x) => sum + x, 0) / above.length : 0;
    };
    const wishes = new Map(members.map((node) => [node, wish(node)]));
    members.sort((a, b) => (wishes.get(a) ?? 0) - (wishes.get(b) ?? 0));
    for (const [at, node] of members.entries())
      places.set(node, { x: (at - (members.length - 1) / 2) * 30, y: -row * 60 });
  }
  return places;
}
