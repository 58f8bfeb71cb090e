/** Which graph a statement asks: that of its first word, as the server sees it (`script.rs`). */

const BLANK = /(?:\s|\/\/[^\n]*(?:\n|$)|\/\*[\s\S]*?(?:\*\/|$))*/.source;
const NAME = /[\p{L}\p{Nl}_$][\p{L}\p{N}_$]*/u.source;
const ASSIGNED = new RegExp(`^${BLANK}(?:def\\s${BLANK})?${NAME}${BLANK}=(?!=)`, 'u');
const FIRST = new RegExp(`^${BLANK}(${NAME})${BLANK}\\.`, 'u');

/** The word before the first dot of a statement: `gmodern` in `x = gmodern.V()`; `null` if it begins otherwise. */
export function firstWord(statement: string): string | null {
  let rest = statement;
  for (let found = ASSIGNED.exec(rest); found; found = ASSIGNED.exec(rest)) rest = rest.slice(found[0].length);
  return FIRST.exec(rest)?.[1] ?? null;
}

/** The traversal source that answers a statement while `chosen` is what `g` stands for; `null` if that cannot be told. */
export function sourceOf(statement: string, chosen: string, known: string[]): string | null {
  const word = firstWord(statement);
  if (word === null || word === 'g') return chosen;
  return known.includes(word) ? word : null;
}
