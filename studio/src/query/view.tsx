/** The editor above, what came of it below, and a handle between them. */
import { useRef } from 'preact/hooks';
import { Editor } from '../editor/editor';
import { Results } from '../results/results';
import { keptForAll } from '../ui/kept';
import { Bar } from './bar';
import { Drawer } from './drawer';

const LEAST = 72;
const height = keptForAll('editor-height', 168);

function resize(to: number): void {
  height.value = Math.round(Math.max(LEAST, Math.min(to, window.innerHeight - 200)));
}

/** Where queries are written and looked at. */
export function QueryView() {
  const began = useRef<{ y: number; height: number } | null>(null);
  return (
    <div class="query">
      <div class="query-main">
        <Bar />
        <div class="editor-box" style={{ height: `${height.value}px` }}>
          <Editor />
        </div>
        <div
          class="handle"
          role="separator"
          aria-orientation="horizontal"
          aria-label="Height of the editor"
          aria-valuenow={height.value}
          aria-valuemin={LEAST}
          aria-valuemax={2000}
          tabIndex={0}
          onPointerDown={(event) => {
            began.current = { y: event.clientY, height: height.value };
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onPointerMove={(event) => {
            if (began.current) resize(began.current.height + event.clientY - began.current.y);
          }}
          onPointerUp={() => {
            began.current = null;
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') resize(height.value + 16);
            if (event.key === 'ArrowUp') resize(height.value - 16);
          }}
        />
        <Results />
      </div>
      <Drawer />
    </div>
  );
}
