/** What the cursor stands in: which quotation mark is open, and of which step's argument. As the console of the server sees it. */
import { meant } from './literal';

/** The quotation mark that is still open at the end of a text; -1 if none is. */
export function openQuote(text: string): number {
  let open = -1;
  let escaped = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (open >= 0) {
      if (escaped) escaped = false;
      else if (char === '\\') escaped = true;
      else if (char === text[open]) open = -1;
    } else if (char === "'" || char === '"') open = at;
  }
  return open;
}

/** A call whose brackets are open. */
export interface Call {
  name: string;
  /** The arguments before the one at the end, as they are written. */
  arguments: string[];
  /** Where its name begins. */
  at: number;
}

/** The innermost call whose brackets are still open at the end of a text. */
export function openCall(text: string): Call | null {
  let depth = 0;
  let end = text.length;
  const passed: string[] = [];
  let quote = '';
  for (let at = text.length - 1; at >= 0; at--) {
    const char = text[at] ?? '';
    if (quote) {
      if (char === quote && text[at - 1] !== '\\') quote = '';
    } else if (char === "'" || char === '"') quote = char;
    else if (/[)\]}]/.test(char)) depth++;
    else if (/[[{]/.test(char)) depth--;
    else if (char === ',' && depth === 0) {
      passed.unshift(text.slice(at + 1, end).trim());
      end = at;
    } else if (char === '(') {
      if (depth > 0) {
        depth--;
        continue;
      }
      const name = /[A-Za-z_$][\w$]*$/.exec(text.slice(0, at))?.[0] ?? '';
      const first = text.slice(at + 1, end).trim();
      const before = end === text.length ? [] : [first, ...passed.slice(0, -1)];
      return { name, arguments: before, at: at - name.length };
    }
  }
  return null;
}

const QUOTED = /'((?:[^'\\]|\\[\s\S])*)'|"((?:[^"\\]|\\[\s\S])*)"/;
const LITERAL = new RegExp(`^(?:${QUOTED.source})$`);
const LABELLED = new RegExp(
  String.raw`hasLabel\(\s*(?:${QUOTED.source})\s*\)|has\(\s*(?:${QUOTED.source})\s*,\s*(?:${QUOTED.source})\s*,`,
  'g',
);

/** The text in quotation marks, if that is all it is. */
export function unquoted(text: string | undefined): string | null {
  const found = LITERAL.exec(text ?? '');
  return found ? meant(found[1] ?? found[2] ?? '') : null;
}

/** The label that elements are known to have before a call: that of the last `hasLabel` or `has` of the same traversal. */
export function labelBefore(text: string): string | null {
  const found = [...text.matchAll(LABELLED)].at(-1);
  return found ? meant(found.slice(1, 5).find((label) => label !== undefined) ?? '') : null;
}
