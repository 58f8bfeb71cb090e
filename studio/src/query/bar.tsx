/** The buttons beside the editor: run, stop, explain, profile, and what goes with a query. */
import { useState } from 'preact/hooks';
import { Icon } from '../ui/icons';
import { drawer } from './drawer';
import { bindings, parameters, start, stop, timeout, underWay } from './run';

const TIMES: [number, string][] = [
  [1000, '1 s'],
  [5000, '5 s'],
  [30_000, '30 s'],
  [120_000, '2 min'],
  [600_000, '10 min'],
  [0, 'as the server says'],
];

/** The bar. */
export function Bar() {
  const [open, setOpen] = useState(parameters.peek() !== '');
  const isBusy = underWay.value !== null;
  return (
    <>
      <div class="bar-row" role="toolbar" aria-label="Query">
        {isBusy ? (
          <button type="button" class="primary stop" onClick={() => void stop()}>
            <Icon name="stop" size={12} /> Stop
          </button>
        ) : (
          <button
            type="button"
            class="primary"
            onClick={() => void start('run', 'all')}
            title="Run all statements, or what is selected (Ctrl-Enter)"
          >
            <Icon name="run" size={12} /> Run
          </button>
        )}
        <button
          type="button"
          class="plain"
          disabled={isBusy}
          onClick={() => void start('explain', 'here')}
          title="How the statement at the cursor would be run (Ctrl-Shift-E)"
        >
          <Icon name="tree" /> Explain
        </button>
        <button
          type="button"
          class="plain"
          disabled={isBusy}
          onClick={() => void start('profile', 'here')}
          title="Runs it, and tells where the time went (Ctrl-Shift-P)"
        >
          <Icon name="gauge" /> Profile
        </button>
        <span class="spring" />
        <button
          type="button"
          class="plain"
          aria-expanded={open}
          aria-controls="parameters"
          aria-label="Parameters"
          onClick={() => setOpen(!open)}
        >
          <Icon name="params" /> <span class="wide">Parameters</span>
        </button>
        <label class="time">
          <span class="wide">Time-out</span>
          <select
            aria-label="Time-out"
            value={timeout.value}
            onChange={(event) => {
              timeout.value = Number(event.currentTarget.value);
            }}
          >
            {TIMES.map(([millis, name]) => (
              <option key={millis} value={millis}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          class="plain"
          aria-label="History"
          aria-pressed={drawer.value === 'history'}
          onClick={() => {
            drawer.value = drawer.value === 'history' ? null : 'history';
          }}
        >
          <Icon name="history" /> <span class="wide">History</span>
        </button>
        <button
          type="button"
          class="plain"
          aria-label="Saved"
          aria-pressed={drawer.value === 'saved'}
          onClick={() => {
            drawer.value = drawer.value === 'saved' ? null : 'saved';
          }}
        >
          <Icon name="star" /> <span class="wide">Saved</span>
        </button>
      </div>
      {open && <Parameters />}
    </>
  );
}

function Parameters() {
  let wrong = '';
  try {
    bindings(parameters.value);
  } catch (failure) {
    wrong = (failure as Error).message;
  }
  return (
    <div class="parameters" id="parameters">
      <label for="parameters-text">Variables of the query, as JSON</label>
      <textarea
        id="parameters-text"
        rows={2}
        spellcheck={false}
        placeholder={'{"name": "Jan", "least": 3}'}
        value={parameters.value}
        onInput={(event) => {
          parameters.value = event.currentTarget.value;
        }}
        aria-invalid={wrong !== ''}
        aria-describedby="parameters-wrong"
      />
      <p id="parameters-wrong" class="wrong-text">
        {wrong}
      </p>
    </div>
  );
}
