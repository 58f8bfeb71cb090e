/** Results as JSON, line by line: only the lines in sight are there. */
import { useMemo, useState } from 'preact/hooks';
import { jsonOf } from '../server/json';
import type { Value } from '../server/value';
import { Icon } from '../ui/icons';
import { count } from '../ui/words';
import { copy, download } from './files';
import { useSight } from './use-sight';

const LINE = 20;

/** Colours a line: a key, a text, or what is neither. Each part stays text. */
function Line({ text }: { text: string }) {
  const [, indent = '', key = '', rest = ''] = /^(\s*)("(?:[^"\\]|\\.)*"(?=: ))?(.*)$/s.exec(text) ?? [];
  const kind = /^(?:: )?"/.test(rest)
    ? 'json-text'
    : /^(?:: )?[\d-]/.test(rest)
      ? 'json-number'
      : /^(?:: )?[tfn]/.test(rest)
        ? 'json-word'
        : '';
  return (
    <div class="json-line">
      {indent}
      <span class="json-key">{key}</span>
      <span class={kind}>{rest.slice(0, 5000)}</span>
    </div>
  );
}

/** Results as JSON. */
export function JsonView({ values, name }: { values: Value[]; name: string }) {
  const text = useMemo(() => jsonOf(values), [values]);
  const lines = useMemo(() => text.split('\n'), [text]);
  const [said, setSaid] = useState('');
  const { scroller, sight } = useSight(lines.length, LINE);
  return (
    <div class="table-view">
      <div class="tools">
        <span class="quiet">{count(lines.length)} lines</span>
        <span class="spring" />
        <span class="quiet" role="status">
          {said}
        </span>
        <button
          type="button"
          class="plain"
          onClick={async () => setSaid((await copy(text)) ? 'copied' : 'the browser did not let it be copied')}
        >
          <Icon name="copy" /> Copy
        </button>
        <button type="button" class="plain" onClick={() => download(`${name}.json`, 'application/json', text)}>
          <Icon name="download" /> JSON
        </button>
      </div>
      <section class="json" aria-label="Results as JSON" tabIndex={0} ref={scroller}>
        <div style={{ height: `${sight.height}px` }}>
          <div style={{ transform: `translateY(${sight.top}px)` }}>
            {lines.slice(sight.first, sight.end).map((line, offset) => (
              <Line key={sight.first + offset} text={line} />
            ))}
          </div>
        </div>
      </section>
    </div>
  );
}
