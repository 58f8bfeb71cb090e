"""gremlinpython 4.0.0b3, which speaks TinkerPop 4 over HTTP: getting started, streaming, transactions, errors."""

import datetime
import logging
import os
import unittest
import urllib.parse
import uuid

from gremlin_python.driver.client import Client
from gremlin_python.driver.connection import GremlinServerError
from gremlin_python.driver.driver_remote_connection import DriverRemoteConnection
from gremlin_python.process.anonymous_traversal import traversal
from gremlin_python.process.graph_traversal import __
from gremlin_python.process.traversal import GValue, Order, P, T, TextP
from gremlin_python.statics import SingleChar, long
from gremlin_python.structure.graph import Edge, Path, Vertex

URL = urllib.parse.urlsplit(os.environ["MANGROVE_URL"])._replace(scheme="http").geturl()
logging.disable(logging.ERROR)


class Driver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # One connection for each request in flight; the driver's default of 128 is for servers that are further away.
        connect = lambda source: DriverRemoteConnection(URL, source, max_connections=4)
        cls.connections = [connect("gmodern"), connect("g")]
        cls.modern, cls.g = [traversal().with_(connection) for connection in cls.connections]
        cls.clients = [Client(URL, source, max_connections=4) for source in ["gmodern", "g"]]

    @classmethod
    def tearDownClass(cls):
        for closable in cls.connections + cls.clients:
            closable.close()

    def setUp(self):
        self.g.V().drop().iterate()

    def script(self, text, parameters=None, **options):
        return self.clients[0].submit(text, parameters, request_options=options or None).all().result()

    def refused(self, act):
        with self.assertRaises(GremlinServerError) as caught:
            act()
        return caught.exception.status_code, caught.exception.status_exception

    # Getting started.

    def test_the_first_traversals_of_the_tutorial(self):
        g = self.modern
        self.assertEqual(sorted(v.id for v in g.V()), [1, 2, 3, 4, 5, 6])
        self.assertEqual(g.V(1).values("name").to_list(), ["marko"])
        self.assertEqual(g.V(1).out_e("knows").to_set(), {Edge(7, Vertex(1), "knows", Vertex(2)),
                                                           Edge(8, Vertex(1), "knows", Vertex(4))})
        self.assertEqual(g.V(1).out("knows").has("age", P.gt(30)).values("name").to_list(), ["josh"])
        self.assertEqual(g.V().has("name", TextP.starting_with("m")).count().next(), 1)
        self.assertEqual(g.V().has("name", P.within("vadas", "marko")).values("age").mean().next(), 28.0)
        names = g.V().has("name", "marko").as_("exclude").out("created").in_("created").where(P.neq("exclude")) \
            .values("name")
        self.assertEqual(sorted(names), ["josh", "peter"])

    def test_maps_paths_and_orders(self):
        g = self.modern
        self.assertEqual(g.V().group().by(T.label).by("name").next(),
                         {"person": ["marko", "vadas", "josh", "peter"], "software": ["lop", "ripple"]})
        self.assertEqual(g.V(1).element_map("name").next(), {T.id: 1, T.label: "person", "name": "marko"})
        path = g.V(1).repeat(__.out()).times(2).path().by("name").next()
        self.assertIsInstance(path, Path)
        self.assertEqual(path.objects, ["marko", "josh", "ripple"])
        names = g.V().has_label("person").order().by("age", Order.desc).values("name")
        self.assertEqual(names.to_list(), ["peter", "josh", "marko", "vadas"])
        self.assertEqual(sorted(g.V().has_label("person").aggregate("x").by("name").cap("x").next()),
                         ["josh", "marko", "peter", "vadas"])

    def test_elements_arrive_with_their_labels_and_properties(self):
        vertex = self.modern.V(1).next()
        self.assertEqual((vertex.id, vertex.label), (1, "person"))
        self.assertEqual({p.key: p.value for p in vertex.properties}, {"name": "marko", "age": 29})
        edge = self.modern.E(7).next()
        self.assertEqual((edge.label, edge.outV.label, edge.inV.id), ("knows", "person", 2))
        self.assertEqual([(p.key, p.value) for p in edge.properties], [("weight", 0.5)])
        bare = self.modern.with_("materializeProperties", "tokens").V(1).next()
        self.assertFalse(bare.properties)

    def test_many_results_stream_in_pages_with_their_bulks(self):
        self.assertEqual(len(self.modern.with_("batchSize", 2).V().to_list()), 6)
        self.assertEqual(len(self.modern.V().repeat(__.both()).times(6).to_list()), 1014)
        self.assertEqual(len(self.modern.with_("bulkResults", False).V().repeat(__.both()).times(4).to_list()), 174)

    def test_values_go_there_and_back(self):
        values = [1, long(2 ** 40), 1.5, True, "a 'quoted' \"text\"", uuid.UUID(int=7), [1, "x"], {"k": 1},
                  datetime.datetime(2024, 2, 29, 12, 30, tzinfo=datetime.timezone.utc),
                  datetime.timedelta(hours=5, milliseconds=7), datetime.timedelta(seconds=-2), SingleChar("x")]
        for value in values:
            self.assertEqual(self.g.inject(value).next(), value)

    def test_parameters(self):
        self.assertEqual(self.script("g.V().has('name', x).values('age')", {"x": "marko"}), [29])
        self.assertEqual(self.script("g.V(x).values('name').order()", {"x": [1, 2]}), ["marko", "vadas"])
        self.assertEqual(self.modern.V(GValue("one", 1)).values("name").next(), "marko")

    def test_writing(self):
        g = self.g
        marko = g.add_v("person").property("name", "marko").next()
        stephen = g.add_v("person").property("name", "stephen").next()
        g.V(marko).add_e("knows").to(__.V(stephen)).property("weight", 0.75).iterate()
        self.assertEqual(g.V(marko).out_e("knows").values("weight").next(), 0.75)
        self.assertEqual(g.V(marko).out("knows").values("name").next(), "stephen")

    # Transactions.

    def test_a_transaction_that_commits(self):
        tx = self.g.tx()
        gtx = tx.begin()
        ada = gtx.add_v("person").property("name", "ada").next()
        gtx.V(ada).property("age", 36).iterate()
        self.assertEqual(gtx.V(ada).values("age").to_list(), [36])
        self.assertEqual(self.g.V().count().next(), 0)
        tx.commit()
        self.assertEqual(self.g.V().value_map().next(), {"name": ["ada"], "age": [36]})

    def test_a_transaction_that_rolls_back(self):
        tx = self.g.tx()
        tx.begin().add_v("person").iterate()
        tx.rollback()
        with self.clients[1].transact() as tx:
            tx.begin()
            tx.submit("g.addV('forgotten')").all().result()
        self.assertEqual(self.g.V().count().next(), 0)

    def test_a_transaction_that_conflicts(self):
        self.g.add_v("counter").property("n", 0).iterate()
        transactions = [self.g.tx(), self.g.tx()]
        for tx in transactions:
            gtx = tx.begin()
            n = gtx.V().has_label("counter").values("n").next()
            gtx.V().has_label("counter").property("n", n + 1).iterate()
        transactions[0].commit()
        self.assertEqual(self.refused(transactions[1].commit), (409, "TransactionException"))
        self.assertEqual(self.g.V().values("n").next(), 1)
        self.assertEqual(self.refused(transactions[1].rollback), (404, "TransactionException"))

    def test_an_error_leaves_a_transaction_open_and_a_timeout_ends_it(self):
        tx = self.clients[1].transact()
        tx.begin()
        submit = lambda text, **options: tx.submit(text, request_options=options).all().result()
        submit("g.addV('a')")
        self.assertEqual(self.refused(lambda: submit("g.V().nope()")), (400, "MalformedQueryException"))
        self.assertEqual(submit("g.V().count()"), [1])
        endless = "g.inject(1).repeat(identity()).until(constant(1).is(2)).count()"
        self.assertEqual(self.refused(lambda: submit(endless, timeoutMillis=50)), (504, "TransactionException"))
        self.assertEqual(self.refused(lambda: submit("g.V()")), (404, "TransactionException"))
        self.assertEqual(self.g.V().count().next(), 0)

    # What goes wrong.

    def test_errors_have_codes_and_names(self):
        self.assertEqual(self.refused(lambda: self.script("g.V().nope()")), (400, "MalformedQueryException"))
        slow = lambda: self.modern.with_("timeoutMillis", 50).V().repeat(__.both()).until(__.constant(1).is_(2)) \
            .count().next()
        self.assertEqual(self.refused(slow), (500, "ServerTimeoutExceededException"))
        in_text = "g.with('timeoutMillis', 50).V().repeat(both()).until(constant(1).is(2)).count()"
        self.assertEqual(self.refused(lambda: self.script(in_text)), (500, "ServerTimeoutExceededException"))
        self.assertEqual(self.refused(lambda: self.modern.V().fail("no").iterate()), (500, "ServerFailStepException"))
        connection = DriverRemoteConnection(URL, "gnone", max_connections=1)
        try:
            nobody = lambda: traversal().with_(connection).V().next()
            self.assertEqual(self.refused(nobody), (400, "InvalidRequestException"))
        finally:
            connection.close()


if __name__ == "__main__":
    unittest.main()
