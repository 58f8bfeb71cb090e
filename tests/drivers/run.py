"""Boots a server on the modern graph and runs the drivers' getting-started traversals and sessions against it.

usage: run.py MANGROVE PYTHON4

PYTHON4 is a Python with the driver of TinkerPop 4, whose modules have the names of those of 3.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
DATA = HERE.parents[2] / "shared" / "tinkerpop" / "data" / "tinkerpop-modern.json"
START_SECONDS = 60


class Server:
    """`mangrove serve` on a free port: the modern graph as `gmodern`, an empty one as `g`."""

    def __init__(self, mangrove, directory):
        modern = pathlib.Path(directory, "modern")
        run = [mangrove, "--data", str(modern), "import", str(DATA)]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL, timeout=START_SECONDS)
        self.process = subprocess.Popen(
            [mangrove, "--data", str(pathlib.Path(directory, "empty")), "serve", "--port", "0",
             "--graph", f"gmodern={modern}"],
            stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            raise SystemExit(f"the server did not start: {line!r}")
        self.url = line.split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        code = self.process.wait(timeout=START_SECONDS)
        if code != 0:
            raise SystemExit(f"the server ended with {code}, not cleanly")


def main(mangrove, python4):
    with tempfile.TemporaryDirectory() as directory, Server(mangrove, directory) as server:
        environment = {**os.environ, "MANGROVE_URL": server.url}
        suites = [
            [sys.executable, "-m", "unittest", "-v", "getting_started", "sessions"],
            [python4, "-m", "unittest", "-v", "four"],
            ["node", "--test", "--test-concurrency=1", "--test-reporter", "spec", "getting_started.test.js",
             "sessions.test.js"],
        ]
        failed = [suite for suite in suites if subprocess.run(suite, cwd=HERE, env=environment).returncode]
    if failed:
        raise SystemExit(f"failed: {[suite[0] for suite in failed]}")


if __name__ == "__main__":
    main(*map(os.path.abspath, sys.argv[1:3]))
