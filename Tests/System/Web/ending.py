#!/usr/bin/env python3
"""The page's program ends ten minutes after its last page, and not before.

    ending.py FOLDER --work FOLDER

Its clock is moved ahead. Runs only in a network that has nothing but a loopback interface. Ends with
`N passed, N failed`.
"""

from __future__ import annotations

import argparse
import socket
import sys
from pathlib import Path

import pages  # noqa: F401  Finds the drivers.
from pages import HERE, Desk, run

from Driver.process import until

sys.path.insert(0, str(HERE.parent / "Doctor"))
from host import Time  # noqa: E402

MINUTES_10 = 600


def wake(port: int) -> None:
    """A connection: the program looks at its clock when anything wakes it."""
    with socket.create_connection(("127.0.0.1", port), timeout=60):
        pass


def has_page(port: int) -> bool:
    """Whether the program still holds a connection, of which the browser may have closed its end."""
    rows = [line.split() for line in Path("/proc/self/net/tcp").read_text().splitlines()[1:]]
    # ESTABLISHED, CLOSE_WAIT
    return any(row[1].endswith(f":{port:04X}") and row[3] in ("01", "08") for row in rows)


def act(desk: Desk, _: argparse.Namespace) -> None:
    clock = Time(desk.folder)
    desk.ada.environment |= {"LD_PRELOAD": str(clock.library), "STOA_LAB_CLOCK": str(clock.file)}
    page = desk.open(desk.ada)
    process, port = desk.program(desk.ada), int(page.url.split(":")[2].split("/")[0])
    clock.pass_by(3 * MINUTES_10)
    wake(port)
    page.wait_for_timeout(1_000)
    desk.checks.same("it is there while a page is open", desk.program(desk.ada), process)
    page.context.close()
    desk.contexts.clear()
    until("it has seen the page go", lambda: not has_page(port))
    # A connection has ten seconds. They are over before the ten minutes are, so the timer is set anew, twice.
    clock.pass_by(MINUTES_10 - 40)
    wake(port)
    desk.checks.same("it is there just before ten minutes are over", desk.program(desk.ada), process)
    until("it has ended", lambda: not Path(f"/proc/{process}/exe").exists())
    desk.checks.that("and has ended then", True)
    desk.checks.that("its socket is gone", not (desk.ada.socket.parent / "web.sock").exists())
    desk.ada.environment.pop("LD_PRELOAD")


if __name__ == "__main__":
    run(act)
