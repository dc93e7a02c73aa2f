"""A NATS server on loopback, and the programs that carry nodes' rooms to it."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

from .daemon import Daemon
from .checks import Broken
from .process import Program, until

REALM = "office"


class Server(Program):
    """A NATS server with JetStream at ports that are free."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "nats")
        self.url = self.monitor = ""

    def start(self) -> None:
        # In the file: a port of monitoring that is free cannot be asked for on the command line.
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        settings = self.folder / "settings"
        settings.write_text(
            'listen: "127.0.0.1:-1"\nhttp: "127.0.0.1:-1"\n'
            f'jetstream {{ store_dir: "{self.folder}/store", max_file_store: 4GB }}\n')
        self.launch(["nats-server", "-c", settings])
        until("the server is ready", lambda: "Server is ready" in self.tail())
        for line in self.tail().splitlines():
            if "client connections on" in line:
                self.url = "nats://" + line.split()[-1]
            elif "http monitor on" in line:
                self.monitor = "http://" + line.split()[-1]

    def ask(self, path: str) -> dict[str, Any]:
        with urllib.request.urlopen(self.monitor + path, timeout=60) as answer:
            return dict(json.load(answer))

    def stream(self, name: str = "STOA") -> dict[str, int]:
        """What it says of the state of a stream."""
        for account in self.ask("/jsz?streams=true").get("account_details", []):
            for stream in account.get("stream_detail", []):
                if stream["name"] == name:
                    return dict(stream["state"])
        return {}


class Carrier(Program):
    """`stoa-sites` of a node."""

    def __init__(self, node: Daemon, folder: Path) -> None:
        super().__init__(folder, f"{node.name}.sites")
        self.node = node

    def command_line(self, *arguments: object) -> list[str]:
        program = self.node.programs.stoad.parent / "stoa-sites"
        return [str(part) for part in (program, "--socket", self.node.socket, *arguments)]

    def start(self) -> None:
        self.launch(self.command_line(), self.node.environment)

    def set_up(self, size: int = 1 << 30) -> None:
        sizes = ["--size", size, "--file-size", 1 << 28]
        done = subprocess.run(
            self.command_line("--setup", *sizes), capture_output=True, text=True, timeout=120,
            env=self.node.environment)
        if done.returncode != 0:
            raise Broken(f"the server takes no stream: {done.stderr}")

    def says(self) -> dict[str, Any]:
        """What `stoa sites` says of it; nothing where it does not run yet."""
        code, out, _ = self.node.stoa("--json", "sites")
        return dict(json.loads(out)) if code == 0 else {}

    def is_linked(self) -> bool:
        return self.says().get("state") == "linked"


def options(server: Server) -> list[str]:
    """What makes a daemon use it."""
    return ["--discovery", "off", "--sites", server.url, "--sites-realm", REALM]


def enter_realm(first: Daemon, *others: Daemon) -> str:
    """The first makes the realm, the others join it; gives the line by which one joins."""
    first.output("realm", "new", REALM)
    words = first.output("realm", "invite", REALM).split()
    invitation = next(word for word in words if word.startswith("stoa:realm"))
    for node in others:
        join_realm(invitation, node)
    return invitation


def join_realm(invitation: str, node: Daemon) -> None:
    code, _, errors = node.stoa("realm", "join", "-", text=invitation + "\n")
    if code != 0:
        raise Broken(f"{node.name} does not enter the realm: {errors}")
