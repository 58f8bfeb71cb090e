"""Installs drivers from their registries, each into a folder of its own, once."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys

INSTALL_SECONDS = 600


class NotInstalled(Exception):
    """Why not, in a line."""


def run(command, folder, **environment):
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=INSTALL_SECONDS)
    if done.returncode:
        # pip, npm, mvn and go all say what was wrong in a line with this word; the last line may be advice.
        lines = [line for line in done.stdout.splitlines() if line.strip()] or [f"exit status {done.returncode}"]
        raise NotInstalled(next((line for line in lines if "error" in line.lower()), lines[-1]))


@contextlib.contextmanager
def once(folder, what):
    """Whether there is something to do: what was asked for is written down when it is done, and then asked for no more."""
    stamp = folder / ".installed"
    if stamp.exists() and stamp.read_text() == what:
        yield False
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    yield True
    stamp.write_text(what)


def venv(folder, requirements):
    with once(folder, " ".join([sys.version, *requirements])) as missing:
        if missing:
            run([sys.executable, "-m", "venv", str(folder)], folder)
            run(["bin/pip", "install", "--quiet", "--disable-pip-version-check", *requirements], folder)


def npm(folder, package):
    with once(folder, package) as missing:
        if missing:
            (folder / "package.json").write_text('{ "private": true }\n')
            run(["npm", "install", "--loglevel", "error", "--no-audit", "--no-fund", "--save-exact", package], folder)


def jars(folder, artifact, version):
    with once(folder, f"{artifact} {version}") as missing:
        if missing:
            pom = pathlib.Path(__file__).with_name("pom.xml")
            run(["mvn", "--quiet", "--batch-mode", "-f", str(pom), f"-Dartifact={artifact}", f"-Dtinkerpop={version}",
                 "dependency:copy-dependencies", f"-DoutputDirectory={folder}"], folder)


def go(folder, module, source):
    """Also builds the program, whenever it has changed: `go` knows when."""
    # Modules are written so that `make clean` can remove them.
    settings = {"GOMODCACHE": str(folder / "modules"), "GOFLAGS": "-mod=mod -modcacherw"}
    with once(folder, module) as missing:
        if missing:
            run(["go", "mod", "init", "checks"], folder, **settings)
            run(["go", "get", module], folder, **settings)
    shutil.copy(source, folder / source.name)
    run(["go", "build", "-o", "checks", source.name], folder, **settings)
