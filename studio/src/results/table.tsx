/** Results as a table: of a hundred thousand rows only those in sight are there. */
import { useMemo, useState } from 'preact/hooks';
import type { Value } from '../server/value';
import { Icon } from '../ui/icons';
import { count } from '../ui/words';
import {
  cell,
  csv,
  harmless,
  isNumber,
  MOST_DRAWN,
  shownIn,
  sorted,
  type Table,
  tableOf,
  tsv,
  undrawn,
} from './columns';
import { copy, download } from './files';
import { useSight } from './use-sight';
import { scrollTo } from './virtual';

const ROW = 28;
/** Rows by which the width of columns is told. */
const LOOKED_AT = 200;

/** The columns of the grid: each as wide as its longest text among the first rows, the last one as wide as there is room. */
function widths(table: Table): string {
  const drawn = table.columns.slice(0, MOST_DRAWN);
  const all = drawn.map((name, at) => {
    const longest = table.rows
      .slice(0, LOOKED_AT)
      .reduce((most, row) => Math.max(most, shownIn(row[at]).length), name.length + 2);
    const width = `${Math.min(320, Math.round(24 + longest * 7.8))}px`;
    return at === drawn.length - 1 ? `minmax(${width}, 1fr)` : width;
  });
  return `64px ${all.join(' ')}`;
}

/** A table of results. */
export function TableView({ values, name }: { values: Value[]; name: string }) {
  const table = useMemo(() => tableOf(values), [values]);
  const [order, setOrder] = useState<{ column: number; isDown: boolean } | null>(null);
  const [active, setActive] = useState(-1);
  const [said, setSaid] = useState('');
  const rows = useMemo(() => (order ? sorted(table, order.column, order.isDown) : table.rows), [table, order]);
  const template = useMemo(() => widths(table), [table]);
  const { scroller, sight, view } = useSight(rows.length, ROW, ROW);

  const sort = (column: number) => {
    setActive(-1);
    setOrder(order?.column !== column ? { column, isDown: false } : order.isDown ? null : { column, isDown: true });
  };
  const put = async (text: string, what: string) =>
    setSaid((await copy(text)) ? `copied ${what}` : 'the browser did not let it be copied');
  const go = (to: number) => {
    const row = Math.max(0, Math.min(rows.length - 1, to));
    setActive(row);
    const element = scroller.current;
    const top = element && scrollTo(row, rows.length, ROW, element.scrollTop, view);
    if (element && top !== null) element.scrollTop = top;
  };
  const onKey = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(view / ROW) - 1);
    const moves: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: rows.length - 1,
    };
    const to = moves[event.key];
    if (to !== undefined) {
      event.preventDefault();
      go(to);
    } else if (
      event.key.toLowerCase() === 'c' &&
      (event.ctrlKey || event.metaKey) &&
      rows[active] &&
      getSelection()?.isCollapsed !== false
    ) {
      void put(tsv([rows[active]]), 'the row');
    }
  };

  return (
    <div class="table-view">
      <div class="tools">
        <span class="quiet">
          {count(rows.length)} × {Math.min(table.columns.length, MOST_DRAWN)}
          {undrawn(table)}
        </span>
        <span class="spring" />
        <span class="quiet" role="status">
          {said}
        </span>
        <button
          type="button"
          class="plain"
          onClick={() => put(tsv([table.columns, ...rows]), `${count(rows.length)} rows`)}
        >
          <Icon name="copy" /> Copy
        </button>
        <button
          type="button"
          class="plain"
          onClick={() => download(`${name}.csv`, 'text/csv', csv({ columns: table.columns, rows }))}
        >
          <Icon name="download" /> CSV
        </button>
        <button
          type="button"
          class="plain"
          title="CSV in which no text is a formula: an apostrophe stands before what would be one"
          onClick={() => download(`${name}.csv`, 'text/csv', csv({ columns: table.columns, rows }, harmless))}
        >
          CSV for spreadsheets
        </button>
      </div>
      <div
        class="grid"
        role="grid"
        aria-label="Results"
        aria-rowcount={rows.length + 1}
        aria-colcount={table.columns.length + 1}
        tabIndex={0}
        ref={scroller}
        onKeyDown={onKey}
        aria-activedescendant={active >= sight.first && active < sight.end ? `row-${active}` : undefined}
      >
        <div class="grid-head" role="row" tabIndex={-1} aria-rowindex={1} style={{ gridTemplateColumns: template }}>
          <span role="columnheader" tabIndex={-1} class="number quiet">
            #
          </span>
          {table.columns.slice(0, MOST_DRAWN).map((column, at) => (
            <span
              key={column}
              role="columnheader"
              tabIndex={-1}
              aria-sort={order?.column === at ? (order.isDown ? 'descending' : 'ascending') : 'none'}
            >
              <button type="button" class="head" onClick={() => sort(at)} title={`Sort by ${column}`}>
                {column}
                <span aria-hidden="true">{order?.column === at ? (order.isDown ? ' ↓' : ' ↑') : ''}</span>
              </button>
            </span>
          ))}
        </div>
        <div class="grid-body" role="rowgroup" style={{ height: `${sight.height}px` }}>
          <div class="grid-rows" role="presentation" style={{ transform: `translateY(${sight.top}px)` }}>
            {rows.slice(sight.first, sight.end).map((row, offset) => {
              const at = sight.first + offset;
              return (
                <div
                  key={at}
                  id={`row-${at}`}
                  role="row"
                  tabIndex={-1}
                  class={at === active ? 'row active' : 'row'}
                  aria-rowindex={at + 2}
                  aria-selected={at === active}
                  style={{ gridTemplateColumns: template }}
                  onMouseDown={() => setActive(at)}
                >
                  <span role="rowheader" tabIndex={-1} class="number quiet">
                    {at + 1}
                  </span>
                  {row.slice(0, MOST_DRAWN).map((value, column) => (
                    <span
                      key={table.columns[column]}
                      role="gridcell"
                      tabIndex={-1}
                      class={isNumber(value) ? 'number' : value === null ? 'quiet' : ''}
                      title={cell(value).slice(0, 1000)}
                      onDblClick={() => put(cell(value), 'the cell')}
                    >
                      {shownIn(value).slice(0, 500)}
                    </span>
                  ))}
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}
