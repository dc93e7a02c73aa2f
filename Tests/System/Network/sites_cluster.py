#!/usr/bin/env python3
"""Three sites of two hosts share a room by way of three NATS servers; one server is killed, then one site is cut off.

Six authors write all the time. See Docs/Testing/Network.md. As root, on Linux; everything happens in namespaces of its
own.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from Driver.checks import Broken, Checks  # noqa: E402
from Driver.control import Refusal  # noqa: E402
from Driver.daemon import Programs  # noqa: E402
from Driver.lab import Lab  # noqa: E402
from Driver.process import Program, until  # noqa: E402
from labrun import LabRun, perform  # noqa: E402
from node import Node  # noqa: E402

ROOM = "office/ops"
SWITCH_SEED = 1
# Hosts 1 to 6 are the sites, two of each; these have the servers, and the last one comes when all is over.
SERVERS = (7, 8, 9)
NEWCOMER = 10
CLUSTER_PORT, MONITOR_PORT, CLIENT_PORT = 6222, 8222, 4222
AGAIN_SECONDS = 240.0
DELETED = "this is deleted while a site is away"


class Server(Program):
    """A NATS server of the cluster, on a host of the lab."""

    def __init__(self, lab: Lab, host: int, folder: Path) -> None:
        super().__init__(folder, f"s{host}")
        self.lab, self.host = lab, host

    def start(self) -> None:
        routes = ",".join(f"nats://10.77.0.{other}:{CLUSTER_PORT}" for other in SERVERS)
        self.launch([
            *self.lab.prefix(self.host), "nats-server", "-n", self.name, "-js", "-sd", self.folder / "store",
            "-a", f"10.77.0.{self.host}", "-p", CLIENT_PORT, "-m", MONITOR_PORT,
            "--cluster_name", "sites", "--cluster", f"nats://10.77.0.{self.host}:{CLUSTER_PORT}", "--routes", routes])
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        until("the server runs", lambda: children.read_text() != "")
        self.pid = int(children.read_text())

    def streams(self) -> dict:
        """What it says of its streams."""
        url = f"http://10.77.0.{self.host}:{MONITOR_PORT}/jsz?streams=true"
        read = f"import urllib.request; print(urllib.request.urlopen({url!r}).read().decode())"
        done = subprocess.run(
            [*self.lab.prefix(self.host), sys.executable, "-c", read], capture_output=True, text=True, timeout=60)
        return json.loads(done.stdout) if done.returncode == 0 else {}

    def stored(self) -> tuple[int, int]:
        """The messages of the stream, and under how many subjects."""
        for account in self.streams().get("account_details", []):
            for stream in account.get("stream_detail", []):
                if stream["name"] == "STOA":
                    return stream["state"]["messages"], stream["state"].get("num_subjects", 0)
        return 0, 0


class Carrier(Program):
    """The program that carries a node's rooms to the servers."""

    def __init__(self, node: Node, program: Path, folder: Path) -> None:
        super().__init__(folder, f"c{node.host}")
        self.node, self.program = node, program

    def command_line(self, *arguments: object) -> list[object]:
        return [*self.node.lab.prefix(self.node.host), self.program, "--socket", self.node.socket, *arguments]

    def start(self) -> None:
        self.launch(self.command_line(), self.node.environment)
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        until("stoa-sites runs", lambda: children.read_text() != "")
        self.pid = int(children.read_text())

    def set_up(self) -> bool:
        done = subprocess.run(
            [str(part) for part in self.command_line("--setup", "--size", 1 << 28, "--replicas", 3)],
            capture_output=True, text=True, timeout=120, env=self.node.environment)
        return done.returncode == 0


class Author(threading.Thread):
    """Writes so many messages, evenly over a time; remembers what was acknowledged."""

    def __init__(self, node: Node, count: int, seconds: float, checks: Checks) -> None:
        super().__init__(daemon=True)
        self.node, self.count, self.pause, self.checks = node, count, seconds / count, checks
        self.acknowledged: list[str] = []

    def run(self) -> None:
        began = time.monotonic()
        try:
            with self.node.control() as control:
                for number in range(self.count):
                    time.sleep(max(0.0, began + number * self.pause - time.monotonic()))
                    text = f"{self.node.name} writes {number}"
                    control.call("send", to=ROOM, text=text)
                    self.acknowledged.append(text)
        except (OSError, Refusal) as failure:
            self.checks.fail(f"{self.node.name} takes what is written", failure)


class SitesCluster(LabRun):
    name = "sites-cluster"

    def __init__(self, options: argparse.Namespace, folder: Path, checks: Checks) -> None:
        super().__init__(options, folder, checks)
        self.lab = Lab(NEWCOMER, [], SWITCH_SEED, folder / "lab.log")
        programs = Programs.within(options.programs)
        self.nodes = [Node(host, self.lab, programs, folder, "off") for host in range(1, 7)]
        self.newcomer = Node(NEWCOMER, self.lab, programs, folder, "off")
        self.servers = [Server(self.lab, host, folder) for host in SERVERS]
        carrier = programs.stoad.parent / "stoa-sites"
        self.carriers = [Carrier(node, carrier, folder) for node in (*self.nodes, self.newcomer)]
        for node in (*self.nodes, self.newcomer):
            for host in SERVERS:
                node.arguments += ["--sites", f"nats://10.77.0.{host}:{CLIENT_PORT}"]
            node.arguments += ["--sites-realm", "office"]

    @staticmethod
    def arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--messages", type=int, default=600, help="of all six authors together")
        parser.add_argument("--away", type=float, default=15.0, help="seconds for which a site is cut off")

    @classmethod
    def lacking(cls) -> str | None:
        return None if shutil.which("nats-server") else "there is no nats-server: Tests/System/Tools/setup.sh --labs"

    def start(self) -> None:
        for server in self.servers:
            server.start()
        for first, second in zip(self.nodes[::2], self.nodes[1::2]):
            first.start()
            second.arguments += ["--peer", f"10.77.0.{first.host}:{first.port}"]
            second.start()
        self.nodes[0].output("realm", "new", "office")
        self.invitation = next(
            word for word in self.nodes[0].output("realm", "invite", "office").split() if word.startswith("stoa:realm"))
        for node in self.nodes[1:]:
            self.enter(node)
        until("the cluster takes the stream", self.carriers[0].set_up, AGAIN_SECONDS)
        for node, carrier in zip(self.nodes, self.carriers):
            node.call("join", room=ROOM)
            carrier.start()
        self.nodes[0].call("send", to=ROOM, text=DELETED)
        self.await_text(DELETED, self.nodes)

    def enter(self, node: Node) -> None:
        code, _, errors = node.stoa("realm", "join", "-", text=self.invitation + "\n")
        if code != 0:
            raise Broken(f"{node.name} does not enter the realm: {errors}")

    def texts(self, node: Node) -> list[str]:
        return [each["text"] for each in node.history(ROOM) if each["kind"] == "text" and "text" in each]

    def await_text(self, text: str, nodes: list[Node]) -> None:
        for node in nodes:
            until(f"{node.name} has: {text}", lambda: text in self.texts(node), AGAIN_SECONDS)

    def write(self) -> None:
        options = self.options
        # A server is killed in the first quarter, and comes back in the last.
        total = 2 * options.away
        authors = [Author(node, options.messages // 6, total, self.checks) for node in self.nodes]
        for author in authors:
            author.start()
        time.sleep(total / 8)
        self.servers[1].stop(signal.SIGKILL)
        self.checks.say("a server is killed")
        time.sleep(total / 8)
        for host in (1, 2):
            self.lab.command(f"port {host} both loss 100")
        self.checks.say("the first site is cut off")
        gone = next(each["id"] for each in self.nodes[2].history(ROOM) if each.get("text") == DELETED)
        time.sleep(options.away / 2)
        # Its author is away, too: the others and the servers learn it later.
        self.nodes[0].call("delete", id=gone)
        time.sleep(options.away / 2)
        self.servers[1].start()
        for host in (1, 2):
            self.lab.command(f"port {host} both")
        self.healed = time.monotonic()
        self.checks.say("all is back")
        for author in authors:
            author.join()
        self.written = time.monotonic()
        self.due = sorted(text for author in authors for text in author.acknowledged)

    def compare(self, nodes: list[Node]) -> None:
        histories: list[list[str]] = []

        def are_alike() -> bool:
            # Names come after texts.
            histories[:] = [node.lines(ROOM) for node in nodes]
            return all(len(self.texts(node)) >= len(self.due) for node in nodes) and all(
                history == histories[0] for history in histories)

        try:
            until("all have the same", are_alike, AGAIN_SECONDS)
        except Broken:
            pass
        self.converged = time.monotonic()
        self.checks.that("the history is the same everywhere, byte for byte", all(
            history == histories[0] for history in histories), [
                sorted(set(history) ^ set(histories[0]))[:4] for history in histories])
        for node in nodes:
            found = sorted(self.texts(node))
            self.checks.that(
                f"{node.name} holds each of {len(self.due)} acknowledged messages once and nothing else",
                found == self.due, set(found) ^ set(self.due))

    def look_at_servers(self) -> None:
        """One copy of each, on all three; and somebody who reads them alone finds nothing that was deleted."""
        def is_settled() -> bool:
            found = {server.stored() for server in self.servers}
            return len(found) == 1 and found != {(0, 0)}

        until("all servers hold the same", is_settled, AGAIN_SECONDS)
        messages, subjects = self.servers[0].stored()
        self.checks.same("each subject has one message", messages, subjects)
        self.newcomer.start()
        self.enter(self.newcomer)
        self.newcomer.call("join", room=ROOM)
        self.carriers[-1].start()
        self.compare([*self.nodes, self.newcomer])
        for name in ("the newcomer", "a server"):
            folder = self.newcomer.data if name == "the newcomer" else self.servers[0].folder / "store"
            data = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
            self.checks.that(f"{name} holds nothing of what was deleted", DELETED.encode() not in data)
            # Only servers keep nothing in clear: elsewhere the search finds what is there.
            self.checks.same(f"{name} holds other texts in clear", self.due[0].encode() in data, name == "the newcomer")
        self.messages = messages

    def run(self) -> None:
        self.start()
        self.write()
        self.compare(self.nodes)
        took = self.converged - max(self.healed, self.written)
        self.look_at_servers()
        codes = [carrier.stop() for carrier in self.carriers]
        codes += [node.stop() for node in (*self.nodes, self.newcomer)]
        self.checks.same("every program ends well", codes, [0] * len(codes))
        for server in self.servers:
            server.stop()
        print(
            f"MEASURED sites: {len(self.due)} messages of 6 authors, a server killed, a site cut off for "
            f"{self.options.away:g} s: all alike {took:.1f} s after the last, {self.messages} messages stored")


if __name__ == "__main__":
    perform(SitesCluster, __doc__)
