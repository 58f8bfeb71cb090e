/** The editor. It lives in a shadow tree: there its styles are sheets that scripts adopt, which the page's policy allows; in the
 * document itself they would be `<style>` elements, which it forbids. */
import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, indentUnit } from '@codemirror/language';
import { EditorState, Prec } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { mistake, selection, start, text } from '../query/run';
import { completion } from './completion';
import { gremlin } from './language';
import { mistakes, setMistake } from './mistake';

const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'transparent', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--accent)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--text-3)', border: 'none', minWidth: '36px' },
  '.cm-activeLine': { backgroundColor: 'var(--line-active)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selected)',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--selected)', outline: '1px solid var(--accent)' },
  '.cm-placeholder': { color: 'var(--text-3)' },
  '.cm-wrong': { textDecoration: 'underline wavy var(--bad)', textUnderlineOffset: '3px' },
  '.cm-mistake': {
    color: 'var(--bad)',
    backgroundColor: 'var(--bad-soft)',
    padding: '2px 6px',
    whiteSpace: 'pre-wrap',
    fontSize: '12px',
  },
  '.cm-caret': { whiteSpace: 'pre', fontSize: '13px' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--border)',
    borderRadius: '6px',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '12px', maxHeight: '240px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px', lineHeight: '18px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': { color: 'inherit', opacity: '0.85', fontStyle: 'normal', marginLeft: '12px' },
  '.cm-completionInfo': {
    padding: '6px 10px',
    maxWidth: '280px',
    fontFamily: 'var(--sans)',
    fontSize: '12px',
    lineHeight: '16px',
  },
});

const keys = Prec.highest(
  keymap.of([
    { key: 'Mod-Enter', run: () => ask('run', 'all') },
    { key: 'Shift-Enter', run: () => ask('run', 'here') },
    { key: 'Mod-Shift-e', run: () => ask('explain', 'here') },
    { key: 'Mod-Shift-p', run: () => ask('profile', 'here') },
  ]),
);

function ask(what: 'run' | 'explain' | 'profile', part: 'all' | 'here'): boolean {
  void start(what, part);
  return true;
}

function open(place: ShadowRoot): EditorView {
  const told = EditorView.updateListener.of((update) => {
    if (update.docChanged) text.value = update.state.doc.toString();
    const { from, to } = update.state.selection.main;
    selection.value = { from, to };
  });
  const state = EditorState.create({
    doc: text.peek(),
    selection: { anchor: Math.min(selection.peek().from, text.peek().length) },
    extensions: [
      keys,
      lineNumbers(),
      history(),
      drawSelection(),
      highlightActiveLine(),
      bracketMatching(),
      closeBrackets(),
      indentUnit.of('  '),
      gremlin,
      completion,
      mistakes,
      look,
      told,
      EditorView.lineWrapping,
      EditorState.tabSize.of(2),
      placeholder("g.V().hasLabel('Person').limit(25)"),
      // Tab leaves the editor, as it leaves any other field: who has no mouse must get out.
      keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorView.contentAttributes.of({
        'aria-label': 'Gremlin; Ctrl-Enter runs all, Shift-Enter the statement at the cursor',
        spellcheck: 'false',
      }),
    ],
  });
  return new EditorView({ state, parent: place, root: place });
}

/** The editor of queries. */
export function Editor() {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const host = place.current;
    if (!host) return;
    const view = open(host.shadowRoot ?? host.attachShadow({ mode: 'open' }));
    const ends = [
      effect(() => {
        const wanted = text.value;
        if (wanted !== view.state.doc.toString())
          view.dispatch({
            changes: { from: 0, to: view.state.doc.length, insert: wanted },
            selection: { anchor: wanted.length },
          });
      }),
      effect(() => {
        const wrong = mistake.value;
        view.dispatch({
          effects: setMistake.of(wrong),
          ...(wrong ? { selection: { anchor: Math.min(wrong.at, view.state.doc.length) }, scrollIntoView: true } : {}),
        });
      }),
    ];
    view.focus();
    return () => {
      for (const end of ends) end();
      view.destroy();
    };
  }, []);
  return <div class="editor" ref={place} />;
}
