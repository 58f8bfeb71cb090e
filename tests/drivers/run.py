"""Boots a server on the modern graph and runs the drivers' getting-started traversals and sessions against it; and one with TLS
and users, to which they log in.

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

    def __init__(self, mangrove, directory, *options):
        os.makedirs(directory, exist_ok=True)
        modern = pathlib.Path(directory, "modern")
        run = [mangrove, "--data", str(modern), "import", str(DATA)]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL, timeout=START_SECONDS)
        self.process = subprocess.Popen(
            [mangrove, "--data", str(pathlib.Path(directory, "empty")), "serve", "--port", "0",
             "--graph", f"gmodern={modern}", *options],
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


def certificate(directory):
    """A certificate for localhost, which is its own authority; files with it and with its key."""
    files = [str(pathlib.Path(directory, name)) for name in ["certificate.pem", "key.pem"]]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out", files[0], "-keyout", files[1]],
        check=True, stderr=subprocess.DEVNULL)
    return files


class Secured(Server):
    """The same with TLS and users: an admin, and ada, who may read gmodern and write g."""

    ADMIN = "the admin's password"

    def __init__(self, mangrove, directory):
        os.makedirs(directory, exist_ok=True)
        self.certificate, key = certificate(directory)
        password = pathlib.Path(directory, "password")
        password.write_text(self.ADMIN + "\n")
        super().__init__(
            mangrove, directory, "--admin-password-file", str(password),
            "--set", f"server.tls_certificate={self.certificate}", "--set", f"server.tls_key={key}")
        self.url = self.url.replace("127.0.0.1", "localhost")


def main(mangrove, python4):
    failed = plain(mangrove, python4) + secured(mangrove, python4)
    if failed:
        raise SystemExit(f"failed: {[suite[0] for suite in failed]}")


def secured(mangrove, python4):
    with tempfile.TemporaryDirectory() as directory, Secured(mangrove, directory) as server:
        environment = {
            **os.environ, "MANGROVE_URL": server.url, "MANGROVE_CA": server.certificate, "MANGROVE_PASSWORD": server.ADMIN}
        suites = [
            [sys.executable, "-m", "unittest", "-v", "secured"],
            [python4, "-m", "unittest", "-v", "secured_four"],
            ["node", "--test", "--test-concurrency=1", "--test-reporter", "spec", "secured.test.js"],
        ]
        return [suite for suite in suites if subprocess.run(suite, cwd=HERE, env=environment).returncode]


def plain(mangrove, python4):
    with tempfile.TemporaryDirectory() as directory, Server(mangrove, directory) as server:
        environment = {**os.environ, "MANGROVE_URL": server.url}
        suites = [
            [sys.executable, "-m", "unittest", "-v", "getting_started", "sessions"],
            [python4, "-m", "unittest", "-v", "four"],
            ["node", "--test", "--test-concurrency=1", "--test-reporter", "spec", "getting_started.test.js",
             "sessions.test.js"],
        ]
        return [suite for suite in suites if subprocess.run(suite, cwd=HERE, env=environment).returncode]


if __name__ == "__main__":
    main(*map(os.path.abspath, sys.argv[1:3]))
