"""Who sends all the time and who reads all the time, and what both remember."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field

from Driver.checks import Checks
from Driver.control import Control, Refusal, message
from node import Node

# Most messages are short, some are pages, a few are as long as a message may be.
LENGTHS = ((0.80, 0, 100), (0.18, 100, 3_000), (0.02, 10_000, 60_000))
LETTERS = "abcdefghijklmnopqrstuvwxyz      äöüßéñ€→字😀\n\t\\\""
RETRY_SECONDS = 0.1
DELIVERY_TIMEOUT = -32005
# The daemon says itself that a second try may do better.
TRY_AGAIN = (-32008, -32009)


@dataclass
class Sent:
    room: str
    host: int
    key: str
    id: str = ""


@dataclass
class Ledger:
    """Everything that was ever sent, by its text, which is unique."""

    sent: dict[str, Sent] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    repeated: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, text: str, sent: Sent) -> None:
        with self.lock:
            assert text not in self.sent
            self.sent[text] = sent
            self.counts[sent.room] += 1

    def texts(self, room: str) -> dict[str, Sent]:
        with self.lock:
            return {text: sent for text, sent in self.sent.items() if sent.room == room}


class Sender(threading.Thread):
    """Sends from one node, one after another; each until the daemon has acknowledged it."""

    def __init__(
        self, node: Node, rooms: list[str], ledger: Ledger, checks: Checks, seed: int,
        rate: float,
    ) -> None:
        super().__init__(daemon=True)
        self.node, self.rooms, self.ledger, self.checks = node, rooms, ledger, checks
        self.random = random.Random(seed)
        self.rate = rate
        self.control: Control | None = None
        self.number = 0
        self.paused = threading.Event()
        self.idle = threading.Event()
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.is_set():
            if self.paused.is_set():
                self.idle.set()
                self.stopped.wait(0.05)
                continue
            self.idle.clear()
            # Now and then many at once.
            count = 10 if self.random.random() < 0.03 else 1
            for _ in range(count):
                self.send()
            self.stopped.wait(self.random.expovariate(self.rate))
        self.idle.set()

    def filler(self) -> str:
        share = self.random.random()
        for part, lowest, highest in LENGTHS:
            if share < part:
                length = self.random.randint(lowest, highest)
                break
            share -= part
        else:
            length = 0
        letters = "".join(self.random.choices(LETTERS, k=min(length, 200)))
        text = letters * (length // max(1, len(letters)))
        return text.encode()[:length].decode(errors="ignore")

    def send(self) -> None:
        self.number += 1
        key = f"{self.node.name}-{self.number}"
        # The end is no space and no newline, which a command might not take for text.
        text = f"{key} {self.filler()}."
        sent = Sent(self.random.choice(self.rooms), self.node.host, key)
        self.ledger.add(text, sent)
        send = self.by_command if self.number % 15 == 0 else self.by_socket
        tries = 0
        while not self.stopped.is_set():
            tries += 1
            try:
                identifier = send(sent, text)
            except OSError:
                self.close()
                identifier = None
            if identifier:
                sent.id = identifier
                break
            self.stopped.wait(RETRY_SECONDS)
        if tries > 1:
            with self.ledger.lock:
                self.ledger.repeated += 1

    def by_socket(self, sent: Sent, text: str) -> str | None:
        if self.control is None:
            self.control = self.node.control()
        extra = {}
        if self.number % 10 == 0:
            extra = {"wait": "delivered", "timeoutMilliseconds": 1_000}
        try:
            result = self.control.call(
                "send", to=sent.room, text=text, idempotencyKey=sent.key, **extra)
        except Refusal as refusal:
            if refusal.code == DELIVERY_TIMEOUT:
                return str(refusal.data["id"])
            if refusal.code not in TRY_AGAIN:
                self.checks.fail(f"{self.node.name} sends", refusal)
            return None
        return str(result["id"])

    def by_command(self, sent: Sent, text: str) -> str | None:
        code, out, errors = self.node.stoa(
            "--json", "send", sent.room, "-", "--key", sent.key, text=text)
        if code == 0:
            return str(json.loads(out)["id"])
        if code not in (69, 75):
            self.checks.fail(f"{self.node.name} sends by stoa", f"{code}: {errors}")
        return None

    def close(self) -> None:
        if self.control is not None:
            self.control.close()
            self.control = None


class Watcher(threading.Thread):
    """A durable consumer of everything one node shows, through all its restarts."""

    def __init__(self, node: Node, ledger: Ledger, checks: Checks) -> None:
        super().__init__(daemon=True)
        self.node, self.ledger, self.checks = node, ledger, checks
        self.identities: dict[int, str] = {}
        self.seen: set[str] = set()
        self.counts: dict[str, int] = defaultdict(int)
        self.acknowledged = 0
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.is_set():
            try:
                control = self.node.control()
            except OSError:
                self.stopped.wait(RETRY_SECONDS)
                continue
            try:
                self.follow(control)
            except OSError:
                pass
            finally:
                control.close()

    def follow(self, control: Control) -> None:
        # A consumer that never acknowledged anything has no place to go on from.
        start = {} if self.acknowledged else {"from": 0}
        control.post("subscribe", consumer="watcher", **start)
        control.socket.settimeout(None)
        asked: dict[int, int] = {}
        cursor = self.acknowledged
        last_asked = cursor
        while True:
            packet = control.next()
            if (shown := message(packet)) is not None:
                if not shown["cursor"] > cursor:
                    self.checks.fail(
                        f"{self.node.name} gives messages in the order of cursors",
                        f"{shown['cursor']} came after {cursor}")
                cursor = shown["cursor"]
                self.take(shown)
                if cursor >= last_asked + 10:
                    number = control.post("acknowledge", consumer="watcher", cursor=cursor)
                    asked[number] = last_asked = cursor
            elif "error" in packet:
                # It is about to end; the next one is asked.
                if packet["error"]["code"] not in TRY_AGAIN:
                    self.checks.fail(f"{self.node.name} serves a consumer", packet)
                return
            elif packet.get("method") == "gap":
                self.checks.fail(f"{self.node.name} gives a consumer everything", packet)
            elif packet.get("id") in asked:
                self.acknowledged = asked.pop(packet["id"])

    def take(self, message: dict[str, str]) -> None:
        if message["kind"] != "text" or message["text"] in self.seen:
            return
        sent = self.ledger.sent.get(message["text"])
        if (sent is None or message["author"] != self.identities.get(sent.host)
                or message["conversationName"] != sent.room):
            self.checks.fail(
                f"{self.node.name} shows only what was sent", str(message)[:300])
            return
        self.seen.add(message["text"])
        self.counts[sent.room] += 1

    def has_all(self, rooms: list[str]) -> bool:
        return all(self.counts[room] == self.ledger.counts[room] for room in rooms)


def resume(senders: list[Sender]) -> None:
    for sender in senders:
        sender.idle.clear()
        sender.paused.clear()


def pause(senders: list[Sender], seconds: float) -> bool:
    """Lets everybody finish what was begun; false where a daemon did not acknowledge in time."""
    for sender in senders:
        sender.paused.set()
    deadline = time.monotonic() + seconds
    return all(sender.idle.wait(max(0.0, deadline - time.monotonic())) for sender in senders)
