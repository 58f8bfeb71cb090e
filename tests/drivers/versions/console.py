"""TinkerPop's console with `:remote`, in and outside of sessions, and with both of the settings that it comes with.

usage: console.py JARS FOLDER

JARS are those of gremlin-console; FOLDER is for the files that it reads and leaves. The console is driven as at a terminal,
line by line, since after an error it forgets lines that were there too early.
"""

import json
import os
import pathlib
import select
import subprocess
import sys
import time
import urllib.parse

PROMPT, ASKS = "gremlin> ", "[yN]"
LINE_SECONDS = 60
SERIALIZER = "org.apache.tinkerpop.gremlin.util.ser.GraphBinaryMessageSerializerV1"
# As conf/remote.yaml and conf/remote-objects.yaml of the console's distribution have them.
SETTINGS = {"remote.yaml": ", config: { serializeResultToString: true }", "remote-objects.yaml": ""}


class Refused(Exception):
    """What the console says of an error."""


class Console:
    def __init__(self, jars, folder):
        # Its own folder for plugins and preferences, so that nobody's home is changed.
        java = ["java", "-Djline.terminal=none", f"-Dtinkerpop.ext={folder}", f"-Djava.util.prefs.userRoot={folder}",
                f"-Duser.home={folder}", "-cp", f"{jars}/*", "org.apache.tinkerpop.gremlin.console.Console", "-C"]
        self.process = subprocess.Popen(java, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, bufsize=0)
        self.read()
        self.ask(":plugin use tinkerpop.server")

    def read(self):
        """What it prints until it waits for a line, without the prompt, and whether it asks about an error."""
        said, until = "", time.monotonic() + LINE_SECONDS
        while not said.endswith((PROMPT, ASKS)):
            ready, _, _ = select.select([self.process.stdout], [], [], until - time.monotonic())
            more = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not more:
                raise SystemExit(f"the console said no more than {said!r}")
            said += more.decode()
        return said.removesuffix(PROMPT).removesuffix(ASKS), said.endswith(ASKS)

    def ask(self, line):
        """The results of a line."""
        self.process.stdin.write(line.encode() + b"\n")
        said, error = self.read()
        print(line, said, sep="\n", file=sys.stderr)
        if error:
            self.process.stdin.write(b"n\n")
            self.read()
            raise Refused(" ".join(said.split("Type ':help'")[0].split()))
        return [line.removeprefix("==>") for line in said.splitlines() if line.startswith("==>")]

    def close_remotes(self):
        """Closes all of them, and goes back to evaluating lines here."""
        while self.ask(":remote list"):
            self.ask(":remote close")

    def end(self):
        self.process.stdin.write(b":q\n")
        self.process.wait(timeout=LINE_SECONDS)


class Checks:
    def __init__(self, console, settings):
        self.ask, self.settings = console.ask, settings

    def same(self, line, *expected):
        found = self.ask(line)
        if found != list(expected):
            raise AssertionError(f"{line}: expected {list(expected)} and found {found}")

    def connect(self, *session):
        said = self.ask(" ".join([":remote connect tinkerpop.server", self.settings, *session]))
        if not said or not said[0].startswith("Configured") or "not presently available" in said[0]:
            raise AssertionError(f"connecting: {said}")

    def empty(self):
        """A session with an empty graph, which is remote 0."""
        self.connect("session")
        self.ask(":> g.V().drop()")
        self.ask(":> g.tx().commit()")

    def remote(self):
        self.connect()
        self.same(":> gmodern.V().count()", "6")
        self.same(":remote config alias g gmodern", "g=gmodern")
        self.same(":> g.V().values('name').order()", "josh", "lop", "marko", "peter", "ripple", "vadas")
        self.same(":submit g.V(1)", "v[1]")
        self.same(":> g.V(1).out('knows').has('age', gt(30)).values('name')", "josh")
        self.same(":> g.V(1).outE('knows').order().by(id)", "e[7][1-knows->2]", "e[8][1-knows->4]")
        self.ask(":remote console")
        self.same("g.V().groupCount().by(label).select('person')", "4")
        self.same("g.V().hasLabel('person').order().by('age', desc).values('name')", "peter", "josh", "marko", "vadas")
        try:
            self.ask("g.V().nope()")
        except Refused as error:
            if "nope" not in str(error):
                raise
        else:
            raise AssertionError("g.V().nope() was not refused")
        self.same("g.V().count()", "6")

    def session(self):
        self.empty()
        self.same(":> x = 5", "5")
        self.ask(":remote console")
        self.same("v = g.addV('a').property('n', x).next(); g.V(v).values('n')", "5")
        self.same("g.V(v).values('n')", "5")
        self.ask(":remote console")
        self.connect()
        self.same(":> g.V().count()", "0")

    def commit(self):
        self.empty()
        self.ask(":> g.addV('a')")
        self.ask(":> g.tx().commit()")
        self.connect()
        self.same(":> g.V().count()", "1")

    def rollback(self):
        self.empty()
        self.ask(":> g.addV('a')")
        self.same(":> g.V().count()", "1")
        self.ask(":> g.tx().rollback()")
        self.same(":> g.V().count()", "0")

    def conflict(self):
        self.empty()
        self.ask(":> g.addV('counter').property('n', 0)")
        self.ask(":> g.tx().commit()")
        self.connect("session")
        for remote in 0, 1:
            self.ask(f":remote choose {remote}")
            self.same(":> g.V().values('n')", "0")
            self.ask(f":> g.V().property('n', {remote + 1})")
        self.ask(":remote choose 0")
        self.ask(":> g.tx().commit()")
        self.ask(":remote choose 1")
        try:
            self.ask(":> g.tx().commit()")
        except Refused as error:
            if "begin again" not in str(error):
                raise
        else:
            raise AssertionError("the second transaction committed")
        self.ask(":> g.tx().rollback()")
        self.same(":> g.V().values('n')", "1")


def main(jars, folder):
    server = urllib.parse.urlsplit(os.environ["MANGROVE_URL"])
    console = Console(jars, folder)
    for settings, config in SETTINGS.items():
        pathlib.Path(folder, settings).write_text(f"hosts: [{server.hostname}]\nport: {server.port}\n"
                                                  f"serializer: {{ className: {SERIALIZER}{config} }}\n")
        checks = Checks(console, settings)
        for check in "remote", "session", "commit", "rollback", "conflict":
            begun, message = time.monotonic(), ""
            try:
                getattr(checks, check)()
            except (AssertionError, Refused) as error:
                message = str(error)
            console.close_remotes()
            row = {"check": check, "format": settings, "passed": not message,
                   "seconds": round(time.monotonic() - begun, 3), "message": message}
            print("check " + json.dumps(row), flush=True)
    console.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
