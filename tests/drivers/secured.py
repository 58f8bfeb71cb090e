"""gremlinpython 3.8.2 logs in over TLS, and may do what its user may."""

import logging
import os
import ssl
import unittest

from gremlin_python.driver.client import Client
from gremlin_python.driver.driver_remote_connection import DriverRemoteConnection
from gremlin_python.driver.protocol import GremlinServerError
from gremlin_python.process.anonymous_traversal import traversal

URL = os.environ["MANGROVE_URL"]
ADMIN = ("admin", os.environ["MANGROVE_PASSWORD"])
ADA = ("ada", "countess1815")
logging.disable(logging.ERROR)


def options(who, authority=os.environ["MANGROVE_CA"]):
    name, password = who
    return {"username": name, "password": password, "ssl_options": ssl.create_default_context(cafile=authority)}


class Secured(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ask(ADMIN, "g.call('mangrove.users.add', ['name': 'ada', 'password': 'countess1815', 'role': ['read@gmodern', 'write@g']])")

    @staticmethod
    def ask(who, script, source="g"):
        client = Client(URL, source, **options(who))
        try:
            return client.submit(script).all().result()
        finally:
            client.close()

    def refused(self, code, who, script, source="g"):
        with self.assertRaises(GremlinServerError) as caught:
            self.ask(who, script, source)
        self.assertEqual(caught.exception.status_code, code, caught.exception)

    def test_bytecode_and_scripts_are_run_for_who_has_logged_in(self):
        connection = DriverRemoteConnection(URL, "gmodern", **options(ADA))
        try:
            self.assertEqual(traversal().with_remote(connection).V().count().next(), 6)
        finally:
            connection.close()
        self.assertEqual(self.ask(ADA, "g.V().count()", "gmodern"), [6])

    def test_many_connections_of_one_client_log_in_at_once(self):
        client = Client(URL, "gmodern", pool_size=16, max_workers=16, **options(ADA))
        try:
            futures = [client.submit_async("g.V().count()") for _ in range(64)]
            self.assertEqual([future.result().all().result() for future in futures], [[6]] * 64)
        finally:
            client.close()

    def test_a_role_is_kept_to(self):
        self.refused(403, ADA, "g.addV('x')", "gmodern")
        self.refused(403, ADA, "g.call('mangrove.users.list')")
        self.refused(403, ADA, "g.call('mangrove.index.create', ['label': 'x', 'key': 'y'])")
        self.ask(ADA, "g.addV('x').iterate()")
        self.assertEqual(len(self.ask(ADMIN, "g.call('mangrove.users.list')")), 2)

    def test_a_session_is_its_users(self):
        client = Client(URL, "g", session="s", **options(ADA))
        try:
            self.assertEqual(client.submit("g.V().limit(1).count()").all().result(), [1])
        finally:
            client.close()

    def test_wrong_credentials_are_refused(self):
        self.refused(401, ("ada", "countess1816"), "g.V()")
        self.refused(401, ("nobody", "countess1815"), "g.V()")

    def test_a_token_is_as_good_as_a_password(self):
        [token] = self.ask(ADMIN, "g.call('mangrove.users.token', ['name': 'ada', 'role': 'read'])")
        self.assertEqual(self.ask(("ada", token), "g.V().count()", "gmodern"), [6])
        self.refused(403, ("ada", token), "g.addV('x')")

    def test_a_server_that_nobody_vouches_for_is_not_talked_to(self):
        with self.assertRaises(Exception):
            client = Client(URL, "g", username="ada", password="countess1815", ssl_options=ssl.create_default_context())
            client.submit("g.V()").all().result()


if __name__ == "__main__":
    unittest.main()
