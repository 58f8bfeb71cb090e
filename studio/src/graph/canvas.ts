/** Draws a model with WebGL, and tells what somebody does with it. */
import { computed, effect, untracked } from '@preact/signals';
import Sigma from 'sigma';
import type { Settings } from 'sigma/settings';
import { colour, isDark } from '../ui/theme';
import { type Forces, force } from './force';
import { circle, grid, type Layout, layers } from './layouts';
import type { Model } from './model';
import { styles } from './style';

/** Edges beyond which they are not drawn while the picture moves. */
const MANY_EDGES = 4000;
const LABELLED_EDGES = 150;

/** A picture of a model. */
export interface Canvas {
  sigma: Sigma;
  /** Lets the layout begin anew. */
  lay(layout: Layout): void;
  /** Shows all of it. */
  fit(): void;
  zoom(factor: number): void;
  /** Brings a vertex to the middle. */
  show(key: string): void;
  /** Stops what moves. */
  rest(): void;
  isMoving(): boolean;
  close(): void;
}

/** Milliseconds for which forces act on so many vertices. */
function patience(order: number): number {
  return Math.min(12_000, 1500 + order * 4);
}

/** Draws a model in an element. `told` is called when what moves begins or ends. */
export function draw(
  model: Model,
  place: HTMLElement,
  told: (isMoving: boolean) => void,
  open: (key: string) => void,
): Canvas {
  const { graph } = model;
  let forces: Forces | null = null;
  // Thousands of edges take longer to draw than to move, so they come when their ends have come to rest.
  const sigma = new Sigma(
    graph,
    place,
    settings(model, () => forces !== null && graph.size > MANY_EDGES),
  );
  const rest = () => {
    forces?.stop();
    forces = null;
    sigma.refresh({ schedule: true });
    told(false);
  };
  const lay = (layout: Layout) => {
    rest();
    model.layout.value = layout;
    if (layout === 'force') {
      if (graph.order < 2) return;
      told(true);
      forces = force(graph, patience(graph.order), () => {}, rest);
      return;
    }
    const roots = model.selected.value && !model.selected.value.isEdge ? [model.selected.value.key] : [];
    const places = layout === 'circle' ? circle(graph) : layout === 'grid' ? grid(graph) : layers(graph, roots);
    graph.updateEachNodeAttributes(
      (key, attributes) => (attributes.pinned ? attributes : Object.assign(attributes, places.get(key))),
      { attributes: ['x', 'y'] },
    );
  };
  const ends = [
    ...listen(model, sigma, open),
    // What is drawn is asked for again when it is: the reducers read all of it, so an effect must not watch what it draws.
    effect(() => {
      void [model.selected.value, model.matches.value, model.changed.value];
      untracked(() => sigma.refresh({ skipIndexation: true }));
    }),
    effect(() => {
      void [isDark.value, styles.value];
      untracked(() => {
        for (const [name, value] of Object.entries(colours()))
          sigma.setSetting(name as keyof ReturnType<typeof colours>, value as never);
        model.dress();
      });
    }),
    effect(() => {
      const size = model.changed.value < 0 ? 0 : graph.size;
      untracked(() => {
        sigma.setSetting('hideEdgesOnMove', size > MANY_EDGES);
        sigma.setSetting('renderEdgeLabels', size <= LABELLED_EDGES);
      });
    }),
  ];
  const show = (key: string) => {
    const data = sigma.getNodeDisplayData(key);
    if (data)
      void sigma
        .getCamera()
        .animate(
          { x: data.x, y: data.y, ratio: Math.min(0.5, sigma.getCamera().ratio) },
          { duration: calm() ? 0 : 300 },
        );
  };
  return {
    sigma,
    lay,
    rest,
    show,
    fit: () => void sigma.getCamera().animatedReset({ duration: calm() ? 0 : 250 }),
    zoom: (factor) => void sigma.getCamera().animatedZoom({ factor, duration: calm() ? 0 : 200 }),
    isMoving: () => forces !== null,
    close: () => {
      for (const end of ends) end();
      rest();
      sigma.kill();
    },
  };
}

/** Whether somebody does not want things to move. */
function calm(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** The page's colours as they are now. They are asked for thousands of times for one picture, so not of the page each time. */
const ink = computed(() => {
  void isDark.value;
  const names = ['text', 'text-2', 'edge', 'edge-near', 'faded', 'faded-edge', 'accent', 'raised'] as const;
  return Object.fromEntries(names.map((name) => [name, colour(name)])) as Record<(typeof names)[number], string>;
});

function colours() {
  const { text, 'text-2': second, edge } = ink.value;
  return { labelColor: { color: text }, edgeLabelColor: { color: second }, defaultEdgeColor: edge };
}

function settings(model: Model, isWithoutEdges: () => boolean): Partial<Settings> {
  const { graph } = model;
  return {
    ...colours(),
    allowInvalidContainer: true,
    defaultEdgeType: 'arrow',
    labelFont: 'system-ui, sans-serif',
    edgeLabelFont: 'system-ui, sans-serif',
    labelSize: 12,
    edgeLabelSize: 10,
    labelWeight: '500',
    labelDensity: 0.8,
    labelGridCellSize: 90,
    labelRenderedSizeThreshold: 5,
    minEdgeThickness: 1,
    stagePadding: 40,
    zIndex: true,
    enableEdgeEvents: graph.size <= MANY_EDGES,
    maxCameraRatio: 4,
    minCameraRatio: 0.02,
    defaultDrawNodeHover: drawHover,
    nodeReducer: (key, data) => {
      const selected = model.selected.value;
      const near = selected && !selected.isEdge && (key === selected.key || graph.areNeighbors(key, selected.key));
      const isMatch = model.matching.value.has(key);
      if (key === selected?.key) return { ...data, highlighted: true, zIndex: 3, size: data.size * 1.25 };
      if (isMatch) return { ...data, zIndex: 2, forceLabel: true, size: data.size * 1.3 };
      // What is looked at goes before what is looked for.
      const isFaded = selected && !selected.isEdge ? !near : model.wanted.value.trim() !== '' && !isMatch;
      if (isFaded) return { ...data, color: ink.value.faded, label: '', zIndex: 0 };
      return { ...data, forceLabel: Boolean(near) && graph.degree(selected?.key) < 60, zIndex: near ? 2 : 1 };
    },
    edgeReducer: (key, data) => {
      if (isWithoutEdges()) return { ...data, hidden: true };
      const selected = model.selected.value;
      const size = graph.size > 1000 ? 0.8 : data.isHop ? 1.2 : 1.8;
      if (key === selected?.key) return { ...data, size: 3, color: ink.value.accent, zIndex: 3, forceLabel: true };
      const isOfVertex = selected && !selected.isEdge;
      const isFaded = isOfVertex ? !graph.hasExtremity(key, selected.key) : model.wanted.value.trim() !== '';
      if (isOfVertex && !isFaded) return { ...data, size: size * 1.4, color: ink.value['edge-near'], zIndex: 2 };
      if (isFaded) return { ...data, size, color: ink.value['faded-edge'], label: '', zIndex: 0 };
      return { ...data, size, zIndex: 1 };
    },
  };
}

/** What is under the pointer: its name on a plate of the page's own colours. */
const drawHover: NonNullable<Settings['defaultDrawNodeHover']> = (context, data, { labelSize, labelFont }) => {
  const text = typeof data.label === 'string' ? data.label : '';
  context.font = `600 ${labelSize}px ${labelFont}`;
  const width = text ? context.measureText(text).width + 12 : 0;
  context.fillStyle = ink.value.raised;
  context.strokeStyle = ink.value.accent;
  context.lineWidth = 1.5;
  context.beginPath();
  if (text) context.roundRect(data.x, data.y - 10, data.size + width + 4, 20, 5);
  context.fill();
  context.stroke();
  context.beginPath();
  context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
  context.fillStyle = data.color;
  context.beginPath();
  context.arc(data.x, data.y, data.size, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = ink.value.text;
  context.fillText(text, data.x + data.size + 6, data.y + labelSize / 3);
};

/** Clicks, and vertices that are dragged: who drags one has pinned it. */
function listen(model: Model, sigma: Sigma, open: (key: string) => void): (() => void)[] {
  const { graph } = model;
  let dragged: string | null = null;
  let moved = false;
  sigma.on('clickNode', ({ node }) => {
    model.selected.value = { key: node, isEdge: false };
  });
  sigma.on('doubleClickNode', (event) => {
    event.preventSigmaDefault();
    open(event.node);
  });
  sigma.on('clickEdge', ({ edge }) => {
    if (!graph.getEdgeAttribute(edge, 'isHop')) model.selected.value = { key: edge, isEdge: true };
  });
  sigma.on('clickStage', () => {
    model.selected.value = null;
  });
  sigma.on('downNode', ({ node }) => {
    dragged = node;
    moved = false;
    graph.setNodeAttribute(node, 'held', true);
    if (!sigma.getCustomBBox()) sigma.setCustomBBox(sigma.getBBox());
  });
  sigma.on('moveBody', ({ event }) => {
    if (!dragged) return;
    moved = true;
    graph.mergeNodeAttributes(dragged, sigma.viewportToGraph(event));
    event.preventSigmaDefault();
    event.original.preventDefault();
  });
  const drop = () => {
    if (!dragged) return;
    graph.setNodeAttribute(dragged, 'held', false);
    if (moved) model.pin(dragged, true);
    dragged = null;
    sigma.setCustomBBox(null);
  };
  sigma.on('upNode', drop);
  sigma.on('upStage', drop);
  return [() => sigma.removeAllListeners()];
}
