"""Opens pages in headless Chromium that want to read and write the graph of a server on the same machine.

usage: run.py MANGROVE CHROMIUM
"""

import json
import os
import queue
import socket
import subprocess
import sys
import tempfile
import urllib.request

from pages import Pages

START_SECONDS = 60
PAGE_SECONDS = 120
SECRET = "what-no-page-may-know"
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--disable-features=HttpsUpgrades",
]
# What an allowed page must be able to do. No page can write by GET, and what comes without an origin is nobody's.
ALLOWED_READS = {f"post {what}: read" for what in ["plain", "urlencoded", "typed", "credentials"]} \
    | {"socket: read", "get: read", "get with credentials: read"}
ALLOWED_WRITES = {f"post-{what}" for what in ["plain", "urlencoded", "typed", "credentials", "opaque", "no-referrer"]} \
    | {"beacon", "form", "socket"}


class Server:
    """`mangrove serve` with an empty graph in memory and a secret in it."""

    def __init__(self, mangrove, port, settings):
        flags = [flag for setting in settings for flag in ("--set", setting)]
        self.process = subprocess.Popen(
            [mangrove, "--data", ":memory:", "--log-level", "warn", *flags, "serve", "--port", str(port)],
            stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            raise SystemExit(f"the server did not start: {line!r}")
        self.port = port
        self.script(f"g.addV('safe').property('secret', '{SECRET}')")

    def script(self, script):
        """What a program gets, as text: it sends no Origin."""
        body = json.dumps({"gremlin": script}).encode()
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/gremlin", body, timeout=10) as answer:
            return answer.read().decode()

    def written(self):
        """The labels of what pages have written, which is taken away again."""
        typed = json.loads(self.script("g.V().not(hasLabel('safe')).label()"))
        self.script("g.V().not(hasLabel('safe')).drop()")
        return set(typed["result"]["data"]["@value"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=START_SECONDS)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def open_page(chromium, pages, origin, targets, proxy=False):
    """Opens the page under an origin; what its attempts read, by their names, and whether all were made."""
    query = "&".join(f"target={target}" for target in targets)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = [*FLAGS, f"--user-data-dir={profile}"]
        if proxy:
            flags.append(f"--proxy-server=http://127.0.0.1:{pages.port}")
        # Chromium leaves files in the temporary directory, too.
        browser = subprocess.Popen(
            [chromium, *flags, f"{origin}/page?{query}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": profile})
        try:
            return pages.told.get(timeout=PAGE_SECONDS)
        except queue.Empty:
            raise SystemExit(f"the page of {origin} did not tell what it got")
        finally:
            browser.terminate()
            browser.wait(timeout=START_SECONDS)


def main(mangrove, chromium):
    port = free_port()
    victim = ("127.0.0.1", port)
    pages, others = Pages(victim), Pages(victim)
    allowed = f"http://localhost:{pages.port}"
    names = [f"http://localhost:{port}", f"http://127.0.0.1:{port}"]
    rebound = f"http://rebound.test:{port}"
    problems = []

    def check(what, expected, found):
        print(f"{'ok ' if expected == found else 'BAD'} {what}", flush=True)
        if expected != found:
            problems.append(f"{what}: expected {sorted(expected)}, found {sorted(found)}")

    with Server(mangrove, port, [f"server.allowed_origins={allowed}"]) as server:
        for origin, targets, proxy in [
            (f"http://localhost:{others.port}", names, False),
            (f"http://127.0.0.1:{pages.port}", names, False),
            (rebound, [rebound], True),
        ]:
            told = open_page(chromium, others if str(others.port) in origin else pages, origin, targets, proxy)
            check(f"{len(told)} attempts of {origin} read nothing", set(),
                  {attempt["name"] for attempt in told if SECRET in attempt.get("read", "")})
            check(f"{len(told)} attempts of {origin} write nothing", set(), server.written())
        for target in names:
            told = open_page(chromium, pages, allowed, [target])
            check(f"{allowed}, which is allowed, reads {target}", ALLOWED_READS,
                  {attempt["name"] for attempt in told if SECRET in attempt.get("read", "")})
            check(f"{allowed}, which is allowed, writes {target}", ALLOWED_WRITES, server.written())
    if problems:
        raise SystemExit("\n".join(problems))


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), sys.argv[2])
