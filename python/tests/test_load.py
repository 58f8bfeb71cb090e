"""Frames into a graph."""

import datetime as dt
import threading
import time
import uuid

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


def test_a_transaction_that_is_open_conflicts_with_a_load(db):
    db.create_index("p", "name", kind="unique")
    tx = db.transaction()
    tx.query("g.addV('x').property(id, 7)")
    assert db.load(nodes={"p": pyarrow.table({"id": range(10)})}) == {"vertices": 10, "edges": 0}
    with pytest.raises(mangrove.Error, match="7|conflict"):
        tx.commit()
    assert sorted(db.query("g.V().id()")) == list(range(10))


def test_unique_values_and_ids_that_are_made_come_once_beside_a_transaction(db):
    db.create_index("p", "name", kind="unique")
    tx = db.transaction()
    tx.query("g.addV('p').property('name', 'ada')")
    db.load(nodes={"p": pyarrow.table({"name": ["ada", "grace"]})})
    with pytest.raises(mangrove.Error):
        tx.commit()
    assert sorted(db.query("g.V().values('name')")) == ["ada", "grace"]
    ids = db.query("g.V().id()").to_list()
    assert len(set(ids)) == len(ids) == 2


def test_a_transaction_does_not_see_what_is_loaded_meanwhile(db):
    with db.transaction() as tx:
        assert tx.query("g.V().count()").one() == 0
        db.load(nodes={"p": pyarrow.table({"id": range(1_000)})})
        assert tx.query("g.V().count()").one() == 0
    assert db.query("g.V().count()").one() == 1_000


def test_readers_see_all_of_a_load_or_nothing(db):
    rows = 20_000
    nodes = {"p": pyarrow.table({"id": range(rows)})}
    edges = {"e": pyarrow.table({"source": range(rows), "target": [*range(1, rows), 0]})}
    seen, over = set(), threading.Event()

    def read():
        while not over.is_set():
            seen.add((db.query("g.E().count()").one(), sum(1 for _ in db.query("g.V().out('e').limit(100)"))))
            time.sleep(0.005)

    thread = threading.Thread(target=read)
    thread.start()
    try:
        db.load(nodes, edges)
    finally:
        over.set()
        thread.join()
    assert {count for count, _ in seen} <= {0, rows}
    assert db.query("g.E().count()").one() == rows


def test_an_import_beside_a_transaction_is_refused_and_says_what_to_do(db, tmp_path):
    (tmp_path / "people.csv").write_text("id:ID,name,:LABEL\n1,ada,person\n")
    with db.transaction() as tx:
        tx.query("g.V().count()")
        with pytest.raises(mangrove.Error, match="open.*add=True"):
            db.import_files(tmp_path / "people.csv")
    assert db.import_files(tmp_path / "people.csv")["vertices"] == 1


@pytest.mark.parametrize("has_data", [False, True])
def test_frames_that_can_be_read_once_are_loaded(db, has_data):
    if has_data:
        db.query("g.addV('x')")
    frames = {"p": pyarrow.table({"id": [50, 51]}).to_reader(), "q": db.query("g.inject([id_: 60]).select('id_')")}
    edges = {"e": pyarrow.table({"source": [50], "target": [51]}).to_reader()}
    assert db.load(nodes=frames, edges=edges) == {"vertices": 3, "edges": 1}
    assert sorted(db.query("g.V().hasLabel('p').id()")) == [50, 51]
    assert db.query("g.V(50).out('e').id()").one() == 51


@pytest.mark.parametrize("has_data", [False, True])
def test_uuids_are_uuids(db, has_data):
    if has_data:
        db.query("g.addV('x')")
    one, other = uuid.UUID(int=1), uuid.UUID(int=2)
    ids = pyarrow.array([one.bytes, other.bytes], pyarrow.uuid())
    many = pyarrow.ListArray.from_arrays([0, 1, 1], ids[:1])
    db.load(
        nodes={"p": pyarrow.table({"id": ids, "same": ids, "many": many})},
        edges={"e": pyarrow.table({"source": ids[:1], "target": [str(other)]})},
    )
    assert db.query("g.V(x).values('same')", x=one).one() == one
    assert db.query("g.V(x).out('e').id()", x=one).one() == other
    assert db.query("g.V(x).values('many')", x=one).one() == one
    pandas = pytest.importorskip("pandas")
    db.load(nodes={"q": pandas.DataFrame({"id": [uuid.UUID(int=3)], "name": ["ada"]})})
    assert db.query("g.V(x).values('name')", x=uuid.UUID(int=3)).one() == "ada"


@pytest.mark.parametrize("has_data", [False, True])
def test_ids_are_the_same_that_are_the_same_in_the_graph(db, has_data):
    if has_data:
        db.query("g.addV('x')")
    nodes = {"p": pyarrow.table({"id": [1, 2]}), "t": pyarrow.table({"id": ["3", "x"]}), "f": pyarrow.table({"id": [4.0, 5.0]})}
    edges = {
        "texts": pyarrow.table({"source": ["1", "2"], "target": ["3", "x"]}),
        "numbers": pyarrow.table({"source": [3, 4], "target": [1, 5]}),
        "floats": pyarrow.table({"source": [1.0, 2.0], "target": [3.0, 4.0]}),
    }
    assert db.load(nodes, edges) == {"vertices": 6, "edges": 6}
    assert db.query("g.V(1).out().id()").to_list() == ["3", "3"]
    assert db.query("g.V(3).out('numbers').id()").one() == 1
    with pytest.raises(mangrove.ConversionError, match='the id "01" that'):
        db.load(edges={"e": pyarrow.table({"source": ["01"], "target": [1]})})


def test_ids_of_a_graph_with_data_are_found_in_either_notation(db):
    db.query("g.addV('p').property(id, 7).addV('p').property(id, '8')")
    db.load(edges={"e": pyarrow.table({"source": ["7"], "target": ["8"]}), "f": pyarrow.table({"source": [8.0], "target": [7.0]})})
    assert db.query("g.V(7).out('e').id()").one() == "8" and db.query("g.V('8').out('f').id()").one() == 7


def test_a_column_of_ids_that_is_not_there_is_missed(db):
    people = pyarrow.table({"ID": [1], "name": ["ada"]})
    with pytest.raises(mangrove.ConversionError, match='nodes."p".*no column "id".*id="ID"'):
        db.load(nodes={"p": people})
    with pytest.raises(mangrove.ConversionError, match='no column "nope"'):
        db.load(nodes={"p": people}, id="nope")
    assert db.query("g.V().count()").one() == 0
    assert db.load(nodes={"p": people}, id="ID") == {"vertices": 1, "edges": 0}
    with pytest.raises(mangrove.ConversionError, match='edges.*no column "nope"'):
        db.load(edges={"e": pyarrow.table({"source": [1], "target": [1]})}, id="nope")
    assert db.load(nodes={"q": pyarrow.table({"name": ["grace"]})}) == {"vertices": 1, "edges": 0}
    # Edges need none of their own where vertices have them.
    nodes, edges = {"r": pyarrow.table({"key": [9]})}, {"e": pyarrow.table({"source": [9], "target": [1]})}
    assert db.load(nodes, edges, id="key") == {"vertices": 1, "edges": 1}


def test_a_frame_of_pandas_without_columns_of_arrow_is_refused(db):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(mangrove.ConversionError, match="pandas"):
        db.load(nodes={"p": pandas.DataFrame({"x": [1, "a", b"c"]})})
    with pytest.raises(mangrove.ConversionError, match="pandas"):
        db.load(nodes={"p": pandas.DataFrame([[1, 2]], columns=["x", "x"])})


def test_advice_is_for_this_package(modern):
    with pytest.raises(mangrove.Error, match="taken") as raised:
        modern.load(nodes={"person": pyarrow.table({"id": [1]})})
    assert "--" not in str(raised.value)
