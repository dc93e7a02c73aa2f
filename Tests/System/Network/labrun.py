"""How a run in the lab begins and ends: what it is told, where it can run, a folder of its own, and a report."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

from Driver.checks import Broken, Checks
from Driver.control import Refusal
from Driver.lab import Lab
from node import Node

# Time of the processor is checked at so many times what is promised, unless nothing else runs on the machine.
SLACK = 5
# Of a run that failed so many logs are shown.
LOGS = 4


class LabRun:
    """One run. Whoever makes one has its lab and its nodes made."""

    # As it is called in what is said of it.
    name = ""
    lab: Lab
    nodes: list[Node]

    def __init__(self, options: argparse.Namespace, folder: Path, checks: Checks) -> None:
        self.options, self.checks = options, checks
        self.slack = 1 if options.long else SLACK

    @staticmethod
    def arguments(parser: argparse.ArgumentParser) -> None:
        """Adds what only this run can be told."""

    @staticmethod
    def refuse(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
        """Ends the program where what it was told makes no sense."""

    @classmethod
    def lacking(cls) -> str | None:
        """What else this run needs and the machine has not."""
        return None

    @staticmethod
    def machine(options: argparse.Namespace) -> contextlib.AbstractContextManager[object]:
        """What the machine has to be like meanwhile."""
        return contextlib.nullcontext()

    def run(self) -> None:
        raise NotImplementedError


def lacking() -> str | None:
    """What keeps this machine from having the lab."""
    if os.geteuid() != 0:
        return "needs root"
    if not os.path.exists("/dev/net/tun"):
        return "there is no /dev/net/tun"
    tools = ("ip", "nsenter", "unshare", "avahi-daemon", "dbus-daemon", "cc")
    if missing := [tool for tool in tools if not shutil.which(tool)]:
        return f"there is no {', '.join(missing)}: Tests/System/Tools/setup.sh --labs"
    spaces = ["unshare", "--mount", "--net", "--pid", "--fork", "true"]
    if subprocess.run(spaces, capture_output=True).returncode != 0:
        return "no namespaces can be made here"
    return None


def perform(kind: type[LabRun], description: str | None) -> NoReturn:
    """The program itself, from its arguments to its exit code."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("programs", type=Path, help="the folder with stoad and stoa")
    parser.add_argument("--keep", action="store_true", help="keep the folder of logs and data")
    parser.add_argument("--long", action="store_true", help="check time of the processor at what is promised")
    kind.arguments(parser)
    options = parser.parse_args()
    if not (options.programs / "stoad").exists():
        parser.error(f"there is no {options.programs / 'stoad'}; first: make build")
    kind.refuse(parser, options)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if reason := lacking() or kind.lacking():
        print(f"{kind.name} skipped: {reason}", file=sys.stderr)
        sys.exit(77)
    checks = Checks(verbose=True)
    # A socket's path has at most 107 bytes, so the folder lies directly below.
    folder = Path(tempfile.mkdtemp(prefix=f"stoa-{Path(sys.argv[0]).stem}-", dir="/tmp"))
    run = None
    try:
        with kind.machine(options):
            run = kind(options, folder, checks)
            run.run()
    except (Broken, Refusal, OSError) as broken:
        checks.fail("the run goes to its end", broken)
    finally:
        if run is not None:
            if checks.failed:
                for node in run.nodes[:LOGS]:
                    print(f"--- log of {node.name}\n{node.tail()}", file=sys.stderr)
            run.lab.end()
        if options.keep:
            print(f"kept {folder}")
        else:
            shutil.rmtree(folder)
    code = checks.report()
    sys.stdout.flush()
    # Waiting threads must not keep a failed run from ending.
    os._exit(code)
