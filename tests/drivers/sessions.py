"""Sessions and transactions with gremlinpython 3.8.2 and both of its serializers: `g.tx()`, and a client with a session."""

import logging
import os
import unittest
import uuid

from gremlin_python.driver import serializer
from gremlin_python.driver.client import Client
from gremlin_python.driver.driver_remote_connection import DriverRemoteConnection
from gremlin_python.driver.protocol import GremlinServerError
from gremlin_python.process.anonymous_traversal import traversal

URL = os.environ["MANGROVE_URL"]
CONFLICT = "org.apache.tinkerpop.gremlin.structure.util.TransactionException"
logging.disable(logging.ERROR)


class Sessions:
    """What every serializer has to get right; the subclasses name one."""

    serializer = None

    def setUp(self):
        self.connection = DriverRemoteConnection(URL, "g", message_serializer=self.serializer())
        self.g = traversal().with_remote(self.connection)
        self.g.V().drop().iterate()

    def tearDown(self):
        self.g.V().drop().iterate()
        self.connection.close()

    def client(self):
        return Client(URL, "g", message_serializer=self.serializer(), session=str(uuid.uuid4()))

    def count(self):
        return self.g.V().count().next()

    def test_a_transaction_that_commits(self):
        tx = self.g.tx()
        gtx = tx.begin()
        ada = gtx.add_v("person").property("name", "ada").next()
        gtx.V(ada).property("age", 36).iterate()
        self.assertEqual(gtx.V(ada).values("age").to_list(), [36])
        self.assertEqual(self.count(), 0)
        tx.commit()
        self.assertFalse(tx.is_open())
        self.assertEqual(self.g.V().value_map().next(), {"name": ["ada"], "age": [36]})

    def test_a_transaction_that_rolls_back(self):
        tx = self.g.tx()
        tx.begin().add_v("person").iterate()
        tx.rollback()
        self.assertEqual(self.count(), 0)

    def test_a_transaction_that_is_closed(self):
        tx = self.g.tx()
        tx.begin().add_v("person").iterate()
        tx.close()
        self.assertEqual(self.count(), 0)

    def test_a_transaction_that_conflicts(self):
        self.g.add_v("counter").property("n", 0).iterate()
        transactions = [self.g.tx(), self.g.tx()]
        for tx in transactions:
            gtx = tx.begin()
            n = gtx.V().has_label("counter").values("n").next()
            gtx.V().has_label("counter").property("n", n + 1).iterate()
        transactions[0].commit()
        with self.assertRaises(GremlinServerError) as raised:
            # What the driver hands out fails when it is looked at.
            transactions[1].commit().all().result()
        self.assertEqual(raised.exception.status_code, 596)
        self.assertIn(CONFLICT, raised.exception.status_attributes["exceptions"])
        self.assertIn("begin again", str(raised.exception))
        self.assertEqual(self.g.V().values("n").next(), 1)

    def test_a_session_with_variables_and_scripts(self):
        client = self.client()
        script = lambda text, bindings=None: client.submit(text, bindings).all().result()
        self.assertEqual(script("x = 5"), [5])
        script("v = g.addV('a').property('n', x).next()")
        self.assertEqual(script("g.V(v).values('n')"), [5])
        self.assertEqual(script("g.V(v).property('m', m); g.V(v).values('m')", {"m": 7}), [7])
        self.assertEqual(self.count(), 0)
        script("g.tx().commit()")
        self.assertEqual(self.count(), 1)
        script("g.V(v).drop()")
        script("g.tx().rollback()")
        self.assertEqual(script("g.V(v).values('n', 'm')"), [5, 7])
        with self.assertRaises(GremlinServerError) as raised:
            script("y")
        self.assertEqual(raised.exception.status_code, 597)
        client.close()

    def test_close_and_a_connection_that_ends_roll_back(self):
        client = self.client()
        client.submit("g.addV('a')").all().result()
        client.close()
        dropped = self.client()
        dropped.submit("g.addV('a')").all().result()
        # Without a word to the server.
        dropped._pool.get(True).close()
        self.assertEqual(self.count(), 0)

    def test_a_request_that_manages_its_transaction(self):
        client = self.client()
        managed = {"manageTransaction": True}
        client.submit("g.addV('forgotten')").all().result()
        client.submit("g.addV('a')", request_options=managed).all().result()
        self.assertEqual(self.g.V().label().to_list(), ["a"])
        client.close()

    def test_a_transaction_that_ran_out_of_time(self):
        client = self.client()
        client.submit("g.addV('a')").all().result()
        endless = "g.inject(1).repeat(identity()).until(constant(1).is(2)).count()"
        with self.assertRaises(GremlinServerError) as raised:
            client.submit(endless, request_options={"evaluationTimeout": 50}).all().result()
        self.assertEqual(raised.exception.status_code, 598)
        with self.assertRaises(GremlinServerError) as raised:
            client.submit("g.addV('b')").all().result()
        self.assertEqual(raised.exception.status_code, 500)
        client.submit("g.tx().rollback()").all().result()
        client.submit("g.addV('c'); g.tx().commit()").all().result()
        self.assertEqual(self.g.V().label().to_list(), ["c"])
        client.close()


class GraphBinarySessions(Sessions, unittest.TestCase):
    serializer = serializer.GraphBinarySerializersV1


class GraphSonSessions(Sessions, unittest.TestCase):
    serializer = serializer.GraphSONSerializersV3d0


if __name__ == "__main__":
    unittest.main()
