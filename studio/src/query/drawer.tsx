/** What was run before, and what is kept under a name. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { choose, graph } from '../session/session';
import { Icon } from '../ui/icons';
import { duration, plural } from '../ui/words';
import { forget, past, save, saved } from './history';
import { selection, text } from './run';

/** Which of the two is open. */
export const drawer = signal<'history' | 'saved' | null>(null);

/** Puts a text into the editor. */
export function take(wanted: string, source: string): void {
  choose(source);
  selection.value = { from: 0, to: 0 };
  text.value = wanted;
}

/** The drawer, if it is open. */
export function Drawer() {
  const which = drawer.value;
  if (!which) return null;
  return (
    <aside class="drawer" aria-label={which === 'history' ? 'History' : 'Saved queries'}>
      <header>
        <h2>{which === 'history' ? 'History' : 'Saved'}</h2>
        <span class="spring" />
        <button
          type="button"
          class="icon"
          aria-label="Close"
          onClick={() => {
            drawer.value = null;
          }}
        >
          <Icon name="close" />
        </button>
      </header>
      {which === 'history' ? <History /> : <SavedQueries />}
    </aside>
  );
}

function History() {
  const [wanted, setWanted] = useState('');
  const found = past.value.filter(({ text: one }) => one.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <>
      <input
        type="search"
        aria-label="Find in the history"
        placeholder="Find"
        value={wanted}
        onInput={(event) => setWanted(event.currentTarget.value)}
      />
      {found.length === 0 && <p class="hint">{wanted ? 'Nothing like it was run.' : 'Nothing was run yet.'}</p>}
      <ul class="entries">
        {found.map((entry) => (
          <li key={`${entry.at} ${entry.text}`}>
            <button type="button" class="entry" onClick={() => take(entry.text, entry.graph)}>
              <code>{entry.text}</code>
              <span class="quiet">
                {new Date(entry.at).toLocaleString()} · {entry.graph} ·{' '}
                {entry.rows === null ? 'failed' : plural(entry.rows, 'result')} · {duration(entry.took)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {past.value.length > 0 && (
        <button
          type="button"
          class="plain"
          onClick={() => {
            past.value = [];
          }}
        >
          Forget all
        </button>
      )}
    </>
  );
}

function SavedQueries() {
  const [name, setName] = useState('');
  const [said, setSaid] = useState('');
  const keep = (event: Event) => {
    event.preventDefault();
    if (name.trim() === '') return;
    const isKept = save({ name: name.trim(), text: text.value, graph: graph.value });
    setSaid(isKept ? '' : 'What is about users is not kept: passwords may be in it.');
    if (isKept) setName('');
  };
  return (
    <>
      <form class="save" onSubmit={keep}>
        <input
          type="text"
          aria-label="Name"
          placeholder="Name what is in the editor"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
          maxLength={80}
        />
        <button type="submit" class="plain" disabled={name.trim() === ''}>
          Save
        </button>
      </form>
      <p class="wrong-text" role="status">
        {said}
      </p>
      {saved.value.length === 0 && <p class="hint">Nothing is saved yet. It stays in this browser.</p>}
      <ul class="entries">
        {saved.value.map((entry) => (
          <li key={entry.name}>
            <button type="button" class="entry" onClick={() => take(entry.text, entry.graph)}>
              <strong>{entry.name}</strong>
              <code>{entry.text}</code>
            </button>
            <button type="button" class="icon" aria-label={`Forget ${entry.name}`} onClick={() => forget(entry.name)}>
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
