"""Tries Mangrove with TinkerPop's drivers in several languages and versions, as versions/table.py lists them.

usage: versions.py MANGROVE FOLDER OUT [WORD]

Drivers are installed into FOLDER, which also gets what each of them printed. The results go to the file OUT, as JSON; WORD
chooses drivers by a part of name or version. Ends with 1 if anything fails.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from run import Secured, Server

sys.path.insert(0, str(pathlib.Path(__file__).with_name("versions")))

import install
import table

os.environ.setdefault("MANGROVE_LOG_LEVEL", "warn")
CHECK_SECONDS = 300


def reported(driver, folder, mangrove):
    """The rows that the checks of a driver print, and the last other line that they do. It has a server of its own."""
    command, where = driver.command(folder)
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        log = stack.enter_context(open(f"{folder}.log", "w+"))
        server = stack.enter_context(Server(mangrove, os.path.join(directory, "plain")))
        environment = {**os.environ, "MANGROVE_URL": server.url}
        if table.LOGIN in driver.checks:
            secured = stack.enter_context(Secured(mangrove, os.path.join(directory, "secured")))
            environment |= {"MANGROVE_SECURED_URL": secured.url, "MANGROVE_CA": secured.certificate,
                            "MANGROVE_PASSWORD": secured.ADMIN}
        run = subprocess.Popen(command, cwd=where, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            run.wait(timeout=CHECK_SECONDS)
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait()
        log.seek(0)
        lines = log.read().splitlines()
    rows = [json.loads(line.removeprefix("check ")) for line in lines if line.startswith("check {")]
    rest = [line for line in lines if line.strip() and not line.startswith("check {")]
    return rows, f"exit status {run.returncode}: {rest[-1] if rest else 'it printed nothing'}"


def attempt(driver, folder, mangrove):
    """A row for every check and format of a driver, whatever it reports."""
    about = {"driver": driver.name, "version": driver.version}
    begun = time.monotonic()
    try:
        driver.install(folder)
    except (install.NotInstalled, OSError, subprocess.TimeoutExpired) as error:
        # Neither passed nor failed where the driver may be missing.
        return [{**about, "check": "install", "format": "", "passed": False if driver.required else None,
                 "seconds": round(time.monotonic() - begun, 3), "message": f"not installed: {error}"}]
    try:
        rows, otherwise = reported(driver, folder, mangrove)
    except SystemExit as error:
        # The server did not start, or not end, as it should: whatever was reported, the driver cannot be said to work.
        rows, otherwise = [], str(error)
    found = {(row["check"], row["format"]): row for row in rows}
    missing = {"passed": False, "seconds": 0, "message": otherwise}
    return [{**about, **found.get((check, format), {"check": check, "format": format, **missing})}
            for format in driver.formats for check in driver.checks]


def show(row):
    verdict = {True: "passed", False: "FAILED", None: "-"}[row["passed"]]
    print(f"{row['driver']:22} {row['version']:8} {row['format']:20} {row['check']:16} {verdict:7}{row['seconds']:8.2f} s"
          f"  {'' if row['passed'] else row['message']}", flush=True)


def main(mangrove, folder, out, word=""):
    rows = []
    for driver in table.DRIVERS:
        if word not in f"{driver.name} {driver.version}":
            continue
        name = "".join(letter if letter.isalnum() or letter in ".-" else "-" for letter in f"{driver.name}-{driver.version}")
        its = attempt(driver, pathlib.Path(folder, name).absolute(), mangrove)
        for row in its:
            show(row)
        rows += its
    pathlib.Path(out).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(out).write_text("[" + ",\n ".join(map(json.dumps, rows)) + "]\n")
    failed = sum(row["passed"] is False for row in rows)
    print(f"{sum(row['passed'] is True for row in rows)} passed, {failed} failed; see {out}, and the logs in {folder}")
    if failed or not rows:
        raise SystemExit(1)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), *sys.argv[2:])
