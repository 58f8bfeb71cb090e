/** Says who somebody is. */
import { useState } from 'preact/hooks';
import { Failure } from '../server/failure';
import { Logo } from '../ui/icons';
import { ended, enter } from './session';

/** The form. */
export function Login() {
  const [said, setSaid] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    setBusy(true);
    try {
      await enter(String(fields.get('user') ?? ''), String(fields.get('password') ?? ''));
    } catch (failure) {
      setSaid(failure instanceof Failure ? failure.message : String(failure));
    }
    setBusy(false);
  };
  return (
    <main class="login">
      <form onSubmit={submit}>
        <div class="login-logo">
          <Logo size={44} />
        </div>
        <h1>Mangrove</h1>
        <label>
          Name <input name="user" autocomplete="username" autocapitalize="none" spellcheck={false} />
        </label>
        <label>
          Password or token <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'One moment…' : 'Log in'}
        </button>
        <p class="wrong-text" role="alert">
          {said || ended.value}
        </p>
      </form>
    </main>
  );
}
