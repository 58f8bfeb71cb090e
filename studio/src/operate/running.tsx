/** The queries that are under way, each with a way to stop it. */
import { useState } from 'preact/hooks';
import { cancel, type Running } from '../server/client';
import { Failure } from '../server/failure';
import { Icon } from '../ui/icons';
import { bytes, count, duration } from '../ui/words';
import { lookNow, queries } from './poll';

/** The queries. */
export function RunningQueries() {
  const [said, setSaid] = useState('');
  const end = async ({ queryId }: Running) => {
    try {
      await cancel(queryId);
      setSaid(`stopped ${queryId}`);
    } catch (failure) {
      setSaid(failure instanceof Failure ? failure.message : String(failure));
    }
    await lookNow();
  };
  const all = queries.value;
  return (
    <section class="card" aria-label="Running queries">
      <header>
        <h2>Running</h2>
        <span class="quiet" role="status">
          {said}
        </span>
      </header>
      {all.length === 0 ? (
        <p class="hint">Nothing is under way.</p>
      ) : (
        <div class="scroll" tabIndex={0}>
          <table class="plain-table">
            <thead>
              <tr>
                <th scope="col">Query</th>
                <th scope="col">Graph</th>
                <th scope="col">User</th>
                <th scope="col">State</th>
                <th scope="col" class="number">
                  Age
                </th>
                <th scope="col" class="number">
                  Rows
                </th>
                <th scope="col" class="number">
                  Memory
                </th>
                <th scope="col">
                  <span class="sr">Stop</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {all.map((query) => (
                <tr key={query.queryId}>
                  <td class="query-text">
                    <code title={query.operators.join('\n')}>{query.queryString}</code>
                  </td>
                  <td>{query.graph}</td>
                  <td>{query.user ?? query.client}</td>
                  <td>{query.queryEvalStats.cancelled ? 'stopped' : query.state}</td>
                  <td class="number">{duration(query.age)}</td>
                  <td class="number">{count(query.rows)}</td>
                  <td class="number" title={`at most ${bytes(query.peakMemory)}`}>
                    {bytes(query.memory)}
                  </td>
                  <td>
                    <button
                      type="button"
                      class="plain"
                      aria-label={`Stop ${query.queryString.slice(0, 60)}`}
                      onClick={() => void end(query)}
                    >
                      <Icon name="stop" size={12} /> Stop
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
