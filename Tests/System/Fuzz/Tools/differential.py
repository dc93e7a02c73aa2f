"""Gives the same bytes to the decoders of Swift and of the independent peer, and compares.

    differential.py FUZZ [--inputs N] [--seed N]        (with the Python of Tests/System/Interop/run.sh)

FUZZ is the program that Tests/System/Fuzz/build.sh makes. The inputs are those of the committed corpora, of the
golden vectors, and N of them changed once or several times. Both must take or refuse an input alike, write
the same bytes for what they take, and agree on its signature. Ends with `N passed, N failed`, a decoder
each.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

FUZZ = Path(__file__).resolve().parents[1]
TESTS = FUZZ.parent
sys.path.insert(0, str(TESTS / "Interop"))

import addresses  # noqa: E402
import devices  # noqa: E402
import ephemeral  # noqa: E402
import frames  # noqa: E402
import group_keys  # noqa: E402
import noise_link  # noqa: E402
from bodies import (  # noqa: E402
    END,
    Body,
    Kind,
    fallback,
    read_body,
    read_content,
)
from codec import (  # noqa: E402
    Reader,
    Refused,
    u8,
    u16,
    u64,
    varint,
)
from entries import read_fork_proof, read_run, read_sent_run, room_id  # noqa: E402
from frames import Type  # noqa: E402
from names import is_room_name  # noqa: E402
from persons import read_certificate  # noqa: E402
from primitives import Identity  # noqa: E402
from records import profile_value, read_profile, read_record  # noqa: E402
from signed_acts import read_act  # noqa: E402

Verdict = tuple[int, bytes]
REFUSED: Verdict = (0, b"")
SKIPPED = b"\xff"
SHOWN = 12


def preface(data: bytes) -> Verdict:
    if len(data) != 12 or not data.startswith(noise_link.MAGIC):
        return REFUSED
    lowest, highest = data[8], data[9]
    return 1, data[:10] + u8(2 if lowest <= 2 <= highest else 0)


def introduction(data: bytes) -> Verdict:
    """The shape; what `Introduction.verified` checks beside it hangs on a handshake."""
    return 1, noise_link.read_introduction(data).packed()


def body(frame: frames.Frame) -> bytes:
    """The frame as it is written by this peer; raises where it may not be read."""
    kind, data = frame.kind, frame.body
    if kind in (Type.PING, Type.PONG):
        return (frames.ping if kind == Type.PING else frames.pong)(*frames.read_ping(data)).packed()
    if kind == Type.CREDIT:
        return frames.credit(*frames.read_credit(data)).packed()
    if kind == Type.GOAWAY:
        reason, words = frames.read_goaway(data)
        return frames.goaway(reason if reason <= 9 else 0, words).packed()
    if kind == Type.ROOMS:
        tag, texts = frames.read_rooms(data)
        return frames.rooms(tag, [name for name in texts if is_room_name(name)]).packed()
    if kind == Type.ADDRESSES:
        tag, held, records = addresses.read_addresses(data)
        return addresses.addresses(tag, held, [record.packed() for record in records]).packed()
    if kind == Type.REALMS:
        return frames.realms(frames.read_realms(data)).packed()
    if kind == Type.SHARES:
        return frames.shares(frames.read_shares(data)).packed()
    if kind == Type.DIAL_BACK:
        return frames.dial_back(frames.read_dial_back(data)).packed()
    if kind == Type.DIALLED_BACK:
        return frames.dialled_back(frames.read_dialled_back(data)).packed()
    if kind == Type.DEVICE:
        return devices.device(*devices.read_device(data)).packed()
    if kind == Type.HAND_OVER:
        return devices.hand_over(*devices.read_hand_over(data)).packed()
    if kind == Type.EPHEMERAL:
        return ephemeral.ephemeral(*ephemeral.read_ephemeral(data)).packed()
    if kind == Type.PRESENCE:
        return ephemeral.presence(ephemeral.read_presence(data)).packed()
    if kind == Type.ROOMS_LEFT:
        return frames.rooms_left(frames.read_rooms_left(data)).packed()
    if kind in (Type.LIVE_RUN, Type.SYNC_RUN):
        return frames.Frame(kind, read_sent_run(data).packed()).packed()
    if kind == Type.DIGEST:
        return frames.digest(*frames.read_digest(data)).packed()
    if kind == Type.BUCKETS:
        return frames.buckets(*frames.read_buckets(data)).packed()
    if kind == Type.DELTA:
        return frames.delta(*frames.read_delta(data)).packed()
    if kind == Type.CLOCK:
        return frames.clock(*frames.read_clock(data)).packed()
    if kind in (Type.WANT, Type.PAYLOAD_WANT):
        return frames.read_want(data).frame(kind).packed()
    if kind == Type.PAYLOADS:
        return frames.payloads(*frames.read_payloads(data)).packed()
    if kind == Type.UNAVAILABLE:
        return frames.unavailable(*frames.read_unavailable(data)).packed()
    if kind == Type.RECORDS:
        return frames.records([read_record(item).packed() for item in frames.read_records(data)]).packed()
    if kind == Type.RECORD_CLOCK:
        return frames.record_clock(*frames.read_record_clock(data)).packed()
    if kind == Type.ACT_HEADS:
        return group_keys.act_heads(*group_keys.read_act_heads(data)).packed()
    if kind == Type.ACT_WANT:
        return group_keys.act_want(*group_keys.read_act_want(data)).packed()
    if kind == Type.ACTS:
        return group_keys.acts(*group_keys.read_acts(data)).packed()
    if kind == Type.EPOCH_KEYS:
        return group_keys.epoch_keys(*group_keys.read_epoch_keys(data)).packed()
    if kind == Type.SEALED_KEYS:
        return group_keys.sealed_keys(*group_keys.read_sealed_keys(data)).packed()
    if kind == Type.FORK_PROOF:
        return frames.fork_proof(unchecked_proof(data)).packed()
    if kind % 2:
        raise Refused("a frame that must be understood")
    return SKIPPED


def unchecked_proof(data: bytes) -> bytes:
    """A frame is refused for its shape; what a proof proves is looked at later."""
    reader = Reader(data)
    runs = [read_run(reader.take(reader.varint())) for _ in range(2)]
    reader.end()
    if any(entry.payload is not None for run in runs for entry in run.entries):
        raise Refused("a fork proof with payloads")
    return b"".join(varint(len(run.packed())) + run.packed() for run in runs)


def plaintexts(data: bytes) -> Verdict:
    reader = Reader(data)
    assemblers = {1: frames.Assembler(), 2: frames.Assembler()}
    out = bytearray()
    while reader.left:
        # As PlaintextFeed reads them.
        head = int.from_bytes(reader.take(min(2, reader.left)).ljust(2, b"\x00"), "big")
        if head == 0x7FFF:
            plaintext = reader.take(reader.left)
        else:
            plaintext = reader.take(min(head & 0x7FFF, reader.left))
        if head & 0x8000:
            plaintext = plaintext.ljust(frames.PLAINTEXT_MAXIMUM, b"\xff")
        for frame in frames.read_frames(plaintext):
            whole = assemblers[frame.channel].accept(frame) if frame.channel in assemblers else frame
            if whole is not None:
                out += body(whole)
    return 1, bytes(out)


def run(data: bytes) -> Verdict:
    found = read_run(data)
    grows = all(a.hlc < b.hlc for a, b in zip(found.entries, found.entries[1:]))
    return (2 if grows and found.is_valid else 1), found.packed()


def fork_proof(data: bytes) -> Verdict:
    packed = unchecked_proof(data)
    try:
        read_fork_proof(data).verified()
    except Refused:
        return 1, packed
    return 2, packed


def record(data: bytes) -> Verdict:
    found = read_record(data)
    try:
        found.verified()
    except Refused:
        return 1, found.packed()
    return 2, found.packed()


def profile(data: bytes) -> Verdict:
    return 1, profile_value(*read_profile(data))


def room(data: bytes) -> Verdict:
    try:
        name = data.decode("utf-8", errors="strict")
    except UnicodeDecodeError:
        return REFUSED
    return (1, room_id(name)) if name and is_room_name(name) else REFUSED


# The types of fields that mean something, where that is not the first one alone.
MEANT: dict[Kind, set[int]] = {
    Kind.OPEN: {1, 4},
    Kind.LEAVE: set(),
    Kind.TEXT: {1, 4},
    Kind.LOCATION: {1, 8, 10},
    Kind.EDIT: {1, 3},
    Kind.EPOCH: {1, 3, 5},
    Kind.REACTION: {1, 3, 5},
    Kind.STREAM: {1, 3, 5, END, 7},
}


def content(data: bytes) -> Verdict:
    """What is read of a body in an entry of a class, in its shortest form."""
    if not data:
        return REFUSED
    found = read_body(data[1:])
    try:
        read_content(data[0], found, False)
    except Refused:
        words = fallback(data[0], found)
        # No kind has the number 0.
        return REFUSED if words is None else (1, b"\0" + words.encode())
    kept = {
        type_: value
        for type_, value in found.fields.items()
        # That a stream ends is said by a field that is empty.
        if type_ in MEANT.get(Kind(found.kind), {1}) and not (type_ == END and value)
    }
    return 1, Body(found.kind, kept).packed()


def certificate(data: bytes) -> Verdict:
    """Behind the key of the device that shows it."""
    if len(data) < 32:
        return REFUSED
    found = read_certificate(data[32:])
    try:
        found.verified(data[:32])
    except Refused:
        return 1, found.packed()
    return 2, found.packed()


def act(data: bytes) -> Verdict:
    found = read_act(data)
    try:
        found.verified()
    except Refused:
        return 1, found.packed()
    return 2, found.packed()


@dataclass(frozen=True)
class Decoder:
    name: str
    number: int
    decode: Callable[[bytes], Verdict]
    # The corpora that suit it, and how many bytes stand before the decoder's in each.
    corpora: tuple[tuple[str, int], ...]
    words: tuple[str, ...]
    # What its inputs begin with, and the words do not.
    front: bytes = b""


ADA = Identity.from_seed(b"\x01" * 32).public
DECODERS = (
    Decoder("preface", 0, preface, (("preface", 0),), ("preface",)),
    Decoder("introduction", 1, introduction, (("introduction", 1),), ("handshake.payload",)),
    Decoder("frames", 2, plaintexts, (("frames", 0), ("session", 2)), ("frame", "fragment")),
    Decoder("run", 3, run, (("run", 1),), ("run",)),
    Decoder("fork-proof", 4, fork_proof, (("fork-proof", 1),), ("forkProof",)),
    Decoder("record", 5, record, (("record", 1),), ("record",)),
    Decoder("profile", 6, profile, (("record", 1),), ()),
    Decoder("room", 7, room, (("text", 0),), ()),
    Decoder("body", 8, content, (("body", 0),), ("body", "fallback")),
    Decoder("certificate", 9, certificate, (("certificate", 0),), ("certificate",), ADA),
    Decoder("act", 10, act, (("act", 1),), ("act",)),
)
# What `frames` is made of, for inputs with a single frame.
BODIES = {
    "clock": (
        *(Type.CLOCK, Type.RECORD_CLOCK, Type.DIGEST, Type.WANT, Type.UNAVAILABLE),
        *(Type.BUCKETS, Type.DELTA, Type.PAYLOAD_WANT, Type.PAYLOADS),
        *(Type.ACT_HEADS, Type.ACT_WANT, Type.ACTS, Type.EPOCH_KEYS, Type.SEALED_KEYS),
    ),
    "control-frames": (
        *(Type.PING, Type.PONG, Type.CREDIT, Type.GOAWAY, Type.REALMS, Type.ROOMS),
        *(Type.ROOMS_LEFT, Type.SHARES, Type.DIAL_BACK, Type.DIALLED_BACK, Type.EPHEMERAL),
        Type.PRESENCE,
    ),
}


def corpus(name: str) -> list[bytes]:
    lines = (FUZZ / "Corpus" / f"{name}.hex").read_text().splitlines()
    return [bytes.fromhex(line.strip("-")) for line in lines]


def seeds(decoder: Decoder) -> list[bytes]:
    found = [decoder.front + data[skip:] for name, skip in decoder.corpora for data in corpus(name)]
    files = sorted((TESTS.parent / "EngineTests/Vectors").glob("*.txt"))
    for line in (line for file in files for line in file.read_text().splitlines()):
        name, _, digits = line.partition(" ")
        name = name.removeprefix("refuse.").removeprefix("forged.")
        if name.startswith(tuple(f"{word}." for word in decoder.words)) or name in decoder.words:
            data = bytes.fromhex(digits)
            if decoder.name != "frames":
                found.append(decoder.front + data)
            elif len(data) < 65_536:
                found.append(u16(len(data)) + data)
    if decoder.name == "frames":
        for name, kinds in BODIES.items():
            found += [single(kinds, data) for data in BODY_SEEDS[name].all]
    # Long ones take long to read here, and say little more.
    return sorted({data for data in found if len(data) <= 40_000}, key=lambda data: (len(data), data))


NUMBERS = (
    [varint(value) for value in (0, 1, 127, 128, 16_384, 2**63 - 2, 2**63 - 1, 2**63, 2**64 - 1)]
    + [u64(value) for value in (0, 1, 2**63 - 1, 2**63, 2**64 - 1)]
    + [b"\x80\x00", b"\xff" * 10, bytes(32), b"\xff" * 32]
)


def mutated(data: bytes, others: list[bytes], chance: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        place = chance.randrange(len(out) + 1)
        match chance.randrange(8):
            case 0 if out:
                out[place % len(out)] ^= 1 << chance.randrange(8)
            case 1 if out:
                out[place % len(out)] = chance.randrange(256)
            case 2:
                del out[place : place + chance.choice((1, 1, 2, 8, 32))]
            case 3:
                out[place:place] = chance.randbytes(chance.choice((1, 1, 2, 8, 32)))
            case 4:
                number = chance.choice(NUMBERS)
                out[place : place + chance.choice((1, 1, 2, 8, len(number)))] = number
            case 5:
                out[place:place] = chance.choice(NUMBERS)
            case 6:
                other = chance.choice(others)
                start = chance.randrange(len(other) + 1)
                out[place:] = other[start:]
            case _ if out:
                size = chance.choice((1, 4, 8, 32))
                start = chance.randrange(len(out))
                out[place : place + size] = out[start : start + size]
    return bytes(out[:40_000])


@dataclass(frozen=True)
class Kept:
    """Inputs, and those of them that are taken."""

    all: list[bytes]
    taken: list[bytes]


def pick(kept: Kept, chance: random.Random) -> bytes:
    """Mostly one that is taken: what is refused is refused after most changes, too."""
    return chance.choice(kept.taken if kept.taken and chance.random() < 0.8 else kept.all)


def is_taken(decode: Callable[[bytes], Verdict], data: bytes) -> bool:
    try:
        return decode(data)[0] > 0
    except Refused:
        return False


def single(kinds: tuple[Type, ...], data: bytes) -> bytes:
    """A plaintext with one frame, from an input of a target with single bodies."""
    packed = frames.Frame(kinds[data[0] % len(kinds)], data[1:]).packed()
    return u16(len(packed)) + packed


def body_seeds(name: str) -> Kept:
    found = [data for data in corpus(name) if data]
    kinds = BODIES[name]
    return Kept(found, [data for data in found if is_taken(plaintexts, single(kinds, data))])


BODY_SEEDS = {name: body_seeds(name) for name in BODIES}


def changed(decoder: Decoder, kept: Kept, chance: random.Random) -> bytes:
    """An input changed in a way that suits the decoder, or in any."""
    if decoder.name == "frames" and chance.random() < 0.6:
        # The body alone, so that the lengths around it stay right.
        name = chance.choice(list(BODIES))
        data = mutated(pick(BODY_SEEDS[name], chance), BODY_SEEDS[name].all, chance) or b"\x00"
        return single(BODIES[name], data)
    if decoder.name == "room" and chance.random() < 0.6:
        return "".join(scalar(chance) for _ in range(chance.choice((1, 1, 2, 5)))).encode()
    return mutated(pick(kept, chance), kept.all, chance)


def scalar(chance: random.Random) -> str:
    """Any that this Unicode has assigned: one that is newer may be a letter to the other side."""
    while True:
        value = chr(chance.randrange(chance.choice((0x100, 0x3000, 0x20000, 0x110000))))
        if unicodedata.category(value) not in ("Cn", "Cs"):
            return value


class Swift:
    """The Swift decoders behind a pipe (Program/Verdicts.swift)."""

    def __init__(self, program: str) -> None:
        self.process = subprocess.Popen(
            [program, "--verdicts"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def judge(self, number: int, data: bytes) -> Verdict:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(u8(number) + len(data).to_bytes(4, "big") + data)
        self.process.stdin.flush()
        head = self.process.stdout.read(5)
        if len(head) < 5:
            raise RuntimeError(f"the Swift program ended with {self.process.wait()}")
        return head[0], self.process.stdout.read(int.from_bytes(head[1:], "big"))

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        if self.process.wait() != 0:
            raise RuntimeError("the Swift program did not end well")


def compare(decoder: Decoder, swift: Swift, count: int, seed: int) -> bool:
    began = time.monotonic()
    found = seeds(decoder)
    kept = Kept(found, [data for data in found if is_taken(decoder.decode, data)])
    chance = random.Random(f"{seed} {decoder.name}")
    inputs = found + [changed(decoder, kept, chance) for _ in range(count)]
    tally, wrong = [0, 0, 0], 0
    for data in inputs:
        theirs = swift.judge(decoder.number, data)
        try:
            ours = decoder.decode(data)
        except Refused:
            ours = REFUSED
        tally[theirs[0]] += 1
        if ours != theirs:
            wrong += 1
            if wrong <= SHOWN:
                print(f"{decoder.name}: {data.hex()[:2_000]}")
                print(f"  Python {ours[0]} {ours[1].hex()[:400]}")
                print(f"  Swift  {theirs[0]} {theirs[1].hex()[:400]}")
    print(
        f"{decoder.name:16}{len(inputs):9} inputs {tally[0]:8} refused {tally[1]:8} taken"
        f" {tally[2]:6} with a signature that holds {wrong:6} differ"
        f" {time.monotonic() - began:6.1f} s",
        flush=True,
    )
    return wrong == 0 and tally[0] > 0 and tally[1] + tally[2] > 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Two decoders, the same bytes.")
    parser.add_argument("fuzz")
    parser.add_argument("--inputs", type=int, default=25_000, help="for each decoder")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    swift = Swift(arguments.fuzz)
    passed = [compare(item, swift, arguments.inputs, arguments.seed) for item in DECODERS]
    swift.end()
    print(f"{sum(passed)} passed, {len(passed) - sum(passed)} failed")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
