"""Reads and writes a served graph: pip install gremlinpython==3.8.2, then python connect.py [ws://HOST:PORT/gremlin]"""

import sys

from gremlin_python.driver.driver_remote_connection import DriverRemoteConnection
from gremlin_python.process.anonymous_traversal import traversal
from gremlin_python.process.graph_traversal import __
from gremlin_python.process.traversal import Order

url = sys.argv[1] if len(sys.argv) > 1 else "ws://localhost:8182/gremlin"
connection = DriverRemoteConnection(url, "g")
g = traversal().with_(connection)

print("vertices by label:", g.V().group_count().by(__.label()).next())

ada = g.add_v("Visitor").property("name", "ada").next()
print("added", g.V(ada).element_map().next())
g.V(ada).drop().iterate()

top = g.V().has_label("Person").order().by(__.out("knows").count(), Order.desc).limit(3)
for person in top.project("name", "friends").by("firstName").by(__.out("knows").count()):
    print(person)

connection.close()
