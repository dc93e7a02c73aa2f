"""Counts what holds and what does not, from any thread, and says which."""

from __future__ import annotations

import sys
import threading
import time


class Broken(Exception):
    """What ends the run: a program or the lab did not do what the rest needs."""


class Checks:
    def __init__(self) -> None:
        self.passed = 0
        self.failed: list[str] = []
        # What goes before everything that is said.
        self.context = ""
        self.began = time.monotonic()
        self.lock = threading.Lock()

    def say(self, text: str) -> None:
        with self.lock:
            print(f"{time.monotonic() - self.began:8.1f} s  {self.context}{text}", flush=True)

    def that(self, what: str, holds: bool, saw: object = "") -> bool:
        if holds:
            self.passed += 1
            self.say(f"ok: {what}")
        else:
            self.fail(what, saw)
        return holds

    def fail(self, what: str, saw: object) -> None:
        """Notes what may go wrong at any time and is therefore no check of its own when it does not."""
        what = self.context + what
        with self.lock:
            # The same fault again and again is one.
            if self.failed.count(what) == 0:
                self.failed.append(what)
                print(f"FAILED  {what}: {str(saw)[:2000]}", file=sys.stderr, flush=True)

    def report(self) -> int:
        for what in self.failed:
            print(f"failed: {what}")
        print(f"{self.passed} passed, {len(self.failed)} failed", flush=True)
        return 1 if self.failed else 0
