"""A daemon on a host of the lab, with the doctor beside it, and the time that passes there."""

from __future__ import annotations

import json
import mmap
import os
import signal
import struct
import subprocess
from pathlib import Path
from typing import Any

from Driver.daemon import Programs
from Driver.lab import LABS, HostDaemon, Lab


class Host(HostDaemon):
    """A daemon on a host of the lab, with the doctor beside it."""

    def __init__(
        self, lab: Lab, number: int, programs: Programs, folder: Path, name: str, *arguments: str
    ) -> None:
        super().__init__(lab, number, programs, folder, name, arguments)
        # What only the daemon has around it.
        self.clock: dict[str, str] = {}

    def start(self) -> None:
        usual = self.environment
        self.environment = usual | self.clock
        try:
            super().start()
        finally:
            self.environment = usual

    def halt(self) -> None:
        """It stands still, as when it hangs or its machine is suspended."""
        os.kill(self.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        # nsenter stops with what it waits for.
        assert self.process is not None
        for process in (self.process.pid, self.pid):
            os.kill(process, signal.SIGCONT)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        # What stands still does not end; nor does the lab while nsenter waits for none of the dead.
        if self.process is not None and self.process.poll() is None:
            self.go_on()
        return super().stop(how)

    def doctor(self, *options: str) -> tuple[int, str]:
        done = subprocess.run(
            [*self.lab.prefix(self.host), self.programs.stoa, "--socket", self.socket, "doctor", *options],
            capture_output=True, text=True, env=self.environment, timeout=300)
        return done.returncode, done.stdout + done.stderr

    def findings(self) -> list[dict[str, Any]]:
        return list(json.loads(self.doctor("--json")[1])["findings"])

    def names(self) -> list[str]:
        return sorted({finding["check"] for finding in self.findings()})


class Time:
    """The time of a machine, or of several, which passes as fast as a test wants: Tests/System/Labs/clock.c."""

    def __init__(self, folder: Path, name: str = "time") -> None:
        self.library = folder / "clock.so"
        if not self.library.exists():
            subprocess.run(
                ["cc", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o", self.library, LABS / "clock.c"],
                check=True)
        self.file = folder / name
        self.file.write_bytes(bytes(16))
        with self.file.open("r+b") as file:
            self.page = mmap.mmap(file.fileno(), 16)
        self.seconds = self.suspended = 0

    def pass_by(self, seconds: int) -> None:
        self.seconds += seconds
        self.write()

    def sleep(self, seconds: int) -> None:
        """The machine is suspended meanwhile: the clock that timers go by stands still."""
        self.seconds += seconds
        self.suspended += seconds
        self.write()

    def write(self) -> None:
        # Each number is written at once, so that never half of it is read.
        for place, number in enumerate((self.seconds - self.suspended, self.suspended)):
            struct.pack_into("q", self.page, 8 * place, number)

    def rule(self, host: Host) -> None:
        # Of the commands on that machine, too: the doctor looks at the clock.
        host.environment |= {"LD_PRELOAD": str(self.library), "STOA_LAB_CLOCK": str(self.file)}
