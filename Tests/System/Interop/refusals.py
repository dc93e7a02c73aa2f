"""What of entries, runs, proofs and records is to be refused, ignored, or not believed."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from codec import fields, varint
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from entries import ForkProof, LogName, Run, attestation_message
from primitives import FIELD_PRIME, GROUP_ORDER, Identity, K, scalar_of
from records import REVOCATION, Record, revocation_value
from sealing import AES, TAG_BYTES, XCHACHA, pad, xchacha20_poly1305
from story import (
    ADA,
    ADA_CERTIFICATE,
    ADA_PERSON,
    BEA,
    BEA_CERTIFICATE,
    BEA_PERSON,
    CONVERSATION,
    SEALING_KEY,
    Story,
    revoked,
    time,
)

Lines = dict[str, bytes]


def altered(data: bytes, offset: int, new: bytes) -> bytes:
    return data[:offset] + new + data[offset + len(new) :]


def flipped(data: bytes, index: int) -> bytes:
    out = bytearray(data)
    out[index] ^= 1
    return bytes(out)


def of_runs(runs: dict[str, Run]) -> Lines:
    """Most are `run.a2` with one fault."""
    run = runs["a2"].packed()
    counted = 32 + 32 + 8
    # conversation, author, incarnation, then first, count, prev, signature, and the only entry.
    body = counted + 1 + 1 + 32 + 64
    extended = altered(run, body + 2, b"\x04")
    first, second = runs["a2-5"].entries[:2]
    pair = Run.signed(ADA, runs["a2"].log, 2, runs["a2"].prev, [first, second])
    packed_pair = pair.packed()
    at = body + len(first.packed(None))
    difference = varint(second.hlc - first.hlc)
    after = packed_pair[at + 3 + len(difference) :]
    # The second of these names no epoch, since the first has named it.
    sealed = runs["sealed"].packed()
    named, same, begun, next_ = runs["sealed"].entries
    form = body + len(named.packed(None)) + 2
    place = form + 1 + len(varint(same.hlc - named.hlc)) + 1
    unnamed = sealed[place:]
    # The last of these does not say its nonce, which follows that of the one before.
    nonced = len(sealed) - len(next_.packed(begun)) + 2
    behind_aes = nonced - len(begun.packed(same))
    rest = nonced + 1 + len(varint(next_.hlc - begun.hlc)) + 1
    in_full = varint(next_.payload_length) + (next_.payload or b"")
    full = runs["full"]
    over = replace(full.entries[1], payload_length=full.entries[1].payload_length + 1)
    two_at_first = Run.signed(ADA, runs["a1"].log, 1, None, [runs["a1"].entries[0], first])
    return {
        "first": altered(run, counted, b"\x00"),
        "firstTwo": two_at_first.packed(),
        "seqOver": run[:counted] + varint(2**63 - 1) + run[counted + 1 :],
        "seqFar": run[:counted] + varint(2**63) + run[counted + 1 :],
        "countZero": altered(run, counted + 1, b"\x00"),
        "countOver": run[: counted + 1] + varint(129) + run[counted + 2 :],
        "count": altered(run, counted + 1, b"\x02"),
        "flags": altered(run, body + 1, b"\x01"),
        "form": altered(run, body + 2, b"\x08"),
        "epoch": altered(run, body + 2, b"\x02")[: body + 12] + bytes(32) + run[body + 12 :],
        "epochAgain": altered(sealed, form, b"\x02")[:place] + named.epoch + unnamed,
        "epochTwice": altered(sealed, form, b"\x0a")[:place] + b"\x07" * 32 + unnamed,
        "nonceAgain": altered(sealed, nonced, b"\x08")[:rest] + in_full,
        "nonceOmitted": altered(sealed, nonced, b"\x19"),
        "nonceOfOther": altered(sealed, behind_aes, b"\x18"),
        "nonceOfNone": altered(run, body + 2, b"\x10"),
        "formOver": altered(run, body + 2, b"\x20"),
        "extensions": extended + b"\x00",
        "extensionsOrder": extended + b"\x05\x04\x00\x02\x01x",
        "extensionsTwice": extended + b"\x04\x02\x00\x02\x00",
        "extensionsValue": extended + b"\x03\x02\x05x",
        "extensionsOver": extended + varint(1_025) + fields({2: bytes(1_022)}),
        "depsOver": altered(run, body + 11, b"\x11")[: body + 12]
        + b"".join(bytes([index]) * 32 for index in range(17))
        + run[body + 12 :],
        "depsOrder": altered(run, body + 11, b"\x02")[: body + 12]
        + b"\x02" * 32
        + b"\x01" * 32
        + run[body + 12 :],
        "depsTwice": altered(run, body + 11, b"\x02")[: body + 12]
        + b"\x02" * 64
        + run[body + 12 :],
        "payloadOver": run[: body + 12] + varint(65_537) + bytes(65_537),
        "fullOver": replace(full, entries=(full.entries[0], over)).packed(),
        "cut": run[:-1],
        "trailing": run + b"\x00",
        "timeStands": packed_pair[: at + 3] + b"\x00" + after,
        "timeOver": packed_pair[: at + 3] + varint(2**64 - 1) + after,
    }


def of_proofs(runs: dict[str, Run], proof: ForkProof) -> Lines:
    def pair(one: Run, other: Run) -> ForkProof:
        return ForkProof(*sorted([one, other], key=lambda run: run.identifiers[0]))

    def empty(name: str) -> Run:
        return runs[name].without_payloads()

    return {
        "order": ForkProof(proof.upper, proof.lower).packed(),
        "same": ForkProof(proof.lower, proof.lower).packed(),
        "position": pair(empty("a2"), empty("f3")).packed(),
        "log": pair(empty("a1"), empty("c1")).packed(),
        "payload": pair(runs["a3-5"], runs["f3"]).packed(),
        "trailing": proof.packed() + b"\x00",
    }


def of_seals(story: Story) -> Lines:
    """Each is to be opened with `seal.key` as the payload of s2."""
    front = story.fronts["s2"]
    good, aes = story.entries["s2"].payload, story.entries["s3"].payload
    assert good is not None and aes is not None
    body = b"\x20\x01\x06hidden"
    cipher, short = xchacha20_poly1305(SEALING_KEY, b"\x55" * 24)

    def sealed(padded: bytes) -> bytes:
        return bytes([XCHACHA]) + b"\x55" * 24 + cipher.encrypt(short, padded, front)

    salt = b"\x56" * 32
    other = AESGCM(K(SEALING_KEY, "stoa aes key", salt))
    return {
        "tag": flipped(good, len(good) - 1),
        "ciphertext": flipped(good, 25),
        "nonce": flipped(good, 1),
        "suite": b"\x02" + good[1:],
        "suiteUnknown": b"\x03" + good[1:],
        "clear": b"\x00" + bytes(16) + body,
        "elsewhere": aes,
        "cut": good[: 1 + 24 + TAG_BYTES],
        "unpadded": sealed(body),
        "paddedTwice": sealed(pad(body) + bytes(8)),
        "paddedNot": sealed(body.ljust(64, b"\x00")),
        "paddedOther": sealed((body + b"\x81").ljust(64, b"\x00")),
        "paddedShort": sealed((body + b"\x80").ljust(63, b"\x00")),
        "paddedShort.aes": bytes([AES])
        + salt
        + other.encrypt(bytes(12), (body + b"\x80").ljust(63, b"\x00"), front),
    }


V4, V6 = b"\x04" + bytes(4), b"\x06" + bytes(16)
ADDRESS_FAULTS: dict[str, dict[str, bytes]] = {
    "addressScope": {"scope": CONVERSATION},
    "addressNone": {"three": b""},
    "addressNine": {"three": b"".join(b"\x04" + bytes([0, 0, 0, index]) for index in range(9))},
    "addressOrder": {"three": V6 + V4},
    "addressTwice": {"three": V4 + V4},
    "addressCut": {"three": V4[:-1]},
    "addressFamily": {"three": b"\x05" + bytes(4)},
    "addressPort": {"one": bytes(2)},
    "addressPortLong": {"one": b"\x10\x92\x00"},
    "addressUnknownOdd": {"five": b""},
}


def of_address(
    scope: bytes | None = None, one: bytes = b"\x10\x92", three: bytes = V4, five: bytes | None = None
) -> bytes:
    value = fields({1: one, 3: three} | ({} if five is None else {5: five}))
    return Record(4, ADA.public, scope, time(0), value).signed(ADA).packed()


def of_records() -> tuple[Lines, Lines]:
    """What is refused, and what decodes, verifies and is ignored."""
    value = fields({1: b"Ada", 4: b"in the stoa"})

    def profile(value: bytes, conversation: bytes | None = None) -> bytes:
        return Record(1, ADA.public, conversation, time(0), value).signed(ADA).packed()

    good = profile(value)
    return {
        "format": altered(good, 0, b"\x01"),
        "scope": altered(good, 34, b"\x02"),
        "valueOver": Record(9, ADA.public, None, 1, bytes(4_097)).signed(ADA).packed(),
        "cut": good[:63],
        "cutInside": good[:100],
    }, {
        "scope": profile(value, CONVERSATION),
        "nameOver": profile(fields({1: b"a" * 65})),
        "statusOver": profile(fields({4: b"a" * 257})),
        "pictureCut": profile(fields({6: bytes(32)})),
        "pictureEmpty": profile(fields({6: bytes(32) + varint(0)})),
        "pictureOver": profile(fields({6: bytes(32) + varint(262_145)})),
        "pictureTrailing": profile(fields({6: bytes(32) + varint(7) + b"\x00"})),
        "latin": profile(fields({1: b"\xe9"})),
        "unknownOdd": profile(fields({1: b"Ada", 3: b""})),
        "order": profile(fields({4: b"x"}) + fields({1: b"Ada"})),
        "value": profile(b"\x01\x04Ada"),
        **{name: of_address(**given) for name, given in ADDRESS_FAULTS.items()},
        "revocationScope": Record(
            REVOCATION, ADA.public, CONVERSATION, time(0), revocation_value(ADA_CERTIFICATE, False)
        )
        .signed(ADA_PERSON.identity)
        .packed(),
    }


def refusals(lines: Lines, story: Story, runs: dict[str, Run], proof: ForkProof) -> None:
    refused, ignored = of_records()
    for decoder, items in (
        ("run", of_runs(runs)),
        ("forkProof", of_proofs(runs, proof)),
        ("seal", of_seals(story)),
        ("record", refused),
    ):
        lines.update({f"refuse.{decoder}.{name}": data for name, data in items.items()})
    lines.update({f"ignore.record.{name}": data for name, data in ignored.items()})


def signature_with(identity: Identity, run: Run, r: int, packed_r: bytes) -> bytes:
    """`packed_r` and the S that fits it and the nonce `r`."""
    message = attestation_message(run.log, run.last, run.identifiers[-1])
    hashed = hashlib.sha512(packed_r + identity.public + message).digest()
    k = int.from_bytes(hashed, "little")
    s = (r + k * scalar_of(identity)) % GROUP_ORDER
    return packed_r + s.to_bytes(32, "little")


def shifted(identity: Identity, run: Run) -> bytes:
    """R is (x, y) + (0, −1) = (−x, −y): good with the cofactor, bad without.

    The nonce is the secret scalar of the seed 03…, its R that seed's public key.
    """
    nonce = Identity.from_seed(b"\x03" * 32)
    packed = int.from_bytes(nonce.public, "little")
    y, sign = packed & (2**255 - 1), packed >> 255
    moved = (FIELD_PRIME - y) | (1 - sign) << 255
    return signature_with(identity, run, scalar_of(nonce), moved.to_bytes(32, "little"))


def without_nonce(identity: Identity, run: Run) -> bytes:
    """R is the neutral point: to be refused although the bare equation holds."""
    return signature_with(identity, run, 0, b"\x01" + bytes(31))


def forgeries(lines: Lines, runs: dict[str, Run], ada: Record, proof: ForkProof) -> None:
    """Decode, but must not verify."""
    good = runs["a1"]
    unit = b"\x01" + bytes(31)
    beyond = b"\xee" + b"\xff" * 30 + b"\x7f"
    scalar = int.from_bytes(good.signature[32:], "little") + GROUP_ORDER

    def by(key: bytes, signature: bytes) -> Run:
        return replace(good, log=LogName(CONVERSATION, key, 1), signature=signature)

    made = {
        # Author and R are the neutral point and S is 0: good by the bare equation for any message.
        "smallOrder": by(unit, unit + bytes(32)),
        # The same, with the author written as p + 1.
        "notCanonicalKey": by(beyond, unit + bytes(32)),
        # y = 2 is on no point.
        "offCurve": by(b"\x02" + bytes(31), good.signature),
        "highS": replace(good, signature=good.signature[:32] + scalar.to_bytes(32, "little")),
        "addedOrderTwo": replace(good, signature=shifted(ADA, good)),
        "smallR": replace(good, signature=without_nonce(ADA, good)),
        "signature": replace(good, signature=flipped(good.signature, 0)),
        "author": replace(good, log=replace(good.log, author=BEA.public)),
        "attestationBelow": replace(runs["a2-5"], signature=runs["a2"].signature),
        "class": replace(good, entries=(replace(good.entries[0], class_=2),)),
    }
    for name, run in made.items():
        lines[f"forged.run.{name}"] = run.packed()
    packed = good.packed()
    lines["forged.run.payload"] = packed[:-1] + bytes([packed[-1] ^ 1])
    message = attestation_message(good.log, 1, good.identifiers[0])
    old = ADA.sign(message.replace(b".v2", b".v1"))
    lines["forged.run.context"] = replace(good, signature=old).packed()
    record = ada.packed()
    lines["forged.record.signature"] = flipped(record, len(record) - 64)
    lines["forged.record.name"] = record.replace(b"Ada", b"Eve")
    word = revoked(False, time(7))
    foreign = replace(word, value=revocation_value(BEA_CERTIFICATE, False))
    for name, made_record in (
        ("revocationByDevice", word.signed(ADA)),
        ("revocationByOther", word.signed(BEA_PERSON.identity)),
        ("revocationOfOther", foreign.signed(BEA_PERSON.identity)),
        ("revocationStands", replace(word, value=revocation_value(ADA_CERTIFICATE, True))),
        ("revocationBare", replace(word, value=b"").signed(ADA_PERSON.identity)),
        ("revocationUnknownOdd", replace(word, value=word.value + b"\x05\x00").signed(ADA_PERSON.identity)),
    ):
        lines[f"forged.record.{name}"] = made_record.packed()
    upper = replace(proof.upper, signature=proof.lower.signature)
    lines["forged.forkProof.signature"] = ForkProof(proof.lower, upper).packed()
