"""Processes that are forked from one that has a graph open."""

import os
import subprocess
import sys

import mangrove
import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

# A parent that has a graph open, a child that does something, and a parent that writes on. What the child prints is told.
PROGRAM = """
import os, sys, warnings
import mangrove
warnings.simplefilter("ignore")
db = mangrove.open(sys.argv[1])
db.query("g.addV('x')")
results = db.query("g.V()")
tx = db.transaction()
sys.stdout.flush()
child = os.fork()
if child == 0:
    def attempt(work):
        try:
            work()
        except mangrove.OpenError as error:
            print("refused:", error, flush=True)
    {child}
_, status = os.waitpid(child, 0)
print("child:", os.waitstatus_to_exitcode(status))
tx.rollback()
for _ in range(3):
    db.query("g.addV('x')")
db.close()
"""


def run(child, path):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("{child}", child), str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr


@pytest.mark.parametrize(
    "call",
    [
        "db.query(\"g.addV('c')\")",
        "db.close()",
        "db.transaction()",
        "db.stats()",
        "db.create_index('x', 'name')",
        "db.is_closed",
        "results.to_list()",
        "next(results)",
        "results.close()",
        "tx.query('g.V()')",
        "tx.commit()",
        "mangrove.open()",
        "mangrove.open(sys.argv[1])",
        "db.g.V().iterate()",
    ],
)
def test_a_copy_of_a_process_is_refused_and_the_graph_is_whole(tmp_path, call):
    said, _ = run(f"attempt(lambda: {call}); os._exit(0)", tmp_path / "graph")
    assert "spawn" in said[0] and said[1] == "child: 0"
    with mangrove.open(tmp_path / "graph") as db:
        assert db.query("g.V().count()").one() == 4


@pytest.mark.parametrize(
    "end", ["sys.exit(0)", "del db, results, tx; import gc; gc.collect(); sys.exit(0)", "print(db, results, tx); sys.exit(0)"]
)
def test_a_copy_of_a_process_ends_as_any_other(tmp_path, end):
    said, stderr = run(end, tmp_path / "graph")
    assert said[-1] == "child: 0" and stderr == ""
    with mangrove.open(tmp_path / "graph") as db:
        assert db.query("g.V().count()").one() == 4


def test_what_is_raised_in_a_copy_is_seen_as_it_was(tmp_path):
    child = """
    try:
        with db, db.transaction(), db.query("g.V()") if False else results:
            raise KeyError("mine")
    except BaseException as error:
        print(type(error).__name__, flush=True)
    os._exit(0)"""
    said, _ = run("pass" + child, tmp_path / "graph")
    # To begin a transaction is refused, and nothing hides that.
    assert said[0] == "OpenError"
    said, _ = run("pass" + child.replace("db.transaction()", "tx"), tmp_path / "graph")
    assert said[0] == "KeyError"


def test_a_module_that_was_only_imported_works_after_a_fork(tmp_path):
    program = """
import os, sys, mangrove
child = os.fork()
if child == 0:
    with mangrove.open(sys.argv[1]) as db:
        db.query("g.addV('x')")
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
with mangrove.open(sys.argv[1]) as db:
    print(db.query("g.V().count()").one())
"""
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "graph")], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["0", "1"]
