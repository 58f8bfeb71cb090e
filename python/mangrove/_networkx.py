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
        graph.add_node(result.id, label=result.label, **_data(result))
    elif isinstance(result, Edge):
        for end in (result.outV, result.inV):
            if end.id not in graph:
                graph.add_node(end.id, label=end.label)
        graph.add_edge(result.outV.id, result.inV.id, key=result.id, label=result.label, **_data(result))
    elif isinstance(result, Path):
        for element in result.objects:
            if isinstance(element, (Vertex, Edge)):
                _add(graph, element)
    elif isinstance(result, Graph):
        for element in result.vertices + result.edges:
            _add(graph, element)
    else:
        raise ConversionError(
            f"a {type(result).__name__} is no part of a graph; ask for vertices, edges, paths or a subgraph()"
        )


def _data(element):
    """The properties of an element; of one that is called ``label`` as well, which networkx has once, that is ``~label``."""
    from ._frames import _values

    return {("~label" if key == "label" else key): value for key, value in _values(element).items()}
