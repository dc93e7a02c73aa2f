#!/usr/bin/env python3
"""Writes Sources/CWords/table.h: the words of which phrases of secret rooms are made.

    apt install diceware; Tests/System/Tools/words.py      # writes the table anew

It is the Electronic Frontier Foundation's long list (2016, CC BY 3.0), of which no word is another
one's beginning and which has nothing rude in it. Written anew with another list, all phrases that
people hold would mean other rooms: Docs/Protocol/Entries.md section 1 has the table's hash.
"""

import pathlib
import sys

SOURCE = "/usr/lib/python3/dist-packages/diceware/wordlists/wordlist_en_eff.txt"
TARGET = pathlib.Path(__file__).parents[3] / "Sources/CWords/table.h"


def main():
    source = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE)
    words = sorted(line.split()[1] for line in source.read_text().splitlines())
    assert len(set(words)) == 7776
    assert all(3 <= len(word) <= 9 and word.isascii() for word in words)
    lines, line = [], "   "
    for word in words:
        item = f' "{word}",'
        if len(line) + len(item) > 100:
            lines.append(line)
            line = "   "
        line += item
    body = "\n".join(lines + [line])
    TARGET.write_text(
        "/* Written by Tests/System/Tools/words.py; do not edit. */\n\n"
        "/* The EFF's long list of words for dice, in alphabetical order. Copyright 2016 Electronic\n"
        "   Frontier Foundation, CC BY 3.0, https://www.eff.org/dice */\n"
        f"static const char words[7776][10] = {{\n{body}\n}};\n")


if __name__ == "__main__":
    main()
