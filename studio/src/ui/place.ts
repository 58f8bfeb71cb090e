/** Which view is open. It is in the address, so that it can be kept and gone back to. */
import { signal } from '@preact/signals';

/** The views, in the order of the rail. */
export const PLACES = ['query', 'schema', 'operate', 'tour'] as const;

/** A view. */
export type Place = (typeof PLACES)[number];

function read(): Place {
  const named = location.hash.slice(1);
  return PLACES.find((place) => place === named) ?? 'query';
}

/** The view that is open. */
export const place = signal<Place>(read());

window.addEventListener('hashchange', () => {
  place.value = read();
});

/** Opens a view. */
export function go(to: Place): void {
  location.hash = to;
  place.value = to;
}
