"""What honest people notice of a load: how long messages take, and how long answers of the daemon."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

from .control import Control, Refusal

# Where they talk.
ROOM = "bench"
# What takes longer hangs. How long all takes is reported.
HANGS_SECONDS = 120.0


class Meter:
    """Sends messages one by one and waits for each at the other node's subscriber."""

    numbers = iter(range(1 << 30))

    def __init__(self, sender: Path, reader: Path) -> None:
        self.sender = Control(sender, HANGS_SECONDS)
        self.reader = Control(reader, HANGS_SECONDS)
        self.count = 0
        self.number = next(Meter.numbers)
        # The texts that the sender's daemon has taken, also those that the reader has not seen in time.
        self.acknowledged: list[str] = []
        self.reader.call("subscribe", to=ROOM)

    def once(self) -> float:
        self.count += 1
        text = f"meter {os.getpid()} {self.number} {self.count}"
        begin = time.monotonic()
        number = self.sender.post("send", to=ROOM, text=text)
        # Not parsed: under some attacks thousands of others come in between.
        mark = f'"{text}"'.encode()
        try:
            while mark not in (line := self.reader.lines.readline()):
                if not line:
                    raise ConnectionError("the subscriber was closed")
            return time.monotonic() - begin
        finally:
            self.sender.answer(number)
            self.acknowledged.append(text)

    def measure(self, count: int, pause: float) -> list[float]:
        times = []
        for _ in range(count):
            times.append(self.once())
            time.sleep(pause)
        return sorted(times)

    def close(self) -> None:
        self.sender.close()
        self.reader.close()


class Repeated:
    """Something that is done again and again, and how long it took each time."""

    def __init__(self, pause: float) -> None:
        self.pause = pause
        self.times: list[float] = []
        self.failures: list[str] = []
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def once(self) -> None:
        raise NotImplementedError

    def closed(self) -> None:
        """All is over."""

    def run(self) -> None:
        # Once at least, however soon it ends.
        while True:
            try:
                self.once()
            except (OSError, Refusal) as failure:
                self.failures.append(repr(failure))
                return
            if self.ends.wait(self.pause):
                return

    def end(self) -> None:
        self.ends.set()
        self.thread.join()
        self.closed()


class Disk(Repeated):
    """How long the machine takes to have a few bytes more on disk, whoever keeps it busy: what no daemon can do
    in less time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = path.open("wb", buffering=0)
        super().__init__(0.05)

    @property
    def longest(self) -> float:
        return max(self.times, default=0.0)

    def once(self) -> None:
        began = time.monotonic()
        self.file.write(bytes(4_096))
        os.fdatasync(self.file.fileno())
        self.times.append(time.monotonic() - began)

    def closed(self) -> None:
        self.file.close()
        self.path.unlink()


class Talk(Repeated):
    """One says something once a second, and the other is to see it. What does not come is a failure."""

    def __init__(self, name: str, sender: Path, reader: Path) -> None:
        self.name = name
        self.meter = Meter(sender, reader)
        super().__init__(1.0)

    def once(self) -> None:
        self.times.append(self.meter.once())

    def closed(self) -> None:
        self.meter.close()


class Calls(Repeated):
    """What programs of the user ask, one call after the other."""

    METHODS = (("status", {}), ("peers", {"limit": 100}), ("rooms", {"limit": 100}))

    def __init__(self, path: Path) -> None:
        self.control = Control(path, HANGS_SECONDS)
        self.slowest: dict[str, float] = {}
        self.acknowledged: list[str] = []
        super().__init__(0.02)

    def once(self) -> None:
        for method, params in self.METHODS:
            self.call(method, params)
        text = f"called {len(self.times)}"
        self.call("send", {"to": ROOM, "text": text})
        self.acknowledged.append(text)

    def call(self, method: str, params: dict[str, object]) -> None:
        began = time.monotonic()
        self.control.call(method, **params)
        took = time.monotonic() - began
        self.times.append(took)
        self.slowest[method] = max(took, self.slowest.get(method, 0.0))

    def closed(self) -> None:
        self.control.close()


def texts(control: Control, room: str, limit: int = 1_000) -> set[str]:
    """What was written there last."""
    page = control.call("history", to=room, limit=limit)["messages"]
    return {each.get("text", "") for each in page}


def lacking(control: Control, room: str, due: set[str]) -> set[str]:
    """Which of these texts are not in the history there, which is read back to its beginning."""
    left, before = set(due), {}
    while left:
        page = control.call("history", to=room, limit=1_000, **before)
        left -= {each.get("text", "") for each in page["messages"]}
        if not page["more"]:
            break
        before = {"before": page["messages"][0]["id"]}
    return left


def shown(value: object) -> str:
    return json.dumps(value, default=str)
