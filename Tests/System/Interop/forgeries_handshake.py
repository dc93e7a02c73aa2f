"""The preface, the handshake and its payloads, changed once each, and what must follow."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from enum import Enum
from typing import Callable

from codec import extensions, u16, varint
from link import Opening
from noise_link import INITIATOR, RESPONDER, Hello, handshake_message, preface
from primitives import GROUP_ORDER, Identity


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


def with_hello(
    change: Callable[[Hello, bytes, bytes, Opening], bytes],
) -> Callable[[Opening], None]:
    def apply(opening: Opening) -> None:
        opening.change_hello = lambda hello, h, static: change(hello, h, static, opening)

    return apply


def flipped(data: bytes, index: int) -> bytes:
    out = bytearray(data)
    out[index] ^= 1
    return bytes(out)


def resigned(
    hello: Hello, opening: Opening, message: Callable[[bytes, bytes], bytes]
) -> Callable[[bytes, bytes], bytes]:
    def make(h: bytes, static: bytes) -> bytes:
        return replace(hello, signature=opening.identity.sign(message(h, static))).packed()

    return make


def capabilities(raw: bytes) -> Callable[[Opening], None]:
    def change(hello: Hello, h: bytes, static: bytes, opening: Opening) -> bytes:
        bare = replace(hello, capabilities={}).packed()
        return bare[:-1] + varint(len(raw)) + raw

    return with_hello(change)


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


def handshake_forgeries() -> list[HandshakeForgery]:
    one = HandshakeForgery
    sign = handshake_message
    out = [
        one("preface: flags set", set_preface(preface(flags=0xFFFF)), True),
        one("preface: highest above", set_preface(preface(1, 9)), True),
        one("preface: lowest 0", set_preface(preface(0, 1)), True),
        one("message 1: all zero", message_1(lambda m: bytes(32))),
        one("message 1: the point of order 1", message_1(lambda m: UNIT_POINT)),
        one("message 1: a payload", message_1(lambda m: m + b"x")),
        one("message 1: cut", message_1(lambda m: m[:-1])),
        one("message 1: empty", message_1(lambda m: b"")),
        one("message 1: another key", message_1(lambda m: flipped(m, 5)), listed=False),
        one("message 3: cut", message_3(lambda m: m[:-1])),
        one("message 3: longer", message_3(lambda m: m + b"\x00")),
        one("message 3: empty", message_3(lambda m: b"")),
    ]
    for index in (0, 31, 32, 47, 48, 49, 81, 145, -17, -16, -1):
        out.append(one(f"message 3: byte {index}", message_3(lambda m, i=index: flipped(m, i))))
    hellos: dict[str, Callable[[Hello, bytes, bytes, Opening], bytes]] = {
        "version": lambda hello, h, s, o: replace(hello, version=2).packed(),
        "identity": lambda hello, h, s, o: replace(
            hello, identity=Identity.from_seed(secrets.token_bytes(32)).public
        ).packed(),
        "identity of small order": lambda hello, h, s, o: replace(
            hello, identity=UNIT_POINT, signature=UNIT_POINT + bytes(32)
        ).packed(),
        "signature, R": lambda hello, h, s, o: replace(
            hello, signature=flipped(hello.signature, 0)
        ).packed(),
        "signature, S": lambda hello, h, s, o: replace(
            hello, signature=flipped(hello.signature, 32)
        ).packed(),
        "signature, S not reduced": lambda hello, h, s, o: replace(
            hello, signature=high_s(hello.signature)
        ).packed(),
        "signed for the other role": lambda hello, h, s, o: resigned(
            hello, o, lambda a, b: sign(RESPONDER, a, b)
        )(h, s),
        "signed for another hash": lambda hello, h, s, o: resigned(
            hello, o, lambda a, b: sign(INITIATOR, flipped(a, 0), b)
        )(h, s),
        "signed for another static key": lambda hello, h, s, o: resigned(
            hello, o, lambda a, b: sign(INITIATOR, a, flipped(b, 0))
        )(h, s),
        "signed in another context": lambda hello, h, s, o: resigned(
            hello, o, lambda a, b: sign(INITIATOR, a, b).replace(b".v1", b".v2")
        )(h, s),
        "dial 0": lambda hello, h, s, o: replace(hello, dial=0).packed(),
        "a byte more": lambda hello, h, s, o: hello.packed() + b"\x00",
        "a byte less": lambda hello, h, s, o: hello.packed()[:-1],
    }
    for name, change in hellos.items():
        out.append(one(f"payload 3: {name}", with_hello(change)))
    sets = {
        "capabilities: unknown odd": (extensions({3: b"x"}), False),
        "capabilities: types descend": (b"\x04\x00\x02\x02\x00\x01", False),
        "capabilities: a type twice": (b"\x04\x00\x04\x00", False),
        "capabilities: port of one byte": (extensions({2: b"x"}), False),
        "capabilities: port 0": (extensions({2: u16(0)}), False),
        "capabilities: port of three bytes": (extensions({2: b"xyz"}), False),
        "capabilities: cut": (b"\x04\x05x", False),
        "capabilities: over 1024": (extensions({4: bytes(1_022)}), False),
        "capabilities: unknown even": (extensions({4: b"x", 2: u16(9), 600: b""}), True),
        "capabilities: 1024": (extensions({4: bytes(1_021)}), True),
    }
    for name, (raw, accepted) in sets.items():
        out.append(one(f"payload 3: {name}", capabilities(raw), accepted))
    return out


def responder_forgeries() -> list[HandshakeForgery]:
    """Message 2 and what stands before it; the dialler must send no message 3."""
    one = HandshakeForgery
    sign = handshake_message

    def answer(raw: bytes) -> Callable[[Opening], None]:
        def apply(opening: Opening) -> None:
            opening.answer = raw

        return apply

    def message_2(change: Callable[[bytes], bytes]) -> Callable[[Opening], None]:
        def apply(opening: Opening) -> None:
            opening.change_message_2 = change

        return apply

    out = [
        one("answer: version 2", answer(b"\x02")),
        one("answer: no version", answer(b"\x00\x02\x02")),
        one("message 2: e of zeros", message_2(lambda m: bytes(32) + m[32:])),
        one("message 2: cut", message_2(lambda m: m[:-1])),
        one("message 2: longer", message_2(lambda m: m + b"\x00")),
    ]
    for index in (0, 32, 79, 80, 81, 113, -1):
        out.append(one(f"message 2: byte {index}", message_2(lambda m, i=index: flipped(m, i))))
    hellos: dict[str, Callable[[Hello, bytes, bytes, Opening], bytes]] = {
        "version": lambda hello, h, s, o: replace(hello, version=2).packed(),
        "identity": lambda hello, h, s, o: replace(
            hello, identity=Identity.from_seed(secrets.token_bytes(32)).public
        ).packed(),
        "signature": lambda hello, h, s, o: replace(
            hello, signature=flipped(hello.signature, 3)
        ).packed(),
        "signed for the other role": lambda hello, h, s, o: resigned(
            hello, o, lambda a, b: sign(INITIATOR, a, b)
        )(h, s),
        "dial 1": lambda hello, h, s, o: replace(hello, dial=1).packed(),
        "a byte more": lambda hello, h, s, o: hello.packed() + b"\x00",
    }
    for name, change in hellos.items():
        out.append(one(f"payload 2: {name}", with_hello(change)))
    out.append(one("payload 2: capabilities: unknown odd", capabilities(extensions({3: b"x"}))))
    return out
