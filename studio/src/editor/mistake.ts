/** An error stands under the text, with a caret at its column. */
import { type EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';

/** What is wrong, and at which character. */
export interface Mistake {
  at: number;
  message: string;
}

/** Shows a mistake, or none. */
export const setMistake = StateEffect.define<Mistake | null>();

class Below extends WidgetType {
  readonly column: number;
  readonly message: string;

  constructor(column: number, message: string) {
    super();
    this.column = column;
    this.message = message;
  }

  override eq(other: Below): boolean {
    return other.column === this.column && other.message === this.message;
  }

  override toDOM(): HTMLElement {
    const below = document.createElement('div');
    below.className = 'cm-mistake';
    const caret = document.createElement('span');
    caret.className = 'cm-caret';
    caret.textContent = `${' '.repeat(this.column)}▲ `;
    caret.setAttribute('aria-hidden', 'true');
    const said = document.createElement('span');
    said.textContent = this.message;
    below.append(caret, said);
    return below;
  }
}

function decorate(state: EditorState, mistake: Mistake | null): DecorationSet {
  if (!mistake) return Decoration.none;
  const at = Math.min(mistake.at, state.doc.length);
  const line = state.doc.lineAt(at);
  const word = /^[\w$]+|^./.exec(line.text.slice(at - line.from))?.[0].length ?? 0;
  const below = Decoration.widget({ widget: new Below(at - line.from, mistake.message), block: true, side: 1 }).range(
    line.to,
  );
  if (word === 0) return Decoration.set([below]);
  return Decoration.set([Decoration.mark({ class: 'cm-wrong' }).range(at, at + word), below], true);
}

/** The field that holds it. It goes as soon as the text changes. */
export const mistakes = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(held, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(setMistake)) return decorate(transaction.state, effect.value);
    return transaction.docChanged ? Decoration.none : held;
  },
  provide: (field) => EditorView.decorations.from(field),
});
