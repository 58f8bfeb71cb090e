"""Frames into a graph."""

import datetime as dt

import mangrove
import pytest

pyarrow = pytest.importorskip("pyarrow")

PEOPLE = {"id": [1, 2, 3], "name": ["ada", "grace", None], "born": [1815, 1906, 1912]}
KNOWS = {"source": [1, 2], "target": [2, 3], "since": [0.5, None]}


def test_an_empty_graph_is_filled_by_labels_that_are_given(db):
    told = db.load(nodes={"person": pyarrow.table(PEOPLE)}, edges={"knows": pyarrow.table(KNOWS)})
    assert told == {"vertices": 3, "edges": 2}
    assert db.query("g.V(1).out('knows').values('name')").to_list() == ["grace"]
    assert db.query("g.V(3).valueMap()").one() == {"born": [1912]}
    assert db.query("g.E().has('since').values('since')").to_list() == [0.5]


def test_labels_may_stand_in_a_column(db):
    nodes = pyarrow.table({"key": ["a", "b", "c"], "kind": ["person", "thing", "person"], "n": [1, 2, 3]})
    edges = pyarrow.table({"from": ["a", "c"], "to": ["b", "b"], "kind": ["has", "wants"], "id": [70, 71]})
    db.load(nodes.rename_columns(["id", "kind", "n"]), edges, label="kind", source="from", target="to")
    assert db.query("g.V().hasLabel('person').values('n').order()").to_list() == [1, 3]
    assert db.query("g.V('b').inE().order().by(id).id()").to_list() == [70, 71]
    assert db.query("g.V('c').outE().label()").to_list() == ["wants"]


def test_what_comes_back_may_be_loaded_again(modern):
    vertices = modern.query("g.V().elementMap()").to_arrow()
    edges = modern.query("g.E()").to_arrow()
    with mangrove.open() as other:
        assert other.load(vertices, edges) == {"vertices": 6, "edges": 6}
        assert other.query("g.V(1).out('knows').values('name').order()").to_list() == ["josh", "vadas"]
        assert other.query("g.E().values('weight').sum()").one() == modern.query("g.E().values('weight').sum()").one()


def test_a_graph_with_data_takes_more_and_edges_to_what_it_has(modern):
    told = modern.load(
        nodes={"person": pyarrow.table({"id": [7], "name": ["ada"]})},
        edges={"knows": pyarrow.table({"source": [7, 1], "target": [1, 7]})},
    )
    assert told == {"vertices": 1, "edges": 2}
    assert modern.query("g.V(7).out('knows').values('name')").one() == "marko"
    assert modern.query("g.V(1).out('knows').count()").one() == 3


def test_types_of_arrow_are_types_of_gremlin(db):
    time = dt.datetime(2026, 11, 27, 12, 30, 0, 5, tzinfo=dt.timezone.utc)
    table = pyarrow.table(
        {
            "id": pyarrow.array([1], pyarrow.uint16()),
            "small": pyarrow.array([7], pyarrow.int8()),
            "single": pyarrow.array([0.5], pyarrow.float32()),
            "flag": [True],
            "time": pyarrow.array([time], pyarrow.timestamp("us", "UTC")),
            "day": pyarrow.array([dt.date(2026, 11, 27)]),
            "span": pyarrow.array([dt.timedelta(seconds=3)], pyarrow.duration("ms")),
            "bytes": [b"\x01"],
            "word": pyarrow.array(["x"]).dictionary_encode(),
            "view": pyarrow.array(["y"], pyarrow.string_view()),
            "many": [["a", "b"]],
            "none": pyarrow.nulls(1),
        }
    )
    db.load(nodes={"thing": table})
    values = {key: db.query("g.V(1).values(k)", k=key).to_list() for key in table.schema.names[1:]}
    assert values == {
        "small": [7],
        "single": [0.5],
        "flag": [True],
        "time": [time],
        "day": [dt.datetime(2026, 11, 27, tzinfo=dt.timezone.utc)],
        "span": [dt.timedelta(seconds=3)],
        "bytes": [b"\x01"],
        "word": ["x"],
        "view": ["y"],
        "many": ["a", "b"],
        "none": [],
    }


def test_frames_of_pandas_and_polars_are_taken(db):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    db.load(nodes={"person": pandas.DataFrame(PEOPLE)}, edges={"knows": polars.DataFrame(KNOWS)})
    assert db.query("g.V(1).out('knows').values('name')").to_list() == ["grace"]
    assert db.query("g.V(3).values('name')").to_list() == []


@pytest.mark.parametrize(
    ("nodes", "edges", "said"),
    [
        ({"person": {"id": [1], "x": [1]}}, {"knows": {"source": [1], "target": [9]}}, 'edges.*row 0.*id 9 .*"target"'),
        ({"person": {"id": [1]}}, {"knows": {"from": [1], "target": [1]}}, 'no column "source"'),
        ({"person": {"id": [1, None]}}, {}, "row 1: it has no id"),
        ({"person": {"id": [1], "map": [{"a": 1}]}}, {}, '"map" is of type'),
    ],
)
def test_what_is_wrong_with_a_frame_is_told_and_nothing_is_loaded(db, nodes, edges, said):
    def frames(given):
        return {label: pyarrow.table(columns) for label, columns in given.items()}

    with pytest.raises(mangrove.ConversionError, match=said):
        db.load(frames(nodes), frames(edges))
    assert db.query("g.V().count()").one() == 0


def test_a_frame_without_labels_and_what_is_no_frame_are_refused(db):
    with pytest.raises(mangrove.ConversionError, match='no column "label"'):
        db.load(pyarrow.table(PEOPLE))
    with pytest.raises(mangrove.ConversionError, match="list is no frame"):
        db.load([1, 2])


def test_an_id_that_is_taken_is_told_and_nothing_is_loaded(modern):
    with pytest.raises(mangrove.Error, match="1"):
        modern.load(nodes={"person": pyarrow.table({"id": [8, 1]})})
    assert modern.query("g.V().count()").one() == 6
