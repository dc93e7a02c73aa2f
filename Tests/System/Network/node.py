"""The daemon of one host of the lab, and what it uses over all its runs."""

from __future__ import annotations

import json
import signal
import threading
from pathlib import Path

from Driver.checks import Broken
from Driver.daemon import Programs
from Driver.lab import HostDaemon, Lab
from Driver.process import STOP_SECONDS, descriptors


class Node(HostDaemon):
    def __init__(
        self, host: int, lab: Lab, programs: Programs, folder: Path, discovery: str
    ) -> None:
        super().__init__(lab, host, programs, folder, f"h{host}", ["--discovery", discovery])
        self.starts = 0
        self.peak_bytes = 0
        self.peak_descriptors = 0
        self.bytes = 0
        self.descriptors = 0
        self.ended_seconds = 0.0
        # Held while the daemon is started, ended or looked at.
        self.lock = threading.Lock()

    def start(self) -> None:
        with self.lock:
            self.starts += 1
            super().start()

    def connections(self) -> int:
        """How many the host has opened so far, by the kernel's count."""
        names, values = (
            line.split() for line in Path(f"/proc/{self.pid}/net/snmp").read_text().splitlines()
            if line.startswith("Tcp:"))
        return int(values[names.index("ActiveOpens")])

    def lines(self, room: str) -> list[str]:
        """A room's history, a line a message, without what tells how it came to this node, and whose it is."""
        messages = self.history(room)
        for message in messages:
            del message["cursor"], message["late"]
            message.pop("own", None)
        return [json.dumps(message) for message in messages]

    def sample(self) -> str | None:
        """Notes memory and descriptors; says it when the daemon has ended by itself."""
        with self.lock:
            if self.process is None:
                return None
            if (code := self.process.poll()) is not None:
                self.process, self.pid = None, 0
                return f"ended by itself with {code}:\n{self.tail()}"
            self.measure()
            return None

    def measure(self) -> None:
        try:
            self.descriptors = descriptors(self.pid)
            self.bytes = self.memory_bytes()
            self.peak_bytes = max(self.peak_bytes, self.memory_bytes("VmHWM"))
        except (OSError, Broken):
            # It ends right now.
            return
        self.peak_descriptors = max(self.peak_descriptors, self.descriptors)

    def processor_seconds(self) -> float:
        """What all runs together have used."""
        try:
            return self.ended_seconds + super().processor_seconds()
        except OSError:
            return self.ended_seconds

    def remember(self) -> None:
        self.measure()
        self.ended_seconds = self.processor_seconds()

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """After SIGKILL its kernel still tells the peers that the connections are gone."""
        with self.lock:
            self.remember()
            return super().stop(how)

    def lose_power(self) -> None:
        with self.lock:
            self.remember()
            self.lab.power_off(self.host)
            if self.process is not None:
                self.process.wait(STOP_SECONDS)
            self.process, self.pid = None, 0
