/** What came of the statements: which of them, and its results in each form that they have. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { hasElements } from '../graph/elements';
import { PlanView } from '../plan/view';
import { type Answer, answer, answers, shown, stop, underWay } from '../query/run';
import { type Running, running } from '../server/client';
import { Boundary } from '../ui/broken';
import { Icon } from '../ui/icons';
import { lazily } from '../ui/lazily';
import { bytes, count, duration, plural } from '../ui/words';
import { JsonView } from './json';
import { TableView } from './table';

// The picture needs a library of its own, which the first paint does not wait for.
const GraphView = lazily(() => import('../graph/view'));

/** A form that results can be shown in. */
export type Form = 'graph' | 'table' | 'json' | 'plan';

const NAMES: Record<Form, string> = { graph: 'Graph', table: 'Table', json: 'JSON', plan: 'Plan' };

/** The form that somebody chose last; shown where results have it. */
const wanted = signal<Form | null>(null);

const known = new WeakMap<Answer, Form[]>();

/** The forms that an answer has. What is no graph offers none. */
export function formsOf(one: Answer): Form[] {
  const before = known.get(one);
  if (before) return before;
  const forms: Form[] = [];
  const isPlan = one.explained !== null || one.profiled !== null;
  if (one.values && !isPlan && hasElements(one.values)) forms.push('graph');
  if (one.values && !isPlan) forms.push('table', 'json');
  if (isPlan) forms.push('plan');
  known.set(one, forms);
  return forms;
}

/** The results. */
export function Results() {
  const one = answer.value;
  if (underWay.value) return <Waiting />;
  if (!one) return <Nothing />;
  const forms = formsOf(one);
  const form = wanted.value && forms.includes(wanted.value) ? wanted.value : forms[0];
  return (
    <section class="results" aria-label="Results">
      <header class="results-head">
        <Tabs forms={forms} form={form} />
        <span class="spring" />
        {answers.value.length > 1 && <Statements />}
        <span class="results-said" role="status">
          {summaryOf(one)}
        </span>
      </header>
      <div class="results-body" id="results-body" role="tabpanel" aria-label={form ? NAMES[form] : 'Error'}>
        <Boundary key={form} of={one}>
          {one.failure && <FailureView one={one} />}
          {form === 'graph' && <GraphView answer={one} />}
          {form === 'table' &&
            (one.values?.length === 0 ? (
              <p class="hint">There is no result.</p>
            ) : (
              <TableView key={shown.value} values={one.values ?? []} name="results" />
            ))}
          {form === 'json' && <JsonView values={one.values ?? []} name="results" />}
          {form === 'plan' && <PlanView answer={one} />}
        </Boundary>
      </div>
    </section>
  );
}

function summaryOf({ values, failure, took }: Answer): string {
  if (failure) return failure.kind;
  return values ? `${plural(values.length, 'result')} in ${duration(took)}` : `in ${duration(took)}`;
}

function Tabs({ forms, form }: { forms: Form[]; form: Form | undefined }) {
  const go = (event: KeyboardEvent, at: number) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = forms[(at + step + forms.length) % forms.length];
    if (step === 0 || !next) return;
    wanted.value = next;
    const tabs = (event.currentTarget as HTMLElement).parentElement?.querySelectorAll<HTMLElement>('[role=tab]');
    tabs?.[forms.indexOf(next)]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Forms of the results">
      {forms.map((name, at) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === form}
          aria-controls="results-body"
          tabIndex={name === form ? 0 : -1}
          onClick={() => {
            wanted.value = name;
          }}
          onKeyDown={(event) => go(event, at)}
        >
          {NAMES[name]}
        </button>
      ))}
    </div>
  );
}

function Statements() {
  return (
    <label class="statements">
      <span class="sr">Statement</span>
      <select
        value={shown.value}
        onChange={(event) => {
          shown.value = Number(event.currentTarget.value);
        }}
      >
        {answers.value.map(({ statement, failure }, at) => (
          <option
            key={at}
            value={at}
          >{`${at + 1}  ${failure ? '✗ ' : ''}${statement.text.replace(/\s+/g, ' ').slice(0, 60)}`}</option>
        ))}
      </select>
    </label>
  );
}

function FailureView({ one }: { one: Answer }) {
  const { failure, statement } = one;
  if (!failure) return null;
  return (
    <div class="failure" role="alert">
      <h3>
        {failure.kind}
        {failure.place && (
          <span class="quiet">
            {' '}
            line {failure.place.line}, column {failure.place.column}
          </span>
        )}
      </h3>
      <p>{failure.message}</p>
      <pre>{statement.text}</pre>
    </div>
  );
}

/** What is said of a query while it runs. */
function Waiting() {
  const [, setNow] = useState(0);
  const [seen, setSeen] = useState<Running | null>(null);
  useEffect(() => {
    const clock = setInterval(() => setNow(performance.now()), 100);
    const look = setInterval(async () => {
      const all = await running().catch(() => []);
      setSeen(all.find(({ queryId }) => queryId === underWay.value?.id) ?? null);
    }, 1000);
    return () => {
      clearInterval(clock);
      clearInterval(look);
    };
  }, []);
  const current = underWay.value;
  if (!current) return null;
  return (
    <section class="results waiting" aria-label="Results" aria-busy="true">
      <div class="waiting-box">
        <div class="bar" />
        <p class="waiting-time">{duration(performance.now() - current.since)}</p>
        <p class="quiet">
          {seen
            ? `${seen.state}, ${count(seen.rows)} rows, ${bytes(seen.memory)}`
            : current.what === 'run'
              ? 'running'
              : `${current.what} is under way`}
          {current.left > 0 && `, ${plural(current.left, 'statement')} to follow`}
        </p>
        <button type="button" class="plain" onClick={() => void stop()}>
          <Icon name="stop" size={12} /> Stop
        </button>
      </div>
    </section>
  );
}

function Nothing() {
  return (
    <section class="results nothing" aria-label="Results">
      <p class="hint">
        <kbd>Ctrl</kbd> <kbd>Enter</kbd> runs what is above, <kbd>Shift</kbd> <kbd>Enter</kbd> the statement at the
        cursor.
      </p>
    </section>
  );
}
