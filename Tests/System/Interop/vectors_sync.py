"""The golden vectors of `sync-2.txt`: digests, buckets, tags, frames, fragments."""

from __future__ import annotations

import devices
import ephemeral
import frames
import marks
from codec import u8, u64, varint
from entries import ForkProof, Run
from frames import (
    ClockRow,
    Frame,
    RecordRow,
    State,
    Type,
    Want,
)
from noise_link import INITIATOR
from records import Record
from story import ADA, BEA, CONVERSATION, MILLISECONDS, Story, records_of, runs_of
from summaries import (
    LogSummary,
    Tags,
    bucket_hashes,
    bucket_of,
    log_digest,
    record_digest,
)

Lines = dict[str, bytes]


def summaries(lines: Lines, story: Story, records: dict[str, Record], tags: Tags) -> None:
    profiles = [records["ada"], records["bea"]]
    a5, b3, c1 = (story.ids[name] for name in ("a5", "b3", "c1"))
    logs = {name: place[0] for name, place in story.logs.items()}
    whole = [
        LogSummary(logs["a"], 5, a5),
        LogSummary(logs["b"], 3, b3),
        LogSummary(logs["c"], 1, c1),
    ]
    forked = [
        LogSummary(logs["a"], 2, story.ids["a2"], State.FORKED),
        LogSummary(logs["b"], 3, b3),
        LogSummary(logs["c"], 0, bytes(32), State.FORKED),
    ]
    lines["digest.logs.empty"] = log_digest(CONVERSATION, [])
    lines["digest.logs.whole"] = log_digest(CONVERSATION, whole)
    lines["digest.logs.forked"] = log_digest(CONVERSATION, forked)
    kept = [*profiles, records["unknownKind"], records["unknownKind.wide"]]
    lines["digest.records.empty"] = record_digest(CONVERSATION, [])
    lines["digest.records.profiles"] = record_digest(CONVERSATION, profiles)
    lines["digest.records.whole"] = record_digest(CONVERSATION, kept)
    for state, items in (("whole", whole), ("forked", forked)):
        hashes = bucket_hashes(items)
        for name in "abc":
            bucket = bucket_of(logs[name])
            lines[f"bucket.{name}"] = u8(bucket)
            lines[f"bucketHash.{state}.{name}"] = hashes[bucket]
            lines[f"tag.bucket.{state}.{name}"] = tags.bucket(CONVERSATION, hashes[bucket])
            other = tags.other.bucket(CONVERSATION, hashes[bucket])
            lines[f"tag.bucket.{state}.{name}.responder"] = other
    lines["tag.bucket.empty"] = tags.bucket(CONVERSATION, bytes(32))
    for name in "abcd":
        lines[f"tag.log.{name}"] = tags.log(logs[name])
    for name in ("a1", "a5", "b3", "c1"):
        lines[f"tag.head.{name}"] = tags.head(story.ids[name])
        lines[f"tag.head.{name}.responder"] = tags.other.head(story.ids[name])
    lines["tag.author.ada"] = tags.author(ADA.public)
    lines["tag.author.bea"] = tags.author(BEA.public)


def framed(
    lines: Lines,
    story: Story,
    runs: dict[str, Run],
    proof: ForkProof,
    records: dict[str, Record],
    tags: Tags,
) -> None:
    profiles = [records["ada"], records["bea"]]
    kept = [*profiles, records["unknownKind"]]
    logs = {name: place[0] for name, place in story.logs.items()}
    tag_a = tags.log(logs["a"])
    rows = [
        ClockRow(tag_a, 5, tags.head(story.ids["a5"]), State.OPEN),
        ClockRow(tags.log(logs["b"]), 3, tags.head(story.ids["b3"]), State.OPEN),
        ClockRow(tags.log(logs["c"]), 0, None, State.FORKED),
        ClockRow(tags.log(logs["d"]), 0, None, State.REFUSED),
    ]
    record_rows = [tags.record(item) for item in kept]
    pages: dict[int, list[ClockRow]] = {255: []}
    for name, row in zip("abcd", rows):
        pages.setdefault(bucket_of(logs[name]), []).append(row)
    hashes = [bytes([bucket]) * 32 for bucket in range(256)]
    tag_of_a = tags.head(story.ids["a5"])
    flagged = [
        ClockRow(tag_a, 5, tag_of_a, State.OPEN, first=3),
        ClockRow(tag_a, 5, tag_of_a, State.OPEN, whole=2),
        ClockRow(tag_a, 5, tag_of_a, State.OPEN, shown=4),
        ClockRow(tag_a, 5, tag_of_a, State.FORKED, first=5, whole=0, shown=0),
    ]
    every: dict[str, Frame] = {
        "ping": frames.ping(0x0102030405060708, MILLISECONDS),
        "pong": frames.pong(0x0102030405060708, MILLISECONDS + 3),
        "credit": frames.credit(2, 131_072),
        "goaway": frames.goaway(4, "a run that does not verify"),
        "dialBack": frames.dial_back(4_242),
        "dialledBack": frames.dialled_back(2),
        "ephemeral": ephemeral.ephemeral(CONVERSATION, 0x0102030405060708, b"hello"),
        "ephemeral.longest": ephemeral.ephemeral(CONVERSATION, 1, bytes(1_408)),
        "ephemeral.typing": ephemeral.ephemeral(CONVERSATION, 0, b"\x00\x01"),
        "ephemeral.packet": ephemeral.ephemeral(
            CONVERSATION, 7, b"\x00\x02" + ephemeral.packet("logs", 300, b"hello", ordered=True)
        ),
        "ephemeral.end": ephemeral.ephemeral(
            CONVERSATION, 7, b"\x00\x02" + ephemeral.packet("logs", 301, b"", end=True)
        ),
        "ephemeral.signal": ephemeral.ephemeral(
            CONVERSATION, 0, b"\x00\x03" + ephemeral.signal(BEA.public, b"ring")
        ),
        "presence": ephemeral.presence(2),
        "device.commit": devices.device(
            1, devices.device_commitment(b"\x07" * 32, BEA.public, b"\x09" * 32)
        ),
        "device.nonce": devices.device(2, b"\x08" * 32),
        "device.open": devices.device(3, b"\x07" * 32),
        "device.ready": devices.device(4),
        "device.end": devices.device(5, b"\x02"),
        "handOver": devices.hand_over(True, b"hello"),
        "liveRun": frames.live_run(runs["a2"].packed()),
        "digest": frames.digest(
            CONVERSATION, lines["digest.logs.whole"], lines["digest.records.whole"]
        ),
        "buckets": frames.buckets(
            CONVERSATION, [tags.bucket(CONVERSATION, value) for value in hashes]
        ),
        "clock": frames.clock(CONVERSATION, pages),
        "clock.empty": frames.clock(CONVERSATION, {0: []}),
        "clock.all": frames.clock(CONVERSATION, {bucket: [] for bucket in range(256)}),
        "delta": frames.delta(CONVERSATION, rows),
        "delta.one": frames.delta(CONVERSATION, rows[:1]),
        "delta.first": frames.delta(CONVERSATION, flagged[:1]),
        "delta.whole": frames.delta(CONVERSATION, flagged[1:2]),
        "delta.shown": frames.delta(CONVERSATION, flagged[2:3]),
        "delta.flags": frames.delta(CONVERSATION, flagged[3:]),
        "want": Want(CONVERSATION, tag_a, 5, 4_100).frame(),
        "syncRun": frames.sync_run(runs["a2-5"].packed()),
        "syncRun.erased": frames.sync_run(runs["a2-5.erased"].packed()),
        "unavailable": frames.unavailable(CONVERSATION, tag_a, 300),
        "payloadWant": Want(CONVERSATION, tag_a, 3, 6).frame(Type.PAYLOAD_WANT),
        "payloads": frames.payloads(
            CONVERSATION,
            tag_a,
            3,
            [frames.PayloadItem(1, b"\0\1\2")] + [frames.PayloadItem(state) for state in (0, 2, 3)],
        ),
        "payloads.none": frames.payloads(CONVERSATION, tag_a, 7, []),
        "records": frames.records([item.packed() for item in profiles]),
        "recordClock": frames.record_clock(CONVERSATION, record_rows),
        "recordClock.empty": frames.record_clock(CONVERSATION, []),
        "forkProof": frames.fork_proof(proof.packed()),
        "unknown.control": Frame(0x1E, b"skip me"),
        "unknown.live": Frame(0x3E, b"skip me"),
        "unknown.sync": Frame(0x5E, b"skip me"),
        "unknown.blob": Frame(0x7E, b"skip me"),
        "unknown.ephemeral": Frame(0x9E, b"skip me"),
        "unknown.ephemeral.longest": Frame(0x9E, bytes(1_276)),
    }
    for name, frame in every.items():
        lines[f"frame.{name}"] = frame.packed()
    large = runs["large"].packed()
    for name, whole in (("live", frames.live_run(large)), ("sync", frames.sync_run(large))):
        for index, frame in enumerate(frames.fragments(whole), 1):
            lines[f"fragment.{name}.{index}"] = frame.packed()


def marked(lines: Lines, story: Story) -> None:
    logs = {name: place[0] for name, place in story.logs.items()}
    a, b = (marks.log_tag(CONVERSATION, logs[name]) for name in "ab")
    a5 = marks.head_tag(story.ids["a5"])
    ada, bea = (marks.member_tag(CONVERSATION, person.public) for person in (ADA, BEA))
    mark = marks.Mark((marks.Row(a, 5, 4, a5), marks.Row(b, 300, 0, 0)), (ada, bea))
    lines["mark.log.a"] = u64(a)
    lines["mark.head.a5"] = u64(a5)
    lines["mark.member.ada"] = u64(ada)
    lines["mark.fields"] = mark.packed()
    lines["mark.none"] = marks.Mark(()).packed()


def refusals(record: Record, runs: dict[str, Run]) -> Lines:
    """Frames and fragments that must not be taken."""
    out: Lines = {}
    zero_tag = bytes(8)
    low = b"\x01" * 32
    row = ClockRow(zero_tag, 0, None, 0)
    descending = b"\x02" + ClockRow(b"\x01" * 8, 0, None, 0).packed() + row.packed()

    def page(bucket: int) -> bytes:
        return bytes([bucket, 0])

    def record_row(scope: int, kind: int) -> RecordRow:
        return RecordRow(zero_tag, scope, kind, 0, zero_tag)

    def flagged(bits: int, rest: bytes) -> bytes:
        """One row of seq 5."""
        return b"\x01" + zero_tag + u8(bits) + b"\x05" + zero_tag + rest

    frame_bodies: dict[str, tuple[int, bytes]] = {
        "ping": (Type.PING, bytes(15)),
        "pingTrailing": (Type.PING, bytes(17)),
        "pong": (Type.PONG, bytes(15)),
        "creditChannel": (Type.CREDIT, b"\x00\x01"),
        "creditChannelFour": (Type.CREDIT, b"\x04\x01"),
        "creditZero": (Type.CREDIT, b"\x01\x00"),
        "goawayText": (Type.GOAWAY, b"\x01" + varint(257) + b"a" * 257),
        "dialBack": (Type.DIAL_BACK, bytes(1)),
        "dialBackTrailing": (Type.DIAL_BACK, bytes(3)),
        "dialledBack": (Type.DIALLED_BACK, b"\x04"),
        "dialledBackTrailing": (Type.DIALLED_BACK, bytes(2)),
        "ephemeralEmpty": (Type.EPHEMERAL, low + bytes(9)),
        "ephemeralOver": (Type.EPHEMERAL, low + bytes(8) + varint(1_409) + bytes(1_409)),
        "ephemeralTrailing": (Type.EPHEMERAL, low + bytes(8) + b"\x01\x00\x00"),
        "deviceStep": (Type.DEVICE, b"\x06"),
        "deviceShort": (Type.DEVICE, b"\x01" + bytes(31)),
        "deviceTrailing": (Type.DEVICE, b"\x04\x00"),
        "deviceEnd": (Type.DEVICE, b"\x05\x03"),
        "handOverLast": (Type.HAND_OVER, b"\x02\x01a"),
        "handOverEmpty": (Type.HAND_OVER, b"\x00\x00"),
        "handOverOver": (Type.HAND_OVER, b"\x00" + varint(16_001) + bytes(16_001)),
        "handOverTrailing": (Type.HAND_OVER, b"\x00\x01aa"),
        "presenceZero": (Type.PRESENCE, b"\x00"),
        "presenceOver": (Type.PRESENCE, b"\x03"),
        "presenceTrailing": (Type.PRESENCE, b"\x01\x00"),
        "digest": (Type.DIGEST, bytes(63)),
        "digestTrailing": (Type.DIGEST, bytes(97)),
        "bucketsShort": (Type.BUCKETS, low + bytes(8 * 255)),
        "bucketsLong": (Type.BUCKETS, low + bytes(8 * 257)),
        "clockZero": (Type.CLOCK, low + b"\x00"),
        "clockOver": (Type.CLOCK, low + varint(257) + b"".join(map(page, range(256))) + page(0)),
        "clockOrder": (Type.CLOCK, low + b"\x02" + page(2) + page(1)),
        "clockTwice": (Type.CLOCK, low + b"\x02" + page(1) + page(1)),
        "clockCount": (Type.CLOCK, low + b"\x02" + page(1)),
        "clockRowsOrder": (Type.CLOCK, low + b"\x01\x07" + descending),
        "clockRowsTwice": (Type.CLOCK, low + b"\x01\x07\x02" + row.packed() * 2),
        "clockRowsCount": (Type.CLOCK, low + b"\x01\x07\x02" + row.packed()),
        "deltaZero": (Type.DELTA, low + b"\x00"),
        "deltaOrder": (Type.DELTA, low + descending),
        "deltaTwice": (Type.DELTA, low + b"\x02" + row.packed() * 2),
        "deltaCount": (Type.DELTA, low + b"\x02" + row.packed()),
        "deltaState": (Type.DELTA, low + b"\x01" + zero_tag + b"\x03\x00"),
        "deltaBit4": (Type.DELTA, low + b"\x01" + zero_tag + b"\x10\x00"),
        "deltaSeqOver": (Type.DELTA, low + b"\x01" + zero_tag + b"\x00" + varint(2**63) + zero_tag),
        "deltaFirstOne": (Type.DELTA, low + flagged(0x80, b"\x01")),
        "deltaFirstOver": (Type.DELTA, low + flagged(0x80, b"\x06")),
        "deltaWholeOver": (Type.DELTA, low + flagged(0x40, b"\x05")),
        "deltaShownOver": (Type.DELTA, low + flagged(0x20, b"\x05")),
        "deltaShownOfNone": (Type.DELTA, low + b"\x01" + zero_tag + b"\x20\x00\x00"),
        "deltaHeadCut": (Type.DELTA, low + b"\x01" + zero_tag + b"\x00\x05" + bytes(7)),
        "wantZero": (Type.WANT, low + zero_tag + b"\x00\x01"),
        "wantBackwards": (Type.WANT, low + zero_tag + b"\x02\x01"),
        "wantOver": (Type.WANT, low + zero_tag + b"\x01" + varint(4_097)),
        "payloadWantZero": (Type.PAYLOAD_WANT, low + zero_tag + b"\x00\x01"),
        "payloadsZero": (Type.PAYLOADS, low + zero_tag + b"\x00\x00"),
        "payloadsState": (Type.PAYLOADS, low + zero_tag + b"\x01\x01\x04"),
        "payloadsCount": (Type.PAYLOADS, low + zero_tag + b"\x01\x81\x01" + bytes(129)),
        "unavailable": (Type.UNAVAILABLE, low + zero_tag),
        "recordsZero": (Type.RECORDS, b"\x00"),
        "recordsOver": (
            Type.RECORDS,
            varint(65) + (varint(len(record.packed())) + record.packed()) * 65,
        ),
        "recordClockOrder": (
            Type.RECORD_CLOCK,
            low + b"\x02" + record_row(1, 1).packed() + record_row(0, 2).packed(),
        ),
        "recordClockTwice": (Type.RECORD_CLOCK, low + b"\x02" + record_row(0, 1).packed() * 2),
        "recordClockScope": (Type.RECORD_CLOCK, low + b"\x01" + record_row(2, 1).packed()),
        "unknownOdd.control": (0x1F, b"refuse me"),
        "unknownOdd.live": (0x3F, b"refuse me"),
        "unknownOdd.sync": (0x5F, b"refuse me"),
        "unknownOdd.blob": (0x7F, b"refuse me"),
        "unknownOdd.ephemeral": (0x9F, b"refuse me"),
        "typeZero": (0x00, b"refuse me"),
        "typeZero.live": (0x20, b"refuse me"),
        "typeZero.ephemeral": (0x80, b"refuse me"),
        "typeOver": (0xA0, b"refuse me"),
        "typeOver.unknown": (0xA2, b"refuse me"),
        "channelFourOver": (0x9E, bytes(1_469)),
    }
    for name, (kind, body_bytes) in frame_bodies.items():
        out[f"frame.{name}"] = Frame(kind, body_bytes).packed()
    out["frame.typeLong"] = b"\x81\x00" + frames.ping(1, 1).packed()[1:]
    out["frame.cut"] = frames.ping(1, 1).packed()[:-1]
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
        out[f"fragment.{name}"] = Frame(Type.SYNC_FRAGMENT, body_bytes).packed()
    return out


def sync_vectors(exporter: bytes) -> Lines:
    lines: Lines = {}
    story = Story()
    runs, records = runs_of(story), records_of()
    tags = Tags(exporter, INITIATOR)
    proof = ForkProof.of(runs["a3-5"], runs["f3"])
    summaries(lines, story, records, tags)
    framed(lines, story, runs, proof, records, tags)
    shown = devices.device_code(
        exporter, b"\x07" * 32 + b"\x08" * 32, BEA.public + ADA.public, b"\x09" * 32
    )
    lines["device.code"] = "".join(shown).encode()
    marked(lines, story)
    for name, data in refusals(records["ada"], runs).items():
        lines[f"refuse.{name}"] = data
    return lines
