/** Which rows are in sight. A browser draws no element of tens of millions of pixels, so beyond that a pixel stands for more. */

/** Pixels that the tallest element may have. */
const TALLEST = 8_000_000;

/** The rows that are to be there. */
export interface Sight {
  first: number;
  /** Behind the last one. */
  end: number;
  /** Where the first of them stands, in pixels of the scrolled element. */
  top: number;
  /** The scrolled element's height. */
  height: number;
}

/** What is in sight of `rows` rows that are `size` pixels tall, with a few more before and behind. */
export function inSight(rows: number, size: number, scrollTop: number, view: number, more = 12): Sight {
  const all = rows * size;
  const height = Math.min(all, TALLEST);
  const room = Math.max(1, height - view);
  // How far down one is, as a share, says which row is at the top; near it rows lie as tall as they are.
  const share = Math.min(1, Math.max(0, scrollTop / room));
  const offset = all <= TALLEST ? scrollTop : share * (all - view);
  const first = Math.max(0, Math.floor(offset / size) - more);
  const end = Math.min(rows, Math.ceil((offset + view) / size) + more);
  return { first, end, top: scrollTop + first * size - offset, height };
}

/** Where to scroll so that a row is in sight; `null` if it is. */
export function scrollTo(row: number, rows: number, size: number, scrollTop: number, view: number): number | null {
  const all = rows * size;
  const height = Math.min(all, TALLEST);
  const scale = all <= TALLEST ? 1 : (height - view) / (all - view);
  const offset = scrollTop / scale;
  if (row * size < offset) return row * size * scale;
  if ((row + 1) * size > offset + view) return ((row + 1) * size - view) * scale;
  return null;
}
