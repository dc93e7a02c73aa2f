"""Clients of a daemon's control socket (Docs/ControlAPI.md): one that blocks, one for asyncio."""

from __future__ import annotations

import asyncio
import base64
import collections
import json
import socket
import time
from pathlib import Path
from typing import Any, Callable

CALL_SECONDS = 180.0
LINE_BYTES = 1 << 20
PAGE_ITEMS = 1_000

Packet = dict[str, Any]


class Refusal(Exception):
    """An error that the daemon answered with."""

    def __init__(self, error: Packet) -> None:
        super().__init__(json.dumps(error))
        self.code = int(error["code"])
        self.data: Packet = error.get("data") or {}


def shown(identifier: bytes) -> str:
    """An id as the control API shows it."""
    return base64.b32encode(identifier).decode("ascii").rstrip("=").lower()


def request_line(number: int, method: str, params: Packet) -> bytes:
    packet = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(packet).encode() + b"\n"


def packet(line: bytes) -> Packet:
    """What a line says. A line without an end is what a closed connection leaves."""
    if not line.endswith(b"\n"):
        raise ConnectionError("the daemon closed the connection")
    return dict(json.loads(line))


def result(answer: Packet) -> Any:
    if "error" in answer:
        raise Refusal(answer["error"])
    return answer["result"]


def message(notification: Packet) -> Packet | None:
    """The message that a notification brings."""
    if notification.get("method") != "message":
        return None
    return dict(notification["params"]["message"])


class Control:
    """One connection that blocks. Whatever goes wrong with it is an OSError."""

    def __init__(self, path: Path, seconds: float = CALL_SECONDS) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(seconds)
        try:
            self.socket.connect(str(path))
        except OSError:
            self.socket.close()
            raise
        self.lines = self.socket.makefile("rb")
        self.last = 0
        # Notifications that came while a call waited for its answer.
        self.kept: collections.deque[Packet] = collections.deque()

    def __enter__(self) -> Control:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.lines.close()
        self.socket.close()

    def post(self, method: str, **params: Any) -> int:
        """Sends a request without waiting for its answer; gives its number."""
        self.last += 1
        self.socket.sendall(request_line(self.last, method, params))
        return self.last

    def answer(self, number: int) -> Any:
        """Waits for the answer of a request."""
        while (found := packet(self.lines.readline())).get("id") != number:
            self.kept.append(found)
        return result(found)

    def call(self, method: str, **params: Any) -> Any:
        return self.answer(self.post(method, **params))

    def every(self, method: str, **params: Any) -> list[Any]:
        """All elements of a list, page by page."""
        items: list[Any] = []
        page = {"limit": PAGE_ITEMS}
        while True:
            found = self.call(method, **params, **page)
            items += found["items"]
            if "next" not in found:
                return items
            page["after"] = found["next"]

    def next(self) -> Packet:
        """The next notification or answer."""
        return self.kept.popleft() if self.kept else packet(self.lines.readline())

    def message(self, what: Callable[[Packet], bool], seconds: float = CALL_SECONDS) -> Packet:
        """Waits for a message of a subscription; drops what comes before it."""
        deadline = time.monotonic() + seconds
        try:
            while True:
                self.socket.settimeout(max(0.001, deadline - time.monotonic()))
                found = message(self.next())
                if found is not None and what(found):
                    return found
        finally:
            self.socket.settimeout(CALL_SECONDS)


class AsyncControl:
    """One connection in an event loop; the messages of its subscriptions gather in `messages`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.last = 0
        self.answers: dict[int, asyncio.Future[Packet]] = {}
        self.messages: list[Packet] = []
        self.notifications: list[Packet] = []
        self.arrived = asyncio.Event()
        self.task = asyncio.get_running_loop().create_task(self.read())

    @staticmethod
    async def open(path: Path) -> AsyncControl:
        reader, writer = await asyncio.open_unix_connection(str(path), limit=2 * LINE_BYTES)
        return AsyncControl(reader, writer)

    def close(self) -> None:
        self.task.cancel()
        self.writer.close()

    async def read(self) -> None:
        while line := await self.reader.readline():
            found = packet(line)
            if (brought := message(found)) is not None:
                self.messages.append(brought)
            elif "id" in found:
                self.answers.pop(found["id"]).set_result(found)
            else:
                self.notifications.append(found)
            self.arrived.set()
            self.arrived = asyncio.Event()

    async def call(self, method: str, **params: Any) -> Any:
        self.last += 1
        future: asyncio.Future[Packet] = asyncio.get_running_loop().create_future()
        self.answers[self.last] = future
        self.writer.write(request_line(self.last, method, params))
        return result(await asyncio.wait_for(future, CALL_SECONDS))

    async def message(
        self, what: Callable[[Packet], bool], seconds: float = CALL_SECONDS
    ) -> Packet:
        """Waits for a message that a subscription has brought or will bring."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while True:
            for each in self.messages:
                if what(each):
                    return each
            await asyncio.wait_for(self.arrived.wait(), deadline - loop.time())

    async def notification(
        self, method: str, what: Callable[[Packet], bool], seconds: float = CALL_SECONDS
    ) -> Packet:
        """Waits for a notification that is no message, and gives its parameters."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while True:
            for each in self.notifications:
                if each["method"] == method and what(each["params"]):
                    return dict(each["params"])
            await asyncio.wait_for(self.arrived.wait(), deadline - loop.time())
