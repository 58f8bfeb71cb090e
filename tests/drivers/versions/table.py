"""The drivers that are tried: each in which version, how it is installed, how its checks are run, and what they report.

A version is the newest of its line that the registries serve; gremlin-go's 3.8.2 and the console's 3.7.4 and later are not there.
"""

import dataclasses
import pathlib
import shutil
import sys
from typing import Callable

import install

HERE = pathlib.Path(__file__).parent
SUITES = HERE.parent
CHECKS = ["getting-started", "session", "commit", "rollback", "conflict"]
# Over TLS, with a name and a password. Python and JavaScript do it in `make drivers`.
LOGIN = "login"
BINARY, JSON = "graphbinary1", "graphson3"


@dataclasses.dataclass(frozen=True)
class Driver:
    name: str
    version: str
    formats: list[str]
    # Puts into a folder what the driver needs, which may be there from the last time.
    install: Callable[[pathlib.Path], None]
    # The command that runs the checks, and where.
    command: Callable[[pathlib.Path], tuple[list[str], pathlib.Path]]
    checks: list[str] = dataclasses.field(default_factory=lambda: CHECKS)
    # Whether it counts when the driver cannot be installed.
    required: bool = True


def python(version, modules, formats, *others, required=True):
    return Driver(
        "gremlinpython", version, formats, required=required,
        install=lambda folder: install.venv(folder, [f"gremlinpython=={version}", *others]),
        # Drivers of before 3.8 warn of what Python has deprecated since.
        command=lambda folder: (
            [str(folder / "bin/python"), "-B", "-W", "ignore", str(HERE / "python_suite.py"), *modules], HERE))


def javascript(version):
    suites = ["getting_started.test.js", "sessions.test.js"]

    def prepare(folder):
        install.npm(folder, f"gremlin@{version}")
        # Node looks for modules beside the file, so the suites have to be beside the version that they are to find.
        for name in suites:
            shutil.copy(SUITES / name, folder / name)

    return Driver(
        "gremlin (npm)", version, [BINARY, JSON], prepare,
        lambda folder: (
            ["node", "--test", "--test-concurrency=1", "--test-reporter", str(HERE / "reporter.mjs"), *suites], folder))


def java(version):
    return Driver(
        "gremlin-driver (Java)", version, [BINARY, JSON],
        lambda folder: install.jars(folder, "gremlin-driver", version),
        lambda folder: (["java", "-cp", f"{folder}/*", str(HERE / "Checks.java")], HERE),
        checks=[*CHECKS, LOGIN])


def go(version):
    def prepare(folder):
        install.go(folder, f"github.com/apache/tinkerpop/gremlin-go/v3@v{version}", HERE / "checks.go")

    return Driver("gremlin-go", version, [BINARY], prepare, lambda folder: ([str(folder / "checks")], folder),
                  checks=[*CHECKS, LOGIN])


def console(version):
    def prepare(folder):
        install.jars(folder / "jars", "gremlin-console", version)
        (folder / "home").mkdir(exist_ok=True)

    return Driver(
        "gremlin-console", version, ["remote.yaml", "remote-objects.yaml"], prepare,
        lambda folder: ([sys.executable, "-B", str(HERE / "console.py"), str(folder / "jars"), str(folder / "home")], HERE),
        checks=["remote", *CHECKS[1:]])


THREE = [["getting_started", "sessions"], [BINARY, JSON]]
DRIVERS = [
    # Its transport imports a package that aiohttp no longer brings along.
    python("3.5.8", *THREE, "async-timeout==4.0.3", required=False),
    python("3.6.8", *THREE),
    python("3.7.7", *THREE),
    python("3.8.2", *THREE),
    python("4.0.0b3", ["four"], ["graphbinary4"]),
    javascript("3.7.4"),
    javascript("3.8.2"),
    java("3.7.5"),
    java("3.8.1"),
    go("3.8.1"),
    console("3.7.3"),
]
