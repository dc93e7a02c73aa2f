#!/usr/bin/env python3
"""What the Avahi daemons of many hosts use for bare programs of their own package, beside which stoad is judged.

On each host avahi-publish announces an instance, and with --browse avahi-browse looks once for all of them, all in the
same second. See Docs/Testing/Network.md. As root, on Linux; everything happens in namespaces of its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from Driver.lab import Lab  # noqa: E402
from Driver.process import processor_seconds  # noqa: E402
from labrun import lacking  # noqa: E402
from neighbours import NeighbourTables  # noqa: E402

# The hosts have announced themselves by then.
REST_SECONDS = 12.0


def avahi_seconds() -> float:
    """Of the processor, of all Avahi daemons of this machine."""
    names = [name for name in Path("/proc").glob("[0-9]*/comm") if name.exists()]
    return sum(
        processor_seconds(int(name.parent.name)) for name in names if name.read_text() == "avahi-daemon\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=30.0, help="how long it is looked at")
    parser.add_argument("--browse", action="store_true", help="each looks for all, too")
    options = parser.parse_args()
    if reason := lacking():
        print(f"bare programs skipped: {reason}", file=sys.stderr)
        return 77
    hosts = range(1, options.hosts + 1)
    with tempfile.TemporaryDirectory(prefix="stoa-bare-") as folder, NeighbourTables(options.hosts):
        lab = Lab(options.hosts, list(hosts), None, Path(folder) / "lab.log")
        time.sleep(REST_SECONDS)
        before, began = avahi_seconds(), time.monotonic()
        commands = [["avahi-publish", "-s", "bare{host}", "_bare._tcp", "4100"]]
        if options.browse:
            commands.append(["avahi-browse", "-t", "-p", "_bare._tcp"])
        programs = [
            subprocess.Popen(
                [*lab.prefix(host), *(word.format(host=host) for word in command)],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for command in commands for host in hosts]
        time.sleep(max(0.0, began + options.seconds - time.monotonic()))
        used = avahi_seconds() - before
        for program in programs:
            program.kill()
            program.wait()
        lab.end()
    what = "avahi-publish and avahi-browse" if options.browse else "avahi-publish"
    print(f"MEASURED bare programs, {options.hosts} hosts: with {what} all Avahi daemons used {used:.1f} s of the "
          f"processor in {options.seconds:g} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
