"""Queries and the forms that their results have."""

import mangrove
import pytest


def test_results_are_iterated_fetched_and_listed(modern):
    names = "g.V().values('name').order()"
    everyone = ["josh", "lop", "marko", "peter", "ripple", "vadas"]
    assert list(modern.query(names)) == everyone
    assert modern.query(names).to_list() == everyone
    some = modern.query(names)
    assert some.fetchone() == "josh"
    assert some.fetchmany(2) == ["lop", "marko"]
    assert some.to_list() == everyone[3:]
    assert some.fetchone() is None and some.fetchmany(3) == [] and list(some) == []


def test_one_result_is_one_and_no_other(modern):
    assert modern.query("g.V().count()").one() == 6
    with pytest.raises(ValueError, match="no result"):
        modern.query("g.V().hasLabel('none')").one()
    with pytest.raises(ValueError, match="more than one"):
        modern.query("g.V()").one()


def test_a_result_that_stands_there_many_times_comes_as_often(modern):
    thirty = "g.V().repeat(both()).times(2)"
    assert len(modern.query(thirty).to_list()) == 30
    assert sum(1 for _ in modern.query(thirty)) == 30
    assert len(modern.query(thirty).fetchmany(7)) == 7


def test_variables_are_given_by_name_or_in_a_dict(modern):
    ages = "g.V().has('name', x).values('age')"
    assert modern.query(ages, x="josh").one() == 32
    assert modern.query(ages, {"x": "josh"}).one() == 32
    with pytest.raises(mangrove.ConversionError, match="variable x.*object"):
        modern.query(ages, x=object())
    with pytest.raises(mangrove.ConversionError, match="by name"):
        modern.query(ages, ["josh"])


def test_what_is_written_is_there_after_a_restart(tmp_path):
    with mangrove.open(tmp_path / "graph") as db:
        db.query("g.addV('person').property('name', 'ada')")
    with mangrove.open(tmp_path / "graph") as db:
        assert db.query("g.V().values('name')").to_list() == ["ada"]


def test_a_graph_that_is_opened_for_reading_is_not_written_to(tmp_path):
    with mangrove.open(tmp_path / "graph") as db:
        db.query("g.addV('person')")
    with mangrove.open(tmp_path / "graph", read_only=True) as db:
        assert db.query("g.V().count()").one() == 1
        assert db.read_only
        with pytest.raises(mangrove.ReadOnlyError):
            db.query("g.V().drop()")
    with pytest.raises(mangrove.OpenError, match="no graph"):
        mangrove.open(tmp_path / "nothing", read_only=True)


def test_explanations_and_profiles_name_the_steps(modern):
    assert "physical plan" in modern.explain("g.V().has('name', x).out('knows')", x="marko")
    profile = modern.profile("g.V().local(out('created').limit(1)).values('name')")
    assert ">TOTAL" in profile and "values" in profile
    html = profile._repr_html_()
    assert html.count("<ul>") == html.count("</ul>") and html.count("<li>") == html.count("</li>")
    assert "<details" in html


def test_schema_indexes_and_statistics_are_told_and_changed(modern):
    modern.create_index("person", "name")
    assert [index["keys"] for index in modern.indexes()] == [["name"]]
    assert "IndexLookup" in modern.explain("g.V().has('person', 'name', 'marko')") or "index" in modern.explain(
        "g.V().has('person', 'name', 'marko')"
    )
    modern.drop_index("person", "name")
    assert modern.indexes() == []
    modern.declare({"vertices": {"person": {"keys": {"age": "int"}}}})
    assert "person" in modern.schema()["vertices"]
    with pytest.raises(mangrove.Error, match="age"):
        modern.query("g.addV('person').property('age', 'old')")
    modern.analyze()
    assert modern.statistics() != []
    stats = modern.stats()
    assert stats["vertices"] == {"person": 4, "software": 2} and sum(stats["edges"].values()) == 6


def test_exports_imports_and_backups_have_all_of_the_graph(modern, tmp_path):
    told = modern.export(tmp_path / "graph.json", format="graphson")
    assert (told["vertices"], told["edges"]) == (6, 6)
    with mangrove.open() as other:
        told = other.import_files(tmp_path / "graph.json")
        assert (told["vertices"], told["edges"]) == (6, 6)
        assert other.query("g.V().has('name', 'marko').out('knows').count()").one() == 2
    with mangrove.open(tmp_path / "graph") as stored:
        stored.import_files(tmp_path / "graph.json")
        assert stored.backup(tmp_path / "backups")["number"] == 1
    with pytest.raises(ValueError, match="graphson"):
        modern.export(tmp_path / "other", format="nonsense")
    with pytest.raises(mangrove.Error, match="cannot be written"):
        modern.export(tmp_path / "graph.json", format="graphson")


def test_a_database_in_the_prompt_says_where_it_is(db, tmp_path):
    assert repr(db) == '<mangrove.Database ":memory:">'
    with mangrove.open(tmp_path / "graph") as stored:
        assert str(tmp_path) in repr(stored) and stored.path == str(tmp_path / "graph")
    assert "closed" in repr(stored)


def test_files_are_added_and_merged(db, tmp_path):
    (tmp_path / "people.csv").write_text("id:ID{id-type:long},name,age:int,:LABEL\n1,ada,36,person\n")
    people = tmp_path / "people.csv"
    db.query("g.addV('person').property(id, 1).property('name', 'ada')")
    with pytest.raises(mangrove.Error, match="add=True or merge=…") as raised:
        db.import_files(people)
    assert "--" not in str(raised.value)
    with pytest.raises(mangrove.Error, match="new_ids=True"):
        db.import_files(people, add=True)
    told = db.import_files(people, merge="id")
    assert (told["vertices"], told["merged_vertices"]) == (0, 1)
    assert db.query("g.V(1).values('age')").one() == 36
    assert db.import_files(people, add=True, new_ids=True)["vertices"] == 1
    assert db.import_files(people, add=True, new_ids=True)["vertices"] == 0
    assert db.import_files(people, add=True, new_ids=True, again=True)["vertices"] == 1
    (tmp_path / "named.csv").write_text("name,city,:LABEL\ngrace,Ulm,person\n")
    db.query("g.addV('person').property('name', 'grace')")
    assert db.import_files(tmp_path / "named.csv", merge="name")["merged_vertices"] == 1
    for wrong in ({"add": True, "merge": "id"}, {"new_ids": True}, {"merge": "id", "new_ids": True}):
        with pytest.raises(ValueError, match="add|merge"):
            db.import_files(people, **wrong)


def test_a_backup_is_restored(tmp_path):
    with mangrove.open(tmp_path / "graph") as db:
        db.query("g.addV('person').property('name', 'ada')")
        first = db.backup(tmp_path / "backups")["number"]
        db.query("g.addV('person').property('name', 'grace')")
        db.backup(tmp_path / "backups")
    (tmp_path / "again").mkdir()
    assert mangrove.restore(tmp_path / "backups", tmp_path / "again")["number"] == first + 1
    mangrove.restore(tmp_path / "backups", tmp_path / "before", number=first)
    for name, vertices in (("again", 2), ("before", 1)):
        with mangrove.open(tmp_path / name) as db:
            assert db.query("g.V().count()").one() == vertices
    with pytest.raises(mangrove.OpenError, match="not empty"):
        mangrove.restore(tmp_path / "backups", tmp_path / "again")
    with pytest.raises(mangrove.Error, match="no backup"):
        mangrove.restore(tmp_path / "nothing", tmp_path / "new")
    assert not (tmp_path / "new").exists() and not (tmp_path / "new.restoring").exists()


def test_parquet_is_refused_with_the_way_there_is(db, tmp_path):
    (tmp_path / "people.parquet").write_bytes(b"PAR1\x15\x04")
    with pytest.raises(mangrove.Error, match="read_table"):
        db.import_files(tmp_path / "people.parquet")
    with pytest.raises(ValueError, match="write_table"):
        db.export(tmp_path / "other", format="parquet")
    with pytest.raises(ValueError) as raised:
        db.export(tmp_path / "other", format="nonsense")
    assert "parquet" not in str(raised.value)


def test_a_transaction_in_a_graph_that_is_opened_for_reading_reads(tmp_path):
    with mangrove.open(tmp_path / "graph") as db:
        db.query("g.addV('person')")
    with mangrove.open(tmp_path / "graph", read_only=True) as db, db.transaction() as tx:
        assert tx.query("g.V().count()").one() == 1
        with pytest.raises(mangrove.ReadOnlyError):
            tx.query("g.addV('person')")
    with pytest.raises(mangrove.OpenError, match="not there"):
        mangrove.open(tmp_path / "nothing", read_only=True)


def test_whatever_is_there_to_be_used_says_what_it_does():
    for owner in (mangrove, mangrove.Database, mangrove.Transaction, mangrove.Results, mangrove.Vertex, mangrove.Path):
        for name in dir(owner):
            used = getattr(owner, name)
            if not name.startswith("_") and callable(used):
                assert used.__doc__, f"{owner.__name__}.{name}"


def test_a_schema_that_is_none_is_refused(db):
    for use in (db.declare, db.apply_schema):
        with pytest.raises(mangrove.ConversionError, match="schema is a dict"):
            use([1])
