/** What stays when the page is closed: a signal whose value is kept in the browser's storage. */
import { effect, type Signal, signal } from '@preact/signals';

const PREFIX = 'mangrove.';

function read<T>(name: string, usual: T, isValid: (value: unknown) => boolean): T {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(PREFIX + name) ?? 'null');
    return value !== null && isValid(value) ? (value as T) : usual;
  } catch {
    // Somebody else's text, or a browser that keeps nothing: the page works all the same.
    return usual;
  }
}

/** A signal that is kept under a name. `isValid` looks at what an older page may have kept. */
export function kept<T>(
  name: string,
  usual: T,
  isValid: (value: unknown) => boolean = (value) => typeof value === typeof usual,
): Signal<T> {
  const held = signal(read(name, usual, isValid));
  effect(() => {
    const text = JSON.stringify(held.value);
    try {
      localStorage.setItem(PREFIX + name, text);
    } catch {
      // The storage is full or off.
    }
  });
  return held;
}
