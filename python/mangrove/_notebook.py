"""What a notebook, or the prompt, shows of results."""

from __future__ import annotations

from html import escape
from itertools import accumulate

# Rows that are shown of results.
_SHOWN = 20
# Characters that are shown of a cell.
_CELL = 80
# Elements of a result that are drawn; beyond, it is a table.
_DRAWN = 200
# Characters of the columns that a profile always has, of which the first are the steps; and of each other one.
_COLUMNS = (50, 22, 12, 16, 9)
_ANNOTATION = 12


def text_of_results(results):
    """The first results as a table of text. They are there still."""
    if results._gone:
        return f"<mangrove.Results: {results._gone}>"
    ahead, columns, rows = _table(results)
    if not rows:
        return "<mangrove.Results: none are left>"
    if _is_profile(ahead):
        return ahead[0].told
    cells = [columns, *([_cell(row.get(column)) for column in columns] for row in rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(columns))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in cells]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join([*lines, *(["…"] if len(ahead) > _SHOWN else [])])


def html_of_results(results):
    """The first results as a table, or as a picture if they are elements and paths that lead to each other."""
    from . import Edge, Graph, Path
    from ._pictures import of_results

    if results._gone:
        return f"<em>{escape(results._gone)}</em>"
    ahead, columns, rows = _table(results)
    if _is_profile(ahead):
        return ahead[0]._repr_html_()
    if any(isinstance(result, (Edge, Graph, Path)) for result in ahead):
        drawn = results._peek(_DRAWN + 1)
        picture = of_results(drawn[:_DRAWN], has_more=len(drawn) > _DRAWN)
        if picture:
            return picture
    if not rows:
        return "<em>no results are left</em>"
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(_cell(row.get(column)))}</td>" for column in columns) + "</tr>" for row in rows)
    more = "<p>… and more</p>" if len(ahead) > _SHOWN else ""
    return f'<table class="mangrove"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}'


def _is_profile(results):
    return len(results) == 1 and isinstance(results[0], Metrics)


def _table(results):
    """The results that are looked at, and of those that are shown the columns and the rows."""
    from ._frames import rows_of

    ahead = results._peek(_SHOWN + 1)
    rows = rows_of(ahead[:_SHOWN])
    return ahead, list(dict.fromkeys(column for row in rows for column in row)), rows


def _cell(value):
    text = "" if value is None else str(value)
    text = text.replace("\n", " ")
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"


class Told(str):
    """A text of several lines, which the prompt and notebooks show as it is."""

    def __repr__(self):
        return str(self)

    def _repr_html_(self):
        return f"<pre>{escape(self)}</pre>"


class Profile(Told):
    """Where the time of a query went: a line for each step, those of a subquery indented below it."""

    def _repr_html_(self):
        """A tree of steps, each with the figures that it has."""
        # A title, the names of the columns, a line under them, the steps, and what they come to.
        lines = self.splitlines()
        if len(lines) < 5:
            return super()._repr_html_()
        names = ["count", "traversers", "ms", "%", *lines[1][sum(_COLUMNS) :].split()]
        widths = [*_COLUMNS, *[_ANNOTATION] * (len(names) + 1 - len(_COLUMNS))]
        ends = list(accumulate(widths))
        steps = []
        for line in lines[3:]:
            step = line[: _COLUMNS[0]]
            depth = 0 if step.lstrip().startswith(">TOTAL") else len(step) - len(step.lstrip())
            cells = [(name, line[start:end].strip(" -")) for name, start, end in zip(names, ends, ends[1:])]
            figures = [f"{name} {cell}" for name, cell in cells if cell]
            steps.append((depth, step.strip(), " · ".join(figures)))
        return f'<div class="mangrove">{_tree(steps)}</div>'


class Metrics(dict):
    """What ``profile()`` in a query makes: figures of its steps. ``told`` has them as text, and notebooks show them as a tree."""

    def __init__(self, figures, told):
        super().__init__(figures)
        self.told = Profile(told)

    def __reduce__(self):
        return type(self), (dict(self), str.__str__(self.told))

    def _repr_html_(self):
        return self.told._repr_html_()


def _tree(steps):
    """Steps as nested lists that can be folded."""
    html, depths = ["<ul>"], [0]
    for at, (depth, step, figures) in enumerate(steps):
        while depth < depths[-1]:
            html.append("</ul></details></li>")
            depths.pop()
        told = f"<code>{escape(step)}</code> <small>{escape(figures)}</small>"
        if at + 1 < len(steps) and steps[at + 1][0] > depth:
            html.append(f"<li><details open=''><summary>{told}</summary><ul>")
            depths.append(steps[at + 1][0])
        else:
            html.append(f"<li>{told}</li>")
    html.extend("</ul></details></li>" for _ in depths[1:])
    return "".join([*html, "</ul>"])
