/** What the server does now. */
import { useEffect } from 'preact/hooks';
import { total } from '../server/metrics';
import { session } from '../session/session';
import { brief, bytes, count, duration } from '../ui/words';
import { Chart } from './chart';
import { Indexes } from './indexes';
import { failed, latest, series, times, watch } from './poll';
import { RunningQueries } from './running';
import { Users } from './users';

/** What the server does now. */
export default function OperateView() {
  useEffect(() => watch(), []);
  const { requests, p50, p95, resident, cache, loads, commits, conflicts, flight, transactions } = series.value;
  const at = times.value;
  const now = latest.value;
  const waiting = total(now, 'mangrove_pool_waiting');
  return (
    <section class="page operate" aria-label="Operate" tabIndex={0}>
      <header class="view-head">
        <h1>Operate</h1>
        {failed.value && (
          <span class="wrong-text" role="alert">
            {failed.value}
          </span>
        )}
      </header>
      <dl class="numbers">
        <Figure name="connections" value={count(total(now, 'mangrove_connections'))} />
        <Figure name="sessions" value={count(total(now, 'mangrove_sessions'))} />
        <Figure name="open transactions" value={count(total(now, 'mangrove_open_transactions'))} />
        <Figure name="requests in flight" value={count(total(now, 'mangrove_requests_in_flight'))} />
        <Figure name="loads that wait" value={count(waiting)} />
        <Figure name="log" value={bytes(total(now, 'mangrove_log_bytes'))} />
        <Figure name="conflicts" value={count(total(now, 'mangrove_commit_conflicts_total'))} />
        <Figure name="memory" value={bytes(total(now, 'process_resident_memory_bytes'))} />
      </dl>
      <div class="charts">
        <Chart
          title="Requests a second"
          times={at}
          curves={[{ name: 'requests', colour: 'accent', values: requests }]}
          format={brief}
        />
        <Chart
          title="Latency"
          times={at}
          curves={[
            { name: 'median', colour: 'accent', values: p50 },
            { name: '95%', colour: 'second', values: p95 },
          ]}
          format={duration}
        />
        <Chart
          title="Memory"
          times={at}
          curves={[
            { name: 'process', colour: 'accent', values: resident },
            { name: 'cache', colour: 'second', values: cache },
          ]}
          format={bytes}
        />
        <Chart
          title="Loads a second"
          times={at}
          curves={[{ name: 'loads', colour: 'accent', values: loads }]}
          format={brief}
        />
        <Chart
          title="Commits a second"
          times={at}
          curves={[
            { name: 'attempts', colour: 'accent', values: commits },
            { name: 'conflicts', colour: 'bad', values: conflicts },
          ]}
          format={brief}
        />
        <Chart
          title="Under way"
          times={at}
          curves={[
            { name: 'requests', colour: 'accent', values: flight },
            { name: 'transactions', colour: 'second', values: transactions },
          ]}
          format={brief}
        />
      </div>
      <RunningQueries />
      <Indexes />
      {session.value?.admin && session.value.user !== null && <Users />}
    </section>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
