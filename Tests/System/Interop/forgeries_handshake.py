"""The preface, the handshake and its payloads, changed once each, and what must follow."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from enum import Enum
from typing import Callable

from codec import area, fields, u16, varint
from link import Opening
from noise_link import (
    AREA_MAXIMUM,
    INITIATOR,
    PAYLOAD_1_AREA_MAXIMUM,
    RESPONDER,
    Handshake,
    Introduction,
    handshake_message,
    preface,
)
from noise.backends.default.keypairs import KeyPair25519
from peer import Peer
from persons import Certificate, Person, certificate_of
from primitives import GROUP_ORDER, Identity
from realms import OPEN, RealmSecret
from vectors_link import with_order_two


class Due(Enum):
    """What the other side must do."""

    CLOSE = "the link closes, goaway 4 where there is one yet"
    STAY = "the link stays, nothing of it is shown"
    SHOW = "the link stays, and it is shown"
    HIDE = "nothing of it is shown; whether the link stays is not said"


# The handshake, from the initiator's side.


@dataclass(frozen=True)
class HandshakeForgery:
    name: str
    change: Callable[[Opening], None]
    accepted: bool = False
    # False where this side, not the other, finds the fault and closes.
    listed: bool = True


Change = Callable[[Introduction, bytes, bytes, Opening], bytes]


def with_introduction(change: Change) -> Callable[[Opening], None]:
    def apply(opening: Opening) -> None:
        opening.change_introduction = lambda good, h, static: change(good, h, static, opening)

    return apply


def flipped(data: bytes, index: int) -> bytes:
    out = bytearray(data)
    out[index] ^= 1
    return bytes(out)


def resigned(message: Callable[[bytes, bytes], bytes]) -> Change:
    """Signed by the right key, over something else."""
    return lambda good, h, static, opening: replace(
        good, signature=opening.identity.sign(message(h, static))
    ).packed()


def replaced(**parts: object) -> Change:
    return lambda good, h, static, opening: replace(good, **parts).packed()  # type: ignore[arg-type]


def after_front(raw: bytes) -> Change:
    """Other bytes in the place of the features and the area."""
    return lambda good, h, static, opening: good.front + raw


def certified(change: Callable[[Certificate, Opening], Certificate]) -> Change:
    return lambda good, h, static, opening: replace(
        good, certificate=change(good.certificate, opening)
    ).packed()


def set_preface(raw: bytes) -> Callable[[Opening], None]:
    def apply(opening: Opening) -> None:
        opening.preface = raw

    return apply


def message_1(change: Callable[[bytes], bytes]) -> Callable[[Opening], None]:
    def apply(opening: Opening) -> None:
        opening.change_message_1 = change

    return apply


def message_3(change: Callable[[bytes], bytes]) -> Callable[[Opening], None]:
    def apply(opening: Opening) -> None:
        opening.change_message_3 = change

    return apply


def high_s(signature: bytes) -> bytes:
    scalar = int.from_bytes(signature[32:], "little") + GROUP_ORDER
    return signature[:32] + scalar.to_bytes(32, "little")


UNIT_POINT = b"\x01" + bytes(31)
ORDER_8 = bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800")


def nobody() -> Identity:
    return Identity.from_seed(secrets.token_bytes(32))


def of_small_order(certificate: Certificate, opening: Opening, part: str) -> Certificate:
    """Signed well, by the person; only a key in it is bad."""
    person = nobody()
    keys = {"person": person.public, part: ORDER_8, "signature": b""}
    draft = replace(certificate, **keys)  # type: ignore[arg-type]
    return replace(draft, signature=person.sign(draft.message(opening.identity.public)))


def mixed_order(good: Introduction, h: bytes, static: bytes, opening: Opening) -> bytes:
    """A device key with a part of order 2, whose signature and certificate verify."""
    role = RESPONDER if good.dial == 0 else INITIATOR
    device, signature = with_order_two(opening.identity, handshake_message(role, h, static))
    certificate = Person(nobody(), b"\x02" * 32).certify(device, b"\x03" * 32, 1)
    changed = replace(good, device=device, signature=signature, certificate=certificate)
    return changed.packed()


def introductions(own: int) -> dict[str, tuple[Change, bool]]:
    """What may stand in payload 2 or 3, of which `own` is the role; whether it is to be taken."""
    sign = handshake_message
    other = RESPONDER if own == INITIATOR else INITIATOR
    port = area({2: u16(9)}, AREA_MAXIMUM)
    refused: dict[str, Change] = {
        "version 1": replaced(version=1),
        "version 3": replaced(version=3),
        "device": replaced(device=nobody().public),
        "device of small order": replaced(device=UNIT_POINT, signature=UNIT_POINT + bytes(32)),
        "device outside of the prime-order subgroup": mixed_order,
        "signature, R": lambda good, h, s, o: replace(
            good, signature=flipped(good.signature, 0)
        ).packed(),
        "signature, S": lambda good, h, s, o: replace(
            good, signature=flipped(good.signature, 32)
        ).packed(),
        "signature, S not reduced": lambda good, h, s, o: replace(
            good, signature=high_s(good.signature)
        ).packed(),
        "signed for the other role": resigned(lambda h, static: sign(other, h, static)),
        "signed for another hash": resigned(lambda h, static: sign(own, flipped(h, 0), static)),
        "signed for another static key": resigned(
            lambda h, static: sign(own, h, flipped(static, 0))
        ),
        "signed in the context of version 1": resigned(
            lambda h, static: sign(own, h, static).replace(b".v2", b".v1")
        ),
        "dial of the other role": replaced(dial=0 if own == INITIATOR else 1),
        "a byte more": lambda good, h, s, o: good.packed() + b"\x00",
        "a byte less": lambda good, h, s, o: good.packed()[:-1],
        "certificate of another device": certified(lambda good, o: certificate_of(nobody())),
        "certificate: P": certified(lambda good, o: replace(good, person=nobody().public)),
        "certificate: P of small order": certified(
            lambda good, o: replace(good, person=UNIT_POINT, signature=UNIT_POINT + bytes(32))
        ),
        "certificate: X": certified(lambda good, o: replace(good, address=b"\x09" + bytes(31))),
        "certificate: X of small order": certified(
            lambda good, o: of_small_order(good, o, "address")
        ),
        "certificate: E of small order": certified(
            lambda good, o: of_small_order(good, o, "device_address")
        ),
        "certificate: E": certified(
            lambda good, o: replace(good, device_address=b"\x09" + bytes(31))
        ),
        "certificate: added": certified(lambda good, o: replace(good, added=good.added + 1)),
        "certificate: signature": certified(
            lambda good, o: replace(good, signature=flipped(good.signature, 3))
        ),
        "features: 33 bytes": after_front(varint(33) + bytes(32) + b"\x01" + port),
        "features: the last byte 0": after_front(b"\x02\x01\x00" + port),
        "features: cut": after_front(b"\x09\x01"),
        "area: unknown odd": after_front(b"\x00" + area({3: b"x"}, AREA_MAXIMUM)),
        "area: types descend": after_front(b"\x00\x06\x04\x00\x02\x02\x00\x01"),
        "area: a type twice": after_front(b"\x00\x04\x04\x00\x04\x00"),
        "area: port of one byte": after_front(b"\x00" + area({2: b"x"}, AREA_MAXIMUM)),
        "area: port 0": after_front(b"\x00" + area({2: u16(0)}, AREA_MAXIMUM)),
        "area: port of three bytes": after_front(b"\x00" + area({2: b"xyz"}, AREA_MAXIMUM)),
        "area: cut": after_front(b"\x00\x03\x04\x05x"),
        "area: over 1,024": after_front(b"\x00" + varint(1_025) + fields({4: bytes(1_022)})),
    }
    more = {4: b"x", 2: u16(9), 600: b""}
    taken: dict[str, Change] = {
        "features: all bits, unknown ones, too": after_front(b"\x20" + b"\xff" * 32 + port),
        "area: unknown even": after_front(b"\x00" + area(more, AREA_MAXIMUM)),
        "area: of 1,024 bytes": after_front(b"\x00" + area({4: bytes(1_021)}, AREA_MAXIMUM)),
        "certificate: of an unknown person": certified(
            lambda good, o: Person(nobody(), b"\x05" * 32).certify(
                o.identity.public, b"\x06" * 32, 2**64 - 1
            )
        ),
    }
    return {name: (change, False) for name, change in refused.items()} | {
        name: (change, True) for name, change in taken.items()
    }


# Message 1.


def ephemeral(public: bytes) -> Callable[[Opening], None]:
    """Another public ephemeral key, with the realm tag and the hashes that belong to it."""

    def apply(opening: Opening) -> None:
        opening.tag = OPEN.handshake_tag(public)

        def change(handshake: Handshake) -> None:
            key = handshake.state.e
            handshake.state.e = KeyPair25519(key.private, key.public, public)

        opening.change_handshake = change

    return apply


def payload_1(raw: bytes) -> Callable[[Opening], None]:
    def apply(opening: Opening) -> None:
        opening.payload_1 = raw

    return apply


def tagged(tag: bytes) -> Callable[[Opening], None]:
    def apply(opening: Opening) -> None:
        opening.tag = tag

    return apply


def trying(*before: RealmSecret) -> Callable[[Opening], None]:
    """The open realm, after attempts for others."""

    def apply(opening: Opening) -> None:
        opening.secrets = [*before, OPEN]

    return apply


def handshake_forgeries() -> list[HandshakeForgery]:
    one = HandshakeForgery
    skipped = area({2: b"x", 600: b""}, PAYLOAD_1_AREA_MAXIMUM)
    out = [
        one("preface: flags set", set_preface(preface(flags=0xFFFF)), True),
        one("preface: highest above", set_preface(preface(1, 9)), True),
        one("preface: lowest 0", set_preface(preface(0, 2)), True),
        one("attempt: the open realm after 16 others", trying(*others(16)), True),
        one("attempt: 17 of realms that stoad is not in", trying(*others(17)), listed=False),
        one("attempt: another tag", tagged(bytes(16)), listed=False),
        one("attempt: the tag of another key", tagged(OPEN.handshake_tag(bytes(32))), listed=False),
        one("message 1: all zero", ephemeral(bytes(32))),
        one("message 1: a point of order 8", ephemeral(ORDER_8)),
        one("message 1: another key", message_1(lambda m: flipped(m, 5)), listed=False),
        one("message 1: payload sealed otherwise", message_1(lambda m: flipped(m, 33))),
        one("message 1: cut", message_1(lambda m: m[:-1])),
        one("message 1: longer", message_1(lambda m: m + b"x")),
        one("message 1: empty", message_1(lambda m: b"")),
        one("message 1: without a payload", payload_1(b"")),
        one("payload 1: unknown even types", payload_1(skipped), True),
        one("payload 1: 2,045 bytes", payload_1(longest_area(PAYLOAD_1_AREA_MAXIMUM)), True),
        one("payload 1: 2,046 bytes", payload_1(longest_area(PAYLOAD_1_AREA_MAXIMUM + 1))),
        one("payload 1: an unknown odd type", payload_1(area({3: b"x"}, 100))),
        one("payload 1: a byte more", payload_1(b"\x00\x00")),
        one("message 3: cut", message_3(lambda m: m[:-1])),
        one("message 3: longer", message_3(lambda m: m + b"\x00")),
        one("message 3: empty", message_3(lambda m: b"")),
    ]
    for index in (0, 31, 32, 47, 48, 49, 81, 145, 161, 329, -17, -16, -1):
        out.append(one(f"message 3: byte {index}", message_3(lambda m, i=index: flipped(m, i))))
    for name, (change, accepted) in introductions(INITIATOR).items():
        out.append(one(f"payload 3: {name}", with_introduction(change), accepted))
    return out


def others(count: int) -> list[RealmSecret]:
    return [RealmSecret.new() for _ in range(count)]


def longest_area(length: int) -> bytes:
    """An area of `length` bytes in one unknown even type."""
    return area({4: bytes(length - 3)}, length)


def responder_forgeries() -> list[HandshakeForgery]:
    """Message 2 and what stands before it; the dialler must send no message 3."""
    one = HandshakeForgery

    def answer(raw: bytes) -> Callable[[Opening], None]:
        def apply(opening: Opening) -> None:
            opening.answer = raw

        return apply

    def message_2(change: Callable[[bytes], bytes]) -> Callable[[Opening], None]:
        def apply(opening: Opening) -> None:
            opening.change_message_2 = change

        return apply

    def no_realm(opening: Opening) -> None:
        opening.secrets = []

    out = [
        one("answer: version 1", answer(b"\x01")),
        one("answer: version 3", answer(b"\x03")),
        one("answer: no version", answer(b"\x00\x03\x03")),
        one("answer: not in that realm", no_realm),
        one("answer: not in that realm, and message 2 for it", answer(b"\xff")),
        one("message 2: e of zeros", message_2(lambda m: bytes(32) + m[32:])),
        one("message 2: cut", message_2(lambda m: m[:-1])),
        one("message 2: longer", message_2(lambda m: m + b"\x00")),
    ]
    for index in (0, 32, 79, 80, 81, 113, 193, 361, -1):
        out.append(one(f"message 2: byte {index}", message_2(lambda m, i=index: flipped(m, i))))
    for name, (change, accepted) in introductions(RESPONDER).items():
        if not accepted:
            out.append(one(f"payload 2: {name}", with_introduction(change)))
    return out


class ForgingResponder(Peer):
    def __init__(self, change: Callable[[Opening], None]) -> None:
        super().__init__(name="forged")
        self.change = change

    def opening(self) -> Opening:
        opening = super().opening()
        self.change(opening)
        return opening
