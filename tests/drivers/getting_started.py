"""The getting-started traversals of TinkerPop's documentation, with gremlinpython 3.8.2 and both of its serializers."""

import datetime
import logging
import os
import unittest
from importlib.metadata import version

from gremlin_python.driver import serializer
from gremlin_python.driver.client import Client
from gremlin_python.driver.driver_remote_connection import DriverRemoteConnection
from gremlin_python.driver.protocol import GremlinServerError
from gremlin_python.process.anonymous_traversal import traversal
from gremlin_python.process.graph_traversal import __
from gremlin_python.process.traversal import Operator, Order, P, Pop, Scope, T, TextP, WithOptions
from gremlin_python.statics import timestamp
from gremlin_python.structure.graph import Edge, Path, Vertex

URL = os.environ["MANGROVE_URL"]
KEEPS_OFFSETS = tuple(map(int, version("gremlinpython").split(".")[:2])) >= (3, 8)
# The driver logs every error that it also raises.
logging.disable(logging.ERROR)


class GettingStarted:
    """What every serializer has to get right; the subclasses name one."""

    serializer = None

    @classmethod
    def setUpClass(cls):
        connect = lambda source: DriverRemoteConnection(URL, source, message_serializer=cls.serializer())
        cls.connections = [connect("gmodern"), connect("g")]
        cls.modern, cls.g = [traversal().with_remote(connection) for connection in cls.connections]
        cls.client = Client(URL, "gmodern", message_serializer=cls.serializer())

    @classmethod
    def tearDownClass(cls):
        for connection in cls.connections:
            connection.close()
        cls.client.close()

    def script(self, text, bindings=None, **options):
        return self.client.submit(text, bindings, request_options=options or None).all().result()

    # The tutorial "Getting Started", in its order.

    def test_the_first_traversals_of_the_tutorial(self):
        g = self.modern
        self.assertEqual(sorted(v.id for v in g.V()), [1, 2, 3, 4, 5, 6])
        self.assertEqual(g.V(1).to_list(), [Vertex(1)])
        self.assertEqual(g.V(1).values("name").to_list(), ["marko"])
        self.assertEqual(g.V(1).out_e("knows").to_set(), {Edge(7, Vertex(1), "knows", Vertex(2)),
                                                           Edge(8, Vertex(1), "knows", Vertex(4))})
        self.assertEqual(sorted(g.V(1).out_e("knows").in_v().values("name")), ["josh", "vadas"])
        self.assertEqual(sorted(g.V(1).out("knows").values("name")), ["josh", "vadas"])
        self.assertEqual(g.V(1).out("knows").has("age", P.gt(30)).values("name").to_list(), ["josh"])

    def test_profiles_are_metrics(self):
        for profile in [self.modern.V().out().profile().next(), self.script("g.V().out().profile()")[0]]:
            self.assertEqual({"dur", "metrics"}, set(profile))
            steps = profile["metrics"]
            self.assertAlmostEqual(sum(step["annotations"]["percentDur"] for step in steps), 100.0)
            self.assertIn(6, [step["counts"].get("elementCount") for step in steps])

    def test_marko_by_name_and_what_he_made(self):
        g = self.modern
        self.assertEqual(g.V().has("name", "marko").out("created").values("name").next(), "lop")
        ages = g.V().has("name", P.within("vadas", "marko")).values("age")
        self.assertEqual(ages.mean().next(), 28.0)

    def test_who_created_with_marko(self):
        g = self.modern
        names = g.V().has("name", "marko").as_("exclude").out("created").in_("created") \
            .where(P.neq("exclude")).values("name")
        self.assertEqual(sorted(names), ["josh", "peter"])

    def test_select_pairs(self):
        g = self.modern
        pairs = g.V().as_("a").out("created").in_("created").as_("b").where("a", P.neq("b")).select("a", "b").by("name")
        self.assertEqual(len(pairs.to_list()), 6)

    def test_group_by_label(self):
        self.assertEqual(self.modern.V().group().by(T.label).by("name").next(),
                         {"person": ["marko", "vadas", "josh", "peter"], "software": ["lop", "ripple"]})

    def test_times_come_back_as_they_went(self):
        naive = datetime.datetime(2016, 12, 14, 21, 14, 36, 295000)
        aware = datetime.datetime(2016, 12, 14, 21, 14, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
        stamp = timestamp(1481750076.295)
        vertex = self.g.add_v("times").property("naive", naive).property("aware", aware).property("stamp", stamp).next()
        try:
            # Before 3.8 the driver sent a moment without its offset, and read a time of UTC that does not say so.
            moment = aware if KEEPS_OFFSETS else aware.astimezone(datetime.timezone.utc).replace(tzinfo=None)
            for key, sent, expected in (("naive", naive, naive), ("aware", aware, moment), ("stamp", stamp, stamp)):
                got = self.g.V(vertex.id).values(key).next()
                self.assertIs(type(got), type(expected))
                self.assertEqual(got, expected)
                self.assertEqual(self.g.V(vertex.id).has(key, sent).count().next(), 1)
        finally:
            self.g.V(vertex.id).drop().iterate()

    def test_counting(self):
        g = self.modern
        self.assertEqual(g.V().count().next(), 6)
        self.assertEqual(g.E().count().next(), 6)
        self.assertEqual(g.V().label().group_count().next(), {"person": 4, "software": 2})

    def test_repeat_and_path(self):
        g = self.modern
        path = g.V(1).repeat(__.out()).times(2).path().by("name").next()
        self.assertIsInstance(path, Path)
        self.assertEqual(path.objects, ["marko", "josh", "ripple"])
        self.assertEqual(sorted(g.V(1).repeat(__.out()).emit().values("name")),
                         ["josh", "lop", "lop", "ripple", "vadas"])

    def test_maps_of_elements(self):
        g = self.modern
        self.assertEqual(g.V(1).value_map().next(), {"name": ["marko"], "age": [29]})
        self.assertEqual(g.V(1).value_map().with_(WithOptions.tokens).next(),
                         {T.id: 1, T.label: "person", "name": ["marko"], "age": [29]})
        self.assertEqual(g.V(1).element_map("name").next(), {T.id: 1, T.label: "person", "name": "marko"})

    def test_ordering_and_limits(self):
        g = self.modern
        names = g.V().has_label("person").order().by("age", Order.desc).values("name")
        self.assertEqual(names.to_list(), ["peter", "josh", "marko", "vadas"])
        self.assertEqual(g.V().values("name").order().range_(1, 3).to_list(), ["lop", "marko"])
        self.assertEqual(g.V().values("name").order().tail(1).to_list(), ["vadas"])

    def test_predicates(self):
        g = self.modern
        self.assertEqual(g.V().has("name", TextP.starting_with("m")).count().next(), 1)
        self.assertEqual(g.V().has("age", P.between(27, 30)).count().next(), 2)
        self.assertEqual(g.V().has("age", P.lt(28).or_(P.gt(33))).count().next(), 2)
        self.assertEqual(g.V().where(__.out("created").count().is_(P.gte(2))).values("name").to_list(), ["josh"])

    def test_branches_and_subqueries(self):
        g = self.modern
        self.assertEqual(sorted(g.V(1).union(__.values("name"), __.out("created").values("name"))), ["lop", "marko"])
        self.assertEqual(g.V(1).coalesce(__.values("nick"), __.values("name")).next(), "marko")
        kinds = g.V().choose(__.has("age"), __.constant("person"), __.constant("thing")).group_count().next()
        self.assertEqual(kinds, {"person": 4, "thing": 2})
        self.assertEqual(g.V(2).optional(__.out()).next(), Vertex(2))

    def test_projection_folds_and_math(self):
        g = self.modern
        row = g.V(1).project("name", "made").by("name").by(__.out("created").count()).next()
        self.assertEqual(row, {"name": "marko", "made": 1})
        self.assertEqual(sum(g.V().values("age").fold().next()), 123)
        self.assertEqual(g.V(1).values("age").math("_ * 2").next(), 58.0)
        self.assertEqual(g.V().values("age").sum_().next(), 123)

    def test_side_effects(self):
        g = self.modern
        names = g.V().has_label("person").aggregate("x").by("name").cap("x").next()
        self.assertEqual(sorted(names), ["josh", "marko", "peter", "vadas"])

    def test_elements_arrive_with_their_properties(self):
        vertex = self.modern.V(1).next()
        self.assertEqual((vertex.id, vertex.label), (1, "person"))
        self.assertEqual({p.key: p.value for p in vertex.properties}, {"name": "marko", "age": 29})
        bare = self.modern.with_("materializeProperties", "tokens").V(1).next()
        self.assertFalse(bare.properties)
        said = self.script("gmodern.with('materializeProperties', 'all').V(1)", materializeProperties="tokens")
        self.assertEqual(len(said[0].properties), 2)

    def test_iterate_answers_nothing(self):
        self.modern.V().iterate()
        self.assertFalse(self.modern.V().has_label("nothing").has_next())

    def test_many_results_stream_in_batches(self):
        self.assertEqual(len(self.modern.with_("batchSize", 2).V().to_list()), 6)
        self.assertEqual(len(self.modern.V().repeat(__.both()).times(4).to_list()), 174)

    # Writing.

    def test_adding_changing_and_dropping(self):
        g = self.g
        g.V().drop().iterate()
        marko = g.add_v("person").property("name", "marko").property("age", 29).next()
        stephen = g.add_v("person").property("name", "stephen").next()
        g.V(marko).add_e("knows").to(__.V(stephen)).property("weight", 0.75).iterate()
        self.assertEqual(g.V(marko).out_e("knows").values("weight").next(), 0.75)
        self.assertEqual(g.V(marko).out("knows").values("name").next(), "stephen")
        g.V(marko).property("age", 30).iterate()
        self.assertEqual(g.V(marko).values("age").to_list(), [30])
        g.V(marko).properties("age").drop().iterate()
        self.assertFalse(g.V(marko).has("age").has_next())
        g.V(marko).out_e().drop().iterate()
        self.assertEqual(g.E().count().next(), 0)
        g.V().drop().iterate()
        self.assertEqual(g.V().count().next(), 0)

    # Scripts.

    def test_scripts(self):
        self.assertEqual(self.script("g.V().count()"), [6])
        self.assertEqual(self.script("g.V().values('name').order().toList()"),
                         ["josh", "lop", "marko", "peter", "ripple", "vadas"])
        self.assertEqual(self.script("g.V().has('name', x).values('age')", {"x": "marko"}), [29])
        self.assertEqual(self.script("g.V().hasLabel('nothing')"), [])
        self.assertEqual(self.script("gmodern.V(1).out('knows').values('name').order()"), ["josh", "vadas"])
        self.assertEqual(len(self.script("g.V()", batchSize=2)), 6)

    # What goes wrong.

    def status(self, act):
        with self.assertRaises(GremlinServerError) as caught:
            act()
        return caught.exception

    def test_a_syntax_error_says_where(self):
        error = self.status(lambda: self.script("g.V().nope()"))
        self.assertEqual(error.status_code, 597)
        self.assertIn("nope", str(error))

    def test_a_timeout_is_598(self):
        slow = lambda: self.modern.with_("evaluationTimeout", 50).V().repeat(__.both()).until(__.constant(1).is_(2)) \
            .count().next()
        self.assertEqual(self.status(slow).status_code, 598)
        self.assertEqual(self.modern.V().count().next(), 6)

    def test_an_unknown_traversal_source_is_499(self):
        connection = DriverRemoteConnection(URL, "gnone", message_serializer=self.serializer())
        try:
            self.assertEqual(self.status(lambda: traversal().with_remote(connection).V().next()).status_code, 499)
        finally:
            connection.close()


class GraphBinary(GettingStarted, unittest.TestCase):
    serializer = serializer.GraphBinarySerializersV1


class GraphSON3(GettingStarted, unittest.TestCase):
    serializer = serializer.GraphSONSerializersV3d0


if __name__ == "__main__":
    unittest.main()
