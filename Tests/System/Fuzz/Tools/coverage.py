"""How much of its decoder each target's corpus reaches.

    coverage.py FUZZ [--lines] [TARGET...]

FUZZ is the program of `build.sh coverage`. Runs every committed corpus and prints a row per target: the
lines of the decoder's functions, and how many of them ran. Ends with `N passed, N failed`; a target fails
below 90 percent. With --lines also the lines that did not run.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import corpus

ROOT = Path(__file__).resolve().parents[4]
DUE = 0.90
# Those of the compiler: others may not know its format.
TOOLS = Path(shutil.which("swiftc") or "").resolve().parent

# What a target is for: files below Sources, each with the functions that count (all where none is named).
WIRE = {"Engine/Wire/WireReader.swift": r"func (byte|u64|varint|count|bytes32|finish)\("}
ENTRY = {"Engine/Log/Run+Coding.swift": r"Entry", "Engine/Log/Entry.swift": r"Extensions"}
RUN = {"Engine/Log/Run+Coding.swift": None, "Engine/Log/Run.swift": None}
DECODERS: dict[str, dict[str, str | None]] = {
    "preface": {
        "Engine/Link/Preface.swift": None,
        "Engine/Link/Session.swift": r"readPreface|readVersion|receive|step|take",
    },
    "noise": {
        "Crypto/HandshakeState.swift": None,
        "Crypto/TransportState.swift": r"init|encrypt|decrypt|messages",
        "Crypto/SymmetricState.swift": None,
        "Crypto/CipherState.swift": r"init|encrypt|decrypt",
    },
    "introduction": {
        "Engine/Link/Introduction.swift": None,
        "Engine/Link/Session.swift": r"readHandshake|introduction|establish|writeIntroduction",
        "Engine/Log/Entry.swift": r"Extensions",
    },
    "session": {
        "Engine/Link/Session.swift": r"readTransport|receive|step|take|output|send|encrypt",
        "Engine/Wire/FrameReader.swift": None,
    },
    "frames": {
        "Engine/Wire/FrameReader.swift": None,
        "Engine/Wire/FrameQueue.swift": None,
        "Engine/Wire/Frame+Coding.swift": None,
        "Engine/Wire/WireReader.swift": None,
    },
    "clock": {
        "Engine/Wire/Frame+Coding.swift": r"clock|recordClock|want",
        **WIRE,
    },
    "control-frames": {"Engine/Wire/Frame+Coding.swift": r"rooms|roomsLeft"},
    "entry": {**ENTRY, "Engine/Log/Content.swift": None, "Engine/Log/Entry.swift": None},
    "run": RUN,
    "fork-proof": {"Engine/Log/ForkProof.swift": None, **RUN},
    "record": {"Engine/Log/Record.swift": None},
    "control-line": {
        "ControlAPI/RPC/LineCodec.swift": None,
        "ControlAPI/RPC/Incoming.swift": None,
        "ControlAPI/RPC/Request.swift": None,
        "ControlAPI/RPC/BatchReply.swift": None,
        "ControlAPI/RPC/Response.swift": None,
        "ControlAPI/Methods/MethodCall.swift": None,
        "ControlAPI/Methods/Arguments.swift": None,
        **{
            f"ControlAPI/Methods/{name}Params.swift": None
            for name in (
                *("Send", "History", "Subscribe", "Acknowledge", "Unsubscribe", "Connect"),
                *("Profile", "Whois", "Join", "Leave"),
            )
        },
    },
    "json": {
        "ControlAPI/JSON/JSON+Parsing.swift": None,
        "ControlAPI/JSON/JSON+Writing.swift": None,
        "ControlAPI/JSON/JSONError.swift": None,
    },
    "configuration": {
        "Daemon/Configuration/ConfigurationFile.swift": None,
        "Daemon/Configuration/Configuration.swift": r"^extension",
        "Daemon/Peers/PeerAddress.swift": r"init|numeric",
    },
    "arguments": {
        "Daemon/Configuration/DaemonCommand.swift": r"(?<!public )init\(|unknown",
        "Daemon/Configuration/Configuration.swift": r"^extension",
    },
    "address": {
        "Daemon/Peers/PeerAddress.swift": None,
        "Posix/IPAddress.swift": None,
        "Posix/SocketAddress.swift": r"split|description|init.*String",
    },
    "text": {
        "Engine/Base32.swift": None,
        "Engine/Log/RoomName.swift": None,
        "ControlAPI/Base32.swift": None,
        "ControlAPI/Timestamp.swift": None,
        "ControlAPI/Text/TerminalText.swift": None,
    },
    "txt": {"Discovery/TXTRecord.swift": None},
    "sightings": {"Discovery/InstanceTable.swift": None},
}


def lines_of(fuzz: Path, target: str, folder: Path) -> dict[str, dict[int, bool]]:
    """The lines of every file that hold code, and whether they ran."""
    inputs = folder / target
    corpus.unpack(target, inputs)
    raw, merged = folder / f"{target}.profraw", folder / f"{target}.profdata"
    files = sorted(str(path) for path in inputs.iterdir())
    run = [str(fuzz), "--replay", target, *files]
    subprocess.run(
        run, check=True, stdout=subprocess.DEVNULL, env={"LLVM_PROFILE_FILE": str(raw)}
    )
    subprocess.run([TOOLS / "llvm-profdata", "merge", "-o", merged, raw], check=True)
    shown = subprocess.run(
        [TOOLS / "llvm-cov", "export", "-format=lcov", f"-instr-profile={merged}", str(fuzz)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    found: dict[str, dict[int, bool]] = {}
    name = ""
    for line in shown.splitlines():
        if line.startswith("SF:"):
            name = line[3:].rpartition("/Sources/")[2]
        elif line.startswith("DA:"):
            number, count = line[3:].split(",")[:2]
            found.setdefault(name, {})[int(number)] = int(count) > 0
    return found


def functions(path: str) -> list[tuple[str, int, int]]:
    """The functions of a formatted Swift file: what declares each, its first line and its last."""
    found = []
    opened: list[tuple[int, str, int]] = []
    context: list[tuple[int, str]] = []
    declares = re.compile(r"\b(func|init|var|subscript)\b")
    head = ""
    for number, line in enumerate((ROOT / "Sources" / path).read_text().splitlines(), 1):
        depth = len(line) - len(line.lstrip())
        code = line.split("//")[0].strip()
        while opened and code and depth <= opened[-1][0] and code.startswith(("}", "]")):
            start = opened.pop()
            found.append((start[1], start[2], number))
        if re.match(r"(public |private |fileprivate )*(extension|struct|enum|class)\b", code):
            context = [item for item in context if item[0] < depth] + [(depth, code)]
        if declares.search(code.split("=")[0]) and not opened:
            head = " ".join(item[1] for item in context if item[0] < depth) + " " + code
            if code.endswith("}") and "{" in code:
                found.append((head, number, number))
            else:
                opened.append((depth, head, number))
    return found


def counted(path: str, pattern: str | None, lines: dict[int, bool]) -> dict[int, bool]:
    if pattern is None:
        return lines
    kept: dict[int, bool] = {}
    for head, first, last in functions(path):
        if re.search(pattern, head):
            kept |= {number: lines[number] for number in lines if first <= number <= last}
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(description="Line coverage of each target's decoder.")
    parser.add_argument("fuzz", type=Path)
    parser.add_argument("--lines", action="store_true")
    parser.add_argument("targets", nargs="*", default=list(DECODERS))
    arguments = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for target in arguments.targets:
            found = lines_of(arguments.fuzz.resolve(), target, Path(folder))
            ran = total = 0
            missed: list[str] = []
            for path, pattern in DECODERS[target].items():
                kept = counted(path, pattern, found.get(path, {}))
                if not kept:
                    raise SystemExit(f"{target}: no code in {path}")
                ran += sum(kept.values())
                total += len(kept)
                missed += [f"{path}:{number}" for number, did in sorted(kept.items()) if not did]
            print(f"{target:16}{ran:6} of {total:5} lines {100 * ran / total:6.1f} %")
            if arguments.lines and missed:
                print(*(f"    {place}" for place in missed), sep="\n")
            passed += ran >= DUE * total
            failed += ran < DUE * total
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
