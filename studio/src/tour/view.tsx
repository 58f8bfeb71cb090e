/** The tour, and what the keyboard does. */
import { take } from '../query/drawer';
import { start } from '../query/run';
import { session } from '../session/session';
import { Icon } from '../ui/icons';
import { go } from '../ui/place';
import { STOPS, type Stop } from './queries';

const KEYS: [string, string][] = [
  ['Ctrl Enter', 'run all statements, or what is selected'],
  ['Shift Enter', 'run the statement at the cursor'],
  ['Ctrl Shift E', 'explain the statement at the cursor'],
  ['Ctrl Shift P', 'profile it'],
  ['Ctrl Space', 'complete'],
  ['Alt 1 to Alt 4', 'query, schema, operate, tour'],
  ['Arrow keys', 'walk through a graph or a table'],
  ['Enter, H, P', 'in a graph: expand, hide, pin'],
];

function visit({ text, graph }: Stop, what: 'run' | 'profile'): void {
  take(text, graph);
  go('query');
  // The graph is chosen and the text is there before it is asked.
  queueMicrotask(() => void start(what, 'all'));
}

/** The tour. */
export default function TourView() {
  const sources = session.value?.sources ?? [];
  return (
    <section class="page tour" aria-label="Tour" tabIndex={0}>
      <h1>A tour in five queries</h1>
      <p class="lead">
        They ask the graphs that <code>make run</code> serves: a small social network, and TinkerPop's modern graph.
      </p>
      <ol class="stops">
        {STOPS.map((stop, at) => {
          const isThere = sources.includes(stop.graph);
          return (
            <li key={stop.title} class="stop-card">
              <span class="stop-number" aria-hidden="true">
                {at + 1}
              </span>
              <div>
                <h2>{stop.title}</h2>
                <p>{stop.says}</p>
                <pre tabIndex={0}>
                  <code>{stop.text}</code>
                </pre>
                <div class="stop-acts">
                  <button type="button" class="primary" disabled={!isThere} onClick={() => visit(stop, 'run')}>
                    <Icon name="run" size={12} /> Run
                  </button>
                  <button type="button" class="plain" disabled={!isThere} onClick={() => visit(stop, 'profile')}>
                    <Icon name="gauge" /> Profile
                  </button>
                  {!isThere && <span class="quiet">this server has no graph {stop.graph}</span>}
                </div>
              </div>
            </li>
          );
        })}
      </ol>
      <h2>Keys</h2>
      <dl class="keys">
        {KEYS.map(([key, does]) => [
          <dt key={key}>
            {key
              .split(' ')
              .map((part) => (/^(to|keys)$/.test(part) ? ` ${part} ` : <kbd key={part}>{part.replace(',', '')}</kbd>))}
          </dt>,
          <dd key={`${key}.`}>{does}</dd>,
        ])}
      </dl>
    </section>
  );
}
