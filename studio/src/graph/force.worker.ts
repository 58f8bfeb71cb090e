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

let going = 0;

self.onmessage = ({ data }: MessageEvent<Begin>) => {
  const turn = ++going;
  const end = performance.now() + data.time;
  const step = () => {
    if (turn !== going) return;
    const begun = performance.now();
    while (performance.now() - begun < FRAME) iterate(data.settings, data.nodes, data.edges);
    const isDone = performance.now() >= end;
    const places = new Float32Array((data.nodes.length / NUMBERS) * 2);
    for (let at = 0; at * 2 < places.length; at++) {
      places[at * 2] = data.nodes[at * NUMBERS] ?? 0;
      places[at * 2 + 1] = data.nodes[at * NUMBERS + 1] ?? 0;
    }
    self.postMessage({ places, isDone }, { transfer: [places.buffer] });
    // Messages that came meanwhile go first.
    if (!isDone) setTimeout(step);
  };
  step();
};
