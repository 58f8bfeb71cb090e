/** Lets forces move the vertices of a graph for a while. */
import type Graph from 'graphology';
import type { Begin } from './force.worker';
import address from './force.worker?worker&url';

const NUMBERS = 10;
/** Where a vertex's numbers are among its ten. */
const AT = { x: 0, y: 1, mass: 6, convergence: 7, size: 8, fixed: 9 };

/** What can be stopped. */
export interface Forces {
  stop(): void;
}

function settingsFor(order: number): Begin['settings'] {
  return {
    linLogMode: false,
    outboundAttractionDistribution: false,
    adjustSizes: order < 500,
    edgeWeightInfluence: 0,
    scalingRatio: order < 100 ? 6 : 10,
    strongGravityMode: true,
    gravity: order < 100 ? 0.08 : 0.05,
    slowDown: 1 + Math.log(Math.max(2, order)),
    barnesHutOptimize: order > 600,
    barnesHutTheta: 0.7,
  };
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

let trusted: { createScriptURL(url: string): string } | null = null;

/** Starts the worker. The page's policy lets scripts begin from trusted addresses alone, and this is the only one. */
function startWorker(): Worker {
  const { trustedTypes } = window as unknown as { trustedTypes?: TrustedTypes };
  const refuse = (url: string) => {
    throw new TypeError(`${url} is no script of this page`);
  };
  trusted ??=
    trustedTypes?.createPolicy('mangrove', { createScriptURL: (url) => (url === address ? url : refuse(url)) }) ?? null;
  return new Worker(trusted?.createScriptURL(address) ?? address, { type: 'module' });
}

/** Calls when the picture has been drawn, and after as long again: half of the time is left for whoever uses the page. */
function afterDrawing(then: () => void): void {
  const begun = performance.now();
  requestAnimationFrame(() => setTimeout(() => setTimeout(then, Math.min(1000, performance.now() - begun))));
}

/** Moves what is shown and not pinned for `time` milliseconds, or until it is stopped. */
export function force(graph: Graph, time: number, onMove: () => void, onEnd: () => void): Forces {
  const order = graph.filterNodes((_, { hidden }) => !hidden);
  const place = new Map(order.map((node, at) => [node, at]));
  const nodes = new Float32Array(order.length * NUMBERS);
  for (const [at, node] of order.entries()) {
    const { x, y, size, pinned } = graph.getNodeAttributes(node);
    nodes[at * NUMBERS + AT.x] = x;
    nodes[at * NUMBERS + AT.y] = y;
    nodes[at * NUMBERS + AT.mass] = 1;
    nodes[at * NUMBERS + AT.convergence] = 1;
    nodes[at * NUMBERS + AT.size] = size;
    nodes[at * NUMBERS + AT.fixed] = pinned ? 1 : 0;
  }
  const joined: number[] = [];
  graph.forEachEdge((_, __, source, target) => {
    const [from, to] = [place.get(source), place.get(target)];
    if (from === undefined || to === undefined || from === to) return;
    joined.push(from * NUMBERS, to * NUMBERS, 1);
    for (const end of [from, to]) nodes[end * NUMBERS + AT.mass] = (nodes[end * NUMBERS + AT.mass] ?? 1) + 1;
  });
  const worker = startWorker();
  const stop = () => worker.terminate();
  worker.onmessage = ({ data }: MessageEvent<{ places: Float32Array; isDone: boolean }>) => {
    graph.updateEachNodeAttributes(
      (node, attributes) => {
        // It may have come, or gone, since this began.
        const at = place.get(node) ?? -1;
        const [x, y] = [data.places[at * 2], data.places[at * 2 + 1]];
        // Who holds a vertex, or has pinned it, says where it is.
        if (x !== undefined && y !== undefined && !attributes.pinned && !attributes.held)
          Object.assign(attributes, { x, y });
        return attributes;
      },
      { attributes: ['x', 'y'] },
    );
    onMove();
    if (data.isDone) {
      stop();
      onEnd();
    } else afterDrawing(() => worker.postMessage('on'));
  };
  // Its code did not come: what is drawn stays where it is.
  worker.onerror = () => {
    stop();
    onEnd();
  };
  const begin: Begin = { settings: settingsFor(order.length), nodes, edges: new Float32Array(joined), time };
  worker.postMessage(begin, [nodes.buffer, begin.edges.buffer]);
  return { stop };
}
