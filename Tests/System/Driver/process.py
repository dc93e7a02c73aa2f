"""A program under test as a process: its log, its end, and what the kernel counts of it."""

from __future__ import annotations

import collections
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Callable, Iterable, Mapping

from .checks import Broken

# Far more than anything takes on the busiest machine: only what never comes fails.
STOP_SECONDS = 120.0
UNTIL_SECONDS = 120.0
POLL_SECONDS, LONGEST_POLL_SECONDS = 0.01, 0.1


def until(what: str, condition: Callable[[], bool], seconds: float = UNTIL_SECONDS) -> None:
    """Asks again and again; only for what no event tells of.

    What takes long to ask, as where a command is run, is asked after a longer pause: what is waited for has use for
    the processor, too.
    """
    began = time.monotonic()
    deadline = began + seconds
    while not condition():
        now = time.monotonic()
        if now > deadline:
            raise Broken(f"after {seconds:g} seconds not yet: {what}")
        time.sleep(min(max(POLL_SECONDS, now - began), LONGEST_POLL_SECONDS))
        began = time.monotonic()


def memory_bytes(process: int, name: str = "VmRSS") -> int:
    """What a process has in memory now, or with VmHWM what it had at most."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise Broken(f"process {process} has no {name}")


def descriptors(process: int) -> int:
    return len(os.listdir(f"/proc/{process}/fd"))


def wake_ups(process: int) -> int:
    """How often the threads of a process have gone to sleep and come back."""
    return sum(
        int(task.read_text().split("\nvoluntary_ctxt_switches:")[1].split()[0])
        for task in Path(f"/proc/{process}/task").glob("*/status"))


def processor_seconds(process: int) -> float:
    """What all threads of a process have used so far, which other load hardly changes."""
    return 1e-9 * sum(
        int(task.read_text().split()[0])
        for task in Path(f"/proc/{process}/task").glob("*/schedstat"))


def kinds(log: Path) -> list[tuple[str, int]]:
    """How many lines of which sort a log has, by their words that begin with a letter."""
    lines = log.read_text(errors="replace").splitlines()
    words = (" ".join(re.findall(r"(?<!\S)[a-z]{2,}(?!\S)", line)[:6]) for line in lines)
    return collections.Counter(words).most_common(8)


class Program:
    """A program with a folder of its own, over all its runs."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self.folder = folder / name
        self.log = self.folder / "log"
        self.command: list[str] = []
        self.process: subprocess.Popen[bytes] | None = None
        # Differs from the child's where the command only starts the program, as `nsenter -p` does.
        self.pid = 0
        self.started = 0.0

    def launch(self, command: Iterable[object], environment: Mapping[str, str] | None = None) -> None:
        """Starts the program and does not wait for anything."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.command = [str(part) for part in command]
        with self.log.open("ab") as log:
            self.started = time.monotonic()
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
        self.pid = self.process.pid

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Ends the program and gives its exit code; kills it where it does not end in time."""
        if self.process is None:
            return 0
        if self.process.poll() is None:
            os.kill(self.pid, how)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.kill(self.pid, signal.SIGKILL)
            self.process.wait()
        code = self.process.returncode
        self.process, self.pid = None, 0
        return code

    def tail(self, count: int = 3_000) -> str:
        """The end of the log."""
        return self.log.read_text(errors="replace")[-count:] if self.log.exists() else ""

    def memory_bytes(self, name: str = "VmRSS") -> int:
        return memory_bytes(self.pid, name)

    def written_bytes(self) -> int:
        """Bytes that went to files, as the kernel counts them."""
        text = Path(f"/proc/{self.pid}/io").read_text()
        return int(text.split("write_bytes:")[1].split()[0])

    def wake_ups(self) -> int:
        return wake_ups(self.pid)

    def processor_seconds(self) -> float:
        return processor_seconds(self.pid)
