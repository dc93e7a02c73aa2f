"""The golden vectors of `realms-2.txt`: which realms and conversations a link serves."""

from __future__ import annotations

import frames
from addresses import addresses
from codec import text, varint
from entries import room_id
from frames import Frame, Type
from noise_link import INITIATOR, RESPONDER
from realms import OPEN, invitation
from story import CIRCLE, CONVERSATION, MILLISECONDS, records_of
from summaries import Tags
from vectors_entries import ROOMS

Lines = dict[str, bytes]


def refusals(tag: bytes) -> Lines:
    low, high = b"\x01" * 32, b"\x02" * 32

    def many(count: int, length: int) -> bytes:
        return varint(count) + b"".join(n.to_bytes(length, "big") for n in range(count))

    a, b = text("a", 64), text("b", 64)
    long = (text(f"{index:03}" + "a" * 61, 64) for index in range(70))
    over = (text(chr(0x80 + index), 64) for index in range(1_025))
    bodies = {
        "realmsNone": (Type.REALMS, b"\x00"),
        "realmsSeven": (Type.REALMS, many(7, 16)),
        "realmsNine": (Type.REALMS, many(9, 16)),
        "realmsSixtyFour": (Type.REALMS, many(64, 16)),
        "realmsOrder": (Type.REALMS, b"\x08" + many(8, 16)[1:][::-1]),
        "realmsTwice": (Type.REALMS, b"\x08" + low[:16] * 8),
        "realmsCut": (Type.REALMS, many(8, 16)[:-1]),
        "realmsTrailing": (Type.REALMS, many(8, 16) + b"\x00"),
        "roomsBare": (Type.ROOMS, tag),
        "roomsZero": (Type.ROOMS, tag + b"\x00"),
        "roomsOrder": (Type.ROOMS, tag + b"\x02" + b + a),
        "roomsTwice": (Type.ROOMS, tag + b"\x02" + a + a),
        "roomsOver": (Type.ROOMS, tag + varint(1_025) + b"".join(over)),
        "roomsLatin": (Type.ROOMS, tag + b"\x01\x01\xe9"),
        "roomsLong": (Type.ROOMS, tag + b"\x01" + varint(256) + b"a" * 256),
        "channelZeroOver": (Type.ROOMS, tag + varint(70) + b"".join(long)),
        "roomsLeftZero": (Type.ROOMS_LEFT, b"\x00"),
        "roomsLeftOrder": (Type.ROOMS_LEFT, b"\x02" + high + low),
        "roomsLeftTwice": (Type.ROOMS_LEFT, b"\x02" + low + low),
        "roomsLeftOver": (Type.ROOMS_LEFT, many(121, 32)),
        "addressesBare": (Type.ADDRESSES, tag),
        "addressesOrder": (Type.ADDRESSES, tag + b"\x02" + high[:8] + low[:8] + b"\x00"),
        "addressesTwice": (Type.ADDRESSES, tag + b"\x02" + low[:8] * 2 + b"\x00"),
        "addressesOver": (Type.ADDRESSES, tag + many(257, 8) + b"\x00"),
        "addressesRecord": (Type.ADDRESSES, tag + b"\x00\x01\x03abc"),
        "addressesTrailing": (Type.ADDRESSES, tag + b"\x00\x00\x00"),
        "sharesNone": (Type.SHARES, b"\x00"),
        "sharesSeventeen": (Type.SHARES, many(17, 8)),
        "sharesOver": (Type.SHARES, many(16_384, 8)),
        "sharesOrder": (Type.SHARES, b"\x10" + many(16, 8)[1:][::-1]),
        "sharesTwice": (Type.SHARES, b"\x10" + low[:8] * 16),
        "sharesCut": (Type.SHARES, many(16, 8)[:-1]),
    }
    return {name: Frame(kind, body).packed() for name, (kind, body) in bodies.items()}


def realms_vectors(exporter: bytes) -> Lines:
    lines: Lines = {}
    tags = Tags(exporter, INITIATOR)
    sides = (("initiator", INITIATOR), ("responder", RESPONDER))
    for name, secret in (("open", OPEN), ("circle", CIRCLE)):
        for side, role in sides:
            lines[f"tag.realm.{name}.{side}"] = secret.link_tag(exporter, role)
    lines["tag.share.initiator"] = tags.share(CONVERSATION)
    lines["tag.share.responder"] = tags.other.share(CONVERSATION)

    lines["invitation.circle"] = invitation("circle", CIRCLE).encode()
    renewed = invitation("circle", CIRCLE, (b"\xc3" * 32, MILLISECONDS))
    lines["invitation.circle.renewed"] = renewed.encode()

    def others(count: int, length: int) -> list[bytes]:
        return [bytes([index]) * length for index in range(count)]

    own = [secret.link_tag(exporter, INITIATOR) for secret in (OPEN, CIRCLE)]
    every = {
        "realms": frames.realms([*own, *others(6, 16)]),
        "realms.16": frames.realms(others(16, 16)),
        "realms.32": frames.realms(others(32, 16)),
        "rooms": frames.rooms(own[0], ROOMS.values()),
        "rooms.circle": frames.rooms(own[1], ["agora"]),
        "rooms.noNames": frames.rooms(own[0], ["", "-a", "A", "a b", "Ä"]),
        "addresses": addresses(own[1], others(3, 8), [records_of()["ada"].packed()]),
        "addresses.none": addresses(own[1], [], []),
        "roomsLeft": frames.rooms_left(room_id(name) for name in ROOMS.values()),
        "shares": frames.shares([tags.share(CONVERSATION), *others(15, 8)]),
        "shares.64": frames.shares(others(64, 8)),
        "shares.256": frames.shares(others(256, 8)),
    }
    lines.update({f"frame.{name}": frame.packed() for name, frame in every.items()})
    for name, data in refusals(own[0]).items():
        lines[f"refuse.frame.{name}"] = data
    return lines
