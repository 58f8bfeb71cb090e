/** The indexes of the graph that is chosen, and how far those are that are being built. */
import { useEffect, useState } from 'preact/hooks';
import type { Index } from '../schema/data';
import { call } from '../server/client';
import { graph } from '../session/session';
import { times } from './poll';

/** The indexes. */
export function Indexes() {
  const [indexes, setIndexes] = useState<Index[]>([]);
  const source = graph.value;
  const look = times.value.length;
  useEffect(() => {
    call('mangrove.index.list', {}, source).then(
      (found) => setIndexes(found as unknown as Index[]),
      () => {},
    );
  }, [source, look]);
  const isBuilding = (index: Index) => index.state !== 'ready';
  const order = [...indexes].sort(
    (a, b) => Number(isBuilding(b)) - Number(isBuilding(a)) || a.label.localeCompare(b.label),
  );
  return (
    <section class="card" aria-label="Indexes">
      <header>
        <h2>Indexes of {source}</h2>
        <span class="quiet">{indexes.filter(isBuilding).length || 'none'} being built</span>
      </header>
      {indexes.length === 0 ? (
        <p class="hint">There is none.</p>
      ) : (
        <ul class="indexes">
          {order.map((index) => (
            <li key={`${index.label} ${index.keys} ${index.kind}`}>
              <code>
                {index.label} ({index.keys.join(', ')})
              </code>
              <span class="chip">{index.kind}</span>
              <span class="spring" />
              {index.state === 'building' ? (
                <progress max={1} value={index.progress} aria-label={`${index.label} ${index.keys.join(', ')}`} />
              ) : (
                <span class={index.state === 'ready' ? 'good' : 'wrong-text'} title={index.failure}>
                  {index.state}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
