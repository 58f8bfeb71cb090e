"""graph-notebook: the cells of docs/tools.md, in IPython without a kernel around it. usage: notebook.py PORT"""

import sys

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

SETTINGS = """%%graph_notebook_config
{"host": "localhost", "port": PORT, "ssl": false,
 "gremlin": {"traversal_source": "g", "username": "", "password": "", "message_serializer": "FORMAT"}}"""

shell = InteractiveShell.instance()


def shown(cell):
    """What a cell shows, as text."""
    with capture_output() as captured:
        done = shell.run_cell(cell)
    done.raise_error()
    return "".join(output.data.get("text/plain", "") for output in captured.outputs) + captured.stdout


def stored(name, cell):
    """What `--store-to` keeps of a cell's answer."""
    shown(cell)
    return shell.user_ns.pop(name)


shown("%load_ext graph_notebook.magics")
for form in ["graphbinaryv1", "graphsonv3"]:
    shown(SETTINGS.replace("PORT", sys.argv[1]).replace("FORMAT", form))
    names = stored("names", "%%gremlin --store-to names\ng.V().has('name','marko').out('knows').values('name').order()")
    assert names == ["josh", "vadas"], names
    drawn = "%%gremlin -p v,oute,inv -d name --store-to paths\ng.V().outE().inV().path().by(elementMap())"
    picture = shown(drawn)
    paths = shell.user_ns.pop("paths")
    assert "Force(" in picture and len(paths) == 6, (picture, paths)
    assert "physical plan" in str(stored("plan", "%%gremlin --store-to plan\ng.V().count().explain()"))
    assert "metrics" in str(stored("times", "%%gremlin --store-to times\ng.V().count().profile()"))
    for magic in ["%%gremlin explain --store-to told\ng.V().count()", "%%gremlin profile --store-to told\ng.V().count()"]:
        assert "V()" in str(stored("told", magic)), magic
    assert stored("told", "%status --store-to told")["status"] == "healthy"
    assert stored("told", "%summary --store-to told")["payload"]["graphSummary"]["numNodes"] == 6
    assert "runningQueryCount" in stored("told", "%gremlin_status --store-to told")
    assert "titles=('Error',)" in shown("%statistics"), "statistics are there now: say so in docs/tools.md"
