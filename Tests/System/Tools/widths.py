#!/usr/bin/env python3
"""Writes the table of characters that take two cells of a terminal, from Python's Unicode data.

    widths.py > Sources/ControlAPI/Text/WideCharacters.swift
"""

from __future__ import annotations

import unicodedata


def is_wide(code: int) -> bool:
    character = chr(code)
    return (
        unicodedata.east_asian_width(character) in "WF"
        and unicodedata.category(character) not in ("Mn", "Me", "Cn"))


def main() -> None:
    ranges: list[tuple[int, int]] = []
    for code in range(0x1100, 0x110000):
        # Ideographs to come are wide already, as Unicode says of their planes.
        if is_wide(code) or 0x20000 <= code <= 0x2FFFD or 0x30000 <= code <= 0x3FFFD:
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1] = (ranges[-1][0], code)
            else:
                ranges.append((code, code))
    print("/// Characters that take two cells of a terminal; made by `Tests/System/Tools/widths.py`.")
    print("enum WideCharacters {")
    print("    /// The first and the last of each run, in ascending order.")
    print("    static let runs: [UInt32] = [")
    for index in range(0, len(ranges), 4):
        print("        " + " ".join(f"0x{a:X}, 0x{b:X}," for a, b in ranges[index:index + 4]))
    print("    ]")
    print("}")


main()
