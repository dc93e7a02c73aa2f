"""The golden vectors of `link-2.txt`: numbers, keys, persons, realms, handshakes, transport."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import frames
from codec import area, fields, text, u8, u16, varint
from noise_link import (
    INITIATOR,
    NO_VERSION,
    REKEY_INTERVAL,
    RESPONDER,
    VERSION,
    WRONG_REALM,
    Handshake,
    Introduction,
    attempt,
    handshake_message,
    preface,
)
from persons import Certificate
from primitives import FIELD_PRIME, GROUP_ORDER, H, K, Identity, scalar_of
from realms import OPEN, RealmSecret
from story import (
    ADA,
    ADA_CERTIFICATE,
    ADA_PERSON,
    BEA,
    BEA_CERTIFICATE,
    CIRCLE,
    MILLISECONDS,
)

Lines = dict[str, bytes]

FEATURES = b"\x02\x10"


def numbers(lines: Lines) -> None:
    for value in (0, 1, 127, 128, 300, 16_383, 16_384, 2**32, 2**63, 2**64 - 1):
        lines[f"varint.{value}"] = varint(value)
    lines["text.empty"] = text("", 64)
    lines["text.stoa"] = text("stoa", 64)
    lines["text.kalimera"] = text("καλημέρα", 64)
    lines["area.empty"] = area({}, 1_024)
    lines["area.unknown"] = area({2: b"xy", 300: b""}, 1_024)
    lines["area.longest"] = area({4: bytes(1_021)}, 1_024)
    lines["hash.empty"] = H("stoa payload", b"")
    lines["keyed.32"] = K(b"\x07" * 32, "stoa realm tag", b"stoa")
    lines["keyed.64"] = K(b"\x07" * 64, "stoa realm tag", b"stoa")


def keys(lines: Lines) -> None:
    for name, device, certificate in (
        ("ada", ADA, ADA_CERTIFICATE),
        ("bea", BEA, BEA_CERTIFICATE),
    ):
        lines[f"key.{name}"] = device.public
        lines[f"key.{name}.person"] = certificate.person
        lines[f"key.{name}.address"] = certificate.address
        lines[f"key.{name}.deviceAddress"] = certificate.device_address
        lines[f"person.{name}"] = certificate.person_id
        lines[f"certificate.{name}.signed"] = certificate.message(device.public)
        lines[f"certificate.{name}"] = certificate.packed()


@dataclass(frozen=True)
class Pair:
    """Ada dials bea."""

    initiator: Handshake
    responder: Handshake
    messages: tuple[bytes, bytes, bytes]
    introductions: tuple[Introduction, Introduction]
    hashes: tuple[bytes, bytes]


def shake(secret: RealmSecret) -> Pair:
    opening = preface()
    initiator = Handshake(INITIATOR, opening, secret, None, b"\x11" * 32, b"\x12" * 32)
    responder = Handshake(RESPONDER, opening, secret, initiator.tag, b"\x21" * 32, b"\x22" * 32)
    said: list[Introduction] = []

    def payload_2(h: bytes, static: bytes) -> bytes:
        said.append(
            Introduction.signed(BEA, BEA_CERTIFICATE, RESPONDER, h, static, 0xB0, 0, b"", {})
        )
        return said[0].packed()

    def payload_3(h: bytes, static: bytes) -> bytes:
        extensions = {2: u16(4242), 4: b"later"}
        said.append(
            Introduction.signed(
                ADA, ADA_CERTIFICATE, INITIATOR, h, static, 0xA0, 7, FEATURES, extensions
            )
        )
        return said[1].packed()

    first = initiator.write_first()
    responder.read(first)
    second = responder.write(payload_2)
    h_2 = responder.hash_before_payload
    initiator.read(second)
    third = initiator.write(payload_3)
    responder.read(third)
    return Pair(
        initiator,
        responder,
        (first, second, third),
        (said[0], said[1]),
        (h_2, initiator.hash_before_payload),
    )


def handshakes(lines: Lines) -> Pair:
    lines["preface"] = preface()
    lines["preface.answer"] = u8(VERSION)
    lines["preface.noVersion"] = u8(NO_VERSION) + u8(VERSION) + u8(VERSION)
    lines["preface.wrongRealm"] = u8(WRONG_REALM)
    opened = shake(OPEN)
    lines["handshake.static.initiator"] = opened.initiator.public
    lines["handshake.static.responder"] = opened.responder.public
    lines["handshake.ephemeral.initiator"] = opened.initiator.ephemeral
    lines["handshake.ephemeral.responder"] = opened.responder.ephemeral
    for name, secret, pair in (("", OPEN, opened), ("circle.", CIRCLE, shake(CIRCLE))):
        first, second, third = pair.messages
        realm = name or "open."
        lines[f"realm.{realm}tag"] = pair.initiator.tag
        lines[f"realm.{realm}psk"] = secret.preshared_key
        lines[f"handshake.{name}attempt"] = attempt(pair.initiator.tag, first)
        lines[f"handshake.{name}message.1"] = u16(len(first)) + first
        for number, role, static, message in (
            (2, RESPONDER, pair.responder.public, second),
            (3, INITIATOR, pair.initiator.public, third),
        ):
            h, said = pair.hashes[number - 2], pair.introductions[number - 2]
            lines[f"handshake.{name}h.{number}"] = h
            lines[f"handshake.{name}signed.{number}"] = handshake_message(role, h, static)
            lines[f"handshake.{name}payload.{number}"] = said.packed()
            lines[f"handshake.{name}message.{number}"] = u16(len(message)) + message
        lines[f"handshake.{name}hash"] = pair.responder.transport().hash
        lines[f"handshake.{name}exporter"] = pair.responder.exporter
        assert pair.initiator.exporter == pair.responder.exporter
    return opened


def transport(lines: Lines, pair: Pair) -> None:
    ours, theirs = pair.initiator.transport(), pair.responder.transport()
    plaintext = frames.ping(1, MILLISECONDS).packed()
    for index in range(2 * REKEY_INTERVAL + 1):
        sealed, answer = ours.seal(plaintext), theirs.seal(plaintext)
        assert theirs.open(sealed[2:]) == ours.open(answer[2:]) == plaintext
        if index in (0, 1, REKEY_INTERVAL - 1, REKEY_INTERVAL, 2 * REKEY_INTERVAL):
            lines[f"transport.initiator.{index}"] = sealed
            lines[f"transport.responder.{index}"] = answer


def refusals(lines: Lines, good: Introduction) -> None:
    """`refuse.*` must not decode."""
    front = good.front
    refuse = {
        "varint.long": b"\x80\x00",
        "varint.longer": b"\xff\x80\x00",
        "varint.over": b"\xff" * 9 + b"\x02",
        "varint.eleven": b"\x80" * 10 + b"\x01",
        "varint.cut": b"\x80",
        "text.surrogate": b"\x03\xed\xa0\x80",
        "text.overlong": b"\x02\xc0\xaf",
        "text.latin": b"\x01\xe9",
        "text.long": varint(256) + b"a" * 256,
        "text.cut": b"\x02a",
        "area.odd": area({3: b"x"}, 1_024),
        "area.order": b"\x04\x04\x00\x02\x00",
        "area.twice": b"\x04\x04\x00\x04\x00",
        "area.long": varint(1_025) + fields({4: bytes(1_022)}),
        "area.value": b"\x03\x04\x05x",
        "area.cut": b"\x03\x04\x00",
        "introduction.cut": good.packed()[:-1],
        "introduction.trailing": good.packed() + b"\x00",
        "introduction.features": front + varint(33) + bytes(32) + b"\x01\x00",
        "introduction.featuresZero": front + b"\x02\x01\x00\x00",
        "introduction.featuresBare": front + b"\x01\x00\x00",
        "introduction.areaOdd": front + b"\x00" + area({3: b"x"}, 1_024),
        "introduction.areaOver": front + b"\x00" + varint(1_025) + fields({4: bytes(1_022)}),
        "introduction.port": front + b"\x00" + area({2: b"x"}, 1_024),
        "introduction.portLong": front + b"\x00" + area({2: b"xyz"}, 1_024),
        "introduction.portZero": front + b"\x00" + area({2: u16(0)}, 1_024),
        "certificate.cut": good.certificate.packed()[:-1],
        "certificate.trailing": good.certificate.packed() + b"\x00",
    }
    lines.update({f"refuse.{name}": data for name, data in refuse.items()})


def with_order_two(identity: Identity, message: bytes) -> tuple[bytes, bytes]:
    """The key plus the point of order 2, and a signature that verifies under it.

    A' = A + (0, −1) = (−x, −y). S·B − k·A' = R needs an even k, so the nonce is the secret scalar
    of the first of the seeds 00…, 01×32, 02×32 … that gives one.
    """
    packed = int.from_bytes(identity.public, "little")
    y, sign = packed & (2**255 - 1), packed >> 255
    public = (FIELD_PRIME - y | (1 - sign) << 255).to_bytes(32, "little")
    for index in range(256):
        nonce = Identity.from_seed(bytes([index]) * 32)
        hashed = hashlib.sha512(nonce.public + public + message).digest()
        k = int.from_bytes(hashed, "little") % GROUP_ORDER
        if k % 2 == 0:
            s = (scalar_of(nonce) + k * scalar_of(identity)) % GROUP_ORDER
            return public, nonce.public + s.to_bytes(32, "little")
    raise AssertionError("no even k")


def forgeries(lines: Lines, pair: Pair) -> None:
    """`forged.introduction.*` and `forged.certificate.*` decode; they must not be believed."""
    h, static, good = pair.hashes[1], pair.initiator.public, pair.introductions[1]

    def signed(message: bytes) -> Introduction:
        return replace(good, signature=ADA.sign(message))

    message = handshake_message(INITIATOR, h, static)
    mixed, mixed_signature = with_order_two(ADA, message)
    made = {
        "version": replace(good, version=1),
        "dial": replace(good, dial=0),
        "role": signed(handshake_message(RESPONDER, h, static)),
        "hash": signed(handshake_message(INITIATOR, bytes([h[0] ^ 1]) + h[1:], static)),
        "static": signed(handshake_message(INITIATOR, h, pair.responder.public)),
        "context": signed(message.replace(b".v2", b".v1")),
        "device": replace(good, device=BEA.public),
        "notPrimeOrder": replace(
            good,
            device=mixed,
            signature=mixed_signature,
            certificate=ADA_PERSON.certify(mixed, b"\xa3" * 32, MILLISECONDS),
        ),
        "certificate": replace(good, certificate=BEA_CERTIFICATE),
    }
    lines.update({f"forged.introduction.{name}": item.packed() for name, item in made.items()})

    right = ADA_CERTIFICATE

    def certified(address: bytes, device_address: bytes) -> Certificate:
        draft = Certificate(right.person, address, device_address, right.added)
        return replace(draft, signature=ADA_PERSON.identity.sign(draft.message(ADA.public)))

    order_8 = bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800")
    unit = b"\x01" + bytes(31)
    certificates = {
        "signature": replace(
            right, signature=bytes([right.signature[0] ^ 1]) + right.signature[1:]
        ),
        "added": replace(right, added=right.added + 1),
        "address": replace(right, address=BEA_CERTIFICATE.address),
        "deviceAddress": replace(right, device_address=BEA_CERTIFICATE.device_address),
        "ofBea": BEA_CERTIFICATE,
        "context": replace(
            right,
            signature=ADA_PERSON.identity.sign(
                right.message(ADA.public).replace(b".v2", b".v1")
            ),
        ),
        "smallAddress": certified(order_8, right.device_address),
        "zeroAddress": certified(bytes(32), right.device_address),
        "smallDeviceAddress": certified(right.address, order_8),
        "smallPerson": replace(right, person=unit, signature=unit + bytes(32)),
    }
    for name, certificate in certificates.items():
        lines[f"forged.certificate.{name}"] = certificate.packed()


def link_vectors() -> tuple[Lines, bytes]:
    """The lines, and the exporter that keys the tags of the other files."""
    lines: Lines = {}
    numbers(lines)
    keys(lines)
    pair = handshakes(lines)
    transport(lines, pair)
    refusals(lines, pair.introductions[1])
    forgeries(lines, pair)
    return lines, pair.responder.exporter
