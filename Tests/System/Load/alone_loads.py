"""Attacks of crowd_attacks.py by one key from one address, each beside two who know each other and talk once a
second: what one alone can do needs no crowd. Judged as a crowd is, but for who comes during it.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable

from bounds import MIB
from cheap_loads import befriend
from crowd_loads import ADA, BOB, DISK_LIMIT, Siege, besieged, told

# Large enough for all proofs of forks that one signs in the long form, as large as they come.
PROOFS_LIMIT, PROOFS_BYTES = "256M", 64 * MIB
# How long there is talk under the attack; where proofs are signed first, until it asks.
TALK_SECONDS, PROOFS_SECONDS = 2.0, 30.0
ACTS = ("digests", "unknown_kinds", "silence", "boasts", "namesakes")


class Lone(Siege):
    """The two of a pair, on loopback like who attacks."""

    links_after = 1
    strangers = ()
    keys = 1
    again_seconds, after_seconds = 0.5, 1.5
    pairs = (("ada to bob", ADA, BOB), ("bob to ada", BOB, ADA))

    def __init__(self, pair: Any, act: str) -> None:
        super().__init__(pair, act)
        self.name = f"one alone, {act.replace('_alone', '').replace('_', ' ')}"
        self.has_proofs = act == "questions_alone_long"
        if self.has_proofs:
            self.disk_limit = PROOFS_BYTES

    def begin(self) -> None:
        self.system = self.pair.system

    def close(self) -> None:
        """The pair is its own."""

    def prepare(self) -> None:
        system = self.system
        for index in (BOB, ADA):
            limit = PROOFS_LIMIT if self.has_proofs else DISK_LIMIT
            system.nodes[index].arguments += ["--disk-limit", limit]
            system.nodes[index].stop()
        for index in (ADA, BOB):
            system.start(index)
        system.await_links(1)
        befriend(self.pair)
        self.remember((ADA, BOB))

    def attack(self) -> contextlib.AbstractContextManager[dict[str, Any]]:
        return self.pair.under("alone", self.act)

    def talk_seconds(self) -> float:
        return PROOFS_SECONDS if self.has_proofs else TALK_SECONDS

    def welcome(self) -> None:
        """Nobody comes. What happens is told, in one alert."""
        codes = [each["code"] for each in self.system.call(ADA, "status")["alerts"]]
        self.that("what happens is told, and nothing else", codes == sorted(told(self.act)), codes)

    def hear_dora(self) -> None:
        """Nobody has come."""


def named(act: str) -> Callable[[Any], None]:
    load = functools.partial(alone, act=act)
    load.__name__ = f"alone_{act}"  # type: ignore[attr-defined]
    return load


def alone(pair: Any, act: str) -> None:
    besieged(Lone(pair, act))


LOADS = tuple(named(act) for act in ("questions_alone", *ACTS))
LONG_LOADS = (named("questions_alone_long"),)
