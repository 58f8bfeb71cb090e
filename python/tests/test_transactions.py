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


LONG = "g.inject(1).repeat(identity()).times(2000000000)"


def beside(work):
    """A thread that does something; what it was raised."""
    raised = []

    def run():
        try:
            work()
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(0.3)
    return thread, raised


def ended(thread, raised):
    thread.join(30)
    assert not thread.is_alive()
    return type(raised[0])


@pytest.mark.parametrize("close", ["results", "database"])
def test_closing_ends_a_query_of_another_thread(close):
    with mangrove.open(threads=2) as db:
        results = db.query(LONG)
        thread, raised = beside(lambda: next(results))
        began = time.monotonic()
        results.close() if close == "results" else db.close()
        assert ended(thread, raised) is mangrove.ClosedError
        assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    "ask", [lambda db: db.query(LONG + ".addV('x')"), lambda db: db.profile(LONG)], ids=["write", "profile"]
)
def test_closing_ends_a_query_that_writes_and_a_profile(ask):
    db = mangrove.open(threads=2)
    thread, raised = beside(lambda: ask(db))
    db.close()
    assert ended(thread, raised) is mangrove.ClosedError


def test_rolling_back_ends_a_query_of_another_thread(db):
    tx = db.transaction()
    thread, raised = beside(lambda: tx.query(LONG))
    tx.rollback()
    assert ended(thread, raised) is mangrove.ClosedError
    assert not tx.is_open


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another thing there")
@pytest.mark.parametrize("wait", [next, repr, lambda results: results.to_arrow()], ids=["next", "repr", "to_arrow"])
def test_an_interrupt_ends_waiting_for_a_query_of_another_thread(db, wait):
    results = db.query(LONG)
    thread, raised = beside(lambda: next(results))
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        wait(results)
    assert time.monotonic() - began < 20
    results.close()
    assert ended(thread, raised) is mangrove.ClosedError


def test_what_is_closed_says_so(modern):
    results = modern.query("g.V()")
    next(results)
    results.close()
    results.close()
    for use in (results.to_list, results.fetchone, results.one, results.to_arrow, lambda: next(results), lambda: results.fetchmany(2)):
        with pytest.raises(mangrove.ClosedError, match="closed"):
            use()
    assert "closed" in repr(results) and "closed" in results._repr_html_()


def test_a_transaction_of_a_database_that_is_closed_says_so():
    for use in (lambda tx: tx.commit(), lambda tx: tx.query("g.V()"), lambda tx: tx.__exit__(None, None, None)):
        db = mangrove.open()
        tx = db.transaction()
        tx.query("g.addV()")
        db.close()
        with pytest.raises(mangrove.ClosedError, match="database is closed"):
            use(tx)


def test_retries_that_are_less_than_none_are_refused(db):
    with pytest.raises(ValueError, match="retries"):
        db.write(lambda tx: tx.query("g.addV()"), retries=-1)


def test_more_threads_than_a_machine_has_use_for_are_refused():
    with pytest.raises(ValueError, match="threads.*1024"):
        mangrove.open(threads=10_000)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another thing there")
@pytest.mark.parametrize("how", ["import_files", "merge", "export"])
def test_an_interrupt_stops_what_reads_or_writes_files(db, tmp_path, how):
    lines = ["name:string,n:int,:LABEL", *(f"a person with a name {n},{n},person" for n in range(400_000))]
    (tmp_path / "people.csv").write_text("\n".join(lines))
    if how == "export":
        db.import_files(tmp_path / "people.csv")
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        if how == "export":
            db.export(tmp_path / "people.json")
        else:
            db.import_files(tmp_path / "people.csv", merge="name" if how == "merge" else None)
    assert not (tmp_path / "people.json").exists()
    if how == "import_files":
        assert db.query("g.V().count()").one() == 0
