"""Results as graphs of networkx."""


def of_results(results):
    """A ``networkx.MultiDiGraph`` of all vertices, edges, paths and subgraphs among the results.

    A node is called by the id of its vertex, an edge has that of its edge as its key; both have ``label`` and their properties as data.
    An end of an edge that is no result itself is there, too, without properties.
    """
    graph = _new()
    for result in results:
        _add(graph, result)
    return graph


def of_graph(subgraph):
    """The same of a subgraph."""
    graph = _new()
    _add(graph, subgraph)
    return graph


def _new():
    try:
        import networkx
    except ImportError as error:
        raise ImportError("to_networkx() needs networkx: pip install networkx") from error
    return networkx.MultiDiGraph()


def _add(graph, result):
    from . import ConversionError, Edge, Graph, Path, Vertex

    if isinstance(result, Vertex):
        # Properties go in by hand: they may be called as networkx calls its arguments.
        graph.add_node(result.id)
        graph.nodes[result.id].update(_data(result))
    elif isinstance(result, Edge):
        for end in (result.outV, result.inV):
            if end.id not in graph:
                graph.add_node(end.id, label=end.label)
        graph.add_edge(result.outV.id, result.inV.id, key=result.id)
        graph.edges[result.outV.id, result.inV.id, result.id].update(_data(result))
    elif isinstance(result, Path):
        elements = [element for element in result.objects if isinstance(element, (Vertex, Edge))]
        if not elements:
            raise ConversionError("a path without vertices and edges is no part of a graph; ask for path() without by()")
        for element in elements:
            _add(graph, element)
    elif isinstance(result, Graph):
        for element in result.vertices + result.edges:
            _add(graph, element)
    else:
        raise ConversionError(f"a {type(result).__name__} is no part of a graph; ask for vertices, edges, paths or a subgraph()")


def _data(element):
    """The label and the properties of an element; a property that is called ``label`` as well, which there is once, is ``~label``."""
    from ._frames import _values

    values = _values(element)
    return {"label": element.label} | {("~label" if key == "label" else key): value for key, value in values.items()}
