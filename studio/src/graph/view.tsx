/** Results as a graph. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Answer } from '../query/run';
import { Failure } from '../server/failure';
import { names } from '../session/names';
import { Icon } from '../ui/icons';
import { count, plural } from '../ui/words';
import { type Canvas, draw } from './canvas';
import { between, expand, sidesOf, whole } from './expand';
import { LAYOUTS, type Layout } from './layouts';
import { Model } from './model';
import { Panel } from './panel';
import { captionOf, paletteOf } from './style';

const MOST_LISTED = 8;
const USUAL_BOUND = 25;
/** Vertices among which edges are looked for. */
const MOST_AMONG = 2000;

/** Models stay as long as their answers: who comes back from the table finds what was expanded. */
const models = new WeakMap<Answer, Model>();

function modelOf(answer: Answer): Model {
  paletteOf([...names.peek().vertices].sort());
  const known = models.get(answer) ?? new Model(answer.values ?? []);
  models.set(answer, known);
  return known;
}

/** Results as a graph. */
export default function GraphView({ answer }: { answer: Answer }) {
  const model = useMemo(() => modelOf(answer), [answer]);
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<Canvas | null>(null);
  const [isMoving, setMoving] = useState(false);
  const [said, setSaid] = useState('');
  const [isPanelOpen, setPanelOpen] = useState(true);
  // What is beside a vertex is asked of the graph that it came from, whichever is chosen meanwhile.
  const { source } = answer;
  const attempt = async (what: () => Promise<void>) => {
    try {
      await what();
    } catch (failure) {
      setSaid(failure instanceof Failure ? failure.message : String(failure));
    }
  };
  const relay = () => canvas.current?.lay(model.layout.value);
  const learn = () =>
    attempt(async () => {
      const ids = model.unknown().slice(0, MOST_AMONG);
      if (source !== null && ids.length > 0) model.add(await whole(ids, source));
    });
  const open = (key: string) =>
    attempt(async () => {
      model.selected.value = { key, isEdge: false };
      const vertex = model.vertices.get(key);
      if (!vertex || source === null) return;
      for (const side of await sidesOf(vertex.id, source))
        model.add(await expand(vertex.id, side, USUAL_BOUND, source), key);
      relay();
    });

  useEffect(() => {
    if (!place.current) return;
    const isFirst = !model.graph.hasAttribute('laid');
    canvas.current = draw(model, place.current, setMoving, open);
    if (isFirst) canvas.current.lay(model.graph.size === 0 && model.graph.order > 1 ? 'grid' : 'force');
    model.graph.setAttribute('laid', true);
    // For tests, and for whoever looks at the page with the browser's tools.
    (place.current as HTMLElement & { picture?: Canvas }).picture = canvas.current;
    void learn();
    return () => canvas.current?.close();
  }, [model]);

  const join = () =>
    attempt(async () => {
      if (source === null) return;
      const ids = [...model.vertices.values()].slice(0, MOST_AMONG).map(({ id }) => id);
      const added = model.add(await between(ids, source));
      setSaid(added.edges === 0 ? 'there are no more edges among them' : `${plural(added.edges, 'edge')} came`);
      if (added.edges > 0) canvas.current?.lay('force');
    });
  const onKey = (event: KeyboardEvent) => walk(event, model, canvas.current, open);
  const { order, size } = model.graph;
  const shown = model.changed.value < 0 ? 0 : order - model.hidden.value;

  return (
    <div class="graph-view">
      <div class="stage">
        <div class="stage-tools">
          <Search
            model={model}
            onPick={(key) => {
              model.selected.value = { key, isEdge: false };
              canvas.current?.show(key);
            }}
          />
          <div class="segments" role="radiogroup" aria-label="Layout">
            {LAYOUTS.map((layout: Layout) => (
              <button
                key={layout}
                type="button"
                role="radio"
                aria-checked={model.layout.value === layout}
                onClick={() => canvas.current?.lay(layout)}
              >
                {layout}
              </button>
            ))}
          </div>
          {isMoving && (
            <button type="button" class="plain" onClick={() => canvas.current?.rest()}>
              <Icon name="stop" size={12} /> Rest
            </button>
          )}
          {source !== null && (
            <button type="button" class="plain" onClick={join} title="Look for edges among what is shown">
              Edges among
            </button>
          )}
          {model.hidden.value > 0 && (
            <button type="button" class="plain" onClick={() => model.showAll()}>
              Show {count(model.hidden.value)} hidden
            </button>
          )}
        </div>
        <div
          class="canvas"
          ref={place}
          role="application"
          tabIndex={0}
          onKeyDown={onKey}
          aria-label={`Graph of ${plural(shown, 'vertex', 'vertices')} and ${plural(size, 'edge')}. Arrow keys go from vertex to vertex, Enter expands, H hides, P pins, plus and minus zoom.`}
        />
        <div class="stage-foot">
          <p class="stage-said" role="status">
            {plural(shown, 'vertex', 'vertices')}, {plural(size, 'edge')}
            {model.isCut ? ' (the first of them; the table has all)' : ''}
            {said && ` · ${said}`}
          </p>
          <div class="stage-corner">
            <button
              type="button"
              class="icon"
              aria-label="Zoom in"
              title="Zoom in"
              onClick={() => canvas.current?.zoom(1.5)}
            >
              <Icon name="plus" />
            </button>
            <button
              type="button"
              class="icon"
              aria-label="Zoom out"
              title="Zoom out"
              onClick={() => canvas.current?.zoom(1 / 1.5)}
            >
              <Icon name="minus" />
            </button>
            <button
              type="button"
              class="icon"
              aria-label="Show all of it"
              title="Show all of it"
              onClick={() => canvas.current?.fit()}
            >
              <Icon name="fit" />
            </button>
            <button
              type="button"
              class="icon"
              aria-label="Legend and details"
              title="Legend and details"
              aria-pressed={isPanelOpen}
              onClick={() => setPanelOpen(!isPanelOpen)}
            >
              <Icon name="schema" />
            </button>
          </div>
        </div>
      </div>
      {isPanelOpen && (
        <Panel
          model={model}
          source={source}
          onGrow={relay}
          onShow={(key) => {
            model.selected.value = { key, isEdge: false };
            canvas.current?.show(key);
          }}
        />
      )}
    </div>
  );
}

function Search({ model, onPick }: { model: Model; onPick: (key: string) => void }) {
  const found = model.matches.value;
  const isLooking = model.wanted.value.trim() !== '';
  return (
    <div class="find">
      <Icon name="search" size={14} />
      <input
        type="search"
        aria-label="Find in the graph"
        placeholder="Find"
        value={model.wanted.value}
        onInput={(event) => {
          model.wanted.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && found[0]) onPick(found[0]);
          if (event.key === 'Escape') model.wanted.value = '';
        }}
      />
      {isLooking && (
        <ul class="found">
          <li class="quiet" role="status">
            {found.length === 0 ? 'nothing' : plural(found.length, 'vertex', 'vertices')}
          </li>
          {found.slice(0, MOST_LISTED).map((key) => {
            const vertex = model.vertices.get(key);
            return (
              vertex && (
                <li key={key}>
                  <button type="button" class="plain" onClick={() => onPick(key)}>
                    {captionOf(vertex)} <span class="quiet">{vertex.label}</span>
                  </button>
                </li>
              )
            );
          })}
        </ul>
      )}
    </div>
  );
}

/** Arrow keys go to the nearest vertex in that direction; the rest are short ways for what the buttons do. */
function walk(event: KeyboardEvent, model: Model, canvas: Canvas | null, open: (key: string) => void): void {
  const selected = model.selected.value && !model.selected.value.isEdge ? model.selected.value.key : null;
  const directions: Record<string, [number, number]> = {
    ArrowRight: [1, 0],
    ArrowLeft: [-1, 0],
    ArrowUp: [0, 1],
    ArrowDown: [0, -1],
  };
  const direction = directions[event.key];
  if (!canvas || event.ctrlKey || event.metaKey || event.altKey) return;
  const acts: Record<string, () => void> = {
    '+': () => canvas.zoom(1.5),
    '-': () => canvas.zoom(1 / 1.5),
    0: () => canvas.fit(),
    Escape: () => {
      model.selected.value = null;
    },
    Enter: () => selected && open(selected),
    h: () => selected && model.hide([selected]),
    p: () => selected && model.pin(selected, !model.graph.getNodeAttribute(selected, 'pinned')),
  };
  if (direction) {
    const next = nearest(model, selected, direction);
    if (next) {
      model.selected.value = { key: next, isEdge: false };
      canvas.show(next);
    }
  } else if (acts[event.key]) acts[event.key]?.();
  else return;
  event.preventDefault();
}

function nearest(model: Model, from: string | null, [right, up]: [number, number]): string | null {
  const { graph } = model;
  const shown = graph.filterNodes((_, { hidden }) => !hidden);
  if (!from) return shown[0] ?? null;
  const here = graph.getNodeAttributes(from);
  let best: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const key of shown) {
    if (key === from) continue;
    const { x, y } = graph.getNodeAttributes(key);
    const [along, aside] = [
      (x - here.x) * right + (y - here.y) * up,
      Math.abs((x - here.x) * up) + Math.abs((y - here.y) * right),
    ];
    // What an edge leads to is nearer than what only lies there.
    const length = (along + 2 * aside) * (graph.areNeighbors(from, key) ? 0.5 : 1);
    if (along > aside && length < least) [best, least] = [key, length];
  }
  return best;
}
