"""Discovery as the page has it: a peer that knows nothing else finds stoad, and is found by it.

On a network of three hosts in namespaces of their own: one whose stoad announces itself by Avahi, one whose stoad
does so itself, and the peer's.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from Driver.lab import HostDaemon, Lab
from rig import ROOM, SECONDS, Rig

AVAHI, EMBEDDED, PEER = 1, 2, 3
HERE = Path(__file__).resolve().parent
TOOLS = ("ip", "nsenter", "unshare", "sysctl", "avahi-daemon", "dbus-daemon")


def lacking() -> str | None:
    """What keeps this machine from having such hosts."""
    if os.geteuid() != 0:
        return "needs root"
    if missing := [tool for tool in TOOLS if not shutil.which(tool)]:
        return f"there is no {', '.join(missing)}: Tests/System/Tools/setup.sh --labs"
    return None


class Host:
    """The peer's host: what runs there is a process of its own."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab

    async def start(self, program: str, *arguments: str) -> asyncio.subprocess.Process:
        # Without the process namespace it is our child, and ends when we end it.
        prefix = [part for part in self.lab.prefix(PEER) if part != "-p"]
        command = [*prefix, sys.executable, str(HERE / program), *arguments]
        return await asyncio.create_subprocess_exec(
            *command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    async def peer(self, *arguments: str) -> tuple[int, list[str]]:
        """Talks to as many nodes as there are; its exit code, and the texts that it has then."""
        process = await self.start(
            "peer.py", "--room", ROOM, "--links", "2", "--seconds", str(SECONDS), *arguments)
        out, errors = await process.communicate()
        if process.returncode:
            print(errors.decode(errors="replace")[-2000:], file=sys.stderr)
        return process.returncode or 0, out.decode().splitlines()


async def line(process: asyncio.subprocess.Process) -> dict[str, Any]:
    assert process.stdout is not None
    read = await asyncio.wait_for(process.stdout.readline(), SECONDS)
    return dict(json.loads(read))


async def run(rig: Rig) -> None:
    if (reason := lacking()) is not None:
        print(f"scenario discovery skipped: {reason}", file=sys.stderr)
        if os.environ.get("STOA_NO_SKIP") == "1":
            rig.checks.that("no scenario is skipped", False, reason)
        return
    with tempfile.TemporaryDirectory(prefix="stoa-found-", dir="/tmp") as home:
        folder = Path(home)
        lab = await asyncio.to_thread(Lab, 3, [AVAHI], None, folder / "lab.log")
        daemons = {
            host: HostDaemon(
                lab, host, rig.stoad.daemon.programs, folder, f"h{host}", ["--discovery", how])
            for host, how in ((AVAHI, "system"), (EMBEDDED, "embedded"))}
        try:
            for daemon in daemons.values():
                await asyncio.to_thread(daemon.start)
                await asyncio.to_thread(daemon.output, "join", ROOM)
            await look(rig, Host(lab), daemons)
            await meet(rig, Host(lab), daemons)
        finally:
            for daemon in daemons.values():
                await asyncio.to_thread(daemon.stop)
            await asyncio.to_thread(lab.end)


async def look(rig: Rig, host: Host, daemons: dict[int, HostDaemon]) -> None:
    """What nodes announce is what the page says, and nothing else."""
    checks = rig.checks
    browser = await host.start("discovery.py", "eth0")
    try:
        found = {each["addresses"][0]: each for each in [(await line(browser))["found"] for _ in daemons]}
        for number, daemon in daemons.items():
            instance = found[f"10.77.0.{number}"]
            name = instance["name"]
            checks.that(f"host {number}: a random name", re.fullmatch("[a-z2-7]{16}", name) is not None, name)
            checks.same(f"host {number}: the port", instance["port"], daemon.port)
            checks.same(f"host {number}: TXT", sorted(instance["txt"]), ["min=2", "v=2"])
            checks.same(f"host {number}: its versions", instance["versions"], [2, 2])
            checks.same(f"host {number}: its addresses", instance["addresses"], [f"10.77.0.{number}"])
            is_named = instance["host"] == f"h{number}.local"
            checks.same(f"host {number}: whether its records name the machine", is_named, number == AVAHI)
        for number, daemon in daemons.items():
            await asyncio.to_thread(daemon.stop)
            name = found[f"10.77.0.{number}"]["name"]
            checks.same(f"host {number}: goodbye", await line(browser), {"ended": name})
            await asyncio.to_thread(daemon.start)
            again = (await line(browser))["found"]
            checks.that(f"host {number}: another name at each start", again["name"] != name, again)
    finally:
        browser.terminate()
        await browser.wait()


async def meet(rig: Rig, host: Host, daemons: dict[int, HostDaemon]) -> None:
    """One message each way, where the peer only looks, and where it only announces itself."""
    checks = rig.checks
    for words, how in (
        ("found you", ["--find", "eth0"]),
        ("you found me", ["--listen", "0.0.0.0:0", "--announce", "eth0"]),
    ):
        code, texts = await host.peer("--say", words, *how)
        checks.same(f"{words}: both nodes were linked", code, 0)
        checks.that(f"{words}: the peer has it", words in texts, texts)
        for number, daemon in daemons.items():
            said = [each.get("text") for each in await asyncio.to_thread(daemon.history, ROOM)]
            checks.that(f"{words}: host {number} has it", words in said, said)
            await asyncio.to_thread(daemon.output, "send", ROOM, f"{number} answers: {words}")
    for number in daemons:
        checks.that(f"the peer has what host {number} said before", f"{number} answers: found you" in texts, texts)
