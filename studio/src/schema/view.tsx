/** The schema as a picture: labels of vertices as cards, labels of edges between those that they join, all with their counts. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { literal } from '../editor/literal';
import { colourOf, paletteOf } from '../graph/style';
import { take } from '../query/drawer';
import { start } from '../query/run';
import { Failure } from '../server/failure';
import { graph } from '../session/session';
import { Icon } from '../ui/icons';
import { go } from '../ui/place';
import { brief, count, plural } from '../ui/words';
import { askSchema, type EdgeLabel, type Index, type Key, type Schema, type VertexLabel } from './data';
import { extentOf, type Line, pictureOf, wayOf } from './layout';

/** The schema of the graph that is chosen. */
export default function SchemaView() {
  const source = graph.value;
  const [schema, setSchema] = useState<Schema | null>(null);
  const [failed, setFailed] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const ask = async () => {
    try {
      setSchema(await askSchema(source));
      setFailed('');
    } catch (failure) {
      setFailed(failure instanceof Failure ? failure.message : String(failure));
    }
  };
  useEffect(() => {
    setChosen(null);
    void ask();
  }, [source]);
  if (failed)
    return (
      <div class="page">
        <h1>Schema</h1>
        <p class="failure" role="alert">
          {failed}
        </p>
      </div>
    );
  if (!schema)
    return (
      <div class="page">
        <p class="hint">Asking the server…</p>
      </div>
    );
  const all = schema.vertices.reduce((sum, { count: many }) => sum + many, 0);
  const joined = schema.edges.reduce((sum, { count: many }) => sum + many, 0);
  return (
    <div class="schema">
      <div class="schema-main">
        <header class="view-head">
          <h1>Schema of {source}</h1>
          <span class="quiet">
            {plural(all, 'vertex', 'vertices')} of {plural(schema.vertices.length, 'label')}, {plural(joined, 'edge')}{' '}
            of {plural(schema.edges.length, 'label')}, {schema.mode} schema
          </span>
          <span class="spring" />
          <button type="button" class="plain" onClick={() => void ask()}>
            Ask again
          </button>
        </header>
        {schema.vertices.length === 0 ? (
          <p class="hint">The graph is empty.</p>
        ) : (
          <PictureView schema={schema} chosen={chosen} onChoose={setChosen} />
        )}
      </div>
      <Side schema={schema} chosen={chosen} onChoose={setChosen} />
    </div>
  );
}

const thickness = (many: number) => 0.8 + Math.log10(Math.max(1, many)) * 0.35;

function PictureView({
  schema,
  chosen,
  onChoose,
}: {
  schema: Schema;
  chosen: string | null;
  onChoose: (key: string | null) => void;
}) {
  const picture = useMemo(() => {
    paletteOf(schema.vertices.map(({ name }) => name).sort());
    return pictureOf(schema);
  }, [schema]);
  const extent = useMemo(() => extentOf(picture), [picture]);
  const [view, setView] = useState({ ...extent });
  const svg = useRef<SVGSVGElement>(null);
  useEffect(() => setView({ ...extent }), [extent]);
  const scale = (factor: number) =>
    setView(({ x, y, width, height }) => ({
      x: x + (width * (1 - factor)) / 2,
      y: y + (height * (1 - factor)) / 2,
      width: width * factor,
      height: height * factor,
    }));
  useEffect(() => {
    // The browser would scroll the page, and only a listener that says so may stop it.
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      scale(event.deltaY > 0 ? 1.1 : 1 / 1.1);
    };
    svg.current?.addEventListener('wheel', turn, { passive: false });
    return () => svg.current?.removeEventListener('wheel', turn);
  }, []);
  const drag = (event: PointerEvent) => {
    if (event.buttons !== 1 || !svg.current) return;
    const per = view.width / svg.current.clientWidth;
    setView({ ...view, x: view.x - event.movementX * per, y: view.y - event.movementY * per });
  };
  const isNear = (line: Line) => chosen !== null && (line.from.key === chosen || line.to.key === chosen);
  const nearby = new Set(picture.lines.filter(isNear).flatMap(({ from, to }) => [from.key, to.key]));
  return (
    <div class="schema-picture">
      <svg
        ref={svg}
        viewBox={`${view.x} ${view.y} ${view.width} ${view.height}`}
        onPointerMove={drag}
        role="group"
        aria-label="Picture of the schema"
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="6"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M0 0 8 4 0 8z" class="schema-arrow" />
          </marker>
        </defs>
        {picture.lines.map((line) => (
          <path
            key={`${line.from.key} ${line.to.key}`}
            d={wayOf(line)}
            class={chosen === null ? 'schema-line' : isNear(line) ? 'schema-line near' : 'schema-line far'}
            stroke-width={thickness(line.count)}
            marker-end={line.enters ? 'url(#arrow)' : undefined}
          >
            <title>{`${line.enters ? `${line.from.name} enters ${line.to.name}` : `${line.to.name} leaves ${line.from.name}`}: ${count(line.count)}`}</title>
          </path>
        ))}
        {picture.boxes.map((box) => {
          const isFar = chosen !== null && chosen !== box.key && !nearby.has(box.key);
          const choose = () => onChoose(chosen === box.key ? null : box.key);
          return (
            <g
              key={box.key}
              role="button"
              tabindex={0}
              aria-pressed={chosen === box.key}
              aria-label={`${box.isEdge ? 'edges' : 'vertices'} ${box.name} ${count(box.count)}`}
              class={`schema-box${box.isEdge ? ' edge' : ''}${chosen === box.key ? ' chosen' : ''}${isFar ? ' far' : ''}`}
              transform={`translate(${box.x - box.width / 2} ${box.y - box.height / 2})`}
              onClick={choose}
              onKeyDown={(event) => {
                if (event.key === 'Enter' || event.key === ' ') {
                  event.preventDefault();
                  choose();
                }
              }}
            >
              <rect width={box.width} height={box.height} rx={box.isEdge ? box.height / 2 : 8} />
              {box.isEdge ? (
                <text x={box.width / 2} y="16" text-anchor="middle">
                  {box.name.slice(0, 26)}
                </text>
              ) : (
                <>
                  <rect
                    width="5"
                    height={box.height - 16}
                    x="9"
                    y="8"
                    rx="2.500"
                    style={{ fill: colourOf(box.name), stroke: 'none' }}
                  />
                  <text>
                    <tspan x="22" y="20" class="schema-name">
                      {box.name.slice(0, 26)}
                    </tspan>{' '}
                    <tspan x="22" y="36" class="schema-count">
                      {count(box.count)}
                    </tspan>
                  </text>
                </>
              )}
            </g>
          );
        })}
      </svg>
      <div class="stage-corner">
        <button type="button" class="icon" aria-label="Zoom in" onClick={() => scale(1 / 1.3)}>
          <Icon name="plus" />
        </button>
        <button type="button" class="icon" aria-label="Zoom out" onClick={() => scale(1.3)}>
          <Icon name="minus" />
        </button>
        <button type="button" class="icon" aria-label="Show all of it" onClick={() => setView({ ...extent })}>
          <Icon name="fit" />
        </button>
      </div>
    </div>
  );
}

function Side({
  schema,
  chosen,
  onChoose,
}: {
  schema: Schema;
  chosen: string | null;
  onChoose: (key: string | null) => void;
}) {
  const vertex = schema.vertices.find(({ name }) => chosen === `v ${name}`);
  const edge = schema.edges.find(({ name }) => chosen === `e ${name}`);
  return (
    <aside class="panel" aria-label="Labels">
      {vertex && <OfVertices label={vertex} indexes={schema.indexes.filter(({ label }) => label === vertex.name)} />}
      {edge && <OfEdges label={edge} />}
      <section>
        <h3>Vertices</h3>
        <ul>
          {schema.vertices.map(({ name, count: many }) => (
            <li key={name}>
              <Item
                name={name}
                many={many}
                isChosen={chosen === `v ${name}`}
                isEdge={false}
                onChoose={() => onChoose(`v ${name}`)}
              />
            </li>
          ))}
        </ul>
        <h3>Edges</h3>
        <ul>
          {schema.edges.map(({ name, count: many }) => (
            <li key={name}>
              <Item
                name={name}
                many={many}
                isChosen={chosen === `e ${name}`}
                isEdge
                onChoose={() => onChoose(`e ${name}`)}
              />
            </li>
          ))}
        </ul>
      </section>
    </aside>
  );
}

function Item({
  name,
  many,
  isChosen,
  isEdge,
  onChoose,
}: {
  name: string;
  many: number;
  isChosen: boolean;
  isEdge: boolean;
  onChoose: () => void;
}) {
  return (
    <button type="button" class="legend-item" aria-pressed={isChosen} onClick={onChoose}>
      {isEdge ? (
        <svg width="14" height="10" viewBox="0 0 14 10" aria-hidden="true">
          <path d="M0 5h11M8 2l3 3-3 3" fill="none" class="legend-edge" />
        </svg>
      ) : (
        <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
          <circle cx="5" cy="5" r="5" fill={colourOf(name)} />
        </svg>
      )}
      <span class="grow">{name}</span>
      <span class="quiet">{brief(many)}</span>
    </button>
  );
}

function Keys({ keys }: { keys: Key[] }) {
  if (keys.length === 0) return <p class="quiet">no properties</p>;
  return (
    <dl class="properties">
      {keys.map(({ name, declared }) => [
        <dt key={name}>{name}</dt>,
        <dd key={`${name}.`} class="quiet">
          {declared || 'any'}
        </dd>,
      ])}
    </dl>
  );
}

function look(text: string): void {
  take(text, graph.peek());
  go('query');
  queueMicrotask(() => void start('run', 'all'));
}

function OfVertices({ label, indexes }: { label: VertexLabel; indexes: Index[] }) {
  return (
    <section class="details" aria-label={`Vertices ${label.name}`}>
      <header>
        <h3>{label.name}</h3>
        <span class="quiet">{count(label.count)}</span>
      </header>
      <Keys keys={label.keys} />
      {indexes.length > 0 && (
        <p>
          {indexes.map(({ keys, kind, state }) => (
            <span key={`${keys} ${kind}`} class="chip">
              {kind} {keys.join(', ')}
              {state !== 'ready' && ` (${state})`}
            </span>
          ))}
        </p>
      )}
      <button type="button" class="plain" onClick={() => look(`g.V().hasLabel(${literal(label.name)}).limit(25)`)}>
        <Icon name="run" size={12} /> Show 25
      </button>
    </section>
  );
}

function OfEdges({ label }: { label: EdgeLabel }) {
  return (
    <section class="details" aria-label={`Edges ${label.name}`}>
      <header>
        <h3>{label.name}</h3>
        <span class="quiet">{count(label.count)}</span>
      </header>
      <p>
        {label.from.map(({ label: name, count: many }) => `${name} (${brief(many)})`).join(', ')} →{' '}
        {label.to.map(({ label: name, count: many }) => `${name} (${brief(many)})`).join(', ')}
      </p>
      <Keys keys={label.keys} />
      <button type="button" class="plain" onClick={() => look(`g.E().hasLabel(${literal(label.name)}).limit(25)`)}>
        <Icon name="run" size={12} /> Show 25
      </button>
    </section>
  );
}
