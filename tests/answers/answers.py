#!/usr/bin/env python3
"""Runs the benchmark queries over WebSocket and compares every row with the expected answers.

Every query in bench/queries is one Gremlin traversal and is sent as one request, with the parameters of each line of
its answer files as bindings. How answers are encoded and compared is said in the README beside them
(../shared/ldbc/answers); in short: rows in order, or as a multiset, and for Banyan's queries both the whole set and any
n of it.

    python3 tests/answers/answers.py ws://localhost:8182/gremlin --answers DIR [--only ic1,cq2] [--limit N]

Exits with 1 if any answer differs and shows the first row that does; with 2 if it could not ask.
"""

import argparse
import collections
import itertools
import json
import logging
import pathlib
import statistics
import sys
import time

from gremlin_python.driver.client import Client
from gremlin_python.driver.protocol import GremlinServerError
from gremlin_python.driver.serializer import GraphBinarySerializersV1, GraphSONSerializersV3d0
from gremlin_python.statics import long

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DAY = 86_400_000
# What asks for everything, and for a part, of a query with a limit.
ALL, SOME = 2**31 - 1, 10


def day_of_year(month, day):
    """The day's number, counted from March 1st as 0: the same in every year, whether it has a February 29th or not."""
    first_of_month = [306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275]
    return first_of_month[month - 1] + day - 1


def birthdays_around(month):
    """From the 21st of the month to the 21st of the next one, as the bindings that ic10.gremlin explains."""
    first, end = day_of_year(month, 21), day_of_year(month % 12 + 1, 22)
    if first < end:
        return {"firstDay": first, "endDay": end, "wrapDay": 0}
    return {"firstDay": first, "endDay": 366, "wrapDay": end}


def bindings_for(params):
    """The parameters as the query wants them: some depend on others, and Gremlin cannot compute its own arguments."""
    bindings = dict(params)
    if "durationDays" in bindings:
        bindings["endDate"] = bindings["startDate"] + bindings.pop("durationDays") * DAY
    if "month" in bindings:
        bindings |= birthdays_around(bindings.pop("month"))
    return {key: typed(key, value) for key, value in bindings.items()}


def typed(name, value):
    """Ids and dates are longs in the graph, however small they are; a number of steps is an integer."""
    return long(value) if isinstance(value, int) and name != "steps" else value


def plain(value):
    """A cell as the answer files have it: maps become the list of their values, and whole doubles integers."""
    if isinstance(value, dict):
        return [plain(v) for v in value.values()]
    if isinstance(value, (list, tuple, set)):
        return [plain(v) for v in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def row_of(result):
    """A result as a row: a projection's columns, or the one value."""
    return plain(result) if isinstance(result, dict) else [plain(result)]


# Cells that hold sets: their order means nothing.
SET_CELLS = {"ic1": (8, 9, 11, 12), "ic12": (3,)}


def normal(family, row):
    """The row with its set-valued cells sorted."""
    row = list(row)
    for cell in SET_CELLS.get(family, ()):
        if cell < len(row) and isinstance(row[cell], list):
            row[cell] = sorted(row[cell], key=lambda v: json.dumps(v, ensure_ascii=False))
    return row


def difference(expected, got):
    """The first place where two lists of rows differ, in words; None where they are equal."""
    for i, (want, have) in enumerate(itertools.zip_longest(expected, got)):
        # As text, since to Python `True` is 1.
        if shown(want) != shown(have):
            return f"row {i + 1} of {len(expected)}: expected {shown(want)}, got {shown(have)}"
    return None


def shown(row):
    return "none" if row is None else json.dumps(row, ensure_ascii=False)


def compare_rows(family, line, got):
    expected = [normal(family, row) for row in line["rows"]]
    got = [normal(family, row) for row in got]
    if not line["ordered"]:
        expected, got = sorted(expected, key=json.dumps), sorted(got, key=json.dumps)
    return difference(expected, got)


def compare_part(line, got, n):
    """Banyan's queries: the first n in order, or any n of the set."""
    if line["ordered"]:
        return difference(line["rows"][:n], got)
    expected = {row[0] for row in line["rows"]}
    ids = [row[0] for row in got]
    repeated = [i for i, count in collections.Counter(ids).items() if count > 1]
    if repeated:
        return f"{repeated[0]} comes twice"
    wrong = [i for i in ids if i not in expected]
    if wrong:
        return f"{wrong[0]} is not in the expected set of {len(expected)}"
    if len(ids) != min(n, len(expected)):
        missing = sorted(expected.difference(ids))
        return f"expected {min(n, len(expected))} rows, got {len(ids)}; missing for instance {missing[:1]}"
    return None


class Unreachable(Exception):
    """There is no server to ask, or no longer."""


class AnswerFile:
    """One file of expected answers and the query that must give them."""

    def __init__(self, path, queries):
        self.path, self.name = path, path.stem
        self.family = self.name.split("_")[0]
        named = queries / f"{self.name}.gremlin"
        self.query = named if named.exists() else queries / f"{self.family}.gremlin"

    def lines(self, limit):
        with self.path.open(encoding="utf-8") as file:
            return [json.loads(line) for line in itertools.islice(file, limit)]

    def questions(self, line):
        """The bindings to ask a line's question with, and how to compare what comes back."""
        bindings = bindings_for(line["params"])
        if not self.family.startswith("cq"):
            yield bindings, lambda got: compare_rows(self.family, line, got)
            return
        for n in (ALL, SOME):
            yield bindings | {"n": long(n)}, lambda got, n=n: compare_part(line, got, n)


def check(client, file, limit):
    """Asks every question of a file: how many answers were right, how many there were, milliseconds, first problem."""
    text = file.query.read_text(encoding="utf-8")
    right, total, times, problem = 0, 0, [], None
    for number, line in enumerate(file.lines(limit), 1):
        wrong = None
        for bindings, compare in file.questions(line):
            started = time.perf_counter()
            try:
                results = client.submit(text, bindings).all().result()
                times.append((time.perf_counter() - started) * 1000)
                wrong = wrong or compare([row_of(result) for result in results])
            except GremlinServerError as error:
                wrong = wrong or f"the server refused: {error}"
            except Exception as error:  # whatever the driver's transport raises
                raise Unreachable(f"{file.path.name}:{number}: the connection broke: {error!r}") from error
        total += 1
        right += wrong is None
        if wrong and not problem:
            problem = f"{file.path.name}:{number} {json.dumps(line['params'], ensure_ascii=False)}\n    {wrong}"
    return right, total, times, problem


def answer_files(folder, only):
    """The answer files asked for that have a query: `ic1` stands for all its variants, `cq2_steps` for itself."""
    files = [AnswerFile(path, REPOSITORY / "bench" / "queries") for path in sorted(folder.glob("*.jsonl"))]
    wanted = [f for f in files if not only or f.name in only or f.family in only]
    return sorted((f for f in wanted if f.query.exists()), key=lambda f: (f.family[:2], int(f.family[2:]), f.name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url", nargs="?", default="ws://localhost:8182/gremlin")
    default = REPOSITORY.parent / "shared" / "ldbc" / "answers" / "sf0.1"
    parser.add_argument("--answers", type=pathlib.Path, default=default, help="folder of *.jsonl files, unpacked")
    parser.add_argument("--only", type=lambda text: set(text.split(",")), default=set(), help="such as ic1,cq2_steps")
    parser.add_argument("--limit", type=int, default=None, help="only the first N lines of each file")
    parser.add_argument("--source", default="g", help="the traversal source that `g` stands for on the server")
    parser.add_argument("--graphson", action="store_true", help="GraphSON 3 instead of GraphBinary")
    args = parser.parse_args()

    files = answer_files(args.answers, args.only)
    if not files:
        print(f"no answer files for {sorted(args.only) or 'anything'} in {args.answers}", file=sys.stderr)
        return 2
    # The driver logs every refusal with the server's stack; the report has what matters of it.
    logging.getLogger("gremlinpython").setLevel(logging.CRITICAL)
    serializer = GraphSONSerializersV3d0() if args.graphson else GraphBinarySerializersV1()
    client = Client(args.url, args.source, message_serializer=serializer, pool_size=1)
    try:
        client.submit("g.inject(1)").all().result()
        problems = report(client, files, args.limit)
    except Unreachable as error:
        print(error, file=sys.stderr)
        return 2
    except Exception as error:  # whatever the driver's transport raises on the first request
        print(f"cannot reach {args.url}: {error!r}", file=sys.stderr)
        return 2
    finally:
        client.close()
    for problem in problems:
        print(f"\n{problem}")
    return 1 if problems else 0


def report(client, files, limit):
    """Checks the files and prints a line for each; the first problem of each that has one."""
    problems, right, total = [], 0, 0
    print(f"{'answers':<16} {'right':>9}   {'median ms':>9} {'max ms':>9}")
    for file in files:
        ok, count, times, problem = check(client, file, limit)
        right, total = right + ok, total + count
        median, most = (statistics.median(times), max(times)) if times else (0, 0)
        mark = "" if ok == count else "   DIFFERS"
        print(f"{file.name:<16} {ok:>4}/{count:<4}   {median:>9.2f} {most:>9.2f}{mark}", flush=True)
        if problem:
            problems.append(problem)
    print(f"{'all':<16} {right:>4}/{total:<4}")
    return problems


if __name__ == "__main__":
    sys.exit(main())
