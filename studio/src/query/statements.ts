/** Where one statement ends and the next begins. */

/** A statement and where it is in the text. */
export interface Statement {
  text: string;
  /** The first character of it. */
  from: number;
  /** Behind the last one. */
  to: number;
}

/** Skips a comment or a quoted text that begins at `at`; where it ends, or `at` if none does. */
function skip(text: string, at: number): number {
  const two = text.slice(at, at + 2);
  if (two === '//') {
    const end = text.indexOf('\n', at);
    return end < 0 ? text.length : end;
  }
  if (two === '/*') {
    const end = text.indexOf('*/', at + 2);
    return end < 0 ? text.length : end + 2;
  }
  const quote = text[at];
  if (quote !== "'" && quote !== '"') return at;
  for (let next = at + 1; next < text.length; next++) {
    if (text[next] === '\\') next++;
    else if (text[next] === quote) return next + 1;
  }
  return text.length;
}

/** Whether the next line goes on with what stands on this one: `.out()`, or nothing but a comment before that. */
function goesOn(text: string, at: number): boolean {
  let next = at;
  while (next < text.length) {
    if (/\s/.test(text[next] ?? '')) next++;
    else if (text.startsWith('//', next) || text.startsWith('/*', next)) next = skip(text, next);
    else break;
  }
  return next >= text.length || /[.,)\]}]/.test(text[next] ?? '');
}

/** Splits a text into its statements: they end at a semicolon, or at the end of a line with which the traversal is complete. */
export function statementsOf(text: string): Statement[] {
  const found: Statement[] = [];
  let from = -1;
  let end = 0;
  let depth = 0;
  const finish = () => {
    if (from >= 0) found.push({ text: text.slice(from, end), from, to: end });
    from = -1;
  };
  for (let at = 0; at < text.length; ) {
    const char = text[at] ?? '';
    const behind = skip(text, at);
    if (behind > at) {
      const isComment = char === '/';
      if (!isComment && from < 0) from = at;
      if (!isComment) end = behind;
      at = behind;
      continue;
    }
    if (/[([{]/.test(char)) depth++;
    if (/[)\]}]/.test(char)) depth = Math.max(0, depth - 1);
    const isEnd =
      char === ';' ||
      (char === '\n' && depth === 0 && from >= 0 && !/[.,(]\s*$/.test(text.slice(from, end)) && !goesOn(text, at));
    if (isEnd) {
      finish();
      depth = 0;
    } else if (!/\s/.test(char)) {
      if (from < 0) from = at;
      end = at + 1;
    }
    at++;
  }
  finish();
  return found;
}

/** The statement at a place in the text, or the one before it. */
export function statementAt(statements: Statement[], at: number): Statement | null {
  return statements.findLast(({ from }) => from <= at) ?? statements[0] ?? null;
}

/** The place in the whole text that a place in a statement is. */
export function offsetIn(statement: Statement, line: number, column: number): number {
  const lines = statement.text.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  // The server counts characters, an editor counts UTF-16 units.
  const units = [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length;
  return Math.min(statement.from + before + units, statement.to);
}
