"""Counts what holds and what does not, from any thread, and says which."""

from __future__ import annotations

import sys
import threading
import time


class Broken(Exception):
    """What ends a run: a program or the lab did not do what the rest needs."""


class Checks:
    def __init__(self, verbose: bool = False) -> None:
        """`verbose` prints each check that passes, too."""
        self.passed = 0
        self.failed: list[str] = []
        self.verbose = verbose
        # Printed before everything that is said.
        self.context = ""
        self.began = time.monotonic()
        self.lock = threading.Lock()

    def say(self, text: str) -> None:
        with self.lock:
            print(f"{time.monotonic() - self.began:8.1f} s  {self.context}{text}", flush=True)

    def that(self, what: str, holds: bool, saw: object = "") -> bool:
        if holds:
            with self.lock:
                self.passed += 1
            if self.verbose:
                self.say(f"ok: {what}")
        else:
            self.fail(what, saw)
        return holds

    def same(self, what: str, found: object, due: object) -> bool:
        return self.that(what, found == due, f"found {found!r}, due {due!r}")

    def fail(self, what: str, saw: object) -> None:
        """Notes a fault that may show at any time, and so is no check when it does not."""
        what = self.context + what
        with self.lock:
            # The same fault again and again is one.
            if what not in self.failed:
                self.failed.append(what)
                print(f"FAILED  {what}: {str(saw)[:2000]}", file=sys.stderr, flush=True)

    def report(self) -> int:
        """Prints the sum in the form that check.sh reads; gives the exit code."""
        for what in self.failed:
            print(f"failed: {what}")
        print(f"took {time.monotonic() - self.began:.1f} s")
        print(f"{self.passed} passed, {len(self.failed)} failed", flush=True)
        return 1 if self.failed else 0
