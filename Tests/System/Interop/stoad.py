"""A real stoad for scenarios, whose peers live in one event loop: what blocks runs on a thread."""

from __future__ import annotations

import asyncio
import signal
import tempfile
from pathlib import Path
from typing import Any

from Driver.control import AsyncControl
from Driver.daemon import Daemon, Programs


class Stoad:
    def __init__(self, programs: Programs, name: str) -> None:
        # A socket's path has at most 107 bytes, so the home lies directly under /tmp.
        self.home = tempfile.TemporaryDirectory(prefix="stoa-interop-", dir="/tmp")
        self.daemon = Daemon(
            programs, Path(self.home.name), "node",
            ["--listen", "127.0.0.1:0", "--interface", "lo", "--discovery", "off", "--name", name])

    @property
    def key(self) -> str:
        return self.daemon.identity

    @property
    def port(self) -> int:
        return self.daemon.port

    async def start(self) -> None:
        await asyncio.to_thread(self.daemon.start)

    async def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        return await asyncio.to_thread(self.daemon.stop, how)

    async def end(self) -> None:
        await self.stop()
        self.home.cleanup()

    async def run(self, *arguments: str) -> str:
        return await asyncio.to_thread(self.daemon.output, *arguments)

    async def json(self, *arguments: str) -> list[dict[str, Any]]:
        return await asyncio.to_thread(self.daemon.json, *arguments)

    async def history(self, room: str) -> list[dict[str, Any]]:
        return await asyncio.to_thread(self.daemon.history, room)

    async def control(self) -> AsyncControl:
        return await AsyncControl.open(self.daemon.socket)
