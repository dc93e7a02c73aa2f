"""Corpora between the form that is committed and the folders that libFuzzer works in.

    corpus.py unpack NAME FOLDER      adds the inputs of Corpus/NAME.hex and FailCases/NAME as files
    corpus.py pack NAME FOLDER        writes Corpus/NAME.hex anew from the files

Corpus/NAME.hex has one input in a line, in hexadecimal, the shortest first; `-` is the empty input.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

FUZZ = Path(__file__).resolve().parents[1]


def unpack(name: str, folder: Path) -> None:
    inputs = []
    packed = FUZZ / "Corpus" / f"{name}.hex"
    if packed.exists():
        inputs = [bytes.fromhex(line.strip("-")) for line in packed.read_text().splitlines()]
    cases = FUZZ / "FailCases" / name
    if cases.exists():
        inputs += [path.read_bytes() for path in sorted(cases.iterdir())]
    folder.mkdir(parents=True, exist_ok=True)
    for data in inputs:
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def pack(name: str, folder: Path) -> None:
    inputs = {path.read_bytes() for path in folder.iterdir()}
    lines = [data.hex() or "-" for data in sorted(inputs, key=lambda data: (len(data), data))]
    (FUZZ / "Corpus" / f"{name}.hex").write_text("".join(line + "\n" for line in lines))


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("pack", "unpack"):
        sys.exit(__doc__)
    {"pack": pack, "unpack": unpack}[sys.argv[1]](sys.argv[2], Path(sys.argv[3]))
