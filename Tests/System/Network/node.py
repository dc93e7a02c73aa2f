"""A real stoad on a host of the lab, its control socket and the stoa command."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from checks import Broken
from lab import Lab

START_SECONDS = 60.0
CALL_SECONDS = 60.0
DELIVERY_TIMEOUT = -32005
# The daemon says itself that a second try may do better.
TRY_AGAIN = (-32008, -32009)


class Refusal(Exception):
    """An error of the control API."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(json.dumps(error))
        self.code = int(error["code"])
        self.data: dict[str, Any] = error.get("data") or {}


class Control:
    """One connection to a control socket. Whatever goes wrong with it is an OSError."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(CALL_SECONDS)
        try:
            self.socket.connect(str(path))
        except OSError:
            self.socket.close()
            raise
        self.lines = self.socket.makefile("rb")
        self.last = 0

    def post(self, method: str, params: dict[str, Any]) -> int:
        self.last += 1
        packet = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        self.socket.sendall(json.dumps(packet).encode() + b"\n")
        return self.last

    def next(self) -> dict[str, Any]:
        line = self.lines.readline()
        if not line.endswith(b"\n"):
            raise ConnectionError("the daemon closed the connection")
        return dict(json.loads(line))

    def call(self, method: str, **params: Any) -> Any:
        number = self.post(method, params)
        while (packet := self.next()).get("id") != number:
            pass
        if "error" in packet:
            raise Refusal(packet["error"])
        return packet["result"]

    def close(self) -> None:
        self.lines.close()
        self.socket.close()


class Node:
    """The daemon of one host, over all its runs; they share a folder, which outlives the host."""

    def __init__(
        self, host: int, lab: Lab, programs: Path, folder: Path, discovery: str
    ) -> None:
        self.host, self.lab, self.programs = host, lab, programs
        self.name = f"h{host}"
        self.folder = folder / self.name
        self.folder.mkdir(mode=0o700)
        self.socket = self.folder / "control.sock"
        self.log = self.folder / "log"
        self.discovery = discovery
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(self.folder), "SWIFT_BACKTRACE": "enable=no"}
        self.identity = ""
        self.process: subprocess.Popen[bytes] | None = None
        self.pid = 0
        self.starts = 0
        self.peak_kilobytes = 0
        self.peak_descriptors = 0
        self.kilobytes = 0
        self.descriptors = 0
        self.ended_seconds = 0.0
        # Held while the daemon is started, ended or looked at.
        self.lock = threading.Lock()

    def start(self) -> None:
        """Returns when the daemon answers."""
        with self.lock, self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*self.lab.prefix(self.host), str(self.programs / "stoad"),
                 "--name", self.name, "--data-dir", str(self.folder / "data"),
                 "--socket", str(self.socket), "--interface", "eth0",
                 "--discovery", self.discovery],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment)
            self.starts += 1
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                self.identity = str(self.call("status")["id"])
                break
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise Broken(f"{self.name} does not start:\n{self.tail()}") from None
                time.sleep(0.02)
        # nsenter waits for the daemon, which is its only child.
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        with self.lock:
            self.pid = int(children.read_text())

    def tail(self) -> str:
        return self.log.read_text(errors="replace")[-3000:]

    def call(self, method: str, **params: Any) -> Any:
        control = Control(self.socket)
        try:
            return control.call(method, **params)
        finally:
            control.close()

    def stoa(self, *arguments: str, text: str | None = None) -> tuple[int, str, str]:
        done = subprocess.run(
            [str(self.programs / "stoa"), "--socket", str(self.socket), *arguments],
            input=text, capture_output=True, text=True, timeout=CALL_SECONDS)
        return done.returncode, done.stdout, done.stderr

    def history(self, room: str) -> list[str]:
        """A room as `stoa --json history` prints it, a line a message, page by page.

        Without `cursor` and `late`, which tell how a message came to this node.
        """
        pages: list[list[dict[str, Any]]] = []
        before: list[str] = []
        while True:
            code, out, errors = self.stoa(
                "--json", "history", room, "--limit", "1000", *before)
            if code != 0:
                raise Broken(f"{self.name}: history of {room}: {code}: {errors}")
            page = [json.loads(line) for line in out.splitlines()]
            if not page:
                break
            pages.insert(0, page)
            before = ["--before", page[0]["id"]]
        for message in (message for page in pages for message in page):
            del message["cursor"], message["late"]
        return [json.dumps(message) for page in pages for message in page]

    def sample(self) -> str | None:
        """Notes memory and descriptors; says it when the daemon has ended by itself."""
        with self.lock:
            if self.process is None or self.pid == 0:
                return None
            if (code := self.process.poll()) is not None:
                self.process, self.pid = None, 0
                return f"ended by itself with {code}:\n{self.tail()}"
            self.measure()
            return None

    def measure(self) -> None:
        try:
            status = Path(f"/proc/{self.pid}/status").read_text()
            self.descriptors = len(os.listdir(f"/proc/{self.pid}/fd"))
        except OSError:
            return
        values = {
            line.partition(":")[0]: line.split()[1] for line in status.splitlines()
            if line.startswith(("VmHWM:", "VmRSS:"))}
        self.kilobytes = int(values["VmRSS"])
        self.peak_kilobytes = max(self.peak_kilobytes, int(values["VmHWM"]))
        self.peak_descriptors = max(self.peak_descriptors, self.descriptors)

    def processor_seconds(self) -> float:
        """What all runs together have used."""
        try:
            tasks = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
            return self.ended_seconds + sum(
                int(task.read_text().split()[0]) for task in tasks) * 1e-9
        except OSError:
            return self.ended_seconds

    def kill(self) -> None:
        """SIGKILL, after which its kernel still tells the peers that the connections are gone."""
        with self.lock:
            if self.process is None:
                return
            self.measure()
            self.ended_seconds = self.processor_seconds()
            os.kill(self.pid, signal.SIGKILL)
            self.process.wait(30)
            self.process, self.pid = None, 0

    def lose_power(self) -> None:
        with self.lock:
            self.measure()
            self.ended_seconds = self.processor_seconds()
            self.lab.power_off(self.host)
            if self.process is not None:
                self.process.wait(30)
            self.process, self.pid = None, 0

    def stop(self) -> int:
        """Asks the daemon to end; gives its exit code."""
        with self.lock:
            assert self.process is not None
            self.measure()
            self.ended_seconds = self.processor_seconds()
            os.kill(self.pid, signal.SIGTERM)
            code = self.process.wait(30)
            self.process, self.pid = None, 0
            return code

    def check(self) -> tuple[int, str]:
        """What `stoad --check` says about the data of the stopped daemon."""
        done = subprocess.run(
            [str(self.programs / "stoad"), "--data-dir", str(self.folder / "data"), "--check"],
            capture_output=True, text=True, timeout=300, env=self.environment)
        return done.returncode, done.stdout + done.stderr
