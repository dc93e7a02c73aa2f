"""Writes the golden vectors that Docs/Protocol/Vectors.md describes.

vectors.py --write FOLDER    writes the files
vectors.py --check FOLDER    makes them again and compares byte for byte
"""

from __future__ import annotations

import argparse
import functools
import sys
from pathlib import Path

from vectors_entries import entries_vectors
from vectors_files import files_vectors
from vectors_groups import groups_vectors
from vectors_link import link_vectors
from vectors_names import names_vectors
from vectors_private import private_vectors
from vectors_realms import realms_vectors
from vectors_sync import sync_vectors

Lines = dict[str, bytes]


@functools.cache
def files() -> dict[str, Lines]:
    """The lines of each file, by its name."""
    link, exporter = link_vectors()
    return {
        "link-2.txt": link,
        "entries-2.txt": entries_vectors(),
        "sync-2.txt": sync_vectors(exporter),
        "realms-2.txt": realms_vectors(exporter),
        "private-2.txt": private_vectors(),
        "files-2.txt": files_vectors(),
        "groups-2.txt": groups_vectors(),
        "names-2.txt": names_vectors(),
    }


@functools.cache
def vectors() -> Lines:
    """The lines of all files; no name stands in two."""
    merged: Lines = {}
    for lines in files().values():
        assert not merged.keys() & lines.keys()
        merged |= lines
    return merged


def render(lines: Lines) -> str:
    return "".join(f"{name} {value.hex()}\n" for name, value in lines.items())


def differs(path: Path, due: str) -> bool:
    """Compares byte for byte, and says where a file differs first."""
    found = path.read_text(encoding="ascii") if path.exists() else ""
    if found == due:
        print(f"{path.name}: {due.count(chr(10))} vectors are as they should be")
        return False
    pairs = zip(found.splitlines(), due.splitlines(), strict=False)
    different = next((new for old, new in pairs if old != new), "the number of lines")
    print(f"{path} differs, first at: {different.split(' ')[0]}", file=sys.stderr)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description="Golden vectors of the protocol, version 2.")
    parser.add_argument("--check", type=Path, metavar="FOLDER")
    parser.add_argument("--write", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    due = {name: render(lines) for name, lines in files().items()}
    if arguments.write is not None:
        for name, lines in due.items():
            (arguments.write / name).write_text(lines, encoding="ascii")
    if arguments.check is None:
        return 0
    faults = [differs(arguments.check / name, lines) for name, lines in due.items()]
    others = {path.name for path in arguments.check.glob("*.txt")} - due.keys()
    for name in sorted(others):
        print(f"{name} is not one of the files", file=sys.stderr)
    return 1 if any(faults) or others else 0


if __name__ == "__main__":
    sys.exit(main())
