/** A user, and what an admin can change of one. Nothing is sent while somebody chooses: a role that is gone for a moment stops what runs. */
import { useState } from 'preact/hooks';
import { session } from '../session/session';
import { Icon } from '../ui/icons';

/** A user, as the server tells. */
export interface User {
  name: string;
  roles: Record<string, string>;
  password: boolean;
  tokens: { id: string; label: string; role: string | null; expires: number | null }[];
}

/** Calls one of the services for users, and then says what was done; `null` if that failed. */
export type Act = (service: string, parameters: Record<string, unknown>, done: string) => Promise<unknown>;

/** What the server calls all graphs. */
const EVERYWHERE = '*';

/** The roles, each with what the one before has. */
export const ROLES = ['read', 'write', 'schema', 'admin'];

/** `read, write@modern` */
export function said(roles: User['roles']): string {
  const all = Object.entries(roles).map(([on, role]) => (on === EVERYWHERE ? role : `${role}@${on}`));
  return all.join(', ') || 'none';
}

/** What `mangrove.users.role` is told, so that a user has a role on a graph, or `none`. */
export function roleOn(on: string, role: string): string {
  return on === EVERYWHERE ? role : `${role}@${on}`;
}

/** A row of the table. */
export function UserRow({ user, act, onToken }: { user: User; act: Act; onToken: (text: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const { name } = user;
  const isSelf = name === session.value?.user;
  const makeToken = async () => {
    const made = (await act('token', { name, label: 'studio' }, `made a token for ${name}`)) as unknown[] | null;
    if (typeof made?.[0] === 'string') onToken(made[0]);
  };
  const revoke = (id: string, label: string) =>
    confirm(`Revoke ${label} of ${name}?`) && void act('revoke', { id }, `revoked ${label}`);
  return (
    <tr>
      <td>
        <strong>{name}</strong>
        {isSelf && <span class="quiet"> (you)</span>}
        {!user.password && <span class="quiet"> without password</span>}
        {isOpen && <Password name={name} act={act} onDone={() => setOpen(false)} />}
      </td>
      <td>
        {said(user.roles)} <Role user={user} act={act} />
      </td>
      <td>
        {user.tokens.map(({ id, label }) => (
          <span key={id} class="chip">
            {label || id}{' '}
            <button
              type="button"
              class="icon"
              aria-label={`Revoke ${label || id} of ${name}`}
              title="Revoke"
              onClick={() => revoke(id, label || id)}
            >
              <Icon name="close" size={10} />
            </button>
          </span>
        ))}
      </td>
      <td class="acts">
        <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Password
        </button>
        <button type="button" class="plain" onClick={() => void makeToken()}>
          Make a token
        </button>
        <button
          type="button"
          class="plain"
          disabled={isSelf}
          onClick={() => confirm(`Remove ${name}?`) && void act('remove', { name }, `removed ${name}`)}
        >
          Remove
        </button>
      </td>
    </tr>
  );
}

/** Gives and takes a role on a graph, or on all. */
function Role({ user, act }: { user: User; act: Act }) {
  const [on, setOn] = useState(EVERYWHERE);
  const [wanted, setWanted] = useState<string | null>(null);
  const has = user.roles[on] ?? 'none';
  const graphs = [...new Set([EVERYWHERE, ...(session.value?.sources ?? []), ...Object.keys(user.roles)])];
  const submit = async (event: Event) => {
    event.preventDefault();
    if (wanted === null || wanted === has) return;
    const done = await act('role', { name: user.name, role: roleOn(on, wanted) }, `${user.name} has another role`);
    if (done !== null) setWanted(null);
  };
  return (
    <form class="role-of" onSubmit={submit}>
      <select
        aria-label={`Role of ${user.name}`}
        value={wanted ?? has}
        onChange={(event) => setWanted(event.currentTarget.value)}
      >
        {['none', ...ROLES].map((role) => (
          <option key={role}>{role}</option>
        ))}
      </select>{' '}
      on{' '}
      <select
        aria-label={`Graph of the role of ${user.name}`}
        value={on}
        onChange={(event) => {
          setOn(event.currentTarget.value);
          setWanted(null);
        }}
      >
        {graphs.map((graph) => (
          <option key={graph} value={graph}>
            {graph === EVERYWHERE ? 'all graphs' : graph}
          </option>
        ))}
      </select>{' '}
      <button
        type="submit"
        class="plain"
        disabled={wanted === null || wanted === has}
        title={`What ${user.name} runs is stopped`}
      >
        Change
      </button>
    </form>
  );
}

/** Gives another password. */
function Password({ name, act, onDone }: { name: string; act: Act; onDone: () => void }) {
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget as HTMLFormElement).get('password') ?? '');
    const done = await act('password', { name, password }, `${name} has another password`);
    if (done !== null) onDone();
  };
  return (
    <form class="role-of" onSubmit={submit}>
      <input
        name="password"
        type="password"
        aria-label={`New password of ${name}`}
        autocomplete="new-password"
        minLength={8}
        required
      />{' '}
      <button type="submit" class="plain">
        Set
      </button>
    </form>
  );
}
