"""LangChain: the table of docs/tools.md. usage: langchain_graph.py PORT"""

import sys

from gremlin_python.driver.protocol import GremlinServerError
from langchain_community.chains.graph_qa.gremlin import GremlinQAChain
from langchain_community.graphs import GremlinGraph
from langchain_community.graphs.graph_document import GraphDocument, Node, Relationship
from langchain_community.llms.fake import FakeListLLM
from langchain_core.documents import Document

QUERY = "g.V().has('name', 'marko').out('knows').values('name').order()"

graph = GremlinGraph(url=f"ws://localhost:{sys.argv[1]}/gremlin", username="", password="", include_edge_properties=True)
schema = graph.get_schema
assert "person,software" in schema and "created,knows" in schema and "'lang'" in schema and "'weight'" in schema, schema
assert graph.query(QUERY) == ["josh", "vadas"]

model = FakeListLLM(responses=[QUERY, "Marko knows josh and vadas."])
chain = GremlinQAChain.from_llm(model, graph=graph, allow_dangerous_requests=True)
assert chain.invoke("Whom does marko know?")["result"] == "Marko knows josh and vadas."

first, second = Node(id="x", type="Topic", properties={"title": "graphs"}), Node(id="y", type="Topic")
source = Document(page_content="text")
graph.add_graph_documents([GraphDocument(nodes=[first, second], relationships=[], source=source)])
assert graph.query("g.V().hasLabel('Topic').values('id').order()") == ["x", "y"]
related = GraphDocument(nodes=[], relationships=[Relationship(source=first, target=second, type="about")], source=source)
try:
    graph.add_graph_documents([related])
except GremlinServerError as error:
    # The query begins with a quotation mark.
    assert 'no closing "' in str(error), error
else:
    raise SystemExit("relationships can be added now: say so in docs/tools.md")
graph.client.close()
