"""Strangers who call themselves like people whom the user knows. Like the attacks of attacks.py."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

import frames
from bodies import joining, saying
from crowd_attacks import ROOM, Bot
from Driver.control import Control, shown
from entries import Entry, hybrid_time
from peer import HANDSHAKE_FAILURES
from primitives import Identity
from replica import wall_milliseconds
from ring import Ring

# As in NameLookTests, which says that these look alike; here all of the program is asked.
NAMES = (
    "Ada Lovelace", "Blaise Pascal", "Cecilia Payne", "Paul Erdos", "Sofia Ionescu", "Emil Oliveira",
    "Carla Popescu", "Simon Prowler")
AT_ONCE = 8


def replaced(old: str, new: str) -> Callable[[str], str]:
    return lambda name: name.replace(old, new)


def inserted(character: str) -> Callable[[str], str]:
    return lambda name: name[:2] + character + name[2:]


DISGUISES: tuple[Callable[[str], str], ...] = (
    *(replaced(old, new) for old, new in (
        ("a", "\u0430"), ("o", "\u043e"), ("e", "\u0435"), ("c", "\u0441"), ("i", "\u0456"), ("P", "\u0420"),
        ("C", "\u0421"), ("o", "\u03bf"), ("l", "I"), ("l", "1"), ("a", "\U0001d41a"), ("e", "\uff45"),
        ("s", "\U0001d4c8"), (" ", ""), (" ", "\u00a0"), (" ", "\u3000"), (" ", "\u2800"), (" ", "  "))),
    *(inserted(each) for each in (
        "\u200b", "\u200d", "\u200c", "\u00ad", "\u2060", "\ufe0f", "\U000e0100", "\U000e0041", "\u034f",
        "\u3164", "\u180b", "\u200f", "\u0007", "\ufff9", "\u0000")),
    str.upper, str.lower, str, lambda name: name + " ", lambda name: "\u202d" + name + "\u202c",
    lambda name: "\u2068" + name + "\u2069", lambda name: "\ufeff" + name,
    # What programs say behind names.
    lambda name: name + " \u2713", lambda name: name + "\u2705", lambda name: name + " (verified)",
    lambda name: name + " (you)", lambda name: name + " (aw\u0430y)",
)


@dataclass(frozen=True)
class Player:
    identity: Identity
    name: str
    # What they say, and nobody else.
    words: str

    @property
    def key(self) -> str:
        return shown(self.identity.public)


def cast(seed: str) -> tuple[list[Player], list[Player]]:
    """Who is known, and who looks like them or like a key of theirs."""
    def player(name: str, words: str) -> Player:
        return Player(Identity.from_seed(hashlib.sha256((seed + words).encode()).digest()), name, words)

    friends = [player(name, f"friend {number}.") for number, name in enumerate(NAMES)]
    names = [
        disguised for friend in friends for disguised in (
            *(change(friend.name) for change in DISGUISES if change is str or change(friend.name) != friend.name),
            "@" + friend.key[:12], friend.key[:16], f"{friend.name} @{friend.key[:8]}")]
    return friends, [player(name, f"namesake {number}.") for number, name in enumerate(names)]


async def say(bot: Bot, words: str) -> None:
    """As a member: who only writes is none."""
    hlc = hybrid_time(wall_milliseconds())
    own = bot.log(hlc - 2)
    own.append([
        Entry.of(body, hlc + number, secrets.token_bytes(16))
        for number, body in enumerate((joining(ROOM), saying(words)), -1)])
    await bot.send(*(frames.live_run(run.packed()) for run in own.runs))


def look_alikes(port: int, path: Path, signals: Any, seed: str) -> dict[str, Any]:
    """All of the cast come, say who they are and something in the room, and go; the user knows the first ones."""

    async def run() -> dict[str, Any]:
        ring, counts = Ring(port, signals), {"friends": 0, "namesakes": 0, "refused": 0}

        async def come(player: Player) -> Bot | None:
            bot = ring.bot(player.identity)
            bot.name = player.name
            for _ in range(20):
                try:
                    await bot.dial()
                    await say(bot, player.words)
                    await bot.heard_back()
                    return bot
                except (*HANDSHAKE_FAILURES, OSError):
                    await asyncio.sleep(0.2)
            counts["refused"] += 1
            return None

        friends, namesakes = cast(seed)
        with Control(path) as control:
            for friend in friends:
                await come(friend)
                control.call("addPerson", person="@" + friend.key)
                counts["friends"] += 1

        async def visit(player: Player) -> None:
            if bot := await come(player):
                counts["namesakes"] += 1
                bot.close()

        for start in range(0, len(namesakes), AT_ONCE):
            await asyncio.gather(*(visit(each) for each in namesakes[start : start + AT_ONCE]))
        signals.ready.set()
        await ring.until_over()
        ring.close()
        return counts

    return asyncio.run(run())
