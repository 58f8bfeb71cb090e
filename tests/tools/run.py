"""Tries the tools of docs/tools.md on the modern graph, as that page says: what works there must work, and what fails must fail.

usage: run.py MANGROVE FOLDER

The tools are installed into FOLDER from PyPI, in the versions that the page names.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = (ROOT / "docs/tools.md").read_text()
SECONDS = 300

sys.path.insert(0, str(ROOT / "tests/drivers/versions"))
import install


def requirements(package):
    """What the page says to install along with a package."""
    return next(line.split()[2:] for line in PAGE.splitlines() if line.startswith("pip install") and package in line)


def serve(mangrove, directory):
    """A server of the modern graph, and its port."""
    run = dict(check=True, cwd=directory, stdout=subprocess.DEVNULL)
    subprocess.run([mangrove, "generate", "modern"], **run)
    subprocess.run([mangrove, "--data", "modern", "import", "modern.json"], **run)
    process = subprocess.Popen([mangrove, "--data", "modern", "--log-level", "warn", "serve", "--port", "0"], cwd=directory,
                               stdout=subprocess.PIPE, text=True)
    return process, re.search(r":(\d+)/gremlin$", process.stdout.readline().strip())[1]


def main(mangrove, folder):
    failed = 0
    for package, script in [("graph-notebook", "notebook.py"), ("langchain-community", "langchain_graph.py")]:
        home = pathlib.Path(folder, package).absolute()
        install.venv(home, requirements(package))
        with tempfile.TemporaryDirectory() as directory:
            server, port = serve(mangrove, directory)
            # The notebook's settings are a file in the home directory.
            environment = {**os.environ, "HOME": directory}
            command = [home / "bin/python", "-B", "-W", "ignore", HERE / script, port]
            done = subprocess.run(command, env=environment, timeout=SECONDS)
            server.terminate()
            server.wait()
        failed += done.returncode != 0
        print(f"{package}: {'FAILED' if done.returncode else 'ok'}", flush=True)
    print(f"{2 - failed} passed, {failed} failed")
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), sys.argv[2])
