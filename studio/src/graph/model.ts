/** The graph that is drawn: what is in it, and what of it is shown, pinned and looked at. */
import { computed, signal } from '@preact/signals';
import Graph from 'graphology';
import { type Edge, type Id, textOf, type Value, type Vertex } from '../server/value';
import { type Elements, elementsOf, keyOf } from './elements';
import { type Layout, spiral } from './layouts';
import { captionOf, colourOf, styles } from './style';

/** Vertices of a label, or edges. */
export interface Kind {
  label: string;
  count: number;
  isEdge: boolean;
}

const SIZES = { few: 9, some: 6, many: 4 };

/** A graph that is drawn. */
export class Model {
  readonly graph = new Graph({ multi: true, type: 'directed' });
  readonly vertices = new Map<string, Vertex>();
  readonly edges = new Map<string, Edge>();
  /** Grows when elements come or go, or are hidden. */
  readonly changed = signal(0);
  /** The vertex that is looked at, or the edge. */
  readonly selected = signal<{ key: string; isEdge: boolean } | null>(null);
  /** What is looked for; empty if nothing is. */
  readonly wanted = signal('');
  readonly layout = signal<Layout>('force');
  /** Whether there was more than is drawn. */
  isCut = false;

  /** The vertices that match what is looked for. */
  readonly matches = computed<string[]>(() => {
    const wanted = this.wanted.value.trim().toLowerCase();
    if (wanted === '' || this.changed.value < 0) return [];
    const isMatch = (vertex: Vertex) => this.textOf(vertex).includes(wanted);
    return [...this.vertices]
      .filter(([key, vertex]) => !this.graph.getNodeAttribute(key, 'hidden') && isMatch(vertex))
      .map(([key]) => key);
  });

  /** The same, to be asked of each vertex. */
  readonly matching = computed(() => new Set(this.matches.value));

  /** What there is, with how many are shown: vertices first, and of each the most frequent. */
  readonly kinds = computed<Kind[]>(() => {
    const counts = new Map<string, Kind>();
    const note = (label: string, isEdge: boolean) => {
      const key = `${isEdge}${label}`;
      const kind = counts.get(key) ?? { label, count: 0, isEdge };
      kind.count++;
      counts.set(key, kind);
    };
    if (this.changed.value >= 0) {
      this.graph.forEachNode((_, { hidden, kind }) => hidden || note(kind, false));
      this.graph.forEachEdge((_, { kind, isHop }) => isHop || note(kind, true));
    }
    return [...counts.values()].sort((a, b) => Number(a.isEdge) - Number(b.isEdge) || b.count - a.count);
  });

  /** How many vertices are hidden. */
  readonly hidden = computed(() =>
    this.changed.value < 0 ? 0 : this.graph.filterNodes((_, { hidden }) => hidden).length,
  );

  constructor(values: Value[]) {
    this.add(elementsOf(values));
  }

  private textOf(vertex: Vertex): string {
    const properties = vertex.properties.map(
      ([key, all]) => `${key} ${all.map(({ value }) => textOf(value)).join(' ')}`,
    );
    return `${textOf(vertex.id)} ${vertex.label} ${properties.join(' ')}`.toLowerCase();
  }

  /** Adds elements, beside what they belong to; how many vertices and edges were not there before. */
  add(found: Elements, near?: string): { vertices: number; edges: number } {
    const before = { vertices: this.graph.order, edges: this.graph.size };
    this.isCut ||= found.isCut;
    const centre = near && this.graph.hasNode(near) ? this.graph.getNodeAttributes(near) : { x: 0, y: 0 };
    for (const [key, vertex] of found.vertices)
      this.addVertex(key, vertex, centre as { x: number; y: number }, near !== undefined);
    for (const [key, edge] of found.edges) this.addEdge(key, edge);
    for (const { from, to } of found.hops) this.addHop(from, to);
    this.dress();
    return { vertices: this.graph.order - before.vertices, edges: this.graph.size - before.edges };
  }

  private addVertex(key: string, vertex: Vertex, centre: { x: number; y: number }, isBeside: boolean): void {
    const known = this.vertices.get(key);
    if (!known || vertex.properties.length > known.properties.length) this.vertices.set(key, vertex);
    if (known) {
      if (this.graph.getNodeAttribute(key, 'hidden')) this.graph.setNodeAttribute(key, 'hidden', false);
      return;
    }
    const place = spiral(isBeside ? this.graph.order % 40 : this.graph.order, centre, isBeside ? 4 : 10);
    this.graph.addNode(key, {
      ...place,
      kind: vertex.label,
      hidden: false,
      pinned: false,
      size: SIZES.some,
      color: '#888',
      label: '',
    });
  }

  private addEdge(key: string, edge: Edge): void {
    if (this.edges.has(key)) return;
    this.edges.set(key, edge);
    const [from, to] = [keyOf(edge.out.id), keyOf(edge.in.id)];
    // What a path only led along is an edge now.
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      if (this.graph.hasEdge(`hop ${one} ${other}`)) this.graph.dropEdge(`hop ${one} ${other}`);
    }
    this.graph.addDirectedEdgeWithKey(`e ${key}`, from, to, { kind: edge.label, label: edge.label, isHop: false });
  }

  private addHop(from: string, to: string): void {
    const key = `hop ${from} ${to}`;
    const isJoined = this.graph.hasEdge(from, to) || this.graph.hasEdge(to, from);
    if (this.graph.hasNode(from) && this.graph.hasNode(to) && !isJoined) {
      this.graph.addDirectedEdgeWithKey(key, from, to, { kind: 'path', label: '', isHop: true });
    }
  }

  /** The vertices of which only id and label are known, since an edge named them. */
  unknown(): Id[] {
    return [...this.vertices.values()].filter((vertex) => vertex.properties.length === 0).map(({ id }) => id);
  }

  /** Gives all their colours, sizes and captions again. */
  dress(): void {
    const order = this.graph.order;
    const usual = order < 60 ? SIZES.few : order < 600 ? SIZES.some : SIZES.many;
    // Not said to be of sizes and colours alone: what is new among them has no place in the picture yet.
    this.graph.updateEachNodeAttributes((key, attributes) => {
      const vertex = this.vertices.get(key);
      if (!vertex) return attributes;
      const size = usual * (styles.value[vertex.label]?.size ?? 1);
      // A hub is larger, but not so large that it hides what is round it.
      const grown = size * Math.min(2, 1 + Math.log2(1 + this.graph.degree(key)) / 10);
      return Object.assign(attributes, { size: grown, color: colourOf(vertex.label), label: captionOf(vertex) });
    });
    this.tell();
  }

  /** Says that something has changed. It reads nothing that is watched, so that who watches may call it. */
  private tell(): void {
    this.changed.value = this.changed.peek() + 1;
  }

  /** Takes vertices out of sight. */
  hide(keys: string[]): void {
    for (const key of keys) this.graph.setNodeAttribute(key, 'hidden', true);
    if (keys.includes(this.selected.value?.key ?? '')) this.selected.value = null;
    this.tell();
  }

  /** Hides all of a label, or shows them. */
  hideLabel(label: string, hidden: boolean): void {
    this.graph.forEachNode((key, { kind }) => kind === label && this.graph.setNodeAttribute(key, 'hidden', hidden));
    this.tell();
  }

  /** Shows what was hidden. */
  showAll(): void {
    this.graph.forEachNode((key) => this.graph.setNodeAttribute(key, 'hidden', false));
    this.tell();
  }

  /** Keeps a vertex where it is, or lets it go. */
  pin(key: string, pinned: boolean): void {
    this.graph.setNodeAttribute(key, 'pinned', pinned);
    this.tell();
  }

  /** Labels of which all vertices are hidden. */
  hiddenLabels(): string[] {
    const shown = new Set(this.kinds.value.filter(({ isEdge }) => !isEdge).map(({ label }) => label));
    return [...new Set([...this.vertices.values()].map(({ label }) => label))].filter((label) => !shown.has(label));
  }
}
