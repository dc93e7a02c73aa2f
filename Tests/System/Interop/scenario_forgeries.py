"""Everything that a peer sends, changed once; an honest link beside it notices nothing."""

from __future__ import annotations

import asyncio
import secrets
import struct
import time
from typing import Any, Coroutine, Iterable

from Driver.control import shown
import frames
from codec import u16
from forged_tags import forged_tags
from forgeries import (
    Author,
    LinkForgery,
    frame_forgeries,
    plaintext_forgeries,
    record_forgeries,
    sync_forgeries,
)
from forgeries_handshake import Due, HandshakeForgery, handshake_forgeries
from forgeries_runs import due_texts, run_forgeries
from frames import ClockRow, Frame, Reason, Type
from link import Link, LinkEnded
from noise_link import attempt, preface
from peer import HANDSHAKE_FAILURES, Peer
from replica import Conversation
from realms import OPEN
from rig import ROOM, SECONDS, Rig
from session import Session
from sharing import ROOMS_REMEMBERED

# Of a stranger that announces rooms which stoad is not in.
ROOMS_NAMED = 64
AT_ONCE = 8
# Four megabytes: over ten times the credit, and less than stoad drops of a stream that it ends.
FLOOD_RUNS = 24


class Ground:
    """The room, the honest link in it, and what a forger needs to know of both."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.checks = rig.checks

    async def start(self) -> None:
        rig = self.rig
        await rig.stoad.run("join", ROOM)
        self.control = await rig.subscribed()
        self.honest = rig.peer("Honest")
        self.room = self.honest.join(ROOM)
        self.session = await rig.dial(self.honest)
        self.honest.say(self.room, "genuine: the honest one's")
        await self.control.message(lambda item: item["text"].startswith("genuine"))
        name = self.honest.own[self.room.identifier].name
        self.log = self.room.log(name)

    @property
    def known(self) -> tuple[bytes, int]:
        """An entry that stoad holds, and its hlc."""
        seq = self.log.seq
        return self.log.identifiers[seq - 1], self.log.entry(seq).hlc

    async def unaffected(self, name: str) -> None:
        ended = ""
        try:
            await self.honest.heard_back(self.session)
        except Exception as error:
            ended = repr(error)
        self.checks.that(f"{name}: the honest link stays", not ended, ended)
        if ended:
            self.session = await self.rig.dial(self.honest)

    async def refused(self, name: str, peer: Peer, source: str) -> None:
        """Looks for it in what `peers` tells of refusals.

        The link ends before that is known where stoad has closed it with what it had to say."""
        key = shown(peer.identity.public)
        for _ in range(50):
            listed = await self.rig.refusals(self.control)
            found = [
                item
                for item in listed
                if item.get("peer") == key or str(item.get("address", "")).startswith(source)
            ]
            if found:
                break
            await asyncio.sleep(0.1)
        self.checks.that(f"{name}: listed among the refusals", bool(found), listed[-2:])

    async def linked(self, source: str) -> tuple[Peer, Session, Conversation]:
        peer = self.rig.peer()
        room = peer.join(ROOM, say_so=False)
        # It would repair what is forged; here it only listens.
        session = await peer.dial("127.0.0.1", self.rig.stoad.port, source=source)
        await peer.until(lambda: room.identifier in session.shared, SECONDS, "the room")
        return peer, session, room


async def handshake(ground: Ground, forgery: HandshakeForgery) -> None:
    peer = ground.rig.peer()
    source = next(ground.rig.sources)
    peer.dials = 1
    opening = peer.opening()
    forgery.change(opening)
    passed = False
    words = ""
    try:
        link = await Link.dial("127.0.0.1", ground.rig.stoad.port, opening, source)
        session = peer.start(link)
        await peer.heard_back(session, SECONDS)
        passed = True
    except HANDSHAKE_FAILURES as error:
        words = repr(error)
    ground.checks.that(
        f"{forgery.name}: {'accepted' if forgery.accepted else 'refused'}",
        passed == forgery.accepted,
        words,
    )
    if not forgery.accepted and forgery.listed:
        await ground.refused(forgery.name, peer, source)
    await peer.close()


async def raw(ground: Ground, name: str, data: bytes, due: bytes) -> None:
    """Bytes on a bare connection, and what comes back until it is closed."""
    source = next(ground.rig.sources)
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", ground.rig.stoad.port, local_addr=(source, 0)
    )
    writer.write(data)
    try:
        answer = await asyncio.wait_for(reader.read(), SECONDS)
    except ConnectionError:
        answer = b""
    except asyncio.TimeoutError:
        answer = b"it stayed open"
    writer.close()
    ground.checks.same(f"{name}: closed after", answer, due)


async def transport(ground: Ground, name: str, forged: Any) -> None:
    """What stands below frames: the sealed messages themselves."""
    source = next(ground.rig.sources)
    peer, session, _ = await ground.linked(source)
    forged(session.link)
    await ground.rig.eventually(
        peer, f"{name}: the link closes", lambda: session.ended is not None
    )
    await ground.refused(name, peer, source)
    await peer.close()


async def on_link(
    ground: Ground,
    name: str,
    due: Due,
    plaintexts: list[bytes],
    sent: list[Frame],
    given: tuple[Peer, Session, Conversation] | None = None,
    source: str = "",
) -> None:
    if given is None:
        source = next(ground.rig.sources)
        given = await ground.linked(source)
    peer, session, _ = given
    # A write to a socket that is closed already would cost us the goaway before it.
    session.mute = due is Due.CLOSE
    session.link.counts_credit = not plaintexts
    for plaintext in plaintexts:
        session.link.write_plaintext(plaintext)
    for frame in sent:
        session.link.send(frame)
    try:
        if due is Due.CLOSE:
            # Nothing is sent behind it: bytes that are not read when a socket is closed can
            # cost us the goaway.
            await peer.until(lambda: session.ended is not None, SECONDS, "the end")
        else:
            await peer.heard_back(session, SECONDS)
    except (TimeoutError, LinkEnded) as error:
        if session.ended is None and due is not Due.CLOSE:
            ground.checks.that(f"{name}: answered or closed", False, repr(error))
    stayed = session.ended is None
    reason = None if session.ended is None else session.ended.reason
    if session.refused is not None:
        ground.checks.that(f"{name}: what stoad sends is right", False, session.refused)
    if due is Due.CLOSE:
        ground.checks.that(f"{name}: closed", not stayed, "it stayed")
        if not stayed:
            ground.checks.same(f"{name}: goaway", reason, Reason.PROTOCOL_VIOLATION)
            await ground.refused(name, peer, source)
    elif due is not Due.HIDE:
        ground.checks.that(f"{name}: the link stays", stayed, f"goaway {reason}")
    await peer.close()


async def in_frames(ground: Ground, forgery: LinkForgery) -> None:
    source = next(ground.rig.sources)
    peer, session, room = await ground.linked(source)
    author = Author.new(peer.identity, room.identifier)
    made = forgery.frames(author, *ground.known)
    await on_link(ground, forgery.name, forgery.due, [], made, (peer, session, room), source)


async def in_answer(ground: Ground, forgery: LinkForgery) -> None:
    """The forged run as the answer to a want that our clock called for."""
    source = next(ground.rig.sources)
    peer, session, room = await ground.linked(source)
    session.mute = True
    author = Author.new(peer.identity, room.identifier)
    opened, forged = forgery.frames(author, *ground.known)
    tag = session.tags.log(author.log)
    row = ClockRow(tag, 2, session.tags.head(bytes(32)), 0)
    session.link.send(frames.delta(room.identifier, [row]))
    name = f"{forgery.name}, as a syncRun"

    def asked(seq: int) -> bool:
        wants = [frames.read_want(f.body) for f in session.received if f.kind == Type.WANT]
        return any(want.tag == tag and want.first <= seq <= want.through for want in wants)

    # Its name is not known, so the first entry is asked for, alone or with the rest.
    await ground.rig.eventually(peer, f"{name}: stoad wants the first", lambda: asked(1))
    session.link.send(Frame(Type.SYNC_RUN, opened.body))
    await ground.rig.eventually(peer, f"{name}: stoad wants the rest", lambda: asked(2))
    session.mute = False
    peer.serves = False
    sent = [Frame(Type.SYNC_RUN, forged.body)]
    await on_link(ground, name, forgery.due, [], sent, (peer, session, room), source)


# Shows: daemon.lies
async def hostage(ground: Ground) -> None:
    """Logs that are told of and never served must not keep stoad from those of others."""
    source = next(ground.rig.sources)
    peer, session, room = await ground.linked(source)
    session.mute = True
    rows = [ClockRow(secrets.token_bytes(8), 5, bytes(8), 0) for _ in range(500)]
    session.link.send(frames.delta(room.identifier, rows))
    await ground.rig.eventually(
        peer,
        "stoad wants what it is told of",
        lambda: any(frame.kind == Type.WANT for frame in session.received),
    )
    # What was written before the link must be asked for.
    newcomer = ground.rig.peer("Newcomer")
    other = newcomer.join(ROOM)
    newcomer.say(other, "genuine: not held up")
    begun = time.monotonic()
    await ground.rig.dial(newcomer)
    try:
        await ground.control.message(lambda item: item["text"] == "genuine: not held up", SECONDS)
        # A want that is not served is given up after 10 s; nothing else waits for that.
        print(f"MEASURED beside rows that are never served: a text in {time.monotonic() - begun:.1f} s")
        ground.checks.that("rows that are never served hold up nobody", True)
    except asyncio.TimeoutError as error:
        ground.checks.that("rows that are never served hold up nobody", False, repr(error))
    await peer.close()
    await newcomer.close()


async def flood(ground: Ground) -> None:
    """More than the credit, without waiting for any of it to come back."""
    source = next(ground.rig.sources)
    peer, session, room = await ground.linked(source)
    session.mute = True
    session.link.counts_credit = False
    author = Author.new(peer.identity, room.identifier)
    log = author.own()
    sealed_parts = [session.link.transport.seal(frame.packed()) for frame in author.live()]
    for index in range(FLOOD_RUNS):
        words = [author.text("genuine: flood ".ljust(64_900, "."), 2 * index + i) for i in (2, 3)]
        for part in frames.fragments(frames.live_run(log.append(words).packed())):
            sealed_parts.append(session.link.transport.seal(part.packed()))
    session.link.writer.write(b"".join(sealed_parts))
    session.ping()

    def over() -> bool:
        answered = any(frame.kind == Type.PONG for frame in session.received)
        return answered or session.ended is not None

    await peer.until(over, SECONDS, "the end of a flood")
    # A disk that keeps up with it gives the credit back in time, and all was allowed.
    reason = Reason.PROTOCOL_VIOLATION if session.ended is None else session.ended.reason
    ground.checks.same("more than the credit", reason, Reason.PROTOCOL_VIOLATION)
    await peer.close()


async def skipped(ground: Ground) -> None:
    """What stoad skips counts on its channel, and comes back as credit."""
    peer, session, _ = await ground.linked(next(ground.rig.sources))
    for kind in (0x3E, 0x5E, 0x7E):
        for _ in range(60):
            session.link.send(Frame(kind, bytes(16_000)))
    await ground.rig.eventually(
        peer,
        "three times the credit in frames that are skipped, on each channel",
        lambda: not any(session.link.queues.values()) or session.ended is not None,
    )
    await ground.rig.alive(peer, "the link stays", session)
    await peer.close()


async def goodbyes(ground: Ground) -> None:
    """stoad ends a link that is told goodbye, for reasons that it does not know as well."""
    for reason in (Reason.SHUTDOWN, Reason.BUSY, 77, 2**64 - 1):
        peer, session, _ = await ground.linked(next(ground.rig.sources))
        session.link.say_goodbye(reason, "au revoir")
        await ground.rig.eventually(
            peer,
            f"goaway {int(reason)}: stoad closes",
            lambda session=session: session.ended is not None,
        )


async def many_rooms(ground: Ground) -> None:
    """Of each peer 4,096 rooms are remembered, and of a stranger's that stoad is not in the names of 64."""
    peer, session, _ = await ground.linked(next(ground.rig.sources))
    tag = session.realm_tag(OPEN, session.tags.role)
    names = sorted(f"room{index:04}" for index in range(ROOMS_REMEMBERED + 300))
    for start in range(0, len(names), 350):
        session.link.send(frames.rooms(tag, names[start : start + 350]))
    await peer.heard_back(session)
    rooms = await ground.rig.stoad.json("rooms")
    foreign = sum(1 for room in rooms if not room["joined"])
    ground.checks.same("rooms that stoad lists for one peer", foreign, ROOMS_NAMED)
    for name, is_known in ((names[3_000], True), (names[-1], False)):
        await ground.rig.stoad.run("join", name)
        rooms = await ground.rig.stoad.json("rooms")
        announced = next(room["announcedBy"] for room in rooms if room["name"] == name)
        ground.checks.same(f"the peer is known to be in {name}", bool(announced), is_known)
        await ground.rig.stoad.run("leave", name)
    await peer.close()


def sealed(link: Link, plaintext: bytes, change: Any) -> None:
    link.writer.write(change(link.transport.seal(plaintext)))


async def several(jobs: Iterable[Coroutine[Any, Any, None]]) -> None:
    """A few at a time: each is a peer of its own, from an address of its own."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(job: Coroutine[Any, Any, None]) -> None:
        async with gate:
            await job

    await asyncio.gather(*(one(job) for job in jobs))


async def raw_openings(ground: Ground) -> None:
    """Preface and attempts, as bytes."""
    # Of nobody's realm, which an attempt of the right length is told.
    offer = attempt(bytes(16), bytes(49))
    magic = preface()
    cases = {
        "preface: another magic": (b"\x52" + magic[1:] + offer, b""),
        "preface: last byte of the magic": (magic[:7] + b"\x0b" + magic[8:] + offer, b""),
        "preface: versions 3 to 3": (preface(3, 3) + offer, b"\x00\x02\x02"),
        "preface: versions 1 to 1": (preface(1, 1) + offer, b"\x00\x02\x02"),
        "preface: versions 0 to 0": (preface(0, 0) + offer, b"\x00\x02\x02"),
        "preface: versions 3 to 1": (preface(3, 1) + offer, b"\x00\x02\x02"),
        "preface: cut, then silence": (magic[:5], b""),
        "nothing for 5 s": (b"", b""),
        "an attempt, then silence": (magic + offer, b"\xff"),
        "attempts: 17 of another realm": (magic + 17 * offer, 17 * b"\xff"),
        "attempts: the third cut": (magic + 2 * offer + offer[:40], 2 * b"\xff"),
        "message 1: of 48 bytes": (magic + attempt(bytes(16), bytes(48)), b""),
        "message 1: of 2,097 bytes": (magic + attempt(bytes(16), bytes(2_097)), b""),
        "message 1: of 65,535 bytes": (magic + attempt(bytes(16), bytes(65_535)), b""),
    }
    await asyncio.gather(*(raw(ground, name, *case) for name, case in cases.items()))


async def run(rig: Rig) -> None:
    ground = Ground(rig)
    await ground.start()
    # Two of these take the five seconds of a handshake's limit.
    openings = asyncio.get_running_loop().create_task(raw_openings(ground))

    await forged_tags(ground)
    await several(handshake(ground, opening) for opening in handshake_forgeries())
    await ground.unaffected("handshake")

    # Transport messages.
    ping = frames.ping(1, 1).packed()

    def flip(message: bytes) -> bytes:
        return message[:-1] + bytes([message[-1] ^ 1])

    def flip_front(message: bytes) -> bytes:
        return message[:2] + bytes([message[2] ^ 1]) + message[3:]

    cases: dict[str, Any] = {
        "transport: tag changed": lambda link: sealed(link, ping, flip),
        "transport: ciphertext changed": lambda link: sealed(link, ping, flip_front),
        "transport: sent twice": lambda link: sealed(link, ping, lambda m: m + m),
        "transport: one left out": lambda link: (
            link.transport.seal(ping),
            link.writer.write(link.transport.seal(ping)),
        ),
        "transport: length 0": lambda link: link.writer.write(u16(0)),
        "transport: an empty plaintext": lambda link: sealed(link, b"", lambda m: m),
        "transport: length 16": lambda link: link.writer.write(u16(16) + bytes(16)),
        "transport: a plaintext of 16,385 bytes": lambda link: sealed(
            link, frames.Frame(0x5E, bytes(16_381)).packed(), lambda m: m
        ),
        "transport: length 65,535": lambda link: link.writer.write(
            struct.pack(">H", 65_535) + bytes(65_535)
        ),
    }
    await several(transport(ground, name, forged) for name, forged in cases.items())
    await ground.unaffected("transport")

    await several(
        on_link(ground, name, due, plaintexts, [])
        for name, (plaintexts, due) in plaintext_forgeries().items()
    )
    await ground.unaffected("frames")

    everything = frame_forgeries() + run_forgeries() + record_forgeries()
    everything += sync_forgeries(ground.room.identifier)
    await several(in_frames(ground, forgery) for forgery in everything)
    await ground.unaffected("entries, records and clocks")
    # One at a time: stoad learns the names of unknown logs one after the other.
    sample = Author.new(ground.honest.identity, ground.room.identifier)
    opened = frames.live_run(sample.opened.packed())
    for forgery in run_forgeries():
        made = forgery.frames(sample, *ground.known)
        if forgery.due is Due.CLOSE and len(made) == 2 and made[0] == opened:
            await in_answer(ground, forgery)
    await ground.unaffected("answers to wants")
    await hostage(ground)
    await flood(ground)
    await skipped(ground)
    await goodbyes(ground)
    await ground.unaffected("floods and goodbyes")
    await openings
    await ground.unaffected("preface")

    # A message after all of it closes the list: what is shown was shown before it.
    ground.honest.say(ground.room, "genuine: the last one")
    await ground.control.message(lambda item: item["text"] == "genuine: the last one")
    history = await rig.stoad.history(ROOM)
    # A fallback text is marked by a kind of its own.
    texts = [item["text"] for item in history if item["kind"] not in ("join", "leave")]
    forged_texts = [words for words in texts if not words.startswith("genuine")]
    ground.checks.same("nothing forged is in the history", forged_texts, [])
    shown_kinds = [m for m in ground.control.messages if m["kind"] not in ("join", "leave")]
    streamed = [item["text"] for item in shown_kinds]
    forged_texts = [words for words in streamed if not words.startswith("genuine")]
    ground.checks.same("nothing forged was streamed", forged_texts, [])
    for words in due_texts():
        ground.checks.that(f"shown: {words[:50]}", words in texts, [line[:50] for line in texts])
    ground.checks.same("a run that came twice", texts.count("genuine: three times"), 1)
    ground.checks.same("a whole run of 128", texts.count("genuine: one of 128"), 128)
    full = len([words for words in texts if words.startswith("genuine: a full run")])
    ground.checks.same("a whole run of 131,072 bytes", full, 3)
    rooms = [item["name"] for item in await rig.stoad.json("rooms")]
    ground.checks.same("the rooms that stoad lists", rooms, [ROOM])
    await many_rooms(ground)
    printed = await rig.stoad.json("peers", "--refusals")
    ground.checks.that(
        "stoa --json peers --refusals prints refusals",
        any("reason" in item and "count" in item for item in printed),
        printed[-2:],
    )
    code, _, errors = await asyncio.to_thread(rig.stoad.daemon.stoa, "status")
    ground.checks.same("stoad still answers", (code, errors), (0, ""))
