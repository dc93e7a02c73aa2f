"""Writes the golden vectors that Docs/Protocol/Vectors.md describes.

    vectors.py              prints them
    vectors.py --check F    regenerates them and compares F byte for byte
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path

import frames
from codec import extensions, text, u16, u64, u8, varint
from entries import (
    Entry,
    EntryKind,
    ForkProof,
    LogName,
    Run,
    attestation_message,
    hybrid_time,
    payload,
    read_fork_proof,
    read_run,
    room_id,
)
from frames import ClockRow, Frame, RecordRow, State, Type, Want
from noise_link import (
    INITIATOR,
    REKEY_INTERVAL,
    RESPONDER,
    Handshake,
    Hello,
    handshake_message,
    preface,
)
from primitives import FIELD_PRIME, GROUP_ORDER, H, Identity
from records import Record, profile, read_record
from summaries import LogSummary, author_tag, digest_value, head_tag, log_tag

MILLISECONDS = 1_767_225_600_000
ADA = Identity.from_seed(b"\x01" * 32)
BEA = Identity.from_seed(b"\x02" * 32)
ROOM = "agora"
CONVERSATION = room_id(ROOM)

Lines = dict[str, bytes]


def salt(byte: int) -> bytes:
    return bytes([byte]) * 16


def entry(
    kind: int,
    hlc: int,
    content: bytes,
    salt_byte: int,
    deps: tuple[bytes, ...] = (),
    epoch: bytes = bytes(32),
    extra: bytes = b"",
) -> Entry:
    return Entry.new(kind, hlc, payload(content, salt(salt_byte)), deps, epoch, extra)


class Story:
    """The logs that most vectors are about."""

    def __init__(self) -> None:
        text_kind, join, leave = EntryKind.TEXT, EntryKind.JOIN, EntryKind.LEAVE
        at = hybrid_time
        now = MILLISECONDS
        self.log_a = LogName(CONVERSATION, ADA.public, 0x0102030405060708)
        self.log_b = LogName(CONVERSATION, BEA.public, 1)
        self.log_c = LogName(CONVERSATION, ADA.public, 2**64 - 1)
        self.log_d = LogName(CONVERSATION, BEA.public, 2)
        self.entries: dict[str, Entry] = {}
        self.headers: dict[str, bytes] = {}
        self.ids: dict[str, bytes] = {}

        self.add("a1", self.log_a, 1, None, entry(join, at(now), b"agora", 0xA1))
        self.add("a2", self.log_a, 2, "a1", entry(text_kind, at(now + 1), b"hello, agora", 0xA2))
        self.add(
            "b1", self.log_b, 1, None,
            entry(join, at(now, 1), b"agora", 0xB1, (self.ids["a1"],)),
        )
        self.add(
            "b2", self.log_b, 2, "b1",
            entry(text_kind, at(now + 2), b"hello, ada", 0xB2, (self.ids["a2"],)),
        )
        self.add("c1", self.log_c, 1, None, entry(join, at(now + 3), b"agora", 0xC1))
        self.add(
            "a3", self.log_a, 3, "a2",
            entry(
                text_kind,
                at(now + 2_000, 5),
                "Grüße 🏛".encode(),
                0xA3,
                (self.ids["b2"], self.ids["c1"]),
                b"\x33" * 32,
                extensions({2: b"xy", 300: b""}),
            ),
        )
        self.add("a4", self.log_a, 4, "a3", entry(leave, at(now + 2_000, 6), b"", 0xA4))
        self.add(
            "f2", self.log_a, 2, "a1", entry(text_kind, at(now + 1), b"hello, stoa", 0xF2)
        )
        self.add("e1", self.log_c, 1, None, entry(join, at(now + 4), b"agora", 0xE1))
        self.add("d1", self.log_d, 1, None, entry(text_kind, at(now + 5), b"x" * 16_384, 0xD1))

    def add(self, name: str, log: LogName, seq: int, before: str | None, item: Entry) -> None:
        prev = None if before is None else self.ids[before]
        self.entries[name] = item
        self.headers[name] = item.header(log, seq, prev)
        self.ids[name] = item.identifier(log, seq, prev)

    def run(self, log: LogName, identity: Identity, names: str, before: str | None) -> Run:
        items = [self.entries[name] for name in names.split()]
        if before is None:
            return Run.signed(identity, log, 1, None, items)
        return Run.signed(identity, log, int(before[1:]) + 1, self.ids[before], items)


def numbers(lines: Lines) -> None:
    for value in (0, 1, 127, 128, 300, 16_383, 16_384, 2**32, 2**63, 2**64 - 1):
        lines[f"varint.{value}"] = varint(value)
    lines["text.empty"] = text("", 64)
    lines["text.stoa"] = text("stoa", 64)
    lines["text.kalimera"] = text("καλημέρα", 64)
    lines["hash.empty"] = H("stoa payload", b"")
    lines["key.ada"] = ADA.public
    lines["key.bea"] = BEA.public


def rooms(lines: Lines) -> None:
    for label, name in ROOMS.items():
        lines[f"room.{label}"] = room_id(name)


ROOMS = {"agora": ROOM, "cafe": "café-2", "machi": "まち_٣.", "longest": "a" * 64}


def handshake(lines: Lines) -> bytes:
    """Returns the handshake hash that keys the tags."""
    opening = preface()
    initiator = Handshake(INITIATOR, opening, b"\x11" * 32, b"\x12" * 32)
    responder = Handshake(RESPONDER, opening, b"\x21" * 32, b"\x22" * 32)
    lines["preface"] = opening
    lines["preface.answer"] = u8(1)
    lines["preface.noVersion"] = u8(0) + u8(1) + u8(1)

    first = initiator.write(None)
    responder.read(first)
    hello_2: list[Hello] = []
    hello_3: list[Hello] = []

    def payload_2(h: bytes, static: bytes) -> bytes:
        hello_2.append(Hello.signed(BEA, RESPONDER, h, static, 0xB0, 0, {}))
        return hello_2[0].packed()

    def payload_3(h: bytes, static: bytes) -> bytes:
        capabilities = {2: u16(4242), 4: b"later"}
        hello_3.append(Hello.signed(ADA, INITIATOR, h, static, 0xA0, 7, capabilities))
        return hello_3[0].packed()

    second = responder.write(payload_2)
    h_2 = responder.hash_before_payload
    initiator.read(second)
    third = initiator.write(payload_3)
    h_3 = initiator.hash_before_payload
    responder.read(third)

    lines["handshake.static.initiator"] = initiator.public
    lines["handshake.static.responder"] = responder.public
    lines["handshake.message.1"] = u16(len(first)) + first
    lines["handshake.h.2"] = h_2
    lines["handshake.signed.2"] = handshake_message(RESPONDER, h_2, responder.public)
    lines["handshake.payload.2"] = hello_2[0].packed()
    lines["handshake.message.2"] = u16(len(second)) + second
    lines["handshake.h.3"] = h_3
    lines["handshake.signed.3"] = handshake_message(INITIATOR, h_3, initiator.public)
    lines["handshake.payload.3"] = hello_3[0].packed()
    lines["handshake.message.3"] = u16(len(third)) + third

    ours, theirs = initiator.transport(), responder.transport()
    assert ours.hh == theirs.hh
    lines["handshake.hh"] = ours.hh
    plaintext = frames.ping(1, MILLISECONDS).packed()
    for index in range(2 * REKEY_INTERVAL + 1):
        sealed, answer = ours.seal(plaintext), theirs.seal(plaintext)
        assert theirs.open(sealed[2:]) == ours.open(answer[2:]) == plaintext
        if index in (0, 1, REKEY_INTERVAL - 1, REKEY_INTERVAL, 2 * REKEY_INTERVAL):
            lines[f"transport.initiator.{index}"] = sealed
            lines[f"transport.responder.{index}"] = answer
    return ours.hh


def logs(lines: Lines, story: Story) -> None:
    for name in sorted(story.entries):
        item = story.entries[name]
        if name != "d1":
            assert item.payload is not None
            lines[f"payload.{name}"] = item.payload
        lines[f"payloadHash.{name}"] = item.payload_hash
        lines[f"header.{name}"] = story.headers[name]
        lines[f"id.{name}"] = story.ids[name]
    for name, log, identity in (
        ("a1", story.log_a, ADA),
        ("a4", story.log_a, ADA),
        ("b2", story.log_b, BEA),
    ):
        message = attestation_message(log, int(name[1:]), story.ids[name])
        lines[f"attested.{name}"] = message
        lines[f"attestation.{name}"] = identity.sign(message)


def runs_of(story: Story) -> dict[str, Run]:
    whole = story.run(story.log_a, ADA, "a1 a2 a3 a4", None)
    erased = list(whole.entries)
    erased[1] = erased[1].without_payload()
    many = [
        entry(
            EntryKind.TEXT,
            hybrid_time(MILLISECONDS) + index * (index + 1) // 2,
            str(index).encode(),
            index,
        )
        for index in range(128)
    ]
    return {
        "a1": story.run(story.log_a, ADA, "a1", None),
        "a1-4": whole,
        "a1-4.erased": Run(whole.log, 1, None, whole.signature, tuple(erased)),
        "a1-4.empty": whole.without_payloads(),
        "a2": story.run(story.log_a, ADA, "a2", "a1"),
        "a2-4": story.run(story.log_a, ADA, "a2 a3 a4", "a1"),
        "b1-2": story.run(story.log_b, BEA, "b1 b2", None),
        "c1": story.run(story.log_c, ADA, "c1", None),
        "e1": story.run(story.log_c, ADA, "e1", None),
        "f2": story.run(story.log_a, ADA, "f2", "a1"),
        "large": story.run(story.log_d, BEA, "d1", None),
        "many": Run.signed(BEA, LogName(CONVERSATION, BEA.public, 3), 1, None, many),
    }


def summaries(lines: Lines, story: Story, profiles: list[Record], hh: bytes) -> None:
    a4, b2, c1 = (story.ids[name] for name in ("a4", "b2", "c1"))
    whole = [
        LogSummary(story.log_a, 4, a4),
        LogSummary(story.log_b, 2, b2),
        LogSummary(story.log_c, 1, c1),
    ]
    forked = [
        LogSummary(story.log_a, 1, story.ids["a1"], State.FORKED),
        LogSummary(story.log_b, 2, b2),
        LogSummary(story.log_c, 0, bytes(32), State.FORKED),
    ]
    lines["digest.empty"] = digest_value(CONVERSATION, [], [])
    lines["digest.whole"] = digest_value(CONVERSATION, whole, profiles)
    lines["digest.forked"] = digest_value(CONVERSATION, forked, profiles[:1])
    for name in "abcd":
        lines[f"tag.log.{name}"] = log_tag(hh, getattr(story, f"log_{name}"))
    for name in ("a1", "a4", "b2", "c1"):
        lines[f"tag.head.{name}"] = head_tag(hh, story.ids[name])
    lines["tag.author.ada"] = author_tag(hh, ADA.public)
    lines["tag.author.bea"] = author_tag(hh, BEA.public)


def framed(
    lines: Lines,
    story: Story,
    runs: dict[str, Run],
    proof: ForkProof,
    profiles: list[Record],
    hh: bytes,
) -> None:
    tag_a = log_tag(hh, story.log_a)
    rows = [
        ClockRow(tag_a, 4, head_tag(hh, story.ids["a4"]), State.OPEN),
        ClockRow(log_tag(hh, story.log_b), 2, head_tag(hh, story.ids["b2"]), State.OPEN),
        ClockRow(log_tag(hh, story.log_c), 0, None, State.FORKED),
        ClockRow(log_tag(hh, story.log_d), 0, None, State.REFUSED),
    ]
    record_rows = [
        RecordRow(author_tag(hh, item.author), item.kind, item.hlc) for item in profiles
    ]
    every: dict[str, Frame] = {
        "ping": frames.ping(0x0102030405060708, MILLISECONDS),
        "pong": frames.pong(0x0102030405060708, MILLISECONDS + 3),
        "credit": frames.credit(2, 131_072),
        "goaway": frames.goaway(4, "a run that does not verify"),
        "rooms": frames.rooms(ROOMS.values()),
        "roomsLeft": frames.rooms_left(room_id(name) for name in ROOMS.values()),
        "liveRun": frames.live_run(runs["a2"].packed()),
        "digest": frames.digest(CONVERSATION, lines["digest.whole"]),
        "clock": frames.clock(CONVERSATION, True, rows),
        "clock.empty": frames.clock(CONVERSATION, True, []),
        "clock.delta": frames.clock(CONVERSATION, False, rows[:1]),
        "want": Want(CONVERSATION, tag_a, 5, 4_100).frame(),
        "syncRun": frames.sync_run(runs["a1-4"].packed()),
        "unavailable": frames.unavailable(CONVERSATION, tag_a, 300),
        "records": frames.records([item.packed() for item in profiles]),
        "recordClock": frames.record_clock(CONVERSATION, record_rows),
        "recordClock.empty": frames.record_clock(CONVERSATION, []),
        "forkProof": frames.fork_proof(proof.packed()),
        "unknown": Frame(0x7E, b"skip me"),
    }
    for name, frame in every.items():
        lines[f"frame.{name}"] = frame.packed()
    large = runs["large"].packed()
    for name, whole in (("live", frames.live_run(large)), ("sync", frames.sync_run(large))):
        for index, frame in enumerate(frames.fragments(whole), 1):
            lines[f"fragment.{name}.{index}"] = frame.packed()


def altered(data: bytes, offset: int, new: bytes) -> bytes:
    return data[:offset] + new + data[offset + len(new) :]


def scalar_of(identity: Identity) -> int:
    """The secret scalar of RFC 8032, §5.1.5."""
    raw = bytearray(hashlib.sha512(identity.seed).digest()[:32])
    raw[0] &= 0xF8
    raw[31] = raw[31] & 0x7F | 0x40
    return int.from_bytes(raw, "little")


def signature_with(identity: Identity, run: Run, r: int, packed_r: bytes) -> bytes:
    """`packed_r` and the S that fits it and the nonce `r`."""
    message = attestation_message(run.log, run.last, run.identifiers[-1])
    hashed = hashlib.sha512(packed_r + identity.public + message).digest()
    k = int.from_bytes(hashed, "little")
    s = (r + k * scalar_of(identity)) % GROUP_ORDER
    return packed_r + s.to_bytes(32, "little")


def shifted(identity: Identity, run: Run) -> bytes:
    """R is (x, y) + (0, −1) = (−x, −y): good for a check with the cofactor, bad for one without.

    The nonce is the secret scalar of the seed 03…, its R that seed's public key.
    """
    nonce = Identity.from_seed(b"\x03" * 32)
    packed = int.from_bytes(nonce.public, "little")
    y, sign = packed & (2**255 - 1), packed >> 255
    moved = (FIELD_PRIME - y) | (1 - sign) << 255
    return signature_with(identity, run, scalar_of(nonce), moved.to_bytes(32, "little"))


def without_nonce(identity: Identity, run: Run) -> bytes:
    """R is the neutral point."""
    return signature_with(identity, run, 0, b"\x01" + bytes(31))


def refusals(lines: Lines, story: Story, runs: dict[str, Run], proof: ForkProof) -> None:
    """`refuse.*` must not decode; `forged.*` decode, but must not verify."""
    refuse = {
        "varint.long": b"\x80\x00",
        "varint.longer": b"\xff\x80\x00",
        "varint.over": b"\xff" * 9 + b"\x02",
        "varint.eleven": b"\x80" * 10 + b"\x01",
        "varint.cut": b"\x80",
        "text.surrogate": b"\x03\xed\xa0\x80",
        "text.overlong": b"\x02\xc0\xaf",
        "text.latin": b"\x01\xe9",
        "text.long": varint(65) + b"a" * 65,
        "text.cut": b"\x02a",
    }
    run = runs["a1"].packed()
    counted = 32 + 32 + 8
    # conversation, author, incarnation, then first, count, signature (first is 1), entries.
    body = counted + 1 + 1 + 64
    refuse |= {
        "run.first": altered(run, counted, b"\x00"),
        "run.countZero": altered(run, counted + 1, b"\x00"),
        "run.countOver": run[: counted + 1] + varint(129) + run[counted + 2 :],
        "run.count": altered(run, counted + 1, b"\x02"),
        "run.flags": altered(run, body + 1, b"\x01"),
        "run.form": altered(run, body + 2, b"\x08"),
        "run.epoch": run[: body + 2] + b"\x02" + run[body + 3 : body + 12] + bytes(32)
        + run[body + 12 :],
        "run.extensions": altered(run, body + 2, b"\x04") + b"\x00",
        "run.extensionsOrder": altered(run, body + 2, b"\x04") + b"\x04\x04\x00\x02\x00",
        "run.extensionsTwice": altered(run, body + 2, b"\x04") + b"\x04\x02\x00\x02\x00",
        "run.extensionsOver": altered(run, body + 2, b"\x04")
        + varint(1_025) + b"\x02" + varint(1_022) + bytes(1_022),
        "run.depsOver": altered(run, body + 11, b"\x11")[: body + 12]
        + b"".join(bytes([index]) * 32 for index in range(17)) + run[body + 12 :],
        "run.depsOrder": altered(run, body + 11, b"\x02")[: body + 12]
        + b"\x02" * 32 + b"\x01" * 32 + run[body + 12 :],
        "run.depsTwice": altered(run, body + 11, b"\x02")[: body + 12]
        + b"\x02" * 64 + run[body + 12 :],
        "run.payloadOver": run[: body + 12] + varint(65_537) + bytes(65_537),
        "run.cut": run[:-1],
        "run.trailing": run + b"\x00",
    }
    pair = runs["b1-2"]
    first_entry = pair.entries[0].packed(None)
    second = counted + 2 + 64 + len(first_entry)
    packed_pair = pair.packed()
    difference = varint(pair.entries[1].hlc - pair.entries[0].hlc)
    after = packed_pair[second + 3 + len(difference) :]
    refuse |= {
        "run.timeStands": packed_pair[: second + 3] + b"\x00" + after,
        "run.timeOver": packed_pair[: second + 3] + varint(2**64 - 1) + after,
    }
    record = profile(ADA, "Ada", "in the stoa", hybrid_time(MILLISECONDS))
    refuse |= {
        "record.format": altered(record.packed(), 0, b"\x02"),
        "record.scope": altered(record.packed(), 34, b"\x02"),
        "record.valueOver": Record(9, ADA.public, None, 1, bytes(1_025)).signed(ADA).packed(),
        "record.cut": record.packed()[:63],
    }
    wrong_order = ForkProof(proof.upper, proof.lower)
    other_first = ForkProof(runs["a1"].without_payloads(), runs["f2"].without_payloads())
    other_log = ForkProof(*sorted(
        [runs["a1"].without_payloads(), runs["c1"].without_payloads()],
        key=lambda item: item.identifiers[0],
    ))
    with_payload = ForkProof(
        *sorted([runs["a2-4"], runs["f2"]], key=lambda item: item.identifiers[0])
    )
    refuse |= {
        "forkProof.order": wrong_order.packed(),
        "forkProof.same": ForkProof(proof.lower, proof.lower).packed(),
        "forkProof.first": other_first.packed(),
        "forkProof.log": other_log.packed(),
        "forkProof.payload": with_payload.packed(),
        "forkProof.trailing": proof.packed() + b"\x00",
    }
    zero_tag = bytes(8)
    low, high = b"\x01" * 32, b"\x02" * 32
    row = ClockRow(zero_tag, 0, None, 0)
    bad_rooms = varint(2) + text("b", 64) + text("a", 64)
    frame_bodies: dict[str, tuple[int, bytes]] = {
        "ping": (Type.PING, bytes(15)),
        "pingTrailing": (Type.PING, bytes(17)),
        "pong": (Type.PONG, bytes(15)),
        "creditChannel": (Type.CREDIT, b"\x00\x01"),
        "creditChannelThree": (Type.CREDIT, b"\x03\x01"),
        "creditZero": (Type.CREDIT, b"\x01\x00"),
        "goawayText": (Type.GOAWAY, b"\x01" + varint(257) + b"a" * 257),
        "roomsZero": (Type.ROOMS, b"\x00"),
        "roomsOrder": (Type.ROOMS, bad_rooms),
        "roomsTwice": (Type.ROOMS, varint(2) + text("a", 64) + text("a", 64)),
        "roomsLeftZero": (Type.ROOMS_LEFT, b"\x00"),
        "roomsLeftOrder": (Type.ROOMS_LEFT, varint(2) + high + low),
        "roomsLeftTwice": (Type.ROOMS_LEFT, varint(2) + low + low),
        "channelZeroOver": (Type.ROOMS_LEFT, varint(200) + b"".join(
            bytes([index]) * 32 for index in range(200))),
        "digest": (Type.DIGEST, bytes(63)),
        "clockComplete": (Type.CLOCK, low + b"\x02\x00"),
        "clockOrder": (Type.CLOCK, low + b"\x01\x02"
                       + ClockRow(b"\x01" * 8, 0, None, 0).packed() + row.packed()),
        "clockTwice": (Type.CLOCK, low + b"\x01\x02" + row.packed() * 2),
        "clockState": (Type.CLOCK, low + b"\x01\x01" + zero_tag + b"\x00\x03"),
        "clockCount": (Type.CLOCK, low + b"\x01\x02" + row.packed()),
        "wantZero": (Type.WANT, low + zero_tag + b"\x00\x01"),
        "wantBackwards": (Type.WANT, low + zero_tag + b"\x02\x01"),
        "wantOver": (Type.WANT, low + zero_tag + b"\x01" + varint(4_097)),
        "unavailable": (Type.UNAVAILABLE, low + zero_tag),
        "recordsZero": (Type.RECORDS, b"\x00"),
        "recordsOver": (Type.RECORDS, varint(65)
                        + (varint(len(record.packed())) + record.packed()) * 65),
        "recordClockOrder": (Type.RECORD_CLOCK, low + b"\x02"
                             + RecordRow(zero_tag, 2, 0).packed()
                             + RecordRow(zero_tag, 1, 0).packed()),
        "recordClockTwice": (Type.RECORD_CLOCK, low + b"\x02"
                             + RecordRow(zero_tag, 1, 0).packed() * 2),
        "unknownOdd": (0x7F, b"refuse me"),
    }
    for name, (kind, body_bytes) in frame_bodies.items():
        refuse[f"frame.{name}"] = Frame(kind, body_bytes).packed()
    refuse["frame.typeLong"] = b"\x81\x00" + frames.ping(1, 1).packed()[1:]
    refuse["frame.cut"] = frames.ping(1, 1).packed()[:-1]
    small = frames.sync_run(runs["a1"].packed()).packed()
    room = frames.PLAINTEXT_MAXIMUM - 4
    fragment_bodies = {
        "empty": b"\x01",
        "last": b"\x02" + small,
        "short": b"\x00" + small,
        "needless": b"\x01" + small,
        "full": b"\x00" + bytes(room + 1),
    }
    for name, body_bytes in fragment_bodies.items():
        refuse[f"fragment.{name}"] = Frame(Type.SYNC_FRAGMENT, body_bytes).packed()
    for name in refuse:
        lines[f"refuse.{name}"] = refuse[name]

    def signed_by(run: Run, signature: bytes) -> bytes:
        return Run(run.log, run.first, run.prev, signature, run.entries).packed()

    good = runs["a1"]
    scalar = int.from_bytes(good.signature[32:], "little") + GROUP_ORDER
    unit = b"\x01" + bytes(31)
    beyond = b"\xee" + b"\xff" * 30 + b"\x7f"
    for name, key in (("smallOrder", unit), ("notCanonicalKey", beyond)):
        log = LogName(CONVERSATION, key, 1)
        lines[f"forged.run.{name}"] = signed_by(
            Run(log, 1, None, b"", good.entries), unit + bytes(32)
        )
    off_curve = LogName(CONVERSATION, b"\x02" + bytes(31), 1)
    lines["forged.run.offCurve"] = signed_by(
        Run(off_curve, 1, None, b"", good.entries), good.signature
    )
    lines["forged.run.highS"] = signed_by(
        good, good.signature[:32] + scalar.to_bytes(32, "little")
    )
    lines["forged.run.addedOrderTwo"] = signed_by(good, shifted(ADA, good))
    lines["forged.run.smallR"] = signed_by(good, without_nonce(ADA, good))
    lines["forged.run.signature"] = signed_by(good, bytes([good.signature[0] ^ 1])
                                              + good.signature[1:])
    lines["forged.run.payload"] = run[:-1] + bytes([run[-1] ^ 1])
    lines["forged.run.attestationBelow"] = signed_by(runs["a1-4"], good.signature)
    lines["forged.record.signature"] = altered(
        record.packed(), len(record.packed()) - 64, bytes([record.signature[0] ^ 1])
    )
    lines["forged.record.name"] = record.packed().replace(b"Ada", b"Eve")
    lines["forged.forkProof"] = ForkProof(
        proof.lower,
        Run(proof.upper.log, 2, proof.upper.prev, proof.lower.signature, proof.upper.entries),
    ).packed()


def vectors() -> Lines:
    lines: Lines = {}
    numbers(lines)
    rooms(lines)
    story = Story()
    logs(lines, story)
    runs = runs_of(story)
    for name, run in runs.items():
        lines[f"run.{name}"] = run.packed()
        assert read_run(run.packed()).verified() == run
    ada = profile(ADA, "Ada", "in the stoa", hybrid_time(MILLISECONDS))
    bea = profile(BEA, "Βέα", "", hybrid_time(MILLISECONDS, 1))
    later = Record(9, ADA.public, CONVERSATION, hybrid_time(MILLISECONDS), b"abc").signed(ADA)
    for name, record in (("ada", ada), ("bea", bea), ("unknownKind", later)):
        lines[f"record.{name}"] = record.packed()
        lines[f"recordHash.{name}"] = record.hash
        assert read_record(record.packed()).verified() == record
    proof = ForkProof.of(runs["a2-4"], runs["f2"])
    early = ForkProof.of(runs["c1"], runs["e1"])
    for name, item in (("two", proof), ("one", early)):
        lines[f"forkProof.{name}"] = item.packed()
        assert read_fork_proof(item.packed()).verified() == item
    hh = handshake(lines)
    summaries(lines, story, [ada, bea], hh)
    framed(lines, story, runs, proof, [ada, bea], hh)
    refusals(lines, story, runs, proof)
    return lines


def render(lines: Lines) -> str:
    return "".join(f"{name} {value.hex()}\n" for name, value in lines.items())


def main() -> int:
    parser = argparse.ArgumentParser(description="Golden vectors of the wire format, version 1.")
    parser.add_argument("--check", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    due = render(vectors())
    if arguments.check is None:
        sys.stdout.write(due)
        return 0
    found = arguments.check.read_text(encoding="ascii")
    if found == due:
        print(f"{due.count(chr(10))} vectors are as they should be")
        return 0
    pairs = zip(found.splitlines(), due.splitlines())
    different = next((new for old, new in pairs if old != new), "the number of lines")
    print(f"{arguments.check} differs, first at: {different.split(' ')[0]}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
