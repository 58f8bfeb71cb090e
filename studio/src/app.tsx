/** The page: a rail of views, a bar with the graph and who is logged in, and the view that is open. */
import { useEffect } from 'preact/hooks';
import { QueryView } from './query/view';
import { Login } from './session/login';
import { askSession, choose, graph, leave, lookAgain, lost, session, unreachable } from './session/session';
import { Boundary } from './ui/broken';
import { Icon, type IconName, Logo } from './ui/icons';
import { lazily } from './ui/lazily';
import { go, PLACES, type Place, place } from './ui/place';
import { type Choice, choice } from './ui/theme';

const SchemaView = lazily(() => import('./schema/view'));
const OperateView = lazily(() => import('./operate/view'));
const TourView = lazily(() => import('./tour/view'));

const NAMES: Record<Place, string> = { query: 'Query', schema: 'Schema', operate: 'Operate', tour: 'Tour' };
const THEMES: { choice: Choice; icon: IconName; name: string }[] = [
  { choice: 'system', icon: 'system', name: 'as the system has it' },
  { choice: 'light', icon: 'sun', name: 'light' },
  { choice: 'dark', icon: 'moon', name: 'dark' },
];

function onKey(event: KeyboardEvent): void {
  const to = event.altKey && !event.ctrlKey ? PLACES[Number(event.code.replace('Digit', '')) - 1] : undefined;
  if (!to) return;
  event.preventDefault();
  go(to);
}

/** The page. */
export function App() {
  useEffect(() => {
    void askSession();
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  const known = session.value;
  if (unreachable.value)
    return (
      <main class="login">
        <div class="failure" role="alert">
          <h1>Mangrove</h1>
          <p>{unreachable.value}</p>
          <button type="button" class="primary" onClick={() => void askSession()}>
            Try again
          </button>
        </div>
      </main>
    );
  if (!known)
    return (
      <main class="login" aria-busy="true">
        <div class="login-logo">
          <Logo size={44} />
        </div>
      </main>
    );
  if (known.stranger) return <Login />;
  return (
    <div class="app">
      <Rail />
      <div class="body">
        <TopBar />
        <main class="main" id="main">
          <Boundary key={place.value}>{known.sources.length === 0 ? <NoGraph /> : <View />}</Boundary>
        </main>
      </div>
    </div>
  );
}

function View() {
  switch (place.value) {
    case 'query':
      return <QueryView />;
    case 'schema':
      return <SchemaView />;
    case 'operate':
      return <OperateView />;
    case 'tour':
      return <TourView />;
  }
}

/** For a user without a role: nothing that could be asked would be answered. */
function NoGraph() {
  return (
    <div class="failure" role="status">
      <h3>There is no graph that you may read</h3>
      <p>
        {session.value?.user} has no role on any graph of this server. An admin gives roles, under Operate or by{' '}
        <code>mangrove user</code>.
      </p>
      <p>
        <button type="button" class="primary" onClick={() => void lookAgain()}>
          Look again
        </button>
      </p>
    </div>
  );
}

function Rail() {
  return (
    <nav class="rail" aria-label="Views">
      <a class="brand" href="#query" aria-label="Mangrove studio">
        <Logo />
      </a>
      {PLACES.map((name, at) => (
        <a
          key={name}
          href={`#${name}`}
          aria-current={place.value === name ? 'page' : undefined}
          title={`${NAMES[name]} (Alt-${at + 1})`}
        >
          <Icon name={name} size={20} />
          <span>{NAMES[name]}</span>
        </a>
      ))}
    </nav>
  );
}

function TopBar() {
  const known = session.value;
  const next = THEMES[(THEMES.findIndex((one) => one.choice === choice.value) + 1) % THEMES.length];
  const theme = THEMES.find((one) => one.choice === choice.value);
  return (
    <header class="top">
      <label class="graph-choice">
        <span class="quiet">Graph</span>
        <select
          aria-label="Graph"
          value={graph.value}
          onFocus={() => void lookAgain()}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {lost.value !== null && <option value={lost.value}>{`${lost.value} (no role any more)`}</option>}
          {known?.sources.map((source) => (
            <option key={source} value={source}>
              {source}
            </option>
          ))}
        </select>
      </label>
      <span class="spring" />
      <span class="quiet version">{known?.version}</span>
      {next && theme && (
        <button
          type="button"
          class="icon"
          aria-label={`Colours: ${theme.name}. Change to ${next.name}`}
          title={`Colours: ${theme.name}`}
          onClick={() => {
            choice.value = next.choice;
          }}
        >
          <Icon name={theme.icon} />
        </button>
      )}
      {known?.user && (
        <span class="who">
          <span>{known.user}</span>
          <button type="button" class="icon" aria-label="Log out" title="Log out" onClick={() => void leave()}>
            <Icon name="out" />
          </button>
        </span>
      )}
    </header>
  );
}
