/** Users, for those who look after all graphs. */
import { useEffect, useState } from 'preact/hooks';
import { call } from '../server/client';
import { Failure } from '../server/failure';
import { session } from '../session/session';
import { Icon } from '../ui/icons';
import { ROLES, type User, UserRow } from './user-row';

/** The users. */
export function Users() {
  const [users, setUsers] = useState<User[]>([]);
  const [told, setTold] = useState('');
  const [token, setToken] = useState<{ user: string; text: string } | null>(null);
  const ask = async () => setUsers((await call('mangrove.users.list')) as unknown as User[]);
  const act = async (service: string, parameters: Record<string, unknown>, done: string) => {
    try {
      const results = await call(`mangrove.users.${service}`, parameters);
      setTold(done);
      await ask();
      return results;
    } catch (failure) {
      setTold(failure instanceof Failure ? failure.message : String(failure));
      return null;
    }
  };
  useEffect(() => {
    ask().catch((failure) => setTold(String(failure.message)));
  }, []);
  return (
    <section class="card" aria-label="Users">
      <header>
        <h2>Users</h2>
        <span class="quiet" role="status">
          {told}
        </span>
      </header>
      {token && (
        <p class="token">
          The token of {token.user}, which is shown once: <code>{token.text}</code>{' '}
          <button type="button" class="icon" aria-label="I have it" onClick={() => setToken(null)}>
            <Icon name="close" />
          </button>
        </p>
      )}
      <div class="scroll" tabIndex={0}>
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Roles</th>
              <th scope="col">Tokens</th>
              <th scope="col">
                <span class="sr">Change</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {users.map((user) => (
              <UserRow key={user.name} user={user} act={act} onToken={(text) => setToken({ user: user.name, text })} />
            ))}
          </tbody>
        </table>
      </div>
      <Add onAdd={(parameters) => act('add', parameters, `added ${parameters.name}`)} />
    </section>
  );
}

function Add({ onAdd }: { onAdd: (parameters: Record<string, unknown>) => Promise<unknown> }) {
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const field = (name: string) => String(new FormData(form).get(name) ?? '');
    const on = field('on');
    const done = await onAdd({
      name: field('name'),
      password: field('password') || null,
      role: on ? `${field('role')}@${on}` : field('role'),
    });
    if (done !== null) form.reset();
  };
  return (
    <form class="add-user" onSubmit={add}>
      <label>
        Name <input name="name" required autocomplete="off" />
      </label>
      <label>
        Password <input name="password" type="password" autocomplete="new-password" minLength={8} />
      </label>
      <label>
        Role{' '}
        <select name="role">
          {ROLES.map((role) => (
            <option key={role}>{role}</option>
          ))}
        </select>
      </label>
      <label>
        on{' '}
        <select name="on">
          <option value="">all graphs</option>
          {session.value?.sources.map((source) => (
            <option key={source}>{source}</option>
          ))}
        </select>
      </label>
      <button type="submit" class="plain">
        <Icon name="plus" size={12} /> Add
      </button>
    </form>
  );
}
