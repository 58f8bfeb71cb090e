"""Transactions, errors, threads and interrupts."""

import os
import signal
import subprocess
import sys
import threading
import time

import mangrove
import pytest
from conftest import ENDLESS


def test_a_transaction_is_seen_by_nobody_until_it_commits(modern):
    with modern.transaction() as tx:
        tx.query("g.addV('person').property('name', x)", x="ada")
        assert tx.query("g.V().count()").one() == 7
        assert modern.query("g.V().count()").one() == 6
    assert modern.query("g.V().count()").one() == 7


def test_a_block_that_raises_rolls_back(modern):
    with pytest.raises(RuntimeError), modern.transaction() as tx:
        tx.query("g.V().drop()")
        raise RuntimeError
    assert modern.query("g.V().count()").one() == 6
    assert not tx.is_open
    with pytest.raises(mangrove.ClosedError, match="over"):
        tx.query("g.V()")
    with pytest.raises(mangrove.ClosedError):
        tx.commit()
    tx.rollback()


def test_a_transaction_that_loses_is_told_so(modern):
    first, second = modern.transaction(), modern.transaction()
    for tx in (first, second):
        tx.query("g.V(1).property('age', values('age').math('_ + 1'))")
    first.commit()
    with pytest.raises(mangrove.ConflictError):
        second.commit()


def test_writes_are_tried_again_until_all_are_done(modern):
    def work(tx):
        age = tx.query("g.V(1).values('age')").one()
        tx.query("g.V(1).property('age', age)", age=age + 1)
        return age

    def often():
        for _ in range(20):
            modern.write(work, retries=10_000)

    threads = [threading.Thread(target=often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert modern.query("g.V(1).values('age')").one() == 29 + 80


def test_writes_that_keep_losing_raise_in_the_end(modern):
    calls = []

    def work(tx):
        calls.append(tx)
        tx.query("g.V(1).property('age', values('age').math('_ + 1'))")
        modern.query("g.V(1).property('age', 5)")

    with pytest.raises(mangrove.ConflictError):
        modern.write(work, retries=2)
    assert len(calls) == 3


@pytest.mark.parametrize(
    ("query", "error", "said"),
    [
        ("g.V().nope()", mangrove.QuerySyntaxError, "column 7"),
        ("g.V().values('name').sum()", mangrove.EvaluationError, "sum"),
        ("g.V().fail('no more')", mangrove.FailStepError, "no more"),
        ("g.with('evaluationTimeout', 30)." + ENDLESS[2:], mangrove.QueryTimeoutError, "30"),
    ],
)
def test_errors_have_classes_and_say_where(modern, query, error, said):
    with pytest.raises(error, match=said) as raised:
        modern.query(query).to_list()
    assert isinstance(raised.value, mangrove.Error)


def test_a_time_out_of_the_database_ends_its_queries(tmp_path):
    with mangrove.open(timeout=0.05) as db:
        db.query("g.addV().as('a').addE('self').from('a').to('a')")
        with pytest.raises(TimeoutError):
            db.query(ENDLESS).to_list()


def test_a_closed_database_says_so(tmp_path):
    db = mangrove.open(tmp_path / "graph")
    db.query("g.addV()")
    db.close()
    db.close()
    for use in (lambda: db.query("g.V()"), db.transaction, db.stats):
        with pytest.raises(mangrove.ClosedError, match="closed"):
            use()


def test_a_second_process_is_told_that_another_has_it_open(tmp_path):
    with mangrove.open(tmp_path / "graph"):
        program = "import mangrove, sys\ntry: mangrove.open(sys.argv[1])\nexcept mangrove.OpenError as e: print(e)"
        said = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / "graph")], capture_output=True, text=True, check=True
        )
    assert "process" in said.stdout and "graph" in said.stdout
    mangrove.open(tmp_path / "graph").close()


def test_threads_share_a_database_and_run_python_meanwhile(modern):
    counted = 0
    over = threading.Event()

    def wait():
        with pytest.raises(mangrove.QueryTimeoutError):
            modern.query("g.with('evaluationTimeout', 400)." + ENDLESS[2:]).to_list()
        over.set()

    thread = threading.Thread(target=wait)
    thread.start()
    while not over.is_set():
        counted += modern.query("g.V().count()").one()
    thread.join()
    assert counted > 6


def test_several_threads_may_take_from_the_same_results(modern):
    results = modern.query("g.V().repeat(both()).times(6).values('name')")
    taken = []

    def take():
        taken.extend(results)

    threads = [threading.Thread(target=take) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == modern.query("g.V().repeat(both()).times(6).count()").one()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another thing there")
@pytest.mark.parametrize("query", [ENDLESS, ENDLESS.replace("count()", "addV('never')")], ids=["read", "write"])
def test_an_interrupt_ends_a_query(modern, query):
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        modern.query(query).to_list()
    assert time.monotonic() - began < 10
    assert modern.query("g.V().count()").one() == 6


def test_a_panic_is_an_exception_and_the_database_goes_on(modern):
    with pytest.raises(mangrove.PanicError, match="on purpose"):
        modern._panic()
    assert modern.query("g.V().count()").one() == 6
