"""Small graphs as pictures: SVG that needs nothing else, neither scripts nor anything from elsewhere."""

from __future__ import annotations

import math
from html import escape

_WIDTH, _HEIGHT, _MARGIN, _RADIUS = 640, 400, 50, 14
# Most vertices and edges of a picture: more than anybody can tell apart in it, and laid out within some tenths of a second.
_VERTICES, _EDGES = 100, 300
# Rounds in which the vertices find their places, in each of which every one looks at every other.
_ROUNDS = 60
# One for each label, in turn.
_COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#9d755d", "#eeca3b")


def of_path(path):
    """A path."""
    return of_results([path])


def of_graph(graph):
    """A subgraph."""
    return of_results([graph])


def of_results(results, has_more=False):
    """The elements among results; None if there are none. What is drawn is the same for the same results.

    ``has_more``: there are results besides.
    """
    found = _Found()
    for result in results:
        found.add(result)
    vertices, edges = found.vertices, found.edges
    if not vertices:
        return None
    places = _places(list(vertices), [(source, target) for source, target, _ in edges.values()])
    labels = list(dict.fromkeys(label for label, _ in vertices.values()))
    colours = {label: _COLOURS[at % len(_COLOURS)] for at, label in enumerate(labels)}
    drawn = [_edge(places[source], places[target], told) for source, target, told in edges.values()]
    drawn += [_vertex(places[vertex], colours[label], name) for vertex, (label, name) in vertices.items()]
    legend = [
        f'<g transform="translate(12 {18 + 18 * at})"><circle r="6" fill="{colours[label]}"/><text x="12" y="4">{escape(label)}</text></g>'
        for at, label in enumerate(labels[: len(_COLOURS)])
    ]
    more = found.more(has_more)
    note = f'<text x="12" y="{_HEIGHT - 8}" fill="#666">{more}</text>' if more else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        'font-family="sans-serif" font-size="11" style="max-width:100%;background:#fff">'
        '<defs><marker id="mangrove-arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0L8 4L0 8z" fill="#888"/></marker></defs>' + "".join(drawn + legend) + note + "</svg>"
    )


class _Found:
    """Elements of results, as many as a picture has room for; the others are counted."""

    def __init__(self):
        # Of vertices the labels and names, of edges the ends and labels.
        self.vertices, self.edges = {}, {}
        self._left_vertices, self._left_edges = set(), set()

    def add(self, result):
        from . import Edge, Graph, Path, Vertex

        if isinstance(result, Vertex):
            self._vertex(result)
        elif isinstance(result, Edge):
            self._vertex(result.outV)
            self._vertex(result.inV)
            self._edge(result.id, result.outV.id, result.inV.id, result.label)
        elif isinstance(result, Graph):
            # Where there is no room for all, those that hang together say more.
            for element in result.edges + result.vertices:
                self.add(element)
        elif isinstance(result, Path):
            self._path(result)

    def more(self, has_more):
        """What is left out, in words."""
        left = [(len(self._left_vertices), "vertex", "vertices"), (len(self._left_edges), "edge", "edges")]
        told = [f"{count:,} {one if count == 1 else many}" for count, one, many in left if count]
        if told:
            return f"… and {' and '.join(told)} more" + (", at least" if has_more else "")
        return "… and more" if has_more else ""

    def _vertex(self, vertex):
        known = self.vertices.get(vertex.id)
        if known is None and len(self.vertices) >= _VERTICES:
            self._left_vertices.add(vertex.id)
            return
        name = next((str(vertex[key]) for key in ("name", "title", "firstName") if key in vertex), None)
        if known is None or name is not None:
            self.vertices[vertex.id] = (vertex.label, name or (known[1] if known else str(vertex.id)))

    def _edge(self, id, source, target, told):
        if id in self.edges:
            return
        has_ends = source in self.vertices and target in self.vertices
        if has_ends and len(self.edges) < _EDGES:
            self.edges[id] = (source, target, told)
        else:
            self._left_edges.add(id)

    def _path(self, path):
        from . import Edge, Vertex

        before = None
        has_edges = any(isinstance(each, Edge) for each in path.objects)
        for each in path.objects:
            self.add(each)
            if isinstance(each, Vertex):
                if before is not None and not has_edges:
                    self._edge(("path", before, each.id), before, each.id, "")
                before = each.id


def _places(vertices, edges):
    """A place for each vertex: on a circle at first; then all push each other away, and edges pull."""
    count = len(vertices)
    at = {v: (math.cos(2 * math.pi * n / count), math.sin(2 * math.pi * n / count)) for n, v in enumerate(vertices)}
    wanted = math.sqrt(4 / count)
    for done in range(_ROUNDS if count > 1 else 0):
        moves = dict.fromkeys(vertices, (0.0, 0.0))
        for n, one in enumerate(vertices):
            for other in vertices[n + 1 :]:
                _push(moves, at, one, other, lambda distance: wanted * wanted / distance)
        for one, other in edges:
            if one != other:
                _push(moves, at, one, other, lambda distance: -distance * distance / wanted)
        most = 0.2 * (1 - done / _ROUNDS)
        for vertex, (x, y) in moves.items():
            length = math.hypot(x, y) or 1.0
            step = min(length, most) / length
            at[vertex] = (at[vertex][0] + x * step, at[vertex][1] + y * step)
    return _fitted(at)


def _push(moves, at, one, other, force):
    x, y = at[one][0] - at[other][0], at[one][1] - at[other][1]
    distance = math.hypot(x, y) or 1e-6
    strength = force(distance) / distance
    moves[one] = (moves[one][0] + x * strength, moves[one][1] + y * strength)
    moves[other] = (moves[other][0] - x * strength, moves[other][1] - y * strength)


def _fitted(at):
    """Places within the picture."""
    xs, ys = [x for x, _ in at.values()], [y for _, y in at.values()]

    def fit(value, values, size):
        span = max(values) - min(values)
        part = (value - min(values)) / span if span > 1e-9 else 0.5
        return _MARGIN + part * (size - 2 * _MARGIN)

    return {vertex: (fit(x, xs, _WIDTH), fit(y, ys, _HEIGHT)) for vertex, (x, y) in at.items()}


def _vertex(place, colour, name):
    x, y = place
    shown = name if len(name) <= 18 else name[:17] + "…"
    return (
        f'<g transform="translate({x:.1f} {y:.1f})"><title>{escape(name)}</title>'
        f'<circle r="{_RADIUS}" fill="{colour}" stroke="#fff"/>'
        f'<text y="{_RADIUS + 12}" text-anchor="middle">{escape(shown)}</text></g>'
    )


def _edge(source, target, told):
    (x, y), (to_x, to_y) = source, target
    length = math.hypot(to_x - x, to_y - y)
    if length < 1:
        line = f'<path d="M{x - 8:.1f} {y - 12:.1f}c-20 -40 36 -40 16 0" fill="none"'
        middle = (x, y - 46)
    else:
        part = (length - _RADIUS - 2) / length
        end = (x + (to_x - x) * part, y + (to_y - y) * part)
        line = f'<path d="M{x:.1f} {y:.1f}L{end[0]:.1f} {end[1]:.1f}" fill="none"'
        middle = ((x + to_x) / 2, (y + to_y) / 2 - 3)
    label = f'<text x="{middle[0]:.1f}" y="{middle[1]:.1f}" text-anchor="middle" fill="#666">{escape(told)}</text>'
    return f'{line} stroke="#aaa" marker-end="url(#mangrove-arrow)"/>{label}'
