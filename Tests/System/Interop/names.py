"""The names of rooms and streams: Docs/Protocol/Entries.md §1."""

from __future__ import annotations

import unicodedata

CHARACTERS_MAXIMUM = 64
BYTES_MAXIMUM = 255
PUNCTUATION = "-_.\u00b7\u05f3\u05f4\u0f0b\u30fb"
JOINERS = "\u200c\u200d"
# Of the letters and marks, those with the property Default_Ignorable_Code_Point, which Python does not know.
UNSEEN = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x3164, 0xFFA0}
UNSEEN |= {*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}


def folded(text: str) -> str:
    out: list[str] = []
    for scalar in unicodedata.normalize("NFC", text).casefold():
        if scalar == "\u0307" and out and out[-1] in "ij":
            continue
        out.append(scalar)
    return unicodedata.normalize("NFC", "".join(out))


def key(name: str) -> str:
    """What the id of a room is made of."""
    return folded("".join(scalar for scalar in name if scalar not in JOINERS))


def spelled(typed: str) -> str:
    """What is typed, as a name is sent; it need not be one."""
    out: list[str] = []
    for scalar in folded(typed):
        if scalar not in JOINERS or out and _may_be_joined(out[-1]):
            out.append(scalar)
    return "".join(out)


def is_room_name(name: str) -> bool:
    if not 1 <= len(name) <= CHARACTERS_MAXIMUM or len(name.encode()) > BYTES_MAXIMUM:
        return False
    before = ""
    for scalar in name:
        if not _may_stand(scalar, before):
            return False
        before = scalar
    return folded(name) == name


def is_stream_name(name: str) -> bool:
    return is_room_name(name) and key(name) == name


def _may_be_joined(scalar: str) -> bool:
    return not scalar.isascii() and unicodedata.category(scalar)[0] in "LM"


def _may_stand(scalar: str, before: str) -> bool:
    if scalar in PUNCTUATION:
        return before != ""
    if scalar in JOINERS:
        return before != "" and _may_be_joined(before)
    if ord(scalar) in UNSEEN:
        return False
    category = unicodedata.category(scalar)
    if category in ("Mn", "Mc"):
        return before != "" and before not in PUNCTUATION
    return category[0] in "LN"
