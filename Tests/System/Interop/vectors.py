"""Writes the golden vectors that Docs/Protocol/Vectors.md describes.

vectors.py              prints them
vectors.py --check F    regenerates them and compares F byte for byte
"""

from __future__ import annotations

import argparse
import functools
import sys
from pathlib import Path

import frames
from codec import text, u8, u16, varint
from entries import (
    ForkProof,
    Run,
    attestation_message,
    hybrid_time,
    read_fork_proof,
    read_run,
    room_id,
)
from frames import ClockRow, Frame, RecordRow, State, Want
from noise_link import (
    INITIATOR,
    REKEY_INTERVAL,
    RESPONDER,
    Handshake,
    Hello,
    handshake_message,
    preface,
)
from primitives import H
from records import Record, profile, read_record
from refusals import refusals
from story import ADA, BEA, CONVERSATION, MILLISECONDS, ROOM, Story, runs_of
from summaries import LogSummary, author_tag, digest_value, head_tag, log_tag

Lines = dict[str, bytes]


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
    record_rows = [RecordRow(author_tag(hh, item.author), item.kind, item.hlc) for item in profiles]
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


@functools.cache
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
    refusals(lines, runs, proof)
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
    pairs = zip(found.splitlines(), due.splitlines(), strict=False)
    different = next((new for old, new in pairs if old != new), "the number of lines")
    print(f"{arguments.check} differs, first at: {different.split(' ')[0]}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
