"""Runs the examples of README.md as they are printed, but for the port, on what `make run` serves.

usage: run.py PROGRAMS NODE_MODULES [FOLDER]

PROGRAMS has `mangrove` and `examples/friends`; NODE_MODULES has the npm driver, and this Python the driver for Python. With a FOLDER
the drivers for Java and Go are installed into it, from Maven Central and the Go module proxy, and those examples are run as well.
"""

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile

from blocks import blocks

ROOT = pathlib.Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PORT = "8182"
SECONDS = 60

sys.path.insert(0, str(ROOT / "tests/drivers/versions"))
import install


class Failed(Exception):
    """Which example, and how."""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


class Served:
    """A command that serves a graph until the end of a `with`, after which it must end well."""

    def __init__(self, command, **how):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **how)
        for line in self.process.stdout:
            if line.startswith("listening on "):
                return
        raise Failed(f"{command} ended with {self.process.wait()} before it listened")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        if code := self.process.wait(timeout=60):
            raise Failed(f"the server ended with {code}")


class Examples:
    """What is needed to run an example of each language, in a directory of its own."""

    def __init__(self, programs, modules, folder, directory):
        self.programs, self.folder, self.directory = programs, folder, directory
        (directory / "bin").mkdir()
        (directory / "bin/mangrove").symlink_to(programs / "mangrove")
        (directory / "node_modules").symlink_to(modules)
        self.port = free_port()
        path = f"{directory / 'bin'}{os.pathsep}{os.environ['PATH']}"
        # Whoever follows the README has set nothing.
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MANGROVE_")}
        self.environment = {**kept, "PATH": path, "MANGROVE_SERVER_PORT": self.port, "MANGROVE_LOG_LEVEL": "warn"}

    def written(self, name, block):
        file = self.directory / name
        file.write_text(block.text.replace(PORT, self.port))
        return file.name

    def python(self, block):
        return self.run([sys.executable, "-B", self.written("friends.py", block)])

    def js(self, block):
        return self.run(["node", self.written("friends.mjs", block)])

    def java(self, block):
        version = re.search(r"gremlin-driver:([\d.]+)", README)[1]
        jars = self.folder / f"gremlin-driver-{version}"
        install.jars(jars, "gremlin-driver", version)
        return self.run(["java", "-cp", f"{jars}/*", self.written("Friends.java", block)])

    def go(self, block):
        module = re.search(r"`go get (\S+)`", README)[1]
        _, _, version = module.rpartition("@")
        folder = self.folder / f"gremlin-go-{version}"
        install.go(folder, module, self.directory / self.written("friends.go", block))
        return self.run([folder / "checks"])

    def rust(self, block):
        example = (ROOT / "crates/mangrove/examples/friends.rs").read_text()
        if block.text not in example:
            raise Failed("differs from crates/mangrove/examples/friends.rs, which is what would be run")
        return self.run([self.programs / "examples/friends"])

    def toml(self, block):
        self.written("configuration.toml", block)
        return self.run(["mangrove", "--config", "configuration.toml", "version"])

    def sh(self, block):
        lines = block.text.splitlines(keepends=True)
        last = lines.pop() if lines[-1].endswith(" serve\n") else ""
        script = "".join(lines).replace(PORT, self.port)
        out = self.run(["sh", "-eu", "-c", script])
        if last:
            with Served(last.split(), cwd=self.directory, env={**self.environment, "MANGROVE_SERVER_PORT": "0"}):
                pass
        return out

    def run(self, command):
        """What a command prints; it must end well."""
        done = subprocess.run(command, cwd=self.directory, env=self.environment, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS)
        if done.returncode:
            raise Failed(f"ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout


def versions_agree():
    """What the README says to install is what is installed here."""
    wanted = [(ROOT / "tests/drivers/requirements.txt").read_text().strip()]
    wanted += re.findall(r'"(gremlin)": "([\d.]+)"', (ROOT / "tests/drivers/package.json").read_text())
    for name in wanted:
        name = name if isinstance(name, str) else "@".join(name)
        if f"install {name}`" not in README:
            raise Failed(f"README.md does not say to install {name}, which is what the tests do")


def attempt(examples, block):
    """What is to be said of an example: `ok`, or why it was left out."""
    if block.text.startswith("make "):
        return "skipped, since it is what serves the others"
    if block.language in ("java", "go") and not examples.folder:
        return "skipped; make readme-all runs it"
    if block.language == "py":
        return "skipped; make python-test runs it"
    found = getattr(examples, block.language)(block).splitlines()
    if block.printed and found != block.printed:
        raise Failed(f"printed {found} and not {block.printed}")
    return "ok"


def main(programs, modules, folder=None):
    versions_agree()
    programs, modules = pathlib.Path(programs).resolve(), pathlib.Path(modules).resolve()
    folder = folder and pathlib.Path(folder).resolve()
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory() as directory:
        examples = Examples(programs, modules, folder, pathlib.Path(directory))
        demo = [ROOT / "tests/run-demo", programs / "mangrove", "20", "7", examples.port]
        with Served(demo, cwd=directory, env=examples.environment):
            for block in blocks(README):
                try:
                    said = attempt(examples, block)
                    passed, skipped = passed + (said == "ok"), skipped + (said != "ok")
                except (Failed, install.NotInstalled, OSError, subprocess.TimeoutExpired) as error:
                    said, failed = f"FAILED: {error}", failed + 1
                print(f"README.md:{block.line} ({block.language}): {said}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    if failed or not passed:
        raise SystemExit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
