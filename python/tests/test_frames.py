"""Results as frames, and as graphs of networkx."""

import datetime as dt
from decimal import Decimal

import mangrove
import pytest

pyarrow = pytest.importorskip("pyarrow")


def arrow(db, query, **variables):
    return db.query(query, **variables).to_arrow()


def test_maps_become_columns_by_their_keys(modern):
    table = arrow(modern, "g.V().hasLabel('person').order().by('age').project('name', 'age').by('name').by('age')")
    assert table.schema.names == ["name", "age"]
    assert table.schema.types == [pyarrow.large_string(), pyarrow.int32()]
    assert table.to_pydict() == {"name": ["vadas", "marko", "josh", "peter"], "age": [27, 29, 32, 35]}


def test_elements_become_columns_of_ids_labels_ends_and_properties(modern):
    vertices = arrow(modern, "g.V().order().by(id)")
    assert vertices.schema.names == ["id", "label", "name", "age", "lang"]
    assert vertices.to_pylist()[2] == {"id": 3, "label": "software", "name": "lop", "age": None, "lang": "java"}
    edges = arrow(modern, "g.E().hasLabel('knows').order().by('weight')")
    assert edges.schema.names == ["id", "label", "source", "target", "weight"]
    assert edges.column("weight").to_pylist() == [0.5, 1.0] and edges.column("target").to_pylist() == [2, 4]
    properties = arrow(modern, "g.V(1).properties('name')")
    assert properties.to_pydict() == {"key": ["name"], "value": ["marko"]}


def test_tokens_make_room_for_properties_of_the_same_name(db):
    db.query("g.addV('person').property('id', 'mine').property('label', 'own')")
    row = arrow(db, "g.V().elementMap()").to_pylist()[0]
    assert (row["id"], row["label"], row["~label"]) == ("mine", "own", "person")
    assert db.query("g.V()").to_arrow().schema.names == ["~id", "~label", "id", "label"]


def test_anything_else_is_a_column_of_values(modern):
    assert arrow(modern, "g.V().values('name')").schema.names == ["value"]
    assert arrow(modern, "g.inject(1, null, 2L, 0.5d)").column("value").to_pylist() == [1.0, None, 2.0, 0.5]
    assert arrow(modern, "g.V().hasLabel('none')").num_rows == 0


def test_columns_have_types_and_nulls(db):
    row = {
        "flag": True,
        "long": 2**40,
        "double": 0.5,
        "decimal": Decimal("12.345"),
        "big": 2**70,
        "bytes": b"\x00",
        "time": dt.datetime(2026, 11, 27, 12, 30, tzinfo=dt.timezone.utc),
        "span": dt.timedelta(seconds=90),
        "list": [1, 2, None],
        "map": {"a": 1, "b": "x"},
    }
    table = arrow(db, "g.inject(row, [:])", row=row)
    assert table.to_pylist() == [{**row, "decimal": Decimal("12.345"), "big": Decimal(2**70)}, dict.fromkeys(row)]


def test_numbers_widen_and_other_mixtures_say_what_to_do(db):
    assert arrow(db, "g.inject(1, 5000000000L)").column("value").to_pylist() == [1, 5_000_000_000]
    assert arrow(db, "g.inject(1.5f, 0.1d)").column("value").to_pylist() == [1.5, 0.1]
    with pytest.raises(mangrove.ConversionError, match="several types.*int and String.*asString"):
        arrow(db, "g.inject(1, 'one')")
    with pytest.raises(mangrove.ConversionError, match="alike"):
        arrow(db, "g.inject([a: 1], 2)")


def test_results_that_were_fetched_are_not_in_the_columns(modern):
    results = modern.query("g.V().values('name').order()")
    assert results.fetchone() == "josh"
    assert results.to_arrow().num_rows == 5
    assert results.to_arrow().num_rows == 0


def test_columns_outlive_the_database():
    with mangrove.open() as db:
        table = arrow(db, "g.inject(1, 2, 3)")
    del db
    assert table.column("value").to_pylist() == [1, 2, 3]


def test_pandas_has_them(modern):
    pytest.importorskip("pandas")
    frame = modern.query("g.V().hasLabel('person').order().by('age')").to_pandas()
    assert list(frame.columns) == ["id", "label", "name", "age"]
    assert frame["age"].sum() == 123 and list(frame["name"]) == ["vadas", "marko", "josh", "peter"]


def test_polars_has_them(modern):
    polars = pytest.importorskip("polars")
    frame = modern.query("g.V().hasLabel('person').order().by('age')").to_polars()
    assert frame["age"].sum() == 123 and frame.schema["name"] == polars.String


def test_networkx_has_vertices_edges_paths_and_subgraphs(modern):
    pytest.importorskip("networkx")
    graph = modern.query("g.V().union(identity(), outE())").to_networkx()
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (6, 6)
    assert graph.nodes[1]["name"] == "marko" and graph.nodes[1]["label"] == "person"
    assert sorted(data["weight"] for _, _, data in graph.out_edges(1, data=True)) == [0.4, 0.5, 1.0]
    paths = modern.query("g.V(1).outE('knows').inV().path()").to_networkx()
    assert (paths.number_of_nodes(), paths.number_of_edges()) == (3, 2)
    subgraph = modern.query("g.E().hasLabel('knows').subgraph('sg').cap('sg')").one().to_networkx()
    assert (subgraph.number_of_nodes(), subgraph.number_of_edges()) == (3, 2)
    with pytest.raises(mangrove.ConversionError, match="int is no part of a graph"):
        modern.query("g.V().count()").to_networkx()
    with pytest.raises(mangrove.ConversionError, match="path without vertices"):
        modern.query("g.V().out().path().by('name')").to_networkx()


def test_properties_may_be_called_as_networkx_calls_its_arguments(db):
    pytest.importorskip("networkx")
    names = ["key", "self", "u_for_edge", "v_for_edge", "node_for_adding", "attr", "label"]
    db.query("g.addV('p').property(id, 1).as('a').addE('e').from('a').to('a')")
    for name in names:
        db.query("g.V().property(k, k)", k=name)
        db.query("g.E().property(k, k)", k=name)
    expected = {("~label" if name == "label" else name): name for name in names}
    for graph in (db.query("g.union(V(), E())").to_networkx(), db.query("g.E().subgraph('s').cap('s')").one().to_networkx()):
        assert graph.nodes[1] == {"label": "p", **expected}
        assert [data for _, _, data in graph.edges(data=True)] == [{"label": "e", **expected}]


def test_nothing_but_nulls_is_a_column_of_values(db):
    table = arrow(db, "g.inject(null, null)")
    assert table.to_pydict() == {"value": [None, None]}


def test_results_that_fit_no_columns_are_gone_and_say_so(db):
    results = db.query("g.inject(1, 'one')")
    with pytest.raises(mangrove.ConversionError):
        results.to_arrow()
    with pytest.raises(mangrove.ClosedError, match="run the query again"):
        results.to_list()
