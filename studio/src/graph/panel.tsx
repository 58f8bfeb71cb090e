/** Beside the picture: what the colours mean, and what is known of the element that is looked at. */
import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../server/failure';
import { type Edge, textOf, type Value, type Vertex } from '../server/value';
import { Icon } from '../ui/icons';
import { count } from '../ui/words';
import { keyOf } from './elements';
import { expand, type Side, sidesOf } from './expand';
import type { Model } from './model';
import { captionOf, colourOf, restyle, styles } from './style';

const BOUNDS = [10, 25, 100, 500];

/** The panel. `onGrow` is called when vertices have come. */
export function Panel({
  model,
  source,
  onGrow,
  onShow,
}: {
  model: Model;
  /** The traversal source that the elements came from; `null` if that cannot be told. */
  source: string | null;
  onGrow: () => void;
  onShow: (key: string) => void;
}) {
  const selected = model.selected.value;
  const vertex = selected && !selected.isEdge ? model.vertices.get(selected.key) : undefined;
  const edge = selected?.isEdge ? model.edges.get(selected.key.slice(2)) : undefined;
  return (
    <aside class="panel" aria-label="Legend and details">
      {vertex && selected && (
        <OfVertex key={selected.key} model={model} vertex={vertex} id={selected.key} source={source} onGrow={onGrow} />
      )}
      {edge && <OfEdge model={model} edge={edge} onShow={onShow} />}
      <Legend model={model} />
    </aside>
  );
}

function Legend({ model }: { model: Model }) {
  const [open, setOpen] = useState<string | null>(null);
  const hidden = model.hiddenLabels();
  const kinds = model.kinds.value;
  return (
    <section class="legend" aria-label="Legend">
      <h3>Shown</h3>
      <ul>
        {kinds
          .filter(({ isEdge }) => !isEdge)
          .map(({ label, count: many }) => (
            <li key={label}>
              <button
                type="button"
                class="legend-item"
                aria-expanded={open === label}
                onClick={() => setOpen(open === label ? null : label)}
                title={`How ${label} looks`}
              >
                <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
                  <circle cx="5" cy="5" r="5" fill={colourOf(label)} />
                </svg>
                <span class="grow">{label}</span>
                <span class="quiet">{count(many)}</span>
              </button>
              {open === label && <StyleOf label={label} model={model} />}
            </li>
          ))}
        {hidden.map((label) => (
          <li key={label}>
            <button type="button" class="legend-item off" onClick={() => model.hideLabel(label, false)}>
              <Icon name="hide" size={12} />
              <span class="grow">{label}</span>
              <span class="quiet">hidden</span>
            </button>
          </li>
        ))}
        {kinds
          .filter(({ isEdge }) => isEdge)
          .map(({ label, count: many }) => (
            <li key={`edge ${label}`} class="legend-item">
              <svg width="14" height="10" viewBox="0 0 14 10" aria-hidden="true">
                <path d="M0 5h11M8 2l3 3-3 3" fill="none" class="legend-edge" />
              </svg>
              <span class="grow">{label}</span>
              <span class="quiet">{count(many)}</span>
            </li>
          ))}
      </ul>
    </section>
  );
}

function StyleOf({ label, model }: { label: string; model: Model }) {
  const keys = [
    ...new Set(
      [...model.vertices.values()]
        .filter((vertex) => vertex.label === label)
        .flatMap(({ properties }) => properties.map(([key]) => key)),
    ),
  ];
  const style = styles.value[label] ?? {};
  const change = (next: Parameters<typeof restyle>[1]) => restyle(label, next);
  return (
    <div class="style-of">
      <label>
        Colour{' '}
        <input
          type="color"
          value={colourOf(label)}
          onInput={(event) => change({ colour: event.currentTarget.value })}
        />
      </label>
      <label>
        Size{' '}
        <input
          type="range"
          min="0.5"
          max="2.5"
          step="0.25"
          value={style.size ?? 1}
          onInput={(event) => change({ size: Number(event.currentTarget.value) })}
        />
      </label>
      <label>
        Caption
        <select
          value={style.caption ?? ''}
          onChange={(event) => change({ caption: event.currentTarget.value || undefined })}
        >
          <option value="">usual</option>
          <option value="~id">id</option>
          <option value="~label">label</option>
          {keys.map((key) => (
            <option key={key} value={key}>
              {key}
            </option>
          ))}
        </select>
      </label>
      <button type="button" class="plain" onClick={() => model.hideLabel(label, true)}>
        <Icon name="hide" /> Hide all
      </button>
    </div>
  );
}

function Rows({ entries }: { entries: [string, Value][] }) {
  return (
    <dl class="properties">
      {entries.map(([key, value]) => [
        <dt key={`${key}.`}>{key}</dt>,
        <dd key={key}>{textOf(value).slice(0, 2000)}</dd>,
      ])}
    </dl>
  );
}

function OfVertex({
  model,
  vertex,
  id,
  source,
  onGrow,
}: {
  model: Model;
  vertex: Vertex;
  id: string;
  source: string | null;
  onGrow: () => void;
}) {
  const [sides, setSides] = useState<Side[] | null>(null);
  const [most, setMost] = useState(25);
  const [said, setSaid] = useState('');
  const attempt = async (what: () => Promise<void>) => {
    try {
      await what();
    } catch (failure) {
      setSaid(failure instanceof Failure ? failure.message : String(failure));
    }
  };
  useEffect(() => {
    let isHere = true;
    if (source === null) return;
    void attempt(async () => {
      const found = await sidesOf(vertex.id, source);
      if (isHere) setSides(found);
    });
    return () => {
      isHere = false;
    };
  }, [id]);
  const grow = (side: Side) =>
    attempt(async () => {
      if (source === null) return;
      const added = model.add(await expand(vertex.id, side, most, source), id);
      setSaid(
        added.vertices + added.edges === 0
          ? 'all of them were there already'
          : `${count(added.vertices)} vertices and ${count(added.edges)} edges came`,
      );
      onGrow();
    });
  const isPinned = Boolean(model.graph.getNodeAttribute(id, 'pinned'));
  const properties = vertex.properties.flatMap(([key, all]) =>
    all.map(({ value, meta }): [string, Value] => [
      key,
      meta.length > 0
        ? `${textOf(value)} (${meta.map(([name, held]) => `${name}: ${textOf(held)}`).join(', ')})`
        : value,
    ]),
  );
  return (
    <section class="details" aria-label="Selected vertex">
      <header>
        <svg width="12" height="12" viewBox="0 0 10 10" aria-hidden="true">
          <circle cx="5" cy="5" r="5" fill={colourOf(vertex.label)} />
        </svg>
        <h3>{captionOf(vertex)}</h3>
        <span class="quiet">{vertex.label}</span>
        <button
          type="button"
          class="icon"
          aria-pressed={isPinned}
          aria-label={isPinned ? 'Let it go' : 'Pin'}
          title={isPinned ? 'Let it go' : 'Pin'}
          onClick={() => model.pin(id, !isPinned)}
        >
          <Icon name="pin" />
        </button>
        <button type="button" class="icon" aria-label="Hide" title="Hide" onClick={() => model.hide([id])}>
          <Icon name="hide" />
        </button>
        <button
          type="button"
          class="icon"
          aria-label="Close"
          title="Close"
          onClick={() => {
            model.selected.value = null;
          }}
        >
          <Icon name="close" />
        </button>
      </header>
      {source !== null && (
        <div class="expand">
          <label>
            Expand, at most{' '}
            <select value={most} onChange={(event) => setMost(Number(event.currentTarget.value))}>
              {BOUNDS.map((bound) => (
                <option key={bound} value={bound}>
                  {bound}
                </option>
              ))}
            </select>
          </label>
          {sides === null && !said && <span class="quiet">counting…</span>}
          {sides?.length === 0 && <span class="quiet">it has no edges</span>}
          <ul>
            {sides?.map((side) => (
              <li key={`${side.direction} ${side.label}`}>
                <button type="button" class="side" onClick={() => grow(side)}>
                  <span aria-hidden="true">{side.direction === 'out' ? '→' : '←'}</span>
                  <span class="sr">{side.direction === 'out' ? 'outgoing' : 'incoming'} </span>
                  <span class="grow">{side.label}</span>
                  <span class="quiet">{count(side.count)}</span>
                </button>
              </li>
            ))}
          </ul>
          <p class="said" role="status">
            {said}
          </p>
        </div>
      )}
      <Rows entries={[['id', vertex.id], ...properties]} />
    </section>
  );
}

function OfEdge({ model, edge, onShow }: { model: Model; edge: Edge; onShow: (key: string) => void }) {
  const end = ({ id, label }: Edge['out']) => {
    const known = model.vertices.get(keyOf(id));
    return (
      <button type="button" class="link" onClick={() => onShow(keyOf(id))}>
        {known ? captionOf(known) : `${label} ${textOf(id)}`}
      </button>
    );
  };
  return (
    <section class="details" aria-label="Selected edge">
      <header>
        <h3>{edge.label}</h3>
        <span class="spring" />
        <button
          type="button"
          class="icon"
          aria-label="Close"
          onClick={() => {
            model.selected.value = null;
          }}
        >
          <Icon name="close" />
        </button>
      </header>
      <p>
        {end(edge.out)} → {end(edge.in)}
      </p>
      <Rows entries={[['id', edge.id], ...edge.properties]} />
    </section>
  );
}
