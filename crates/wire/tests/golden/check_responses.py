#!/usr/bin/env python3
"""Reads the responses of `responses/` with gremlinpython 3.8.2 and checks what it makes of them."""

import datetime
import json
import math
import pathlib
import uuid

from gremlin_python.driver import serializer
from gremlin_python.process.traversal import Direction, T
from gremlin_python.structure.graph import Edge, Path, Property, Vertex, VertexProperty

HERE = pathlib.Path(__file__).parent / "responses"
ID = "41d2e28a-20a4-4ab0-b379-d810dede3786"
FORMATS = {
    "graphbinary": serializer.GraphBinarySerializersV1(),
    "graphson3": serializer.GraphSONSerializersV3d0(),
    "graphson2": serializer.GraphSONSerializersV2d0(),
}


def read(name, label):
    message = FORMATS[label].deserialize_message((HERE / f"{name}.{label}.bin").read_bytes())
    assert name == "unidentified" or str(message["requestId"]) == ID, message
    return message


def elements(label):
    message = read("elements", label)
    assert message["status"]["code"] == 206
    data = message["result"]["data"]
    assert [t.bulk for t in data] == [1, 3, 1, 1, 1, 2, 1, 1], data
    marko, empty, knows, name, weight, path, row, entry = (t.object for t in data)
    assert isinstance(marko, Vertex) and marko.id == 1 and marko.label == "person"
    assert [(p.id, p.label, p.value) for p in marko.properties] == [
        (0, "name", "marko"), (6, "location", "san diego"), (7, "location", "santa cruz")]
    assert [(m.key, m.value) for m in marko.properties[1].properties] == [("startTime", 1997), ("endTime", 2001)]
    assert marko.properties[0].properties == []
    assert empty.properties == []
    assert isinstance(knows, Edge) and knows.outV.id == 1 and knows.inV.id == 2 and knows.label == "knows"
    assert [(p.key, p.value) for p in knows.properties] == [("weight", 0.5)]
    assert isinstance(name, VertexProperty) and name.value == "marko"
    assert isinstance(weight, Property) and weight.value == 0.5
    assert isinstance(path, Path) and path.objects == [Vertex(1), "x"], path
    assert [set(labels) for labels in path.labels] == [{"a", "b"}, set()]
    if label == "graphson2":  # keys are text there
        assert row == {"id": 1, "label": "person", "OUT": [1], "name": "marko"}, row
    else:
        assert row == {T.id: 1, T.label: "person", Direction.OUT: [1], "name": "marko"}, row
    assert entry == {"marko": 3}


def tokens(label):
    data = read("tokens", label)["result"]["data"]
    assert data[0].object == Vertex(1) and data[0].object.properties == []
    assert data[2].object.properties == []


def scalars(label):
    data = read("scalars", label)["result"]["data"]
    (null, true, byte, short, integer, long, single, double, nan, low, big, decimal, char, text, ident, date, span,
     binary, nested, members, token) = data
    assert (null, true, byte, short, integer, long) == (None, True, 1, 2, 3, 4)
    assert (single, double, low) == (1.5, 2.5, -math.inf) and math.isnan(nan)
    assert big == 2**70
    assert str(getattr(decimal, "value", decimal)).startswith("-12.5"), decimal
    assert char == "é" and text == 'a "quoted"\n\\ line ✓'
    assert ident == uuid.UUID(ID)
    zone = datetime.timezone(datetime.timedelta(hours=2))
    assert date == datetime.datetime(2024, 2, 29, 12, 30, 15, 250000, tzinfo=zone), date
    assert span == datetime.timedelta(seconds=3607.5)
    assert bytes(binary) in (b"bytes", b"Ynl0ZXM="), binary  # gremlinpython does not undo GraphSON's base 64
    assert nested == [1, ["x"]]
    assert set(members) == {1, "one"}
    # gremlinpython's reader of GraphSON 2 does not know tokens.
    assert token == T.label or label == "graphson2", token


def others(label):
    none = read("none", label)
    assert none["status"]["code"] == 204 and none["result"]["data"] is None
    failed = read("failed", label)
    assert failed["status"]["code"] == 500 and failed["status"]["message"] == "no such property"
    assert failed["status"]["attributes"]["exceptions"] == ["java.lang.IllegalStateException"]
    profile = read("profile", label)["result"]["data"][0]
    assert profile["metrics"][0]["counts"]["traverserCount"] == 6, profile
    assert read("unidentified", label)["status"]["code"] == 499


def untyped():
    message = json.loads((HERE / "elements.untyped.bin").read_bytes())
    vertex = message["result"]["data"][0]["value"]
    assert vertex["type"] == "vertex" and vertex["properties"]["name"] == [{"id": 0, "value": "marko"}]


if __name__ == "__main__":
    for form in FORMATS:
        for check in (elements, tokens, scalars, others):
            check(form)
            print("ok", form, check.__name__)
    untyped()
    print("ok untyped")
