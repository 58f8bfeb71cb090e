"""gremlinpython over a database in this process."""

import datetime as dt
import uuid

import mangrove
import pytest

pytest.importorskip("gremlin_python")

from gremlin_python.process.anonymous_traversal import traversal  # noqa: E402
from gremlin_python.process.graph_traversal import __  # noqa: E402
from gremlin_python.process.traversal import Merge, Order, P, T, TextP  # noqa: E402
from gremlin_python.structure.graph import Path, Vertex  # noqa: E402

from mangrove.gremlin import EmbeddedConnection  # noqa: E402


def test_traversals_are_built_run_and_come_back_as_gremlinpythons_own(modern):
    g = modern.g
    assert g.V().has("name", "marko").out("knows").values("name").order().to_list() == ["josh", "vadas"]
    marko = g.V().has("name", "marko").next()
    assert isinstance(marko, Vertex) and (marko.id, marko.label) == (1, "person")
    assert g.V(marko).out_e("created").next().inV.id == 3
    path = g.V(1).as_("a").out("created").path().next()
    assert isinstance(path, Path) and [v.id for v in path] == [1, 3]
    assert g.V().value_map(True).next()[T.id] == 1
    assert g.V().where(__.out("created").has("name", TextP.starting_with("lo"))).count().next() == 3
    assert g.V().has("age", P.gt(30)).order().by("age", Order.desc).values("name").to_list() == ["peter", "josh"]


def test_a_result_that_stands_there_many_times_comes_as_often(modern):
    assert len(modern.g.V().repeat(__.both()).times(2).to_list()) == 30


def test_what_a_traversal_writes_is_committed(modern):
    modern.g.add_v("person").property("name", "ada").iterate()
    modern.g.merge_v({T.label: "person", "name": "ada"}).option(Merge.on_match, {"age": 36}).iterate()
    assert modern.query("g.V().has('name', 'ada').values('age')").to_list() == [36]


def test_values_go_and_come_as_over_the_wire(modern):
    for value in (
        "text",
        True,
        uuid.UUID("f47ac10b-58cc-4372-a567-0e02b2c3d479"),
        dt.timedelta(seconds=3),
        dt.datetime(2026, 11, 27, 12, 30, tzinfo=dt.timezone.utc),
        [1, "a", None],
        {"a", "b"},
        {"k": [1]},
    ):
        assert modern.g.inject([value]).next() == [value]


def test_a_transaction_is_gremlinpythons(modern):
    tx = modern.g.tx()
    gtx = tx.begin()
    gtx.add_v("person").property("name", "ada").iterate()
    assert gtx.V().count().next() == 7 and modern.g.V().count().next() == 6
    tx.commit().all().result()
    assert modern.g.V().count().next() == 7 and not tx.is_open()
    tx = modern.g.tx()
    tx.begin().V().drop().iterate()
    tx.rollback()
    assert modern.g.V().count().next() == 7


def test_errors_are_the_packages(modern):
    with pytest.raises(mangrove.EvaluationError):
        modern.g.V().values("name").sum_().next()
    with pytest.raises(mangrove.QueryTimeoutError):
        modern.g.with_("evaluationTimeout", 30).V().repeat(__.both()).until(__.constant(1).is_(2)).iterate()


def test_a_promise_is_kept(modern):
    assert modern.g.V().count().promise().result().next() == 6


def test_a_promise_that_cannot_be_kept_says_so(modern):
    promised = modern.g.V().has("name").values("name").math("_ + 1").promise()
    assert isinstance(promised.exception(5), mangrove.EvaluationError)
    with pytest.raises(mangrove.EvaluationError):
        promised.result(5)
    assert modern.g.V().count().promise(lambda traversal: traversal.next()).result(5) == 6


def test_a_connection_that_is_closed_says_so(modern):
    connection = EmbeddedConnection(modern)
    g = traversal().with_(connection)
    assert g.V().count().next() == 6 and not connection.is_closed()
    connection.close()
    assert connection.is_closed() and not modern.is_closed
    with pytest.raises(mangrove.ClosedError, match="connection"):
        g.V().count().next()
