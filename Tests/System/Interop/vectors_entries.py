"""The golden vectors of `entries-2.txt`: rooms, entries, seals, runs, proofs, records."""

from __future__ import annotations

from bodies import (
    Body,
    Class,
    Kind,
    Target,
    answering,
    doing,
    editing,
    erasing,
    opening,
    placing,
    reacting,
    streaming,
    read_body,
    read_content,
)
from codec import fields, u8, varint
from group_keys import announcing
from entries import ForkProof, attestation_message, read_fork_proof, read_run, room_id
from records import read_record
from refusals import forgeries, refusals
from sealing import padded_length, unseal
from story import (
    ADA,
    ADA_CERTIFICATE,
    BEA,
    BEA_CERTIFICATE,
    CIRCLE,
    CONVERSATION,
    EPOCH,
    LATER,
    ROOM,
    SEALING_KEY,
    Story,
    records_of,
    runs_of,
)

Lines = dict[str, bytes]
ROOMS = {"agora": ROOM, "cafe": "café-2", "machi": "まち_٣.", "longest": "a" * 64}
PADDED = (1, 64, 65, 100, 1_000, 4_097, 65_000, 65_472)


def rooms(lines: Lines) -> None:
    for label, name in ROOMS.items():
        lines[f"room.{label}"] = room_id(name)
    lines["room.agora.circle"] = room_id(ROOM, CIRCLE.realm)


def aims(count: int) -> list[Target]:
    return [Target(ADA.public, seq % 3, 2**14 + seq, bytes([seq]) * 32) for seq in range(count)]


def epoch(heads: int) -> Body:
    """What ada announces of the key of the entries that are sealed."""
    basis = [bytes([index]) * 32 for index in range(1, heads + 1)]
    people = [ADA_CERTIFICATE.person_id, BEA_CERTIFICATE.person_id]
    return announcing(SEALING_KEY, CONVERSATION, ADA.public, basis, people)


def readable() -> dict[str, tuple[int, Body]]:
    """Bodies that can be read, with the class of their entries."""
    certificate = ADA_CERTIFICATE.packed()
    return {
        "open": (1, opening(ADA_CERTIFICATE)),
        "open.closed": (1, opening(ADA_CERTIFICATE, (1, 2**64 - 1))),
        "open.closed64": (1, opening(ADA_CERTIFICATE, tuple(range(64)))),
        "open.unknownEven": (1, Body(Kind.OPEN, {1: certificate, 6: b"later"})),
        "join": (1, Body(Kind.JOIN, {1: ROOM.encode()})),
        "join.bare": (1, Body(Kind.JOIN)),
        "leave": (1, Body(Kind.LEAVE)),
        "leave.fallback": (1, Body(Kind.LEAVE, LATER)),
        "topic": (1, Body(Kind.TOPIC, {1: b"what we do"})),
        "topic.none": (1, Body(Kind.TOPIC, {1: b""})),
        "epoch": (1, epoch(1)),
        "epoch.60": (1, epoch(60)),
        "epoch.unknownEven": (1, Body(Kind.EPOCH, {**epoch(1).fields, 2: b"", 4: b"x"})),
        "topic.longest": (1, Body(Kind.TOPIC, {1: b"a" * 256})),
        "erase": (1, erasing(aims(1))),
        "erase.two": (1, erasing([*aims(1), Target(BEA.public, 2**64 - 1, 2**63 - 2, bytes(32))])),
        "erase.64": (1, erasing(aims(64))),
        "erase.unknownEven": (1, Body(Kind.ERASE, {**erasing(aims(1)).fields, 2: b"", 4: b"x"})),
        "text": (2, Body(Kind.TEXT, {1: b"hello"})),
        "text.fallback": (2, Body(Kind.TEXT, {1: b"hello", **LATER})),
        "text.badFallback": (2, Body(Kind.TEXT, {1: b"hello", 2: b""})),
        "text.unknownEven": (2, Body(Kind.TEXT, {1: b"hello", 6: b"", 8: b"x", 2**64 - 2: b""})),
        "text.reply": (2, answering("hello", aims(1)[0])),
        "text.reply.unknownEven": (2, Body(Kind.TEXT, {**answering("a", aims(1)[0]).fields, 6: b"x"})),
        "action": (2, doing("waves")),
        "action.fallback": (2, Body(Kind.ACTION, {1: b"waves", **LATER})),
        "location": (2, placing(481_370_000, 115_750_000)),
        "location.corner": (2, placing(-900_000_000, 1_800_000_000, 0, "a corner")),
        "location.accuracy": (2, placing(0, -1, 20_037_508)),
        "location.unknownEven": (2, Body(Kind.LOCATION, {**placing(0, 0).fields, 4: b"x"})),
        "edit": (2, editing("hello", aims(1)[0])),
        "edit.unknownEven": (2, Body(Kind.EDIT, {**editing("a", aims(1)[0]).fields, 8: b"x"})),
        "reaction": (2, reacting("\N{THUMBS UP SIGN}", aims(1)[0])),
        "reaction.withdrawn": (2, reacting("+1", aims(1)[0], withdrawn=True)),
        "stream": (3, streaming("logs", 0x0102030405060708, b"hello")),
        "stream.end": (3, streaming("logs", 1, b"", at=2**63 - 1, end=True)),
        "stream.unknownEven": (3, Body(Kind.STREAM, {**streaming("a", 1, b"x").fields, 8: b"x"})),
    }


def unreadable() -> dict[str, tuple[int, bytes]]:
    """Bodies that cannot be read, and show nothing but a fallback text."""
    certificate = ADA_CERTIFICATE.packed()
    ids = b"".join(index.to_bytes(8, "big") for index in range(65))
    one, two = (erasing([aim]).fields[1] for aim in aims(2))
    front = ADA.public + bytes(8)
    made = {
        "open.bare": (1, Body(Kind.OPEN)),
        "open.short": (1, Body(Kind.OPEN, {1: certificate[:-1]})),
        "open.unknownOdd": (1, Body(Kind.OPEN, {1: certificate, 3: b""})),
        "open.closedNone": (1, Body(Kind.OPEN, {1: certificate, 4: b""})),
        "open.closedCut": (1, Body(Kind.OPEN, {1: certificate, 4: bytes(9)})),
        "open.closedTwice": (1, Body(Kind.OPEN, {1: certificate, 4: bytes(16)})),
        "open.closedOrder": (1, Body(Kind.OPEN, {1: certificate, 4: ids[8:16] + ids[:8]})),
        "open.closed65": (1, Body(Kind.OPEN, {1: certificate, 4: ids})),
        "open.class": (2, Body(Kind.OPEN, {1: certificate})),
        "join.name": (1, Body(Kind.JOIN, {1: b"No Name"})),
        "join.empty": (1, Body(Kind.JOIN, {1: b""})),
        "join.class": (2, Body(Kind.JOIN)),
        "leave.unknownOdd": (1, Body(Kind.LEAVE, {1: b"x"})),
        "epoch.bare": (1, Body(Kind.EPOCH)),
        "epoch.idShort": (1, Body(Kind.EPOCH, {**epoch(1).fields, 1: bytes(31)})),
        "epoch.peopleLong": (1, Body(Kind.EPOCH, {**epoch(1).fields, 5: bytes(33)})),
        "epoch.basisNone": (1, Body(Kind.EPOCH, {**epoch(1).fields, 3: b""})),
        "epoch.basisCut": (1, Body(Kind.EPOCH, {**epoch(1).fields, 3: bytes(33)})),
        "epoch.basisTwice": (1, Body(Kind.EPOCH, {**epoch(1).fields, 3: bytes(64)})),
        "epoch.basis61": (1, epoch(61)),
        "epoch.unknownOdd": (1, Body(Kind.EPOCH, {**epoch(1).fields, 7: b""})),
        "epoch.class": (2, epoch(1)),
        "erase.bare": (1, Body(Kind.ERASE)),
        "erase.none": (1, Body(Kind.ERASE, {1: b""})),
        "erase.cut": (1, Body(Kind.ERASE, {1: one[:-1]})),
        "erase.trailing": (1, Body(Kind.ERASE, {1: one + b"x"})),
        "erase.seqZero": (1, Body(Kind.ERASE, {1: front + varint(0) + bytes(32)})),
        "erase.seqOver": (1, Body(Kind.ERASE, {1: front + varint(2**63 - 1) + bytes(32)})),
        "erase.order": (1, Body(Kind.ERASE, {1: two + one})),
        "erase.twice": (1, Body(Kind.ERASE, {1: one[:-32] + bytes(32) + one})),
        "erase.65": (1, erasing(aims(65))),
        "erase.unknownOdd": (1, Body(Kind.ERASE, {1: one, 3: b""})),
        "erase.class": (2, Body(Kind.ERASE, {1: one})),
        "text.empty": (2, Body(Kind.TEXT, {1: b""})),
        "text.bare": (2, Body(Kind.TEXT)),
        "text.latin": (2, Body(Kind.TEXT, {1: b"caf\xe9"})),
        "text.surrogate": (2, Body(Kind.TEXT, {1: b"\xed\xa0\x80"})),
        "text.unknownOdd": (2, Body(Kind.TEXT, {1: b"hello", 3: b""})),
        "text.class": (1, Body(Kind.TEXT, {1: b"hello"})),
        "text.stream": (3, Body(Kind.TEXT, {1: b"hello"})),
        "text.replyEmpty": (2, Body(Kind.TEXT, {1: b"hello", 4: b""})),
        "text.replyCut": (2, Body(Kind.TEXT, {1: b"hello", 4: one[:-1]})),
        "text.replyTrailing": (2, Body(Kind.TEXT, {1: b"hello", 4: one + b"x"})),
        "text.replyTwo": (2, Body(Kind.TEXT, {1: b"hello", 4: one + two})),
        "text.replySeqZero": (2, Body(Kind.TEXT, {1: b"hello", 4: front + varint(0) + bytes(32)})),
        "action.empty": (2, Body(Kind.ACTION, {1: b""})),
        "action.bare": (2, Body(Kind.ACTION)),
        "action.unknownOdd": (2, Body(Kind.ACTION, {1: b"waves", 3: b""})),
        "action.class": (1, Body(Kind.ACTION, {1: b"waves"})),
        "topic.bare": (1, Body(Kind.TOPIC)),
        "topic.long": (1, Body(Kind.TOPIC, {1: b"a" * 257})),
        "topic.latin": (1, Body(Kind.TOPIC, {1: b"\xff"})),
        "topic.content": (2, Body(Kind.TOPIC, {1: b"x"})),
        "location.bare": (2, Body(Kind.LOCATION)),
        "location.short": (2, Body(Kind.LOCATION, {1: bytes(7)})),
        "location.north": (2, placing(900_000_001, 0)),
        "location.west": (2, placing(0, -1_800_000_001)),
        "location.far": (2, placing(0, 0, 20_037_509)),
        "location.accuracyTrailing": (2, Body(Kind.LOCATION, {1: bytes(8), 8: b"\x01x"})),
        "location.accuracyNone": (2, Body(Kind.LOCATION, {1: bytes(8), 8: b""})),
        "location.labelEmpty": (2, Body(Kind.LOCATION, {1: bytes(8), 10: b""})),
        "location.labelLong": (2, placing(0, 0, label="a" * 1_025)),
        "location.unknownOdd": (2, Body(Kind.LOCATION, {1: bytes(8), 3: b""})),
        "edit.bare": (2, Body(Kind.EDIT, {1: b"hello"})),
        "edit.empty": (2, Body(Kind.EDIT, {1: b"", 3: one})),
        "edit.two": (2, Body(Kind.EDIT, {1: b"hello", 3: one + two})),
        "edit.unknownOdd": (2, Body(Kind.EDIT, {1: b"hello", 3: one, 5: b""})),
        "stream.empty": (3, streaming("logs", 1, b"")),
        "stream.long": (3, streaming("logs", 1, bytes(49_153))),
        "stream.name": (3, streaming("no name", 1, b"x")),
        "stream.session": (3, Body(Kind.STREAM, {1: b"logs", 3: bytes(7), 5: b"x", 7: bytes(8)})),
        "stream.session64": (3, streaming("logs", 2**63, b"x")),
        "stream.offset64": (3, streaming("logs", 1, b"x", at=2**63)),
        "stream.noOffset": (3, Body(Kind.STREAM, {1: b"logs", 3: bytes(8), 5: b"x"})),
        "stream.class": (2, streaming("logs", 1, b"x")),
        "reaction.bare": (2, Body(Kind.REACTION, {1: b"ok"})),
        "reaction.empty": (2, Body(Kind.REACTION, {1: b"", 3: one})),
        "reaction.long": (2, Body(Kind.REACTION, {1: b"a" * 65, 3: one})),
        "reaction.withdrawnMore": (2, Body(Kind.REACTION, {1: b"ok", 3: one, 5: b"x"})),
        "reaction.class": (1, Body(Kind.REACTION, {1: b"ok", 3: one})),
        "kind": (2, Body(63, {1: b"waves"})),
        "kind.zero": (2, Body(0, {1: b"hello"})),
        "class": (9, Body(Kind.TEXT, {1: b"hello"})),
        "fallback.empty": (2, Body(63, {2: b""})),
        "fallback.latin": (2, Body(63, {2: b"caf\xe9"})),
        "fallback.long": (2, Body(63, {2: b"a" * 4_097})),
        "fallback.control": (1, Body(31, LATER)),
        "fallback.stream": (3, Body(64, LATER)),
    }
    raw = {
        "nothing": b"",
        "kind.long": b"\xa0\x00\x01\x01a",
        "order": b"\x20" + fields({2: b"x"}) + fields({1: b"a"}),
        "twice": b"\x20" + fields({1: b"a"}) * 2,
        "value": b"\x20\x01\x02a",
    }
    packed = {name: (class_, body.packed()) for name, (class_, body) in made.items()}
    return packed | {f"shape.{name}": (2, data) for name, data in raw.items()}


def replaced() -> dict[str, Body]:
    """Bodies of class 2 in whose place `from a later version` is shown."""
    return {
        "kind": Body(63, {1: b"waves", **LATER}),
        "kind.control": Body(Kind.JOIN, LATER),
        "unknownOdd": Body(Kind.TEXT, {1: b"hello", **LATER, 3: b""}),
        "text.bare": Body(Kind.TEXT, LATER),
        "text.latin": Body(Kind.TEXT, {1: b"\xe9", **LATER}),
    }


def bodies(lines: Lines) -> None:
    for name, (class_, body) in readable().items():
        assert read_content(class_, read_body(body.packed()), False) or class_ == Class.CONTROL
        lines[f"body.{name}"] = u8(class_) + body.packed()
    for name, body in replaced().items():
        lines[f"fallback.{name}"] = u8(Class.CONTENT) + body.packed()
    for name, (class_, data) in unreadable().items():
        lines[f"refuse.body.{name}"] = u8(class_) + data


def logs(lines: Lines, story: Story) -> None:
    for name in sorted(story.entries):
        item = story.entries[name]
        if name != "d2":
            assert item.payload is not None
            lines[f"payload.{name}"] = item.payload
        lines[f"payloadHash.{name}"] = item.payload_hash
        lines[f"header.{name}"] = story.header(name)
        lines[f"id.{name}"] = story.ids[name]
    for name in ("a1", "a5", "b3"):
        log, seq, _ = story.places[name]
        identity = next(known[1] for known in story.logs.values() if known[0] == log)
        message = attestation_message(log, seq, story.ids[name])
        lines[f"attested.{name}"] = message
        lines[f"attestation.{name}"] = identity.sign(message)


def seals(lines: Lines, story: Story) -> None:
    lines["seal.key"] = SEALING_KEY
    lines["seal.epoch"] = EPOCH
    for length in PADDED:
        lines[f"seal.padded.{length}"] = padded_length(length).to_bytes(4, "big")
    for name, front in story.fronts.items():
        payload = story.entries[name].payload
        assert payload is not None and unseal(SEALING_KEY, payload, front).kind == Kind.TEXT
        lines[f"seal.associated.{name}"] = front


def entries_vectors() -> Lines:
    lines: Lines = {}
    rooms(lines)
    bodies(lines)
    story = Story()
    logs(lines, story)
    seals(lines, story)
    runs = runs_of(story)
    for name, run in runs.items():
        lines[f"run.{name}"] = run.packed()
        assert read_run(run.packed()).verified() == run
    records = records_of()
    for name, record in records.items():
        lines[f"record.{name}"] = record.packed()
        lines[f"recordHash.{name}"] = record.hash
        assert read_record(record.packed()).verified() == record and record.is_taken
    middle = ForkProof.of(runs["a3-5"], runs["f3"])
    first = ForkProof.of(runs["c1"], runs["e1"])
    for name, item in (("middle", middle), ("first", first)):
        lines[f"forkProof.{name}"] = item.packed()
        assert read_fork_proof(item.packed()).verified() == item
    refusals(lines, story, runs, middle)
    forgeries(lines, runs, records["ada"], middle)
    return lines
