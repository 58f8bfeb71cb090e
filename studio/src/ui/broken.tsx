/** What is shown where a part of the page failed: a message and the ways out, never nothing. */
import { Component, type ComponentChildren } from 'preact';

/** Says that a part of the page is not there. `again` tries it once more. */
export function Broken({ says, again }: { says: string; again: () => void }) {
  return (
    <div class="failure" role="alert">
      <h3>This part of the page is not there</h3>
      <p>{says}</p>
      <p>
        <button type="button" class="primary" onClick={again}>
          Try again
        </button>{' '}
        <button type="button" class="plain" onClick={() => location.reload()}>
          Reload the page
        </button>
      </p>
    </div>
  );
}

interface Props {
  children: ComponentChildren;
  /** What is drawn: something else is tried again by itself. */
  of?: unknown;
}

/** Stands round what may fail while it is drawn; the rest of the page stays. */
export class Boundary extends Component<Props, { failure: unknown }> {
  override state = { failure: null as unknown };

  static override getDerivedStateFromError(failure: unknown) {
    return { failure: failure ?? 'unknown' };
  }

  override componentDidUpdate(before: Props): void {
    if (before.of !== this.props.of && this.state.failure !== null) this.setState({ failure: null });
  }

  override componentDidCatch(failure: unknown): void {
    // Whoever looks for it finds where it came from in the browser's console.
    console.error(failure);
  }

  override render() {
    const { failure } = this.state;
    if (failure === null) return this.props.children;
    const says = `An error of the page's own: ${failure instanceof Error ? failure.message : String(failure)}`;
    return <Broken says={says} again={() => this.setState({ failure: null })} />;
  }
}
