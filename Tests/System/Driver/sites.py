"""A NATS server on loopback, and the programs that carry nodes' rooms to it."""

from __future__ import annotations

import base64
import ctypes
import ctypes.util
import hashlib
import json
import socket
import subprocess
import urllib.parse
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


def K(key: bytes, personal: str, data: bytes = b"") -> bytes:
    return hashlib.blake2b(data, digest_size=32, key=key, person=personal.encode()).digest()


def base32(data: bytes) -> str:
    return base64.b32encode(data).decode().rstrip("=").lower()


def unbase32(text: str) -> bytes:
    return base64.b32decode(text.upper() + "=" * (-len(text) % 8))


class Root:
    """What follows from the root of a conversation: Docs/Protocol/Sites.md §2 to §4."""

    sodium = ctypes.CDLL(ctypes.util.find_library("sodium"))

    def __init__(self, root: bytes) -> None:
        self.root = root
        self.tag = base32(K(self.root, "stoa site tag")[:16])
        self.key = K(self.root, "stoa site seal")

    @staticmethod
    def of_room(invitation: str, conversation: str) -> Root:
        """What a member of the realm derives of an open room."""
        realm, secret = Root.secrets(invitation)
        return Root(K(secret, "stoa site root", realm + unbase32(conversation)))

    @staticmethod
    def of_realm(invitation: str) -> Root:
        realm, secret = Root.secrets(invitation)
        return Root(K(secret, "stoa site root", realm))

    @staticmethod
    def of_inbox(invitation: str, person: str) -> Root:
        realm, secret = Root.secrets(invitation)
        return Root(K(secret, "stoa site inbox", realm + unbase32(person)))

    @staticmethod
    def secrets(invitation: str) -> tuple[bytes, bytes]:
        fields = urllib.parse.parse_qs(urllib.parse.urlsplit(invitation).query)
        return unbase32(fields["id"][0]), unbase32(fields["secret"][0])

    def subject(self, name: bytes) -> str:
        return f"stoa.{self.tag}.{base32(K(self.root, 'stoa site item', name)[:16])}"

    def seal(self, subject: str, item: bytes) -> bytes:
        nonce = K(self.root, "stoa site nonce", item)[:24]
        out, bound = ctypes.create_string_buffer(len(item) + 16), subject.encode()
        self.sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
            out, None, item, ctypes.c_ulonglong(len(item)), bound, ctypes.c_ulonglong(len(bound)), None, nonce,
            self.key)
        return nonce + out.raw

    def open(self, subject: str, sealed: bytes) -> bytes | None:
        out, bound = ctypes.create_string_buffer(len(sealed) - 40), subject.encode()
        code = self.sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
            out, None, None, sealed[24:], ctypes.c_ulonglong(len(sealed) - 24), bound, ctypes.c_ulonglong(len(bound)),
            sealed[:24], self.key)
        return out.raw if code == 0 else None


class Connection:
    """A connection to the server, in its own words, since a flood needs few of them."""

    def __init__(self, url: str) -> None:
        place = urllib.parse.urlsplit(url)
        self.socket = socket.create_connection((place.hostname, place.port), timeout=120)
        self.lines = self.socket.makefile("rb")
        self.lines.readline()
        self.subscriptions = 0
        self.waiting = bytearray(b'CONNECT {"verbose":false,"echo":false}\r\n')

    def flush(self) -> None:
        self.socket.sendall(self.waiting)
        self.waiting.clear()

    def publish(self, subject: str, data: bytes, reply: str = "") -> None:
        self.waiting += f"PUB {subject} {reply} {len(data)}\r\n".encode() + data + b"\r\n"
        if len(self.waiting) > 1 << 16:
            self.flush()

    def subscribe(self, subject: str) -> None:
        self.subscriptions += 1
        self.waiting += f"SUB {subject} {self.subscriptions}\r\n".encode()
        self.flush()

    def next(self) -> tuple[str, bytes]:
        """The next message that comes: its subject and its data."""
        while True:
            words = self.lines.readline().split()
            if not words:
                raise Broken("the server has closed the connection")
            if words[0] == b"PING":
                self.waiting += b"PONG\r\n"
                self.flush()
            elif words[0] in (b"MSG", b"HMSG"):
                data = self.lines.read(int(words[-1]) + 2)[:-2]
                return words[1].decode(), data[int(words[-2]):] if words[0] == b"HMSG" else data

    def close(self) -> None:
        self.lines.close()
        self.socket.close()
