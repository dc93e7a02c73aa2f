"""One link over TCP: handshake, frames, credit, pings. Docs/Protocol/Wire.md."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Callable

import frames
from codec import Reader, Refused, u8, u16
from frames import Assembler, Frame, Reason, Type
from noise.exceptions import NoiseInvalidMessage
from noise_link import (
    CIPHERTEXT_MAXIMUM,
    CIPHERTEXT_MINIMUM,
    ATTEMPTS_MAXIMUM,
    INITIATOR,
    MAGIC,
    MESSAGE_1_MAXIMUM,
    MESSAGE_1_MINIMUM,
    NO_VERSION,
    RESPONDER,
    VERSION,
    WRONG_REALM,
    Handshake,
    Introduction,
    Transport,
    attempt,
    preface,
    read_introduction,
    read_payload_1,
)
from persons import Certificate, certificate_of
from primitives import Identity
from realms import OPEN, RealmSecret

HANDSHAKE_SECONDS = 5.0
GOODBYE_SECONDS = 1.0


class LinkEnded(Exception):
    """The other side closed; `reason` is that of its goaway, None where it sent none."""

    def __init__(self, reason: int | None, words: str = "") -> None:
        super().__init__(f"the link ended, goaway {reason} {words!r}")
        self.reason = reason


class NoCommonVersion(Exception):
    def __init__(self, lowest: int, highest: int) -> None:
        super().__init__(f"the other side speaks {lowest} to {highest}")
        self.range = (lowest, highest)


class NoCommonRealm(Exception):
    """The other side holds none of the secrets of this one."""


@dataclass
class Opening:
    """What one side brings to a handshake; a forger changes single parts of it."""

    identity: Identity
    boot: int
    dial: int
    features: bytes = b""
    area: dict[int, bytes] = field(default_factory=dict)
    # In the order in which they are tried.
    secrets: list[RealmSecret] = field(default_factory=lambda: [OPEN])
    certificate: Certificate | None = None
    expected: bytes | None = None
    preface: bytes = field(default_factory=preface)
    answer: bytes = u8(VERSION)
    # A realm tag to send instead of the right one.
    tag: bytes | None = None
    payload_1: bytes = b"\x00"
    change_handshake: Callable[[Handshake], None] = lambda handshake: None
    change_message_1: Callable[[bytes], bytes] = lambda message: message
    change_message_2: Callable[[bytes], bytes] = lambda message: message
    change_introduction: Callable[[Introduction, bytes, bytes], bytes] = (
        lambda introduction, h, static: introduction.packed()
    )
    change_message_3: Callable[[bytes], bytes] = lambda message: message

    def payload(self, role: int) -> Callable[[bytes, bytes], bytes]:
        dial = self.dial if role == INITIATOR else 0

        def make(h: bytes, static: bytes) -> bytes:
            certificate = self.certificate or certificate_of(self.identity)
            introduction = Introduction.signed(
                self.identity,
                certificate,
                role,
                h,
                static,
                self.boot,
                dial,
                self.features,
                self.area,
            )
            return self.change_introduction(introduction, h, static)

        return make


def patient(reader: asyncio.StreamReader) -> asyncio.StreamReader:
    """Lets one read what came before a reset: a goaway is often followed by one."""
    reader.set_exception = lambda exc: reader.feed_eof()  # type: ignore[method-assign]
    return reader


async def read_message(reader: asyncio.StreamReader) -> bytes:
    length = int.from_bytes(await reader.readexactly(2), "big")
    return await reader.readexactly(length)


class Link:
    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        transport: Transport,
        introduction: Introduction,
        role: int,
        realm: bytes,
    ) -> None:
        self.reader = reader
        self.writer = writer
        self.transport = transport
        self.introduction = introduction
        self.role = role
        # That of the handshake; the link serves all that both are in.
        self.realm = realm
        self.may_send = dict.fromkeys(frames.CREDITED, frames.CREDIT_INITIAL)
        self.may_receive = dict.fromkeys(frames.CREDITED, frames.CREDIT_INITIAL)
        self.queues: dict[int, deque[Frame]] = {channel: deque() for channel in frames.CREDITED}
        self.assemblers = {channel: Assembler() for channel in frames.CREDITED}
        self.arrived: deque[Frame] = deque()
        self.goaway: tuple[int, str] | None = None
        # A forger that sends past its queues has not counted what comes back as credit.
        self.counts_credit = True
        self.has_said_goodbye = False

    @property
    def remote(self) -> bytes:
        return self.introduction.device

    # Handshake.

    @staticmethod
    async def dial(host: str, port: int, opening: Opening, source: str | None = None) -> "Link":
        local = None if source is None else (source, 0)
        reader, writer = await asyncio.open_connection(host, port, local_addr=local)
        try:
            return await asyncio.wait_for(
                Link._initiate(reader, writer, opening), 2 * HANDSHAKE_SECONDS
            )
        except BaseException:
            writer.close()
            raise

    @staticmethod
    async def _initiate(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, opening: Opening
    ) -> "Link":
        before = opening.preface
        for secret in opening.secrets:
            handshake = Handshake(INITIATOR, opening.preface, secret, opening.tag)
            opening.change_handshake(handshake)
            first = opening.change_message_1(handshake.write_first(opening.payload_1))
            writer.write(before + attempt(handshake.tag, first))
            before = b""
            version = (await reader.readexactly(1))[0]
            if version != WRONG_REALM:
                break
        else:
            raise NoCommonRealm
        if version == NO_VERSION:
            lowest, highest = await reader.readexactly(2)
            raise NoCommonVersion(lowest, highest)
        if version != VERSION:
            raise Refused(f"version {version} was chosen, which was not offered")
        packed, h, static = handshake.read(await read_message(reader))
        introduction = read_introduction(packed).verified(RESPONDER, h, static)
        if opening.expected is not None and introduction.device != opening.expected:
            raise Refused("another device answers at this address")
        third = opening.change_message_3(handshake.write(opening.payload(INITIATOR)))
        writer.write(u16(len(third)) + third)
        transport = handshake.transport()
        return Link(patient(reader), writer, transport, introduction, INITIATOR, secret.realm)

    @staticmethod
    async def accept(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, opening: Opening
    ) -> "Link":
        try:
            return await asyncio.wait_for(Link._respond(reader, writer, opening), HANDSHAKE_SECONDS)
        except BaseException:
            writer.close()
            raise

    @staticmethod
    async def _respond(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, opening: Opening
    ) -> "Link":
        start = await reader.readexactly(12)
        lowest, highest = start[8], start[9]
        if not start.startswith(MAGIC):
            raise Refused("another magic")
        if not lowest <= VERSION <= highest:
            writer.write(u8(0) + u8(VERSION) + u8(VERSION))
            raise Refused("no common version")
        handshake, secret = await Link._accepted(reader, writer, start, opening)
        second = opening.change_message_2(handshake.write(opening.payload(RESPONDER)))
        writer.write(opening.answer + u16(len(second)) + second)
        packed, h, static = handshake.read(await read_message(reader))
        introduction = read_introduction(packed).verified(INITIATOR, h, static)
        transport = handshake.transport()
        return Link(patient(reader), writer, transport, introduction, RESPONDER, secret.realm)

    @staticmethod
    async def _accepted(
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        start: bytes,
        opening: Opening,
    ) -> tuple[Handshake, RealmSecret]:
        """The first attempt whose tag one of our secrets gives; each other one is refused."""
        for _ in range(ATTEMPTS_MAXIMUM):
            tag = await reader.readexactly(16)
            length = int.from_bytes(await reader.readexactly(2), "big")
            if not MESSAGE_1_MINIMUM <= length <= MESSAGE_1_MAXIMUM:
                raise Refused(f"a message 1 of {length} bytes")
            first = await reader.readexactly(length)
            for secret in opening.secrets:
                if secret.handshake_tag(first[:32]) == tag:
                    handshake = Handshake(RESPONDER, start, secret, tag)
                    opening.change_handshake(handshake)
                    read_payload_1(handshake.read(first)[0])
                    return handshake, secret
            writer.write(u8(WRONG_REALM))
        raise Refused(f"{ATTEMPTS_MAXIMUM} attempts")

    # Sending.

    def send(self, frame: Frame) -> None:
        if frame.channel not in frames.CREDITED:
            self.write_plaintext(frame.packed())
            return
        self.queues[frame.channel].append(frame)
        self.flush()

    def flush(self) -> None:
        for channel, queue in self.queues.items():
            while queue and len(queue[0].packed()) <= self.may_send[channel]:
                frame = queue.popleft()
                self.may_send[channel] -= len(frame.packed())
                for part in frames.fragments(frame):
                    self.write_plaintext(part.packed())

    def write_plaintext(self, plaintext: bytes) -> None:
        if not self.writer.is_closing() and not self.has_said_goodbye:
            self.writer.write(self.transport.seal(plaintext))

    # Receiving.

    async def receive(self) -> Frame:
        """The next whole frame of a known type; credit and unknown types end here."""
        while True:
            while self.arrived:
                frame = self.take(self.arrived.popleft())
                if frame is not None:
                    return frame
            try:
                length = int.from_bytes(await self.reader.readexactly(2), "big")
                if not CIPHERTEXT_MINIMUM <= length <= CIPHERTEXT_MAXIMUM:
                    raise Refused(f"a transport message of {length} bytes")
                ciphertext = await self.reader.readexactly(length)
            except (asyncio.IncompleteReadError, ConnectionError) as error:
                reason, words = self.goaway or (None, "")
                raise LinkEnded(reason, words) from error
            try:
                plaintext = self.transport.open(ciphertext)
            except NoiseInvalidMessage as error:
                raise Refused("a transport message that does not decrypt") from error
            self.arrived.extend(frames.read_frames(plaintext))

    def take(self, arrived: Frame) -> Frame | None:
        channel = arrived.channel
        if channel not in frames.CREDITED:
            if arrived.kind == Type.CREDIT:
                self.credited(*frames.read_credit(arrived.body))
                return None
            if arrived.kind == Type.GOAWAY:
                self.goaway = frames.read_goaway(arrived.body)
                return None
            if arrived.kind not in frames.KNOWN_TYPES:
                self.skip(arrived)
                return None
            return arrived
        assembler = self.assemblers[channel]
        if not assembler.buffer:
            self.count(channel, self.announced(arrived))
        frame = assembler.accept(arrived)
        if frame is not None and frame.kind not in frames.KNOWN_TYPES:
            self.skip(frame)
            self.consumed(frame)
            return None
        return frame

    @staticmethod
    def announced(arrived: Frame) -> int:
        """The length of the whole frame that `arrived` is, or begins."""
        if arrived.kind not in frames.FRAGMENT_OF_CHANNEL.values():
            return len(arrived.packed())
        reader = Reader(arrived.body)
        reader.u8()
        reader.varint()
        length = reader.varint()
        return reader.position - 1 + length

    def count(self, channel: int, length: int) -> None:
        if length > frames.FRAME_MAXIMUM:
            raise Refused(f"a frame of {length} bytes")
        self.may_receive[channel] -= length
        if self.may_receive[channel] < 0:
            raise Refused(f"channel {channel} was sent more than its credit")

    @staticmethod
    def skip(frame: Frame) -> None:
        if frame.kind % 2 == 1:
            raise Refused(f"an unknown odd type {frame.kind:x}")

    def credited(self, channel: int, count: int) -> None:
        self.may_send[channel] += count
        if self.may_send[channel] > frames.CREDIT_INITIAL and self.counts_credit:
            raise Refused("more credit than was spent")
        self.flush()

    def consumed(self, frame: Frame) -> None:
        """Returns the credit for a frame that has been dealt with."""
        if frame.channel in frames.CREDITED:
            length = len(frame.packed())
            self.may_receive[frame.channel] += length
            self.send(frames.credit(frame.channel, length))

    # Ending.

    def say_goodbye(self, reason: Reason, words: str = "") -> None:
        """Sends a goaway and nothing after it; what comes is to be read on, lest it is lost."""
        self.send(frames.goaway(reason, words))
        self.has_said_goodbye = True
        if not self.writer.is_closing():
            self.writer.write_eof()

    async def drain(self) -> None:
        """Reads to the end of the stream without looking, for a second at most."""
        try:
            async with asyncio.timeout(GOODBYE_SECONDS):
                while await self.reader.read(65_536):
                    pass
        except (OSError, asyncio.TimeoutError):
            pass
