"""A real stoad with directories of its own, and the stoa command beside it."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Mapping

from .checks import Broken
from .control import Control
from .process import Program

START_SECONDS = 180.0
COMMAND_SECONDS = 180.0
PAGE = 1_000


@dataclass(frozen=True)
class Programs:
    stoad: Path
    stoa: Path

    @staticmethod
    def within(folder: Path) -> Programs:
        folder = folder.resolve()
        return Programs(folder / "stoad", folder / "stoa")


class Daemon(Program):
    """One node over all its runs; what it stores outlives each of them."""

    def __init__(
        self, programs: Programs, folder: Path, name: str, arguments: Iterable[object] = (), *,
        control: Path | None = None, wrapper: Iterable[object] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """`control` is the path of its socket, which has at most 107 bytes; `wrapper` goes before
        the command line."""
        super().__init__(folder, name)
        self.programs = programs
        self.data = self.folder / "data"
        self.socket = control or self.folder / "control.sock"
        self.arguments, self.wrapper = list(arguments), list(wrapper)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(self.socket.parent), "SWIFT_BACKTRACE": "enable=no",
            **(environment or {})}
        self.identity = ""
        self.port = 0

    def command_line(self) -> list[object]:
        return [
            *self.wrapper, self.programs.stoad, "--data-dir", self.data, "--socket", self.socket,
            *self.arguments]

    def start(self) -> None:
        """Returns when the daemon has told its service manager, which is this, that it is ready."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self.socket.with_suffix(".ready")
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
            told.bind(str(path))
            self.launch(self.command_line(), self.environment | {"NOTIFY_SOCKET": str(path)})
            self.await_ready(told)
        path.unlink()
        status = self.call("status")
        self.identity = str(status["id"])
        self.port = int(str(status["listen"][0]).rpartition(":")[2])

    def await_ready(self, told: socket.socket) -> None:
        assert self.process is not None
        ended = os.pidfd_open(self.process.pid)
        try:
            deadline = time.monotonic() + START_SECONDS
            while True:
                due = max(0.0, deadline - time.monotonic())
                ready, _, _ = select.select([told, ended], [], [], due)
                if told in ready:
                    if b"READY=1" in told.recv(4_096):
                        return
                elif ended in ready or not ready:
                    raise Broken(f"{self.name} does not start:\n{self.tail()}")
        finally:
            os.close(ended)

    def control(self) -> Control:
        return Control(self.socket)

    def call(self, method: str, **params: Any) -> Any:
        with self.control() as control:
            return control.call(method, **params)

    def every(self, method: str, **params: Any) -> list[Any]:
        """All elements of a list, page by page."""
        with self.control() as control:
            return control.every(method, **params)

    def stoa(self, *arguments: str, text: str = "") -> tuple[int, str, str]:
        """Runs a command with that input; its exit code, output and errors."""
        done = subprocess.run(
            [str(self.programs.stoa), "--socket", str(self.socket), *arguments],
            input=text, capture_output=True, text=True, timeout=COMMAND_SECONDS,
            env=self.environment)
        return done.returncode, done.stdout, done.stderr

    def output(self, *arguments: str) -> str:
        """The output of a command that must succeed."""
        code, out, errors = self.stoa(*arguments)
        if code != 0:
            raise Broken(f"{self.name}: stoa {' '.join(arguments)} ended with {code}: {errors}")
        return out

    def json(self, *arguments: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.output("--json", *arguments).splitlines()]

    def history(self, room: str) -> list[dict[str, Any]]:
        """All of a room as the command prints it, page by page."""
        messages: list[dict[str, Any]] = []
        before: list[str] = []
        while page := self.json("history", room, "--limit", str(PAGE), *before):
            messages[:0] = page
            before = ["--before", page[0]["id"]]
        return messages

    def check(self) -> tuple[int, str]:
        """What `stoad --check` says about the data of the stopped daemon."""
        done = subprocess.run(
            [str(self.programs.stoad), "--data-dir", str(self.data), "--check"],
            capture_output=True, text=True, timeout=300, env=self.environment)
        return done.returncode, done.stdout + done.stderr
