"""Values on their way in and out."""

import datetime as dt
import math
import uuid
from decimal import Decimal

import mangrove
import pytest

IN_BERLIN = dt.timezone(dt.timedelta(hours=2))

SAME = [
    None,
    True,
    False,
    0,
    -1,
    2**31 - 1,
    2**31,
    -(2**63),
    2**63,
    -(2**200),
    0.5,
    math.inf,
    "",
    "ada ∀ 𝔸",
    b"\x00\xff",
    uuid.UUID("f47ac10b-58cc-4372-a567-0e02b2c3d479"),
    Decimal("3.14159265358979323846264338327950288"),
    Decimal("1E+30"),
    dt.datetime(2026, 11, 27, 12, 30, 15, 123456, dt.timezone.utc),
    dt.datetime(1815, 12, 10, 0, 0, tzinfo=IN_BERLIN),
    dt.timedelta(days=-3, seconds=7, microseconds=9),
    [1, "two", [3.0, None]],
    {1, "two"},
    {"a": 1, "b": {"c": [1, 2]}},
    [],
    {},
]


@pytest.mark.parametrize("value", SAME, ids=repr)
def test_a_value_comes_back_as_it_was(db, value):
    back = db.query("g.inject(x).map(identity())", x=[value]).one()[0]
    assert back == value and type(back) is type(value)


def test_an_offset_of_a_time_is_kept(db):
    time = dt.datetime(2026, 6, 1, 12, 0, tzinfo=IN_BERLIN)
    assert db.query("g.inject(x)", x=time).one().utcoffset() == dt.timedelta(hours=2)


def test_a_time_without_a_zone_and_a_day_are_in_utc(db):
    assert db.query("g.inject(x)", x=dt.datetime(2026, 1, 2, 3)).one() == dt.datetime(2026, 1, 2, 3)
    assert db.query("g.inject(x)", x=dt.date(2026, 1, 2)).one() == dt.datetime(2026, 1, 2)


def test_nan_comes_back_as_nan(db):
    assert math.isnan(db.query("g.inject(x)", x=math.nan).one())


def test_tuples_are_lists_and_frozen_sets_sets(db):
    assert db.query("g.inject(x)", x=[(1, 2), frozenset([3])]).one() == [[1, 2], {3}]


def test_what_python_cannot_hold_is_an_error_that_says_what_to_do(db):
    with pytest.raises(mangrove.ConversionError, match="1 to 9999.*asString"):
        db.query("g.inject(datetime('+12026-01-01T00:00:00Z'))").one()


def test_what_is_nested_for_ever_is_refused(db):
    nested = []
    for _ in range(200):
        nested = [nested]
    with pytest.raises(mangrove.ConversionError, match="variable x: it is nested deeper"):
        db.query("g.inject(x)", x=nested)


def test_numbers_of_numpy_are_taken(db):
    numpy = pytest.importorskip("numpy")
    assert db.query("g.inject(x)", x=[numpy.int64(7), numpy.float32(0.5), numpy.bool_(True)]).one() == [7, 0.5, True]
    assert db.query("g.inject(x)", x=numpy.array([1, 2])).one() == [1, 2]


def test_vertices_and_edges_have_ids_labels_and_properties(modern):
    marko = modern.query("g.V().has('name', 'marko')").one()
    assert (marko.id, marko.label, marko["name"], marko.get("age"), marko.get("none")) == (1, "person", "marko", 29, None)
    assert marko.keys() == ["name", "age"] and "age" in marko and "none" not in marko
    assert [(p.key, p.value) for p in marko.properties] == [("name", "marko"), ("age", 29)]
    with pytest.raises(KeyError):
        marko["none"]
    edge = modern.query("g.V(1).outE('created')").one()
    assert (edge.label, edge["weight"], edge.outV, edge.inV.id) == ("created", 0.4, marko, 3)
    assert repr(marko) == "v[1]" and repr(edge).endswith("[1-created->3]")
    assert marko == modern.query("g.V(1)").one() and hash(marko) == hash(modern.query("g.V(1)").one())
    assert marko != edge and marko != 1


def test_a_vertex_may_be_given_to_a_query(modern):
    marko = modern.query("g.V(1)").one()
    assert modern.query("g.V(x).out('knows').count()", x=marko).one() == 2


def test_several_values_of_a_property_are_all_there(db):
    db.query("g.addV('person').property(list, 'city', 'Ulm').property(list, 'city', 'Bonn', 'since', 1990)")
    vertex = db.query("g.V()").one()
    assert vertex.values("city") == ["Ulm", "Bonn"] and vertex["city"] == "Ulm"
    assert [(p.key, p.value) for p in vertex.properties[1].properties] == [("since", 1990)]


def test_a_path_has_objects_and_labels(modern):
    path = modern.query("g.V(1).as('a').out('knows').has('name', 'vadas').as('b').values('name').path()").one()
    assert len(path) == 3 and path[2] == "vadas" and path[-1] == "vadas"
    assert path["a"].id == 1 and path["b"].id == 2
    assert path.labels == [{"a"}, {"b"}, set()]
    assert [*path][0].id == 1
    with pytest.raises(KeyError):
        path["c"]


def test_keys_of_maps_that_have_no_hash_become_some_that_have(modern):
    counts = modern.query("g.V().groupCount().by(values('name').fold())").one()
    assert counts[("marko",)] == 1
    both = modern.query("g.V(1).valueMap(true)").one()
    assert both[mangrove.T.id] == 1 and both["name"] == ["marko"]


def test_a_subgraph_has_vertices_and_edges(modern):
    graph = modern.query("g.E().hasLabel('knows').subgraph('sg').cap('sg')").one()
    assert len(graph.vertices) == 3 and len(graph.edges) == 2
    assert repr(graph) == "graph[vertices:3 edges:2]"


NAMES_OF_GREMLIN = ["id", "label", "key", "value", "values", "desc", "list", "from", "sum", "true"]


@pytest.mark.parametrize("name", NAMES_OF_GREMLIN)
def test_a_variable_that_is_called_like_a_word_of_gremlin_is_refused_by_name(modern, name):
    for ask in (modern.query, modern.explain, modern.profile):
        with pytest.raises(mangrove.QuerySyntaxError, match=f"variable {name}: .*`{name}_`"):
            ask(f"g.V({name})", {name: 1})
    with modern.transaction() as tx, pytest.raises(mangrove.QuerySyntaxError, match=f"variable {name}"):
        tx.query(f"g.V({name})", {name: 1})
    assert modern.query("g.V(id_).values('name')", id_=1).one() == "marko"


NUMPYS_TIMES = [
    ("datetime64", "2020-01-02", "ns", dt.datetime(2020, 1, 2)),
    ("datetime64", "2020-01-02T03:04:05.000006", "ns", dt.datetime(2020, 1, 2, 3, 4, 5, 6)),
    ("datetime64", "1960-01-02T03:04:05.000006", "us", dt.datetime(1960, 1, 2, 3, 4, 5, 6)),
    ("datetime64", "1969-12-31T03:04:05.000006", "ps", dt.datetime(1969, 12, 31, 3, 4, 5, 6)),
    ("datetime64", "2020-01-02", "s", dt.datetime(2020, 1, 2)),
    ("datetime64", "2020-01-02", "D", dt.datetime(2020, 1, 2)),
    ("datetime64", "2020-02", "M", dt.datetime(2020, 2, 1)),
    ("datetime64", "2020", "Y", dt.datetime(2020, 1, 1)),
    ("datetime64", "NaT", "ns", None),
    ("timedelta64", 5_000, "ns", dt.timedelta(microseconds=5)),
    ("timedelta64", -5, "s", dt.timedelta(seconds=-5)),
    ("timedelta64", 5, "m", dt.timedelta(minutes=5)),
    ("timedelta64", 5, "W", dt.timedelta(weeks=5)),
    ("timedelta64", "NaT", "ns", None),
]


@pytest.mark.parametrize(("kind", "given", "unit", "expected"), NUMPYS_TIMES)
def test_times_of_numpy_are_times_whatever_their_unit(db, kind, given, unit, expected):
    numpy = pytest.importorskip("numpy")
    scalar = getattr(numpy, kind)(given, unit)
    assert db.query("g.inject(x)", x=[scalar]).one() == [expected]
    array = numpy.array([[scalar, scalar]])
    assert db.query("g.inject(x)", x=array).one() == [[expected, expected]]
    assert db.query("g.inject(x)", x=[numpy.array(scalar)]).one() == [expected]
    record = numpy.array([(1, scalar)], dtype=[("n", "i4"), ("t", scalar.dtype)])
    assert db.query("g.inject(x)", x=record).one() == [[1, expected]]


def test_times_of_numpy_that_have_no_certain_length_are_refused(db):
    numpy = pytest.importorskip("numpy")
    for span in (numpy.timedelta64(1, "M"), numpy.timedelta64(1, "Y"), numpy.timedelta64(1), numpy.timedelta64(2**62, "W")):
        with pytest.raises(mangrove.ConversionError, match="variable x: .*timedelta64"):
            db.query("g.inject(x)", x=span)


def test_nanoseconds_of_pandas_are_kept(db):
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(pandas.to_datetime(["2020-01-02T00:00:00.123456789"])).astype("datetime64[ns]")
    for time in (series[0], series.values[0]):
        assert db.query("g.inject(x).asString()", x=time).one().endswith(".123456789Z")
    span = pandas.Timedelta(1_000_000_005, "ns")
    assert db.query("g.inject(x).asString()", x=span).one() == "PT1.000000005S"
    assert db.query("g.inject(x)", x=[pandas.NaT, pandas.NA]).one() == [None, None]


def test_what_comes_out_goes_in_again(modern):
    for query in (
        "g.V(1).elementMap()",
        "g.V(1).properties('name')",
        "g.V(1).outE().properties('weight').limit(1)",
        "g.V(1).out().path().limit(1)",
        "g.E(x).elementMap()",
        "g.V(1).valueMap(true)",
    ):
        given = modern.query(query, x=modern.query("g.E().limit(1)").one()).one()
        assert modern.query("g.inject(x)", x=[given]).one() == [given], query
    for token in (*mangrove.T, *mangrove.Direction):
        assert modern.query("g.inject(x)", x=[token]).one() == [token]
    graph = modern.query("g.E().subgraph('sg').cap('sg')").one()
    again = modern.query("g.inject(x)", x=[graph]).one()[0]
    assert (len(again.vertices), len(again.edges)) == (6, 6)
    modern.query("g.mergeV(x)", x={mangrove.T.id: 70, mangrove.T.label: "person", "name": "ada"})
    assert modern.query("g.V(70).label()").one() == "person"


def test_a_text_that_is_none_is_refused(db):
    with pytest.raises(mangrove.ConversionError, match="variable x.*surrogates"):
        db.query("g.inject(x)", x="\ud800")
