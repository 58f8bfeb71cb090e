#!/usr/bin/env python3
"""Writes the request frames that gremlinpython 3.8.2 sends, as `requests/NAME.FORMAT.bin`.

    python3 -m venv venv && venv/bin/pip install gremlinpython==3.8.2
    venv/bin/python make_requests.py
"""

import datetime
import pathlib
import uuid

from gremlin_python.driver import serializer
from gremlin_python.driver.request import RequestMessage
from gremlin_python.process.anonymous_traversal import traversal
from gremlin_python.process.graph_traversal import __
from gremlin_python.process.strategies import OptionsStrategy, ReadOnlyStrategy, SubgraphStrategy
from gremlin_python.process.traversal import (
    DT, Bindings, Bytecode, Cardinality, CardinalityValue, Column, Direction, GType, Merge, Operator, Order, P, Pick, Pop,
    Scope, T, TextP,
)
from gremlin_python.statics import SingleByte, SingleChar, bigdecimal, bigint, long, short
from gremlin_python.structure.graph import Edge, Vertex, VertexProperty

ID = "41d2e28a-20a4-4ab0-b379-d810dede3786"
HERE = pathlib.Path(__file__).parent

g = traversal().with_(None)
UTC = datetime.timezone.utc

TRAVERSALS = {
    "steps": g.V().has("person", "name", "marko").out("knows").values("name"),
    "numbers": g.inject(1, long(2), short(3), SingleByte(4), 5.5, bigint(2**70), bigdecimal("1.25"), True, None),
    "scalars": g.inject(
        "é", SingleChar("x"), uuid.UUID(ID), datetime.timedelta(hours=5, seconds=7),
        datetime.datetime(2024, 2, 29, 12, 30, 15, 250000, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
        datetime.datetime(2024, 2, 29, 12, 30, 15, 250000, tzinfo=UTC), ["a", [1]], {"k": {"n": 1}}, {1},
    ),
    "predicates": g.V().has("age", P.gt(29).and_(P.lt(40)).or_(P.eq(1))).has("age", P.within([1, 2, 3]))
    .has("age", P.without(4, 5)).has("age", P.between(1, 2)).has("age", P.inside(1, 2)).has("age", P.outside(1, 2))
    .has("name", TextP.starting_with("m").and_(TextP.not_containing("z"))).has("name", P.not_(P.within("a")))
    .is_(P.type_of(GType.INT)).has("name", TextP.regex("^m")),
    "tokens": g.V().order().by(T.id, Order.desc).by("age", Order.shuffle).select(Pop.first, "a").count(Scope.local)
    .select(Column.keys).to_e(Direction.OUT, "knows").choose(__.out()).option(Pick.none, __.in_())
    .property(Cardinality.set_, "k", "v").fold(0, Operator.sum_).date_add(DT.hour, 3).as_number(GType.LONG),
    "nested": g.V().repeat(__.out().simple_path()).until(__.has("name", "x").or_().loops().is_(3)).emit().path()
    .by("name").by(__.out_e().count()).union(__.identity(), __.coalesce(__.out(), __.constant("none"))),
    "bindings": g.V(Bindings.of("x", 1)).out(Bindings.of("label", "knows")),
    "strategies": g.with_strategies(ReadOnlyStrategy(), SubgraphStrategy(vertices=__.has_label("person")))
    .with_("evaluationTimeout", 500).without_strategies(ReadOnlyStrategy).V().count(),
    "sack": g.with_sack(1.0, Operator.sum_).with_side_effect("a", [1, 2]).V().sack(Operator.mult).by("age").sack(),
    "merge": g.merge_v({T.id: 1, T.label: "person", "name": "marko"}).option(Merge.on_create, {"age": 29})
    .option(Merge.on_match, {"name": CardinalityValue.list_("m")}).merge_e({T.label: "knows", Direction.from_: 1,
                                                                           Direction.to: 2}),
    "elements": g.V(Vertex(1, "person")).where(__.is_(Vertex(uuid.UUID(ID)))).E(Edge(7, Vertex(1), "knows", Vertex(2)))
    .is_(VertexProperty(long(0), "name", "marko", Vertex(1))),
    "lambda_": g.V().map(lambda: ("x -> x.get()", "gremlin-groovy")),
}


def requests():
    for name, t in TRAVERSALS.items():
        args = {"gremlin": t.bytecode, "aliases": {"g": "g"}}
        yield name, lambda args=args: RequestMessage("traversal", "bytecode", dict(args))
    script = {
        "gremlin": "g.V(x).values(y)", "language": "gremlin-lang", "bindings": {"x": 1, "y": "name"},
        "aliases": {"g": "g"}, "evaluationTimeout": 1000, "batchSize": 64,
    }
    yield "script", lambda: RequestMessage("", "eval", dict(script))
    yield "session", lambda: RequestMessage("session", "eval", dict(script, session="s1", manageTransaction=False))
    yield "close", lambda: RequestMessage("session", "close", {"session": "s1"})
    sasl = {"sasl": "AHN0ZXBocGhlbgBwYXNzd29yZA==", "saslMechanism": "PLAIN"}
    yield "authentication", lambda: RequestMessage("traversal", "authentication", dict(sasl))
    commit = Bytecode()
    commit.add_source("tx", "commit")
    yield "commit", lambda: RequestMessage("session", "bytecode", {"gremlin": commit, "session": "s1"})


def main():
    folder = HERE / "requests"
    folder.mkdir(exist_ok=True)
    formats = {
        "graphbinary": serializer.GraphBinarySerializersV1(),
        "graphson3": serializer.GraphSONSerializersV3d0(),
        "graphson2": serializer.GraphSONSerializersV2d0(),
    }
    for name, request in requests():
        for label, form in formats.items():
            try:
                frame = form.serialize_message(ID, request())
            except Exception as error:  # noqa: BLE001: some values have no form in some formats
                print(f"{name}.{label}: {type(error).__name__}: {error}")
                continue
            (folder / f"{name}.{label}.bin").write_bytes(frame)
    print(len(list(folder.iterdir())), "requests")


if __name__ == "__main__":
    main()
