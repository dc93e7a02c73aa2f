"""What a later version may send: stoad keeps it, hands it on, and shows what it can of it."""

from __future__ import annotations

import secrets

import frames
from bodies import Body, Class, Kind, saying
from codec import fields
from entries import Entry, LogName, OwnLog, hybrid_time
from frames import Frame
from link import Link
from peer import Peer
from records import Record
from replica import wall_milliseconds
from rig import ROOM, SECONDS, Rig

REPLACED = "in place of what is not known here"
# Even types of every channel that mean nothing yet, and some that are reserved.
SKIPPED = (0x10, 0x1E, 0x3E, 0x5E, 0x66, 0x7E, 0x86, 0x9E)
EVERY_FEATURE = b"\xff" * 32


class LaterPeer(Peer):
    """Tells of every feature, and of things in the area that nobody knows."""

    async def dial_later(self, rig: Rig) -> None:
        self.dials += 1
        opening = self.opening()
        opening.features = EVERY_FEATURE
        opening.area = {4: b"x", 600: b""}
        source = next(rig.sources)
        self.session = self.start(await Link.dial("127.0.0.1", rig.stoad.port, opening, source))


def later_entries(hlc: int) -> list[Entry]:
    later = {2: REPLACED.encode()}

    def entry(class_: int, body: Body, extra: dict[int, bytes] | None = None) -> Entry:
        data = body.payload(secrets.token_bytes(16))
        return Entry.new(class_, hlc + len(out), data, extensions=fields(extra or {}))

    out: list[Entry] = []
    for class_, body, extra in (
        (200, Body(7, later), None),
        (Class.CONTROL, Body(31, later), None),
        (Class.STREAM, Body(64, later), None),
        (Class.CONTENT, Body(63, {1: b"waves", **later}), None),
        (Class.CONTENT, Body(Kind.TEXT, {1: b"an odd field", **later, 9: b"x"}), None),
        (Class.CONTENT, Body(Kind.TEXT, {1: b"an odd extension", **later}), {5: b"x"}),
        (Class.CONTENT, Body(Kind.TEXT, {1: b"even fields", 8: b"x", 900: b""}), {900: b"x"}),
        (Class.CONTENT, Body(99, {1: b"and no fallback text"}), None),
    ):
        out.append(entry(class_, body, extra))
    epoch = secrets.token_bytes(32)
    out.append(Entry.new(Class.CONTENT, hlc + len(out), b"\x01" + bytes(120), (), epoch))
    out.append(Entry.new(Class.CONTENT, hlc + len(out), b"\x50 of a suite of its own"))
    out.append(Entry.of(saying("and the last one"), hlc + len(out), secrets.token_bytes(16)))
    return out


SHOWN = [REPLACED] * 3 + ["even fields", "and the last one"]


async def run(rig: Rig) -> None:
    checks, stoad = rig.checks, rig.stoad
    await stoad.run("join", ROOM)
    control = await rig.subscribed()
    author = LaterPeer()
    rig.peers.append(author)
    room = author.join(ROOM, say_so=False)
    await author.dial_later(rig)
    session = author.session
    await author.heard_back(session)
    checks.that("all features and an unknown area are taken", session.ended is None)

    name = LogName(room.identifier, author.identity.public, secrets.randbits(64))
    own = author.own[room.identifier] = OwnLog(author.identity, name)
    hlc = hybrid_time(wall_milliseconds())
    own.begin(author.certificate, hlc, secrets.token_bytes(16))
    own.append(later_entries(hlc + 1))
    for run_of_log in own.runs:
        room.log(name).accept(run_of_log)
        session.link.send(frames.live_run(run_of_log.packed()))
    await control.message(lambda item: item["text"] == "and the last one")
    checks.same("what stoad shows of it", await texts(rig), SHOWN)

    kept = [
        Record(kind, author.identity.public, conversation, hlc + kind, b"later").signed(
            author.identity
        )
        for kind, conversation in ((6, None), (200, None), (3, room.identifier), (9, room.identifier))
    ]
    for record in kept:
        author.replica.accept_record(record)
    session.link.send(frames.records([record.packed() for record in kept]))
    for kind in SKIPPED:
        session.link.send(Frame(kind, b"later"))
    await rig.alive(author, "unknown even types of every channel are skipped", session)

    await handed_on(rig, "at once", room.log(name).identifiers, kept)
    await author.close()
    await stoad.stop()
    await stoad.start()
    await handed_on(rig, "after a restart", room.log(name).identifiers, kept)
    checks.same("what stoad shows after a restart", await texts(rig), SHOWN)


async def texts(rig: Rig) -> list[str]:
    return [item["text"] for item in await rig.stoad.history(ROOM) if item["text"] in SHOWN]


async def handed_on(rig: Rig, when: str, due: list[bytes], kept: list[Record]) -> None:
    """Somebody else gets every entry and every record as its author wrote it."""
    reader = rig.peer("Reader")
    room = reader.join(ROOM, say_so=False)
    session = await rig.dial(reader)
    await rig.same_digest(reader, session, room)
    logs = [log for log in room.logs.values() if log.identifiers == due]
    rig.checks.same(f"{when}: the log is handed on whole", len(logs), 1)
    rig.checks.same(
        f"{when}: and attested",
        [run.is_valid for log in logs for run in log.runs],
        [True for log in logs for run in log.runs],
    )
    await rig.eventually(
        reader,
        f"{when}: records of unknown kinds are handed on",
        lambda: all(reader.replica.kept.get(record.slot) == record for record in kept),
        SECONDS,
    )
    await reader.close()
