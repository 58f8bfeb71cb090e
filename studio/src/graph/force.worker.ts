/** Forces (ForceAtlas2), away from the page. It is a file of the page's own: a worker out of a `blob:` would need a weaker policy. */
import iterate from 'graphology-layout-forceatlas2/iterate';

/** What the page sends to begin with. */
export interface Begin {
  settings: Record<string, number | boolean>;
  /** Ten numbers a vertex, three an edge, as the library has them. */
  nodes: Float32Array;
  edges: Float32Array;
  /** Milliseconds to go on for. */
  time: number;
}

/** Milliseconds after which places are told. */
const FRAME = 40;
const NUMBERS = 10;
/** Vertices from which places are told less often. */
const MANY = 1000;

let begun: Begin | null = null;
let end = 0;

/** The page sends what there is to begin with, and then, each time when it has drawn what it was told, that there may be more: so a
 * picture that is slow to draw does not keep the page from everything else. */
self.onmessage = ({ data }: MessageEvent<Begin | 'on'>) => {
  if (data !== 'on') {
    begun = data;
    end = performance.now() + data.time;
  }
  if (begun) step(begun);
};

function step({ settings, nodes, edges }: Begin): void {
  const frame = nodes.length > MANY * NUMBERS ? 4 * FRAME : FRAME;
  for (const until = performance.now() + frame; performance.now() < until; ) iterate(settings, nodes, edges);
  const places = new Float32Array((nodes.length / NUMBERS) * 2);
  for (let at = 0; at * 2 < places.length; at++) {
    places[at * 2] = nodes[at * NUMBERS] ?? 0;
    places[at * 2 + 1] = nodes[at * NUMBERS + 1] ?? 0;
  }
  self.postMessage({ places, isDone: performance.now() >= end }, { transfer: [places.buffer] });
}
