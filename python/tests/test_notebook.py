"""What the prompt and notebooks show."""

import pickle
import time
from xml.etree import ElementTree


def test_the_first_results_are_shown_as_a_table_and_stay(modern):
    results = modern.query("g.V().hasLabel('person').order().by('age').project('name', 'age').by('name').by('age')")
    assert repr(results).splitlines() == ["name   age", "-----  ---", "vadas  27", "marko  29", "josh   32", "peter  35"]
    table = ElementTree.fromstring(results._repr_html_())
    assert [cell.text for cell in table.iter("th")] == ["name", "age"]
    assert [cell.text for cell in table.iter("td")][:2] == ["vadas", "27"]
    assert len(results.to_list()) == 4
    assert repr(results) == "<mangrove.Results: none are left>"


def test_of_many_results_the_first_are_shown(modern):
    results = modern.query("g.V().repeat(both()).times(2)")
    assert repr(results).count("\n") == 22 and repr(results).endswith("…")
    assert len(results.to_list()) == 30


def test_what_a_graph_holds_is_no_html(db):
    db.query("g.addV('<b>').property('name', '<script>alert(1)</script>').as('a').addE('<i>').from('a').to('a')")
    for query in ("g.V().values('name')", "g.V()", "g.V().outE().inV().path()"):
        html = db.query(query)._repr_html_()
        assert "<script" not in html and "<b>" not in html and "<i>" not in html
        ElementTree.fromstring(html)


def test_paths_and_subgraphs_are_drawn_without_anything_from_elsewhere(modern):
    svg = "{http://www.w3.org/2000/svg}"
    paths = modern.query("g.V(1).outE('knows').inV().path()")
    picture = ElementTree.fromstring(paths._repr_html_())
    assert picture.tag == svg + "svg"
    assert sorted(title.text for title in picture.iter(svg + "title")) == ["josh", "marko", "vadas"]
    assert len(paths.to_list()) == 2
    graph = modern.query("g.E().subgraph('sg').cap('sg')").one()
    picture = ElementTree.fromstring(graph._repr_html_())
    assert len(list(picture.iter(svg + "circle"))) == 6 + 2
    assert graph._repr_html_() == graph._repr_html_()
    assert "http" not in graph._repr_html_().replace("http://www.w3.org/2000/svg", "")
    path = modern.query("g.V(1).out().path()").fetchone()
    assert "<svg" in path._repr_html_()


def test_profiles_are_trees(modern):
    html = modern.profile("g.V().local(out('created').limit(1)).values('name')")._repr_html_()
    tree = ElementTree.fromstring(html)
    assert len(list(tree.iter("details"))) >= 1 and any(">TOTAL" in (code.text or "") for code in tree.iter("code"))
    assert modern.explain("g.V()")._repr_html_().startswith("<pre>")


def test_a_profile_is_a_tree_from_a_query_as_well(modern):
    results = modern.query("g.V().local(out('created').limit(1)).values('name').profile()")
    assert ">TOTAL" in repr(results)
    tree = ElementTree.fromstring(results._repr_html_())
    assert len(list(tree.iter("details"))) >= 1 and any(">TOTAL" in (code.text or "") for code in tree.iter("code"))
    profile = results.one()
    assert isinstance(profile, dict) and profile["dur"] >= 0 and profile == pickle.loads(pickle.dumps(profile))
    assert "<details" in profile._repr_html_() and ">TOTAL" in profile.told


def test_a_picture_has_a_bound_and_says_what_is_left_out(db):
    db.query("g.inject(1).repeat(identity()).times(0).addV('p').as('a').repeat(addV('p').as('b').addE('e').from('a').inV()).times(250)")
    graph = db.query("g.E().subgraph('sg').cap('sg')").one()
    began = time.monotonic()
    picture = ElementTree.fromstring(graph._repr_html_())
    assert time.monotonic() - began < 20
    svg = "{http://www.w3.org/2000/svg}"
    assert len(list(picture.iter(svg + "circle"))) == 100 + 1
    assert any("151 vertices" in (text.text or "") and "edges more" in text.text for text in picture.iter(svg + "text"))
    html = db.query("g.E()")._repr_html_()
    assert "more, at least" in html and html.count("<circle") <= 102
    assert "more" not in db.query("g.E().limit(20)")._repr_html_()


def test_edges_of_a_picture_have_a_bound(db):
    db.query("g.addV('p').as('a').addV('p').as('b').inject(0)")
    db.query("g.V().as('a').V().as('b').union(addE('e').from('a').to('b'))")
    ids = db.query("g.V().id()").to_list()
    for _ in range(310):
        db.query("g.V(x).as('a').V(y).addE('e').from('a')", x=ids[0], y=ids[1])
    html = db.query("g.E().subgraph('sg').cap('sg')").one()._repr_html_()
    assert html.count("marker-end") == 300 and "14 edges more" in html
