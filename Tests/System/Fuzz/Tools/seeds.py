"""Writes the inputs that fuzzing starts from: what real nodes say, and the golden vectors.

    seeds.py --stoad PATH --stoa PATH FOLDER       (with the Python of Tests/System/Interop/run.sh)

Runs the scenarios of the independent peer against a real stoad and keeps what passes, both ways: every
plaintext, handshake message and control line. Each becomes an input of all targets that it suits, one
file FOLDER/TARGET/HASH.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TESTS), str(TESTS / "Interop")]

import frames  # noqa: E402
import noise_link  # noqa: E402
from Driver import control  # noqa: E402
from Driver.checks import Checks  # noqa: E402
from Driver.daemon import Programs  # noqa: E402
from codec import Reader, Refused, text, u8, u16, u64, varint  # noqa: E402
from entries import read_fork_proof, read_run  # noqa: E402
from frames import Type  # noqa: E402
from rig import Rig  # noqa: E402
from run_interop import SCENARIOS  # noqa: E402

LINK_BYTES = 20_000
# Of one shape so many are kept: a scenario sends thousands that differ in their ids only.
OF_ONE_SHAPE = 3
CLOCKS = [
    *(Type.CLOCK, Type.RECORD_CLOCK, Type.DIGEST, Type.WANT, Type.UNAVAILABLE),
    *(Type.BUCKETS, Type.DELTA),
]
CONTROLS = [
    *(Type.PING, Type.PONG, Type.CREDIT, Type.GOAWAY, Type.REALMS, Type.ROOMS),
    *(Type.ROOMS_LEFT, Type.SHARES, Type.DIAL_BACK, Type.DIALLED_BACK, Type.EPHEMERAL),
    Type.PRESENCE,
]


class Seeds:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shapes: dict[tuple[Any, ...], int] = {}
        self.counts: dict[str, int] = {}

    def keep(self, target: str, data: bytes, *shape: Any) -> None:
        if shape:
            key = (target, *shape)
            self.shapes[key] = self.shapes.get(key, 0) + 1
            if self.shapes[key] > OF_ONE_SHAPE:
                return
        path = self.folder / target / hashlib.sha256(data).hexdigest()[:16]
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(data)
            self.counts[target] = self.counts.get(target, 0) + 1

    # What a link says.

    def plaintexts(self, said: list[bytes], *shape: Any) -> None:
        packed = b"".join(u16(len(item)) + item for item in said)
        self.keep("frames", packed, "frames", *shape)
        self.keep("session", b"\x00\x00" + packed, *shape)
        self.keep("session", b"\x01\x07" + packed, 1, *shape)

    def frame(self, frame: frames.Frame, source: str) -> None:
        kind, body = frame.kind, frame.body
        size = len(body).bit_length()
        if kind in CLOCKS:
            self.keep("clock", u8(CLOCKS.index(Type(kind))) + body, kind, size, source)
        elif kind in CONTROLS:
            self.keep("control-frames", u8(CONTROLS.index(Type(kind))) + body, kind, size, source)
        elif kind in (Type.LIVE_RUN, Type.SYNC_RUN):
            self.run(body, source)
        elif kind == Type.FORK_PROOF:
            self.proof(body, source)
        elif kind == Type.RECORDS:
            reader = Reader(body)
            try:
                for _ in range(reader.varint()):
                    self.record(reader.take(reader.varint()), source)
            except Refused:
                pass

    def run(self, packed: bytes, source: str) -> None:
        if len(packed) > 8_000:
            return
        size = len(packed).bit_length()
        for flag in (0, 1):
            self.keep("run", u8(flag) + packed, flag, size, source)
        try:
            run = read_run(packed)
        except Refused:
            return
        before = None
        for entry in run.entries:
            head = b"\x00" if before is None else b"\x01" + u64(before)
            data = head + entry.packed(before)
            self.keep("entry", data, entry.kind, entry.form, before is None, len(data).bit_length())
            before = entry.hlc

    def proof(self, packed: bytes, source: str) -> None:
        if len(packed) > 8_000:
            return
        for flag in (0, 1):
            self.keep("fork-proof", u8(flag) + packed, flag, len(packed).bit_length(), source)
        try:
            proof = read_fork_proof(packed)
        except Refused:
            return
        self.run(proof.lower.packed(), source)

    def record(self, packed: bytes, source: str) -> None:
        for flag in (0, 1):
            self.keep("record", u8(flag) + packed, flag, len(packed).bit_length(), source)
        value = packed[43:-64]
        self.keep("record", b"\x02" + value, len(value).bit_length(), source)

    def line(self, line: bytes) -> None:
        packet = json.loads(line)
        shape = (packet.get("method"), sorted(packet.get("params", {})), sorted(packet))
        self.keep("control-line", b"\x00" + line, str(shape))
        self.keep("json", line.rstrip(b"\n"), str(shape))
        for value in packet.get("params", {}).values():
            if isinstance(value, str):
                self.keep("text", value.encode(), len(value))
        if packet.get("method") == "connect":
            self.keep("address", packet["params"]["address"].encode())


class Tap:
    """Sees what the independent peer sends and receives, and changes nothing."""

    def __init__(self, seeds: Seeds) -> None:
        self.seeds = seeds
        self.links: dict[int, tuple[object, list[bytes], list[bytes]]] = {}
        transport, handshake = noise_link.Transport, noise_link.Handshake
        seal, opened = transport.seal, transport.open
        write, read = handshake.write, handshake.read

        def tapped_seal(link: Any, plaintext: bytes) -> bytes:
            self.said(link, plaintext, 1)
            return seal(link, plaintext)

        def tapped_open(link: Any, ciphertext: bytes) -> bytes:
            plaintext = opened(link, ciphertext)
            self.said(link, plaintext, 2)
            return plaintext

        def tapped_write(state: Any, make: Any) -> bytes:
            message = write(state, make)
            mode = 4 if state.role == noise_link.INITIATOR else 5
            seeds.keep("noise", u8(mode) + u16(len(message)) + message, mode, len(message))
            return message

        def tapped_read(state: Any, message: bytes) -> tuple[bytes, bytes, bytes]:
            out = read(state, message)
            # A payload of the responder goes to the initiator, and the other way round.
            to_responder = int(state.role == noise_link.RESPONDER)
            for flags in (to_responder, to_responder | 2):
                seeds.keep("introduction", u8(flags) + out[0], flags, len(out[0]))
            return out

        transport.seal, transport.open = tapped_seal, tapped_open
        handshake.write, handshake.read = tapped_write, tapped_read
        request_line, packet = control.request_line, control.packet

        def tapped_request(number: int, method: str, params: dict[str, Any]) -> bytes:
            line = request_line(number, method, params)
            seeds.line(line)
            return line

        def tapped_packet(line: bytes) -> dict[str, Any]:
            seeds.line(line)
            return packet(line)

        control.request_line, control.packet = tapped_request, tapped_packet

    def said(self, link: object, plaintext: bytes, side: int) -> None:
        # The object is kept so that its number stays its own.
        sides = self.links.setdefault(id(link), (link, [], []))
        sides[side].append(plaintext)
        try:
            for frame in frames.read_frames(plaintext):
                self.seeds.frame(frame, "traffic")
        except Refused:
            pass

    def finish(self) -> None:
        for _, *sides in self.links.values():
            for said in sides:
                kept: list[bytes] = []
                for plaintext in said:
                    if sum(map(len, kept)) + len(plaintext) <= LINK_BYTES:
                        kept.append(plaintext)
                kinds = [frame.kind for item in kept[:8] for frame in self.read(item)]
                if kept:
                    self.seeds.plaintexts(kept[:8], str(kinds[:12]))
                for plaintext in said:
                    kinds = [frame.kind for frame in self.read(plaintext)]
                    self.seeds.plaintexts([plaintext], str(kinds[:6]))

    @staticmethod
    def read(plaintext: bytes) -> list[frames.Frame]:
        try:
            return frames.read_frames(plaintext)
        except Refused:
            return []


def golden_lines() -> list[str]:
    files = sorted((TESTS.parent / "EngineTests/Vectors").glob("*.txt"))
    return [line for file in files for line in file.read_text().splitlines()]


def vectors(seeds: Seeds) -> None:
    """The lines of the golden files, by their names (Docs/Protocol/Vectors.md)."""
    for line in golden_lines():
        name, _, digits = line.partition(" ")
        data = bytes.fromhex(digits)
        words = name.removeprefix("refuse.").removeprefix("forged.").split(".")
        if words[0] == "preface":
            seeds.keep("preface", data)
        elif words[0] in ("frame", "fragment"):
            seeds.plaintexts([data], name)
            for frame in Tap.read(data):
                seeds.frame(frame, name)
        elif words[0] == "run":
            seeds.run(data, name)
        elif words[0] == "forkProof":
            seeds.proof(data, name)
        elif words[0] == "record":
            seeds.record(data, name)
        elif name.startswith("handshake.payload."):
            for flags in (0, 1, 2, 3):
                seeds.keep("introduction", u8(flags) + data)
        elif name.startswith("handshake.message."):
            for mode in (4, 5):
                seeds.keep("noise", u8(mode) + u16(len(data)) + data)


def by_hand(seeds: Seeds) -> None:
    """What neither says: one input for each way in."""
    for mode in range(6):
        for rest in (b"", b"\x00\x01", b"\x01", b"\x00" + bytes(31) + b"\x80"):
            seeds.keep("noise", u8(mode) + rest)
    for step in range(8):
        seeds.keep("noise", b"\x03" + u8(step) + u8(step) + b"\x00")
    for choice in (b"\x01", b"\x00\x02\x03", b"\x02"):
        seeds.keep("preface", choice)
    # A frame that may be skipped and is one byte too long to go uncut; the harness fills the first part.
    for kind, unknown in ((Type.LIVE_FRAGMENT, 0x3E), (Type.SYNC_FRAGMENT, 0x5E)):
        head = varint(unknown) + varint(frames.PLAINTEXT_MAXIMUM - 2)
        first = varint(kind) + varint(frames.PLAINTEXT_MAXIMUM - 3) + b"\x00" + head
        last = varint(kind) + b"\x06\x01" + b"\xff" * 5
        parts = u16(0x8000 | len(first)) + first + u16(len(last)) + last
        seeds.keep("frames", parts)
        seeds.keep("session", b"\x00\x00" + parts)
    # The same with a run whose payload is the filling: it goes out in fragments again.
    head = bytes(32 + 32 + 8) + b"\x01\x01" + bytes(64) + b"\x01\x00\x00" + bytes(8) + b"\x00"
    size = frames.PLAINTEXT_MAXIMUM - 2
    length = size - len(head) - 2
    body = varint(Type.LIVE_RUN) + varint(size) + head + varint(length)
    first = varint(Type.LIVE_FRAGMENT) + varint(frames.PLAINTEXT_MAXIMUM - 3) + b"\x00" + body
    last = varint(Type.LIVE_FRAGMENT) + b"\x06\x01" + b"\xff" * 5
    seeds.keep("frames", u16(0x8000 | len(first)) + first + u16(len(last)) + last)
    # Something between two parts, a part of another channel, and a frame that never ends.
    part = varint(Type.LIVE_FRAGMENT) + varint(frames.PLAINTEXT_MAXIMUM - 3) + b"\x00"
    other = part + varint(0x5E) + varint(frames.PLAINTEXT_MAXIMUM - 2)
    for parts in ([part, b"\x3e\x00"], [other, last], [part] * 19):
        packed = b"".join(
            u16(len(item) | (0x8000 if item.startswith(part) else 0)) + item for item in parts
        )
        seeds.keep("frames", packed)
        seeds.keep("session", b"\x00\x00" + packed)
    seeds.keep("session", b"\x00\x00\x7f\xff\x00\x02ab")
    for name, status in (("Ada", ""), ("Β\u03ad\u03b1", "in the stoa"), ("", "x" * 256)):
        seeds.keep("record", b"\x02" + text(name, 64) + text(status, 256))
    for strings in ([b"txtvers=1", b"min=1", b"v=1"], [], [b""], [b"a", b"=b", b"A=2", b"x=y=z"]):
        packed = b"".join(u8(len(item)) + item for item in strings)
        seeds.keep("txt", packed)
        packed = packed[:31]
        seen = b"\x00\x01\x01" + b"\x01\x01\x01\x50" + u8(len(packed)) + packed
        seen += b"\x02\x01\x01\x02" + b"\xc0\x00\x02\x07\xc0\x00\x02\x08"
        seeds.keep("sightings", seen)
        seeds.keep("sightings", seen + b"\x02\x01\x01\x41" + b"\xfe\x80" + bytes(13) + b"\x01")
        seeds.keep(
            "sightings", seen + b"\x85\x01\x01\x51" + u8(len(packed)) + packed + b"\x41\xfe\x80"
            + bytes(13) + b"\x01")
        seeds.keep("sightings", seen + b"\x04\x00\x00\x05\x00\x00\x03\x01\x01")
    for line in (TESTS / "Fuzz/Seeds/lines.txt").read_text().splitlines():
        seeds.keep("control-line", b"\x00" + line.encode() + b"\n")
        seeds.keep("json", line.encode())
    for name in ("configuration", "arguments", "address", "text"):
        for part in (TESTS / f"Fuzz/Seeds/{name}.seeds").read_text().split("\n%\n"):
            seeds.keep(name, part.encode())


async def traffic(seeds: Seeds, programs: Programs) -> None:
    tap = Tap(seeds)
    for name, scenario in SCENARIOS.items():
        rig = Rig(programs, Checks())
        try:
            await rig.start()
            await scenario(rig)
        finally:
            await rig.end()
        print(f"{name}: {sum(seeds.counts.values())} inputs")
    tap.finish()


def main() -> None:
    parser = argparse.ArgumentParser(description="Inputs that fuzzing starts from.")
    parser.add_argument("--stoad", type=Path, required=True)
    parser.add_argument("--stoa", type=Path, required=True)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    seeds = Seeds(arguments.folder)
    by_hand(seeds)
    vectors(seeds)
    programs = Programs(arguments.stoad.resolve(), arguments.stoa.resolve())
    asyncio.run(traffic(seeds, programs))
    for target, count in sorted(seeds.counts.items()):
        print(f"{target} {count}")


if __name__ == "__main__":
    main()
