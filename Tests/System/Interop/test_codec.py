"""Every golden vector through this peer's own decoders.

python -m unittest discover Tests/System/Interop
"""

from __future__ import annotations

import unicodedata
import unittest
from dataclasses import replace
from typing import Callable

import devices
import ephemeral
import frames
import group_keys
from addresses import read_addresses
from bodies import FALLBACK, Kind, fallback, read_body, read_content
from codec import Reader, Refused
from entries import read_fork_proof, read_run
from later_bodies import read_call, read_own
from names import folded, is_room_name
from noise_link import INITIATOR, RESPONDER, read_introduction, require_rfc2104_hmac
from persons import read_certificate
from primitives import FIELD_PRIME, SMALL_ORDER_Y, Identity, has_prime_order, verify
from records import read_record
from sealing import padded_length, unseal, xchacha20_poly1305
from signed_acts import check_join, read_act
from story import LATER, SEALING_KEY, Story
from vectors import vectors
from vectors_entries import ROOMS


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


def read_frame_body(frame: frames.Frame) -> object:
    reader = BODIES.get(frame.kind)
    if reader is None:
        if frame.kind % 2 == 1:
            raise Refused("an unknown odd type")
        return None
    return reader(frame.body)


def read_frame(data: bytes) -> object:
    [frame] = frames.read_frames(data)
    return read_frame_body(frame)


BODIES: dict[int, Callable[[bytes], object]] = {
    frames.Type.PING: frames.read_ping,
    frames.Type.PONG: frames.read_ping,
    frames.Type.CREDIT: frames.read_credit,
    frames.Type.GOAWAY: frames.read_goaway,
    frames.Type.REALMS: frames.read_realms,
    frames.Type.ROOMS: frames.read_rooms,
    frames.Type.SHARES: frames.read_shares,
    frames.Type.ROOMS_LEFT: frames.read_rooms_left,
    frames.Type.ADDRESSES: read_addresses,
    frames.Type.LIVE_RUN: read_run,
    frames.Type.DIGEST: frames.read_digest,
    frames.Type.BUCKETS: frames.read_buckets,
    frames.Type.CLOCK: frames.read_clock,
    frames.Type.DELTA: frames.read_delta,
    frames.Type.WANT: frames.read_want,
    frames.Type.SYNC_RUN: read_run,
    frames.Type.UNAVAILABLE: frames.read_unavailable,
    frames.Type.RECORDS: frames.read_records,
    frames.Type.RECORD_CLOCK: frames.read_record_clock,
    frames.Type.FORK_PROOF: read_fork_proof,
    frames.Type.DIAL_BACK: frames.read_dial_back,
    frames.Type.DIALLED_BACK: frames.read_dialled_back,
    frames.Type.EPHEMERAL: ephemeral.read_ephemeral,
    frames.Type.DEVICE: devices.read_device,
    frames.Type.HAND_OVER: devices.read_hand_over,
    frames.Type.PRESENCE: ephemeral.read_presence,
    frames.Type.PAYLOAD_WANT: frames.read_want,
    frames.Type.PAYLOADS: frames.read_payloads,
    **group_keys.BODIES,
}

def read_name(data: bytes) -> None:
    if not is_room_name(data.decode()):
        raise Refused("no name of a room")


def read_classed_body(data: bytes) -> object:
    return read_content(data[0], read_body(data[1:]), False)


def open_sealed(data: bytes) -> object:
    return unseal(SEALING_KEY, data, vectors()["seal.associated.s2"])


DECODERS: dict[str, Callable[[bytes], object]] = {
    "varint": read_whole(lambda reader: reader.varint()),
    "text": read_whole(lambda reader: reader.text(255)),
    "area": read_whole(lambda reader: reader.area(1_024, ())),
    "certificate": read_certificate,
    "introduction": read_introduction,
    "body": read_classed_body,
    "seal": open_sealed,
    "run": read_run,
    "record": read_record,
    "forkProof": read_fork_proof,
    "act": read_act,
    "call": lambda data: read_call(read_body(data[1:])),
    "own": lambda data: read_own(read_body(data[1:])),
    "name": read_name,
    "frame": read_frame,
    "fragment": read_fragment,
}


class Vectors(unittest.TestCase):
    lines = vectors()

    def test_what_is_well_formed_decodes_and_verifies(self) -> None:
        for name, data in self.lines.items():
            kind = name.split(".")[0]
            with self.subTest(name):
                if kind in ("varint", "text", "area", "body", "frame", "call", "own"):
                    DECODERS[kind](data)
                if kind == "run":
                    run = read_run(data)
                    self.assertEqual(run.verified().packed(), data)
                if kind == "record":
                    record = read_record(data)
                    self.assertEqual(record.verified().packed(), data)
                    self.assertTrue(record.is_taken)
                if kind == "act":
                    act = read_act(data)
                    self.assertEqual(act.verified().packed(), data)
                    self.assertEqual(act.identifier, self.lines[f"actID{name[3:]}"])
                if kind == "forkProof":
                    self.assertEqual(read_fork_proof(data).verified().packed(), data)

    def test_what_the_encoder_would_not_write_is_refused(self) -> None:
        for name, data in self.lines.items():
            if name.startswith("refuse."):
                with self.subTest(name), self.assertRaises(Refused):
                    DECODERS[name.split(".")[1]](data)

    def test_records_that_are_ignored_are_well_formed(self) -> None:
        for name, data in self.lines.items():
            if name.startswith("ignore."):
                with self.subTest(name):
                    self.assertFalse(read_record(data).verified().is_taken)

    def test_a_fallback_text_stands_for_what_cannot_be_read(self) -> None:
        later = LATER[FALLBACK].decode()
        for name, data in self.lines.items():
            kind = name.split(".")[0]
            with self.subTest(name):
                if kind == "fallback":
                    with self.assertRaises(Refused):
                        read_classed_body(data)
                    self.assertEqual(fallback(data[0], read_body(data[1:])), later)
                if name.startswith("refuse.body.") and ".shape." not in name:
                    self.assertIsNone(fallback(data[0], read_body(data[1:])))

    def test_what_the_story_shows(self) -> None:
        entries = Story().entries
        shown = {name: entry.shown for name, entry in entries.items() if name[0] in "abu"}
        self.assertEqual(
            {name: words for name, words in shown.items() if words is not None},
            {
                "a3": "hello, agora",
                "a4": "Grüße 🏛",
                "b3": "hello, ada",
                "u3": "from a later version",
                "u4": "from a later version",
                "u5": "even fields",
                "u6": "from a later version",
            },
        )

    def test_seals_open_with_their_key_at_their_place_only(self) -> None:
        story = Story()
        for name in ("s2", "s3", "s4", "s5"):
            payload, front = story.entries[name].payload or b"", story.fronts[name]
            self.assertEqual(unseal(SEALING_KEY, payload, front).kind, Kind.TEXT)
            for key, associated in ((bytes(32), front), (SEALING_KEY, front[:-1] + b"x")):
                with self.assertRaises(Refused):
                    unseal(key, payload, associated)

    def test_what_is_forged_decodes_and_does_not_verify(self) -> None:
        for name, data in self.lines.items():
            if name.startswith("forged."):
                kind = name.split(".")[1]
                decoded = DECODERS[kind](data)
                with self.subTest(name), self.assertRaises(Refused):
                    decoded.verified(*self.place(kind))  # type: ignore[attr-defined]

    def place(self, kind: str) -> tuple[object, ...]:
        """What the verification of such a forgery needs beside it."""
        if kind == "introduction":
            key = self.lines["handshake.static.initiator"]
            return INITIATOR, self.lines["handshake.h.3"], key
        return (self.lines["key.ada"],) if kind == "certificate" else ()

    def test_introductions_and_certificates_verify(self) -> None:
        for role, number, side in ((RESPONDER, 2, "responder"), (INITIATOR, 3, "initiator")):
            for name in ("handshake", "handshake.circle"):
                found = read_introduction(self.lines[f"{name}.payload.{number}"])
                key = self.lines[f"handshake.static.{side}"]
                found.verified(role, self.lines[f"{name}.h.{number}"], key)
        self.assertEqual((found.dial, found.port), (7, 4242))
        self.assertEqual([bit for bit in range(256) if found.has(bit)], [1, 12])
        for name in ("ada", "bea"):
            certificate = read_certificate(self.lines[f"certificate.{name}"])
            certificate.verified(self.lines[f"key.{name}"])
            self.assertEqual(certificate.person_id, self.lines[f"person.{name}"])

    def test_fragments_carry_the_frame_that_was_cut(self) -> None:
        for channel in ("live", "sync"):
            assembler = frames.Assembler()
            whole = None
            for index in (1, 2):
                [frame] = frames.read_frames(self.lines[f"fragment.{channel}.{index}"])
                whole = assembler.accept(frame)
            self.assertEqual(whole and whole.body, self.lines["run.large"])


class Acts(unittest.TestCase):
    def test_no_byte_of_an_act_can_be_changed(self) -> None:
        for name, data in Vectors.lines.items():
            # A basis of 64 says nothing more.
            if not name.startswith("act.") or len(data) > 1_000:
                continue
            for index in range(len(data)):
                other = bytearray(data)
                other[index] ^= 1
                with self.subTest(f"{name} at {index}"), self.assertRaises(Refused):
                    read_act(bytes(other)).verified()

    def test_a_join_shows_the_line_of_its_own_link(self) -> None:
        join, link, other = (read_act(Vectors.lines[f"act.{name}"]) for name in ("join", "link", "link.all"))
        check_join(join, link)
        with self.assertRaises(Refused):
            check_join(join, other)
        moved = replace(join, device=link.device)
        with self.assertRaises(Refused):
            check_join(moved, link)


class Ground(unittest.TestCase):
    def test_only_the_neutral_and_the_mixed_points_lack_prime_order(self) -> None:
        mixed = Vectors.lines["forged.introduction.notPrimeOrder"][1:33]
        for key in (mixed, b"\x01" + bytes(31), bytes(32), b"\x02" + bytes(31)):
            self.assertFalse(has_prime_order(key), key.hex())
        for index in range(8):
            self.assertTrue(has_prime_order(Identity.from_seed(bytes([index]) * 32).public))

    def test_the_mixed_key_fails_for_its_order_alone(self) -> None:
        data = Vectors.lines["forged.introduction.notPrimeOrder"]
        message = Vectors.lines["handshake.signed.3"]
        self.assertTrue(verify(data[1:33], message, data[33:97]))

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

    def test_the_extended_cipher_is_that_of_the_draft(self) -> None:
        # draft-irtf-cfrg-xchacha-03, A.3.1.
        text = (
            b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for "
            b"the future, sunscreen would be it."
        )
        associated = bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
        key, nonce = bytes(range(0x80, 0xA0)), bytes(range(0x40, 0x58))
        cipher, short = xchacha20_poly1305(key, nonce)
        sealed = cipher.encrypt(short, text, associated)
        self.assertEqual(sealed[-16:].hex(), "c0875924c1c7987947deafd8780acf49")

    def test_padded_lengths_are_those_of_the_formula(self) -> None:
        for length in [*range(2, 5_000), *range(60_000, 65_473)]:
            exponent = length.bit_length() - 1
            step = 2 ** (exponent - exponent.bit_length())
            due = max(64, min(-(-length // step) * step, 65_472))
            self.assertEqual(padded_length(length), due)

    def test_room_names(self) -> None:
        for name in ROOMS.values():
            self.assertTrue(is_room_name(name), name)
        for name in ("-a", "_a", ".a", "A", "a b", "a" * 65, "\U00020000" * 64, "a\u0301"):
            self.assertFalse(is_room_name(name), name)

    def test_a_name_folded_twice_is_folded_once_however_it_is_typed(self) -> None:
        for scalar in map(chr, [*range(0xD800), *range(0xE000, 0x110000)]):
            once = folded(scalar)
            self.assertEqual(folded(once), once)
            self.assertEqual(folded(unicodedata.normalize("NFD", scalar)), once)


if __name__ == "__main__":
    unittest.main()
