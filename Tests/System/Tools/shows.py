#!/usr/bin/env python3
"""Prints each promise of Docs/Protocol/Threats.md by its tag, with the tests that show it.

    shows.py [TAG-OR-BEGINNING...]       # shows.py wire. shown.clock
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[3]
PROMISE = re.compile(r"^\| `([a-z-]+\.[a-z-]+)` \|")
SHOWS = re.compile(r"^\s*(?://|#) Shows: (.+)$")


def promises() -> list[str]:
    page = (ROOT / "Docs/Protocol/Threats.md").read_text()
    return [found[1] for found in map(PROMISE.match, page.splitlines()) if found]


def title(lines: list[str]) -> str:
    """What the test is called whose first line comes first."""
    text = " ".join(line.strip() for line in lines[:4])
    sentence = re.match(r'@(?:Test|Suite)\(\s*"((?:[^"\\]|\\.|" \+ ")*)"', text)
    return sentence[1].replace('" + "', "") if sentence else lines[0].strip().rstrip(":")


def main() -> None:
    tests: dict[str, list[str]] = {tag: [] for tag in promises()}
    for path in sorted(ROOT.glob("Tests/**/*")):
        if path.suffix not in (".swift", ".py", ".sh"):
            continue
        lines = path.read_text().splitlines()
        for index, line in enumerate(lines):
            found = SHOWS.match(line)
            for tag in found[1].split(", ") if found else []:
                place = f"{path.relative_to(ROOT)}:{index + 2}"
                tests.setdefault(tag, []).append(f"{place}: {title(lines[index + 1:])}")
    for tag, places in tests.items():
        if len(sys.argv) < 2 or tag.startswith(tuple(sys.argv[1:])):
            print(tag)
            for place in places:
                print(f"  {place}")


if __name__ == "__main__":
    main()
