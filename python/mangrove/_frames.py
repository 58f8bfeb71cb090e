"""Results as frames of other libraries, which are imported when they are asked for."""

from ._errors import ConversionError


def _needed(module, package, what):
    try:
        return __import__(module)
    except ImportError as error:
        raise ImportError(f"{what} needs {package}: pip install {package}") from error


def to_arrow(results):
    """A pyarrow.Table: the columns are the engine's own."""
    return _needed("pyarrow", "pyarrow", "to_arrow()").table(results)


def to_polars(results):
    """A polars.DataFrame."""
    return _needed("polars", "polars", "to_polars()").DataFrame(results)


def to_pandas(results):
    """A pandas.DataFrame: from Arrow's columns where pyarrow is there, and else from lists."""
    pandas = _needed("pandas", "pandas", "to_pandas()")
    try:
        import pyarrow
    except ImportError:
        return pandas.DataFrame(rows_of(results.to_list()))
    return pyarrow.table(results).to_pandas()


def of_pandas(frame):
    """A pyarrow.Table with the columns of a pandas.DataFrame, without its index."""
    pyarrow = _needed("pyarrow", "pyarrow", "load() of a pandas.DataFrame")
    try:
        return pyarrow.Table.from_pandas(frame, preserve_index=False)
    except (pyarrow.ArrowException, ValueError, TypeError) as error:
        raise ConversionError(f"a pandas.DataFrame that has no columns of Arrow's: {' '.join(map(str, error.args))}") from error


def rows_of(results):
    """Rows of results, each a dict from the names of its columns, as Arrow's columns are called."""
    return [row_of(result) for result in results]


def row_of(result):
    """One result as a dict from the names of its columns."""
    from . import Edge, Property, Vertex, VertexProperty

    if isinstance(result, Vertex):
        return _named([("id", result.id), ("label", result.label)], _values(result))
    if isinstance(result, Edge):
        ends = [("source", result.outV.id), ("target", result.inV.id)]
        return _named([("id", result.id), ("label", result.label), *ends], _values(result))
    if isinstance(result, (Property, VertexProperty)):
        return {"key": result.key, "value": result.value}
    if isinstance(result, dict):
        from . import Direction

        ends = {Direction.OUT: "source", Direction.IN: "target"}
        tokens = [(ends.get(key, getattr(key, "name", str(key))), v) for key, v in result.items() if not isinstance(key, str)]
        return _named(tokens, {key: value for key, value in result.items() if isinstance(key, str)})
    return {"value": result}


def _values(element):
    return {key: values[0] if len(values) == 1 else values for key, values in _all_values(element).items()}


def _all_values(element):
    values = {}
    for each in element.properties:
        values.setdefault(each.key, []).append(each.value)
    return values


def _named(tokens, properties):
    """Tokens beside properties: one that a property is called like has ``~`` before it."""
    named = {}
    for name, value in tokens:
        while name in properties or name in named:
            name = "~" + name
        named[name] = value
    return named | properties
