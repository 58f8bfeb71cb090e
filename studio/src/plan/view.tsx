/** A plan as a picture: operators from top to bottom, scopes round what is in them, coloured by the time or the memory of each. */
import { useMemo, useState } from 'preact/hooks';
import type { Answer } from '../query/run';
import { brief, bytes, count, duration } from '../ui/words';
import { type Branch, type Colour, flat, type Operator, ownShare, ownTime, planOf, type Stage, wrongBy } from './parse';

/** Factors from which a guess is shown to be wrong. */
const WRONG = 8;

/** What operators are coloured by, and how much of it all took together. */
interface Colouring {
  by: Colour;
  total: number;
}

/** The plan of an answer. */
export function PlanView({ answer }: { answer: Answer }) {
  const plan = useMemo(() => planOf(answer.explained, answer.profiled), [answer]);
  const [by, setBy] = useState<Colour>('time');
  const all = flat(plan.operators);
  const total = plan.total;
  const held = all.reduce((sum, operator) => sum + ownShare(operator, 'memory'), 0);
  const opened = all.reduce((sum, { counters }) => sum + (counters?.opened ?? 0), 0);
  const cancelled = all.reduce((sum, { counters }) => sum + (counters?.cancelled ?? 0), 0);
  const slowest = all.reduce<Operator | null>(
    (most, one) => (!most || ownTime(one) > ownTime(most) ? one : most),
    null,
  );
  return (
    <div class="plan-view">
      <section class="plan" aria-label="Plan">
        <header class="plan-head">
          <Fact name="operators" value={count(all.length)} />
          {total !== null && <Fact name="time" value={duration(total / 1000)} />}
          {total !== null && slowest && <Fact name="most of it" value={slowest.step || slowest.name} />}
          {total !== null && (
            <Fact name="scope instances" value={`${count(opened)} opened, ${count(cancelled)} cancelled`} />
          )}
          {total !== null && held > 0 && <Fact name="memory" value={bytes(held)} />}
          {total !== null && <Scale by={by} choose={held > 0 ? setBy : null} />}
        </header>
        <Pipeline operators={plan.operators} colouring={{ by, total: by === 'time' ? (total ?? 0) : held }} />
      </section>
      {plan.stages.length > 0 && <Stages stages={plan.stages} />}
    </div>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <span class="fact">
      <span class="quiet">{name}</span> <strong>{value}</strong>
    </span>
  );
}

/** What the colours mean, and by what they are, if there is a choice. */
function Scale({ by, choose }: { by: Colour; choose: ((by: Colour) => void) | null }) {
  return (
    <span class="scale">
      <span class="quiet">0%</span>
      {[0, 1, 2, 3, 4].map((heat) => (
        <i key={heat} class={`heat-${heat}`} aria-hidden="true" />
      ))}
      <span class="quiet">100% of the</span>
      {choose ? (
        <select
          aria-label="Colour by"
          value={by}
          onChange={(event) => choose(event.currentTarget.value === 'memory' ? 'memory' : 'time')}
        >
          <option value="time">time</option>
          <option value="memory">memory</option>
        </select>
      ) : (
        <span class="quiet">time</span>
      )}
    </span>
  );
}

/** Five steps of colour: most operators take little, so the steps are not even. */
function heatOf(share: number): number {
  return share > 0.5 ? 4 : share > 0.25 ? 3 : share > 0.1 ? 2 : share > 0.02 ? 1 : 0;
}

function Pipeline({ operators, colouring }: { operators: Operator[]; colouring: Colouring }) {
  return (
    <ol class="pipeline">
      {operators.map((operator, at) => (
        <li key={at}>
          <OperatorCard operator={operator} colouring={colouring} />
        </li>
      ))}
    </ol>
  );
}

function OperatorCard({ operator, colouring }: { operator: Operator; colouring: Colouring }) {
  const { name, step, settings, guessed, counters, branches } = operator;
  const share = colouring.total > 0 ? ownShare(operator, colouring.by) / colouring.total : 0;
  const wrong = wrongBy(operator);
  const isScope = branches.length > 0;
  return (
    <div class={isScope ? 'scope' : 'operator-box'}>
      <div class={`operator${counters ? ` heat-${heatOf(share)}` : ''}`}>
        <div class="operator-name">
          <code>{name || step}</code>
          {name && step && <span class="operator-step">{step}</span>}
          {settings.length > 0 && (
            <span class="chips">
              {settings.map((setting) => (
                <span key={setting} class="chip">
                  {setting}
                </span>
              ))}
            </span>
          )}
        </div>
        <div class="operator-facts">
          {counters && (
            <span class="operator-time">
              <strong>{Math.round(share * 100)}%</strong> {duration(ownTime(operator) / 1000)}
            </span>
          )}
          {counters && (counters.opened > 0 || isScope) && (
            <span class="operator-scopes" title="Instances of the scope">
              {count(counters.opened)} opened{counters.cancelled > 0 && <b> · {count(counters.cancelled)} cancelled</b>}
            </span>
          )}
          {guessed !== null && (
            <span
              class={wrong !== null && wrong >= WRONG ? 'operator-rows wrong' : 'operator-rows'}
              title="Rows that the planner expected, and rows that were sent"
            >
              ~{brief(guessed)}
              {counters ? (
                <>
                  {' '}
                  → <strong>{count(counters.rowsOut)}</strong>
                </>
              ) : (
                ' rows'
              )}
              {wrong !== null && wrong >= WRONG && <em> ×{brief(Math.round(wrong))}</em>}
            </span>
          )}
          {counters && counters.memory > 0 && (
            <span class="operator-memory" title="Most bytes that it kept between batches">
              {bytes(counters.memory)}
            </span>
          )}
          {counters && counters.read > 0 && <span class="quiet">{brief(counters.read)} read</span>}
        </div>
      </div>
      {isScope && (
        <div class={branches.length > 1 ? 'branches many' : 'branches'}>
          {branches.map((branch, at) => (
            <BranchBox key={at} branch={branch} colouring={colouring} />
          ))}
        </div>
      )}
    </div>
  );
}

function BranchBox({ branch, colouring }: { branch: Branch; colouring: Colouring }) {
  return (
    <div class="branch">
      {branch.name && <div class="branch-name">{branch.name}</div>}
      <Pipeline operators={branch.operators} colouring={colouring} />
    </div>
  );
}

/** What each rule made of the plan. */
function Stages({ stages }: { stages: Stage[] }) {
  const [at, setAt] = useState(Math.max(0, stages.length - 1));
  const stage = stages[at];
  const before = new Set(at > 1 ? (stages[at - 1]?.lines ?? []) : []);
  return (
    <section class="stages" aria-label="What the rules did">
      <h3>What the rules did</h3>
      <ol class="stage-list">
        {stages.map(({ name }, place) => (
          <li key={place}>
            <button type="button" aria-current={place === at ? 'step' : undefined} onClick={() => setAt(place)}>
              {name}
            </button>
          </li>
        ))}
      </ol>
      <pre class="stage-text" tabIndex={0}>
        {stage?.lines.map((line, place) => (
          <span key={place} class={at > 1 && !before.has(line) ? 'new' : ''}>
            {line}
            {'\n'}
          </span>
        ))}
      </pre>
    </section>
  );
}
