"""Strangers who come as a crowd: 100 keys from 16 addresses, which all do the same at once, or each
something else.

Like the attacks of attacks.py; an act is what one of them does on a link, until it ends. Whoever is
turned away, or closed, comes again.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
import time
from pathlib import Path
from typing import Any, Awaitable, Callable, Iterator

import frames
from bodies import Body, Class, saying
from codec import u16
from entries import Entry, ForkProof, LogName, OwnLog, Run, hybrid_time, room_id
from frames import ClockRow, Frame, State, Type
from link import Link, LinkEnded, Opening
from noise_link import AREA_PORT
from peer import HANDSHAKE_FAILURES
from persons import certificate_of
from primitives import Identity
from realms import OPEN
from records import profile
from replica import wall_milliseconds
from sharing import REALM_COUNTS, SHARE_COUNTS, filled
from summaries import Tags

ROOM = "bench"
KEYS, SOURCES = 100, 16
# One that was turned away comes again so soon.
AGAIN_SECONDS = 0.5
TICK_SECONDS = 0.05
YEAR_MILLISECONDS = 365 * 86_400_000
END_OF_TIME = (1 << 64) - 1
# The kind of a body that nobody knows, and as much of it as a message may have.
UNKNOWN_KIND, UNKNOWN_BYTES = 99, 30_000
PROOFS_EACH = 2
# One alone has signed so many forks, each of so many entries; with --long each as large as they come.
PROOFS_ALONE, PROOF_ENTRIES_SHORT, PROOF_ENTRIES = 200, 2, 96
NAMES, NAMES_PER_FRAME = 1_024, 50
# So many frames go at once, before others have their turn.
BURST = 40


def addresses() -> list[str]:
    return [f"10.79.0.{number + 101}" for number in range(SOURCES)]


class Bot:
    """One of the crowd: its key, its address, and its link while it has one."""

    def __init__(self, crowd: "Crowd", number: int) -> None:
        self.crowd, self.number = crowd, number
        self.source = crowd.addresses[number % len(crowd.addresses)]
        self.identity = Identity.from_seed(secrets.token_bytes(32))
        self.clock: Callable[[], int] = wall_milliseconds
        # The name that its profile says; of that it has none.
        self.name: str | None = None
        # Whether it reads what comes, and returns the credit of it.
        self.reads, self.credits = True, True
        # What clocks have said: the seq of each tag.
        self.rows: dict[bytes, int] = {}
        # Set by any pong.
        self.answered = asyncio.Event()

    async def dial(self) -> None:
        certificate = certificate_of(self.identity)
        # Where nobody listens.
        opening = Opening(
            self.identity, secrets.randbits(64), 1, area={AREA_PORT: u16(2_000 + self.number)},
            certificate=certificate)
        self.certificate = certificate
        self.link = await Link.dial(self.crowd.host, self.crowd.port, opening, self.source)
        self.tags = Tags(self.link.transport.exporter, self.link.role)
        self.ended = False
        self.rows = {}
        self.reading = asyncio.get_running_loop().create_task(self.read())
        tag = OPEN.link_tag(self.tags.exporter, self.tags.role)
        self.link.send(frames.realms(filled([tag], REALM_COUNTS)))
        self.link.send(frames.shares(filled([], SHARE_COUNTS)))
        self.link.send(frames.rooms(tag, [ROOM]))
        if self.name is not None:
            record = profile(self.identity, self.name, "", hybrid_time(wall_milliseconds()))
            self.link.send(frames.records([record.packed()]))
        self.ping()
        await self.drain()

    async def read(self) -> None:
        try:
            while True:
                while not self.reads:
                    await asyncio.sleep(TICK_SECONDS)
                frame = await self.link.receive()
                self.take(frame)
                if self.credits:
                    self.link.consumed(frame)
        except Exception:
            self.ended = True

    def take(self, frame: Frame) -> None:
        if frame.kind == Type.PING:
            self.link.send(frames.pong(frames.read_ping(frame.body)[0], self.clock()))
        elif frame.kind == Type.PONG:
            self.answered.set()
        elif frame.kind == Type.CLOCK:
            for page in frames.read_clock(frame.body)[1].values():
                self.rows.update((row.tag, row.seq) for row in page)
        elif frame.kind == Type.DELTA:
            self.rows.update((row.tag, row.seq) for row in frames.read_delta(frame.body)[1])

    def ping(self) -> None:
        self.link.send(frames.ping(secrets.randbits(64), self.clock()))

    async def heard_back(self) -> None:
        """Waits until what was sent has been handled."""
        self.answered.clear()
        self.ping()
        await self.drain()
        while self.goes_on and not self.answered.is_set():
            await asyncio.sleep(TICK_SECONDS)

    async def drain(self) -> None:
        await self.link.writer.drain()
        await asyncio.sleep(0)

    async def send(self, *due: Frame) -> None:
        """Sends them, and waits until there is credit for more."""
        for frame in due:
            self.link.send(frame)
        await self.drain()
        while self.goes_on and any(len(queue) > 4 for queue in self.link.queues.values()):
            await asyncio.sleep(0.005)

    async def sleep(self, seconds: float) -> None:
        """Until then, or until there is nothing to wait for."""
        until = time.monotonic() + seconds
        while self.goes_on and time.monotonic() < until:
            await asyncio.sleep(TICK_SECONDS)

    @property
    def goes_on(self) -> bool:
        return not self.ended and not self.crowd.is_over

    def close(self) -> None:
        self.reading.cancel()
        self.link.writer.transport.abort()

    # What it writes.

    def log(self, hlc: int, identity: Identity | None = None) -> OwnLog:
        """A log that begins then, of its own or of an author who is nobody."""
        author = identity or self.identity
        own = OwnLog(author, LogName(self.crowd.room, author.public, secrets.randbits(64)))
        certificate = self.certificate if identity is None else certificate_of(identity)
        own.begin(certificate, hlc, secrets.token_bytes(16))
        return own

    async def say(self, words: str, hlc: int) -> None:
        """A log of one message."""
        own = self.log(hlc - 1)
        own.append([Entry.of(saying(words), hlc, secrets.token_bytes(16))])
        await self.send(*(frames.live_run(run.packed()) for run in own.runs))

    async def ask_rows(self) -> None:
        """Has the node tell all that it has: pages without a row are answered by those of the other."""
        pages: frames.Pages = {bucket: [] for bucket in range(frames.BUCKETS)}
        await self.send(*frames.clocks(self.crowd.room, pages))
        await self.sleep(0.5)


Act = Callable[[Bot], Awaitable[None]]


# What they do. Clocks and times first.


async def end_of_time(bot: Bot) -> None:
    """Clocks beyond all times, and an entry of the last one."""
    bot.clock = lambda: 1 << 62
    await bot.say("from the end of time", END_OF_TIME)
    while bot.goes_on:
        bot.ping()
        await bot.drain()
        await bot.sleep(0.5)


async def dated(bot: Bot, offset: Callable[[], int]) -> None:
    bot.clock = lambda: max(1, wall_milliseconds() + offset())
    while bot.goes_on:
        bot.ping()
        await bot.say("of another time", hybrid_time(bot.clock()))
        await bot.sleep(1.0)


async def year_ahead(bot: Bot) -> None:
    await dated(bot, lambda: YEAR_MILLISECONDS)


async def year_behind(bot: Bot) -> None:
    await dated(bot, lambda: -YEAR_MILLISECONDS)


async def creeping(bot: Bot) -> None:
    """Entries as far ahead as are shown, or followed, of the newest that there is."""
    steps = itertools.cycle((59_000, 119_000, 295_000))
    await dated(bot, lambda: next(steps))


# Logs, bytes and questions without end.


async def authors(bot: Bot) -> None:
    """Logs of one entry of authors who are nobody."""
    while bot.goes_on:
        own = bot.log(hybrid_time(wall_milliseconds()), Identity.from_seed(secrets.token_bytes(32)))
        await bot.send(frames.live_run(own.runs[0].packed()))


async def incarnations(bot: Bot) -> None:
    """Logs of one entry of the same author."""
    while bot.goes_on:
        await bot.send(frames.live_run(bot.log(hybrid_time(wall_milliseconds())).runs[0].packed()))


async def unknown_kinds(bot: Bot) -> None:
    """Entries that nobody can read, as large as they may be."""
    own = bot.log(hybrid_time(wall_milliseconds()))
    await bot.send(frames.live_run(own.runs[0].packed()))
    body = Body(UNKNOWN_KIND, {1: bytes(UNKNOWN_BYTES)})
    while bot.goes_on:
        hlc = max(own.hlc + 1, hybrid_time(wall_milliseconds()))
        entries = [
            Entry.new(Class.CONTENT, hlc + number, body.payload(secrets.token_bytes(16)))
            for number in range(4)]
        await bot.send(frames.live_run(own.append(entries).packed()))


def proof(bot: Bot, count: int = PROOF_ENTRIES) -> ForkProof:
    """Two runs of so many headers that are full; one that is as large as they come, where nothing is said."""
    name = LogName(bot.crowd.room, bot.identity.public, secrets.randbits(64))
    before = secrets.token_bytes(32)

    def other() -> Run:
        entries = []
        for number in range(count):
            deps = sorted(secrets.token_bytes(32) for _ in range(16))
            entries.append(Entry(
                Class.CONTENT, hybrid_time(wall_milliseconds(), number), 17,
                secrets.token_bytes(32), None, tuple(deps)))
        return Run.signed(bot.identity, name, 2, before, entries)

    return ForkProof.of(other(), other())


async def questions(bot: Bot) -> None:
    """Fork proofs; then what is answered by more than was asked, without taking the answers."""
    for _ in range(PROOFS_EACH):
        await bot.send(frames.fork_proof(proof(bot).packed()))
    await ask(bot)


async def questions_alone(bot: Bot) -> None:
    """The same of one who has signed many forks, before it asks for the first time."""
    await questions_of(bot, PROOF_ENTRIES_SHORT)


async def questions_alone_long(bot: Bot) -> None:
    await questions_of(bot, PROOF_ENTRIES)


async def questions_of(bot: Bot, count: int) -> None:
    while bot.goes_on and bot.crowd.figures.setdefault("proofs", 0) < PROOFS_ALONE:
        await bot.send(frames.fork_proof(proof(bot, count).packed()))
        bot.crowd.figures["proofs"] += 1
    await bot.heard_back()
    await ask(bot)


async def ask(bot: Bot) -> None:
    bot.reads = False
    room = bot.crowd.room
    pages: frames.Pages = {bucket: [] for bucket in range(frames.BUCKETS)}
    while bot.goes_on:
        # As much as may be sent without credit that comes back: all that is answered waits.
        for frame in (
            frames.clock(room, pages), frames.record_clock(room, []),
            frames.digest(room, secrets.token_bytes(32), secrets.token_bytes(32)),
            frames.buckets(room, [secrets.token_bytes(8)] * frames.BUCKETS),
        ):
            if len(frame.packed()) <= bot.link.may_send[frame.channel]:
                bot.link.send(frame)
        await asyncio.wait_for(bot.drain(), 1.0)
        await asyncio.sleep(0.01)
        if bot.link.may_send[2] < 1_000:
            # Begins anew: what waits for it goes with its link.
            return await bot.sleep(1.0)


async def digests(bot: Bot) -> None:
    """Digests that differ each time, as many as credit lets them."""
    while bot.goes_on:
        for _ in range(BURST):
            bot.link.send(frames.digest(
                bot.crowd.room, secrets.token_bytes(32), secrets.token_bytes(32)))
        await bot.send()


async def pings(bot: Bot) -> None:
    """Pings as fast as the wire takes them."""
    one = frames.ping(7, 7).packed()
    many = one * (frames.PLAINTEXT_MAXIMUM // len(one))
    while bot.goes_on:
        bot.link.write_plaintext(many)
        await bot.drain()


# Links, keys and names.


async def places(bot: Bot) -> None:
    """Nothing but the link itself."""
    await bot.sleep(60)


async def keys(bot: Bot) -> None:
    """A new key each time, which says who it is and goes."""
    bot.identity = Identity.from_seed(secrets.token_bytes(32))
    bot.name = "N" * 64
    await bot.sleep(0.05)


async def rooms(bot: Bot) -> None:
    """A new key each time, with as many rooms as it may name."""
    tag = OPEN.link_tag(bot.tags.exporter, bot.tags.role)
    names = [f"{bot.number:03d}-{each:04d}-" + "r" * 50 for each in range(NAMES)]
    for start in range(0, NAMES, NAMES_PER_FRAME):
        await bot.send(frames.rooms(tag, names[start : start + NAMES_PER_FRAME]))
    await bot.sleep(0.5)
    bot.identity = Identity.from_seed(secrets.token_bytes(32))


LOOKS = (
    "{}", "{}\u200d", "{}\ufe0f", "{}\u3164", "{}\u2800", "{}\u034f", "\u202e{}", " {}", "{} (you)",
    "{} \u2713", "{}\U000e0101", "{}\u180b")


async def namesakes(bot: Bot) -> None:
    """They have the name of somebody whom the user knows, or one that looks like it, and write."""
    name = LOOKS[bot.number % len(LOOKS)].format("node1")
    record = profile(bot.identity, name, "", hybrid_time(wall_milliseconds()))
    await bot.send(frames.records([record.packed()]))
    while bot.goes_on:
        await bot.say("send me the door code", hybrid_time(wall_milliseconds()))
        await bot.sleep(3.0)


# Lies.


async def silence(bot: Bot) -> None:
    """In the room, and says nothing of what it has, nor that it has read anything."""
    bot.credits = False
    await bot.sleep(60)


async def boasts(bot: Bot) -> None:
    """Says to have of all logs what there never was."""
    await bot.ask_rows()
    while bot.goes_on:
        rows = [
            ClockRow(tag, 1 << 40, secrets.token_bytes(8), State.OPEN)
            for tag in itertools.islice(bot.rows, 200)]
        if rows:
            await bot.send(frames.delta(bot.crowd.room, rows))
        await bot.sleep(0.3)


async def wrong_heads(bot: Bot) -> None:
    """Says of all logs to have other entries, and serves nothing of them."""
    await bot.ask_rows()
    while bot.goes_on:
        for tag, seq in list(bot.rows.items())[:BURST]:
            lie = ClockRow(tag, max(1, seq), secrets.token_bytes(8), State.OPEN)
            bot.link.send(frames.delta(bot.crowd.room, [lie]))
            bot.link.send(frames.unavailable(bot.crowd.room, tag, max(1, seq)))
        await bot.send()
        await bot.sleep(0.1)


async def goodbyes(bot: Bot) -> None:
    """A new key each time, which says goodbye with an alarm."""
    bot.identity = Identity.from_seed(secrets.token_bytes(32))
    text = f"key\n<0>stoad: error: fake {bot.number}"
    bot.link.send(frames.goaway(frames.Reason.IDENTITY_IN_USE, text))
    await bot.drain()
    await asyncio.sleep(0.02)


ACTS: dict[str, Act] = {
    act.__name__: act for act in (
        end_of_time, year_ahead, year_behind, creeping, authors, incarnations, unknown_kinds,
        questions, digests, pings, places, keys, rooms, namesakes, silence, boasts,
        wrong_heads, goodbyes)}
# What only one alone does.
ALONE: dict[str, Act] = {act.__name__: act for act in (questions_alone, questions_alone_long)}
ALL = "all"


class Crowd:
    def __init__(
        self, host: str, port: int, signals: Any, acts: list[Act], keys: int, sources: list[str]
    ) -> None:
        self.host, self.port, self.signals = host, port, signals
        self.addresses = sources
        self.room = room_id(ROOM)
        self.bots = [(Bot(self, number), acts[number % len(acts)]) for number in range(keys)]
        self.is_over = False
        self.figures = {"links": 0, "refused": 0, "lost": 0}

    async def come(self, bot: Bot, act: Act) -> None:
        # Not all in the same moment, but as fast as many hosts would.
        await asyncio.sleep(bot.number * 0.01)
        while not self.is_over:
            bot.reads = True
            try:
                await bot.dial()
            except (*HANDSHAKE_FAILURES, OSError):
                self.figures["refused"] += 1
                await asyncio.sleep(AGAIN_SECONDS)
                continue
            self.figures["links"] += 1
            began = time.monotonic()
            try:
                await act(bot)
            except (LinkEnded, OSError, TimeoutError):
                self.figures["lost"] += 1
            finally:
                was_ended = bot.ended
                bot.close()
            # Whoever was turned away at once waits, too.
            is_early = was_ended and time.monotonic() - began < AGAIN_SECONDS
            await asyncio.sleep(AGAIN_SECONDS if is_early else 0.02)

    async def run(self) -> dict[str, Any]:
        tasks = [asyncio.create_task(self.come(bot, act)) for bot, act in self.bots]
        began = time.monotonic()
        while not self.signals.stop.is_set():
            await asyncio.sleep(TICK_SECONDS)
            if not self.signals.ready.is_set() and (
                    self.figures["links"] >= max(1, len(tasks) // 2) or time.monotonic() - began > 5):
                self.signals.ready.set()
            broken = [task for task in tasks if task.done()]
            if broken:
                broken[0].result()
        self.is_over = True
        await asyncio.wait(tasks, timeout=3)
        for task in tasks:
            task.cancel()
        return {**self.figures, "in s": round(time.monotonic() - began)}


def crowd(
        port: int, path: Path, signals: Any, act: str, host: str, keys: int = KEYS) -> dict[str, Any]:
    """All of a crowd do the same, or, where it is `all`, each something else."""
    acts = list(ACTS.values()) if act == ALL else [ACTS[act]]
    return asyncio.run(Crowd(host, port, signals, acts, keys, addresses()).run())


def alone(port: int, path: Path, signals: Any, act: str) -> dict[str, Any]:
    """One key from one address, in a network that is nothing but loopback."""
    acts = [{**ACTS, **ALONE}[act]]
    return asyncio.run(Crowd("127.0.0.1", port, signals, acts, 1, ["127.9.0.1"]).run())
