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
