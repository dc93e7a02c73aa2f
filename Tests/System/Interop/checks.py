"""Counts what passed and what failed, and says which."""

from __future__ import annotations

import sys
import time


class Checks:
    def __init__(self, verbose: bool = False) -> None:
        self.passed = 0
        self.failed: list[str] = []
        self.verbose = verbose
        self.began = time.monotonic()

    def that(self, what: str, holds: bool, saw: object = "") -> bool:
        if holds:
            self.passed += 1
            if self.verbose:
                at = time.monotonic() - self.began
                print(f"ok {at:7.2f}  {what}", flush=True)
        else:
            self.failed.append(what)
            print(f"FAILED  {what}: {saw}", file=sys.stderr, flush=True)
        return holds

    def same(self, what: str, found: object, due: object) -> bool:
        return self.that(what, found == due, f"found {found!r}, due {due!r}")

    def report(self) -> int:
        seconds = time.monotonic() - self.began
        for what in self.failed:
            print(f"failed: {what}")
        print(f"took {seconds:.1f} s")
        print(f"{self.passed} passed, {len(self.failed)} failed", flush=True)
        return 1 if self.failed else 0
