"""A real stoad in a home of its own, its control socket, and the stoa command."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
import socket
import tempfile
from pathlib import Path
from typing import Any, Callable

START_SECONDS = 20.0
CALL_SECONDS = 15.0
LINE_MAXIMUM = 1 << 20


def shown(identifier: bytes) -> str:
    """An id as the control API shows it."""
    return base64.b32encode(identifier).decode("ascii").rstrip("=").lower()


class RPCFailure(Exception):
    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(json.dumps(error))
        self.code = int(error["code"])


class Control:
    """One connection to a control socket; notifications gather in `messages`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.next = 1
        self.answers: dict[int, asyncio.Future[Any]] = {}
        self.messages: list[dict[str, Any]] = []
        self.arrived = asyncio.Event()
        self.task = asyncio.get_running_loop().create_task(self.read())

    @staticmethod
    async def open(path: Path) -> "Control":
        reader, writer = await asyncio.open_unix_connection(str(path), limit=2 * LINE_MAXIMUM)
        return Control(reader, writer)

    async def read(self) -> None:
        while line := await self.reader.readline():
            packet = json.loads(line)
            if "method" in packet:
                if packet["method"] == "message":
                    self.messages.append(packet["params"]["message"])
            else:
                future = self.answers.pop(packet["id"])
                if "error" in packet:
                    future.set_exception(RPCFailure(packet["error"]))
                else:
                    future.set_result(packet["result"])
            self.arrived.set()
            self.arrived = asyncio.Event()

    async def call(self, method: str, **params: Any) -> Any:
        number, self.next = self.next, self.next + 1
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.answers[number] = future
        packet = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.writer.write(json.dumps(packet).encode("utf-8") + b"\n")
        return await asyncio.wait_for(future, CALL_SECONDS)

    async def message(
        self, what: Callable[[dict[str, Any]], bool], seconds: float = CALL_SECONDS
    ) -> dict[str, Any]:
        """Waits for a subscribed message."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while True:
            for message in self.messages:
                if what(message):
                    return message
            await asyncio.wait_for(self.arrived.wait(), deadline - loop.time())

    def close(self) -> None:
        self.task.cancel()
        self.writer.close()


class Stoad:
    def __init__(self, stoad: Path, stoa: Path, name: str) -> None:
        self.stoad, self.stoa, self.name = stoad, stoa, name
        # A socket's path has at most 108 bytes, so the home lies directly under /tmp.
        self.home = tempfile.TemporaryDirectory(prefix="stoa-interop-", dir="/tmp")
        root = Path(self.home.name)
        self.data, self.socket = root / "data", root / "run" / "control.sock"
        self.log = root / "stoad.log"
        (root / "run").mkdir(mode=0o700)
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(root),
            "XDG_DATA_HOME": str(root / "share"),
            "XDG_CONFIG_HOME": str(root / "config"),
            "XDG_STATE_HOME": str(root / "state"),
            "XDG_RUNTIME_DIR": str(root / "run"),
            "SWIFT_BACKTRACE": "enable=no",
        }
        self.process: asyncio.subprocess.Process | None = None
        self.port = 0
        self.key = ""

    async def start(self) -> None:
        """Returns when stoad has told its service manager that it is ready."""
        told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        path = Path(self.home.name) / "notify.sock"
        path.unlink(missing_ok=True)
        told.bind(str(path))
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                self.stoad,
                *("--data-dir", str(self.data), "--socket", str(self.socket)),
                *("--listen", "127.0.0.1:0", "--interface", "lo"),
                *("--discovery", "off", "--name", self.name),
                env=self.environment | {"NOTIFY_SOCKET": str(path)},
                stdout=log,
                stderr=log,
            )
        ended = asyncio.ensure_future(self.process.wait())
        ready = asyncio.ensure_future(self.ready(told))
        await asyncio.wait(
            {ended, ready}, timeout=START_SECONDS, return_when=asyncio.FIRST_COMPLETED
        )
        told.close()
        if not ready.done():
            ready.cancel()
            words = self.log.read_text(errors="replace")
            raise RuntimeError(f"stoad did not get ready; its log:\n{words}")
        ended.cancel()
        [status] = await self.json("status")
        self.key = status["id"]
        self.port = int(str(status["listen"][0]).rpartition(":")[2])

    @staticmethod
    async def ready(told: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while b"READY=1" not in await loop.sock_recv(told, 4_096):
            pass

    async def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        process = self.process
        if process is None:
            return 0
        self.process = None
        if process.returncode is None:
            process.send_signal(how)
        try:
            return await asyncio.wait_for(process.wait(), START_SECONDS)
        except asyncio.TimeoutError:
            process.kill()
            await process.wait()
            raise

    async def end(self) -> None:
        try:
            await self.stop()
        finally:
            self.home.cleanup()

    async def command(self, *arguments: str) -> tuple[int, str, str]:
        process = await asyncio.create_subprocess_exec(
            self.stoa,
            *("--socket", str(self.socket)),
            *arguments,
            env=self.environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, errors = await asyncio.wait_for(process.communicate(), CALL_SECONDS)
        return process.returncode or 0, out.decode("utf-8"), errors.decode("utf-8")

    async def run(self, *arguments: str) -> str:
        code, out, errors = await self.command(*arguments)
        if code != 0:
            raise RuntimeError(f"stoa {' '.join(arguments)} ended with {code}: {errors}")
        return out

    async def json(self, *arguments: str) -> list[dict[str, Any]]:
        out = await self.run("--json", *arguments)
        return [json.loads(line) for line in out.splitlines() if line]

    async def history(self, room: str, limit: int = 1_000) -> list[dict[str, Any]]:
        return await self.json("history", room, "--limit", str(limit))

    async def control(self) -> Control:
        return await Control.open(self.socket)
