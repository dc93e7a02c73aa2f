"""The golden vectors that a decoder must refuse, or a verifier must not believe."""

from __future__ import annotations

import hashlib

import frames
from codec import text, varint
from entries import ForkProof, LogName, Run, attestation_message, hybrid_time
from frames import ClockRow, Frame, RecordRow, Type
from primitives import FIELD_PRIME, GROUP_ORDER, Identity
from records import Record, profile
from story import ADA, CONVERSATION, MILLISECONDS

Lines = dict[str, bytes]


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


def refusals(lines: Lines, runs: dict[str, Run], proof: ForkProof) -> None:
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
        "run.epoch": run[: body + 2]
        + b"\x02"
        + run[body + 3 : body + 12]
        + bytes(32)
        + run[body + 12 :],
        "run.extensions": altered(run, body + 2, b"\x04") + b"\x00",
        "run.extensionsOrder": altered(run, body + 2, b"\x04") + b"\x04\x04\x00\x02\x00",
        "run.extensionsTwice": altered(run, body + 2, b"\x04") + b"\x04\x02\x00\x02\x00",
        "run.extensionsOver": altered(run, body + 2, b"\x04")
        + varint(1_025)
        + b"\x02"
        + varint(1_022)
        + bytes(1_022),
        "run.depsOver": altered(run, body + 11, b"\x11")[: body + 12]
        + b"".join(bytes([index]) * 32 for index in range(17))
        + run[body + 12 :],
        "run.depsOrder": altered(run, body + 11, b"\x02")[: body + 12]
        + b"\x02" * 32
        + b"\x01" * 32
        + run[body + 12 :],
        "run.depsTwice": altered(run, body + 11, b"\x02")[: body + 12]
        + b"\x02" * 64
        + run[body + 12 :],
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
    other_log = ForkProof(
        *sorted(
            [runs["a1"].without_payloads(), runs["c1"].without_payloads()],
            key=lambda item: item.identifiers[0],
        )
    )
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
        "roomsOver": (
            Type.ROOMS,
            varint(1_025) + b"".join(text(chr(0x80 + index), 64) for index in range(1_025)),
        ),
        "roomsLeftZero": (Type.ROOMS_LEFT, b"\x00"),
        "roomsLeftOrder": (Type.ROOMS_LEFT, varint(2) + high + low),
        "roomsLeftTwice": (Type.ROOMS_LEFT, varint(2) + low + low),
        "channelZeroOver": (
            Type.ROOMS_LEFT,
            varint(200) + b"".join(bytes([index]) * 32 for index in range(200)),
        ),
        "liveRunErased": (Type.LIVE_RUN, runs["a1-4.erased"].packed()),
        "liveRunEmpty": (Type.LIVE_RUN, runs["a1-4.empty"].packed()),
        "digest": (Type.DIGEST, bytes(63)),
        "clockComplete": (Type.CLOCK, low + b"\x02\x00"),
        "clockOrder": (
            Type.CLOCK,
            low + b"\x01\x02" + ClockRow(b"\x01" * 8, 0, None, 0).packed() + row.packed(),
        ),
        "clockTwice": (Type.CLOCK, low + b"\x01\x02" + row.packed() * 2),
        "clockState": (Type.CLOCK, low + b"\x01\x01" + zero_tag + b"\x00\x03"),
        "clockCount": (Type.CLOCK, low + b"\x01\x02" + row.packed()),
        "wantZero": (Type.WANT, low + zero_tag + b"\x00\x01"),
        "wantBackwards": (Type.WANT, low + zero_tag + b"\x02\x01"),
        "wantOver": (Type.WANT, low + zero_tag + b"\x01" + varint(4_097)),
        "syncRunErased": (Type.SYNC_RUN, runs["a1-4.erased"].packed()),
        "syncRunEmpty": (Type.SYNC_RUN, runs["a1-4.empty"].packed()),
        "unavailable": (Type.UNAVAILABLE, low + zero_tag),
        "recordsZero": (Type.RECORDS, b"\x00"),
        "recordsOver": (
            Type.RECORDS,
            varint(65) + (varint(len(record.packed())) + record.packed()) * 65,
        ),
        "recordClockOrder": (
            Type.RECORD_CLOCK,
            low + b"\x02" + RecordRow(zero_tag, 2, 0).packed() + RecordRow(zero_tag, 1, 0).packed(),
        ),
        "recordClockTwice": (
            Type.RECORD_CLOCK,
            low + b"\x02" + RecordRow(zero_tag, 1, 0).packed() * 2,
        ),
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
    lines["forged.run.highS"] = signed_by(good, good.signature[:32] + scalar.to_bytes(32, "little"))
    lines["forged.run.addedOrderTwo"] = signed_by(good, shifted(ADA, good))
    lines["forged.run.smallR"] = signed_by(good, without_nonce(ADA, good))
    lines["forged.run.signature"] = signed_by(
        good, bytes([good.signature[0] ^ 1]) + good.signature[1:]
    )
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
