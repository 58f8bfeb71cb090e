/** Texts as Gremlin writes them between quotation marks: with the escapes of its grammar, which are Java's. */

/** The two marks that a text can stand between. */
export type Quote = "'" | '"';

/** What would end the text, mean something else in it, or not be seen: control characters, ends of lines, and what turns the direction of writing. */
const HIDDEN = /[\\'"]|\p{Cc}|[\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const SHORT: Record<string, string> = { '\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r', '\\': '\\' };
const LONG: Record<string, string> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r' };

/** A text as it is written between two marks. Whatever comes from the server goes into a query through this and nothing else. */
export function written(text: string, quote: Quote): string {
  return text.replace(HIDDEN, (char) => {
    if (char === "'" || char === '"') return char === quote ? `\\${char}` : char;
    const short = SHORT[char];
    return short ? `\\${short}` : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** A text as a literal. */
export function literal(text: string): string {
  return `'${written(text, "'")}'`;
}

/** The text that is written between marks. An escape that is not complete yet is left out. */
export function meant(inside: string): string {
  return inside.replace(/\\(?:u+([\da-fA-F]{4})|([0-3]?[0-7]{1,2})|\r?\n|([\s\S])|$)/g, (_, unit, octal, char) => {
    if (unit) return String.fromCharCode(Number.parseInt(unit, 16));
    if (octal) return String.fromCharCode(Number.parseInt(octal, 8));
    return char === undefined || char === 'u' ? '' : (LONG[char] ?? char);
  });
}
