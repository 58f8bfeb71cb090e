/** Gremlin's colours: a tokenizer is enough, since the server says what is wrong. */

import { SOURCES, STEPS } from 'virtual:steps';
import { HighlightStyle, StreamLanguage, type StringStream, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';

const CONSTANTS = new Set(['true', 'false', 'null', 'new', 'NaN', 'Infinity']);
/** Predicates, and what stands for a part of an element, an order, a scope. */
export const TOKENS = [
  'P',
  'TextP',
  'T',
  'Order',
  'Scope',
  'Pop',
  'Column',
  'Cardinality',
  'Direction',
  'Operator',
  'Merge',
  'Pick',
  'DT',
  'asc',
  'desc',
  'shuffle',
  'local',
  'global',
  'first',
  'last',
  'all',
  'mixed',
  'keys',
  'values',
  'single',
  'list',
  'set',
  'OUT',
  'IN',
  'BOTH',
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
  'inside',
  'outside',
  'within',
  'without',
  'not',
  'startingWith',
  'endingWith',
  'containing',
  'notStartingWith',
  'notEndingWith',
  'notContaining',
  'regex',
  'notRegex',
  'typeOf',
  'id',
  'label',
  'key',
  'value',
  'sum',
  'min',
  'max',
  'mult',
  'minus',
  'div',
  'assign',
];
const TOKEN_SET = new Set(TOKENS);

interface State {
  inComment: boolean;
}

function token(stream: StringStream, state: State): string | null {
  if (state.inComment || stream.match('/*')) {
    state.inComment = !stream.match(/.*?\*\//);
    if (state.inComment) stream.skipToEnd();
    return 'comment';
  }
  if (stream.eatSpace()) return null;
  if (stream.match('//')) {
    stream.skipToEnd();
    return 'comment';
  }
  const quoted = stream.match(/^'(?:[^'\\]|\\.)*'?|^"(?:[^"\\]|\\.)*"?/);
  if (quoted) return 'string';
  if (stream.match(/^\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?[a-zA-Z]{0,2}/)) return 'number';
  const name = stream.match(/^[A-Za-z_$][\w$]*/) as RegExpMatchArray | null;
  if (name) return named(name[0], stream.match(/^\s*\(/, false) !== null);
  stream.next();
  return /[()[\]{},;]/.test(stream.current()) ? 'punctuation' : 'operator';
}

function named(name: string, isCalled: boolean): string {
  if (CONSTANTS.has(name)) return 'atom';
  if (name === 'g' || name === '__') return 'namespace';
  if (isCalled && (name in STEPS || name in SOURCES)) return 'function';
  if (TOKEN_SET.has(name)) return 'keyword';
  // A step that there is not looks different already while it is typed.
  return isCalled ? 'invalid' : 'variableName';
}

const language = StreamLanguage.define<State>({
  name: 'gremlin',
  startState: () => ({ inComment: false }),
  token,
  tokenTable: { function: tags.function(tags.variableName) },
  languageData: {
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['(', '[', '{', "'", '"'] },
  },
});

const colours = HighlightStyle.define([
  { tag: tags.function(tags.variableName), color: 'var(--code-step)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: tags.atom, color: 'var(--code-number)' },
  { tag: tags.keyword, color: 'var(--code-token)' },
  { tag: tags.namespace, color: 'var(--code-source)', fontWeight: '600' },
  { tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: tags.variableName, color: 'var(--code-variable)' },
  { tag: tags.invalid, textDecoration: 'underline wavy var(--warn)' },
  { tag: tags.operator, color: 'var(--text-2)' },
  { tag: tags.punctuation, color: 'var(--text-2)' },
]);

/** The language and its colours. */
export const gremlin = [language, syntaxHighlighting(colours)];
