"""gremlinpython 4.0.0b3 logs in over TLS, and may do what its user may. Ada was made by secured.py."""

import logging
import os
import ssl
import unittest
import urllib.parse

from gremlin_python.driver import auth
from gremlin_python.driver.client import Client
from gremlin_python.driver.connection import GremlinServerError

URL = urllib.parse.urlsplit(os.environ["MANGROVE_URL"])._replace(scheme="https").geturl()
logging.disable(logging.ERROR)


class Secured(unittest.TestCase):
    def ask(self, script, source="g", who=("ada", "countess1815")):
        context = ssl.create_default_context(cafile=os.environ["MANGROVE_CA"])
        client = Client(URL, source, max_connections=1, ssl=context, interceptors=auth.basic(*who) if who else None)
        try:
            return client.submit(script).all().result()
        finally:
            client.close()

    def test_a_role_is_kept_to(self):
        self.assertEqual(self.ask("g.V().count()", "gmodern"), [6])
        with self.assertRaises(GremlinServerError) as caught:
            self.ask("g.addV('x')", "gmodern")
        self.assertIn("403", str(caught.exception))

    def test_wrong_credentials_and_none_are_refused(self):
        for who in [("ada", "countess1816"), None]:
            with self.assertRaises(Exception) as caught:
                self.ask("g.V()", who=who)
            self.assertIn("401", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
