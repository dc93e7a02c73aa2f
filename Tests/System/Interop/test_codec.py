"""Every golden vector through this peer's own decoders.

python -m unittest discover Tests/System/Interop
"""

from __future__ import annotations

import unittest
from typing import Callable

import frames
from codec import Reader, Refused
from entries import is_room_name, read_fork_proof, read_run, read_sent_run
from noise_link import require_rfc2104_hmac
from primitives import FIELD_PRIME, SMALL_ORDER_Y
from records import read_record
from vectors import ROOMS, vectors


def read_whole(read: Callable[[Reader], object]) -> Callable[[bytes], object]:
    def decode(data: bytes) -> object:
        reader = Reader(data)
        value = read(reader)
        reader.end()
        return value

    return decode


def read_fragment(data: bytes) -> object:
    [frame] = frames.read_frames(data)
    return frames.Assembler().accept(frame)


def read_body(frame: frames.Frame) -> object:
    reader = BODIES.get(frame.kind)
    if reader is None:
        if frame.kind % 2 == 1:
            raise Refused("an unknown odd type")
        return None
    return reader(frame.body)


def read_frame(data: bytes) -> object:
    [frame] = frames.read_frames(data)
    return read_body(frame)


BODIES: dict[int, Callable[[bytes], object]] = {
    frames.Type.PING: frames.read_ping,
    frames.Type.PONG: frames.read_ping,
    frames.Type.CREDIT: frames.read_credit,
    frames.Type.GOAWAY: frames.read_goaway,
    frames.Type.ROOMS: frames.read_rooms,
    frames.Type.ROOMS_LEFT: frames.read_rooms_left,
    frames.Type.LIVE_RUN: read_sent_run,
    frames.Type.DIGEST: frames.read_digest,
    frames.Type.CLOCK: frames.read_clock,
    frames.Type.WANT: frames.read_want,
    frames.Type.SYNC_RUN: read_sent_run,
    frames.Type.UNAVAILABLE: frames.read_unavailable,
    frames.Type.RECORDS: frames.read_records,
    frames.Type.RECORD_CLOCK: frames.read_record_clock,
    frames.Type.FORK_PROOF: read_fork_proof,
}

DECODERS: dict[str, Callable[[bytes], object]] = {
    "varint": read_whole(lambda reader: reader.varint()),
    "text": read_whole(lambda reader: reader.text(64)),
    "run": read_run,
    "record": read_record,
    "forkProof": read_fork_proof,
    "frame": read_frame,
    "fragment": read_fragment,
}


class Vectors(unittest.TestCase):
    lines = vectors()

    def test_what_is_well_formed_decodes_and_verifies(self) -> None:
        for name, data in self.lines.items():
            kind = name.split(".")[0]
            with self.subTest(name):
                if kind in ("varint", "text", "frame"):
                    DECODERS[kind](data)
                if kind == "run":
                    run = read_run(data)
                    self.assertEqual(run.verified().packed(), data)
                if kind == "record":
                    self.assertEqual(read_record(data).verified().packed(), data)
                if kind == "forkProof":
                    self.assertEqual(read_fork_proof(data).verified().packed(), data)

    def test_what_the_encoder_would_not_write_is_refused(self) -> None:
        for name, data in self.lines.items():
            if name.startswith("refuse."):
                with self.subTest(name), self.assertRaises(Refused):
                    DECODERS[name.split(".")[1]](data)

    def test_what_is_forged_decodes_and_does_not_verify(self) -> None:
        for name, data in self.lines.items():
            if name.startswith("forged."):
                decoded = DECODERS[name.split(".")[1]](data)
                with self.subTest(name), self.assertRaises(Refused):
                    decoded.verified()  # type: ignore[attr-defined]

    def test_fragments_carry_the_frame_that_was_cut(self) -> None:
        for channel in ("live", "sync"):
            assembler = frames.Assembler()
            whole = None
            for index in (1, 2):
                [frame] = frames.read_frames(self.lines[f"fragment.{channel}.{index}"])
                whole = assembler.accept(frame)
            self.assertEqual(whole and whole.body, self.lines["run.large"])


class Ground(unittest.TestCase):
    def test_the_noise_package_has_the_hmac_that_noise_wants(self) -> None:
        require_rfc2104_hmac()

    def test_the_small_order_points_are_those_of_the_curve(self) -> None:
        p = FIELD_PRIME
        d = -121665 * pow(121666, -1, p) % p

        def doubled(y: int) -> int:
            # y of 2P on −x² + y² = 1 + d·x²·y², from y of P alone.
            x2 = (y * y - 1) * pow(d * y * y + 1, -1, p) % p
            return (y * y + x2) * pow(1 - d * x2 * y * y, -1, p) % p

        for y in SMALL_ORDER_Y:
            self.assertEqual(doubled(doubled(doubled(y))), 1)

    def test_room_names(self) -> None:
        for name in ROOMS.values():
            self.assertTrue(is_room_name(name), name)
        for name in ("-a", "_a", ".a", "A", "a b", "a" * 65, "é" * 33, "a\u0301"):
            self.assertFalse(is_room_name(name), name)


if __name__ == "__main__":
    unittest.main()
