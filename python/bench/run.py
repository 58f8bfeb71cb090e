"""What the way into Python costs, beside what the engine itself takes.

usage: run.py FILES [ROUNDS]

FILES is an LDBC social network (data/ldbc/sf1). Prints a line for each figure and leaves target/bench/python.json. Of several rounds the
best counts: the others had to share the machine.
"""

import gc
import json
import pathlib
import sys
import tempfile
import time

import mangrove
import pyarrow
import pyarrow.compute
import pyarrow.csv

ROWS = 1_000_000
POINTS = 50_000
SELECT = "g.V().hasLabel('row').project('number', 'share', 'word').by('number').by('share').by('word')"


def best(rounds, work):
    """The shortest time of some rounds, in seconds."""
    times = []
    for _ in range(rounds):
        gc.collect()
        began = time.perf_counter()
        made = work()
        times.append(time.perf_counter() - began)
        del made
    return min(times)


def results_as_columns(rounds):
    """A million rows of three columns: counted in Rust, as Arrow's columns, as pandas', as a list."""
    numbers = range(ROWS)
    table = pyarrow.table(
        {
            "id": pyarrow.array(numbers, pyarrow.int64()),
            "number": pyarrow.array(numbers, pyarrow.int64()),
            "share": pyarrow.array([n / ROWS for n in numbers]),
            "word": pyarrow.array([f"word {n % 1000}" for n in numbers]),
        }
    )
    with mangrove.open() as db:
        db.load(nodes={"row": table})
        times = {
            "rust": best(rounds, lambda: db._drain(SELECT)),
            "arrow": best(rounds, lambda: db.query(SELECT).to_arrow()),
            "pandas": best(rounds, lambda: db.query(SELECT).to_pandas()),
            "list": best(rounds, lambda: db.query(SELECT).to_list()),
            "point": best(rounds, lambda: points(db)) / POINTS,
        }
    return {**times, "arrow/rust": times["arrow"] / times["rust"], "pandas/rust": times["pandas"] / times["rust"]}


def points(db):
    """A property of a vertex by its id, again and again."""
    for n in range(POINTS):
        db.query("g.V(x).values('word')", x=n).to_list()


def frames(files):
    """The network as frames. Its ids are those of a label; here they are made ids of all, a number for the label at the end."""
    labels = {}
    nodes, edges = {}, {}
    paths = sorted(pathlib.Path(files).rglob("*_0_0.csv"))

    def read(path):
        options = pyarrow.csv.ParseOptions(delimiter="|", quote_char=False)
        return pyarrow.csv.read_csv(path, parse_options=options)

    def ids(column, label):
        number = labels.setdefault(label.lower(), len(labels))
        return pyarrow.compute.add(pyarrow.compute.multiply(column, 16), number)

    for path in paths:
        names = path.name.removesuffix("_0_0.csv").split("_")
        if len(names) == 1:
            table = read(path)
            table = table.set_column(0, "id", ids(table.column(0), names[0]))
            nodes[names[0]] = table
        elif len(names) == 3 and names[2] not in ("emailaddress", "language"):
            table = read(path)
            source, target = ids(table.column(0), names[0]), ids(table.column(1), names[2])
            rest = {name: table.column(at + 2) for at, name in enumerate(table.column_names[2:])}
            edges.setdefault(names[1], []).append(pyarrow.table({"source": source, "target": target, **rest}))
    return nodes, {label: pyarrow.concat_tables(parts, promote_options="default") for label, parts in edges.items()}


def loading(files, rounds):
    """The network as frames, beside the import of its files."""
    nodes, edges = frames(files)

    def load():
        with tempfile.TemporaryDirectory() as folder, mangrove.open(pathlib.Path(folder) / "graph") as db:
            return db.load(nodes, edges)

    def imported():
        with tempfile.TemporaryDirectory() as folder, mangrove.open(pathlib.Path(folder) / "graph") as db:
            return db.import_files(files)

    times = {"load": best(rounds, load), "import": best(rounds, imported)}
    return {**times, "load/import": times["load"] / times["import"]}


def main(files, rounds="3"):
    figures = results_as_columns(int(rounds)) | loading(files, max(1, int(rounds) // 2))
    for name, figure in figures.items():
        print(f"{name:12} {figure:.3f}" if figure > 1e-3 else f"{name:12} {figure * 1e6:.1f} µs")
    out = pathlib.Path("target/bench")
    out.mkdir(parents=True, exist_ok=True)
    (out / "python.json").write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
