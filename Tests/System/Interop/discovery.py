"""Finds other nodes and is found by them, from Docs/Protocol/Discovery.md, RFC 6762 and RFC 6763 alone.

discovery.py INTERFACE --seconds 5        prints each instance that it finds, a JSON object a line, and each that ends

Speaks IPv4 on one interface, and runs for less than the two minutes after which an address is asked for anew:
that is all that the scenario needs.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import ipaddress
import json
import secrets
import socket
import struct
import sys
from dataclasses import dataclass, field
from typing import Callable, Iterable

GROUP, PORT = "224.0.0.251", 5353
SERVICE = ("_stoa", "_tcp", "local")
TYPES = ("_services", "_dns-sd", "_udp", "local")
A, PTR, TXT, AAAA, SRV, ANY = 1, 12, 16, 28, 33, 255
IN, FLUSH = 1, 0x8000
# RFC 6762 §10: of what has a host name in it, and of the rest.
HOST_SECONDS, OTHER_SECONDS = 120, 4_500
# RFC 6762 §8.1, §8.3 and §5.2.
PROBE_SECONDS, ANNOUNCE_SECONDS, ASK_SECONDS = 0.25, 1.0, 1.0
NAME_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"

Name = tuple[str, ...]


class Malformed(Exception):
    """A packet that no DNS encoder writes."""


@dataclass(frozen=True)
class Question:
    name: Name
    kind: int


@dataclass(frozen=True)
class Resource:
    name: Name
    kind: int
    seconds: int
    data: bytes
    # PTR and SRV only: the name in it, which a sender may compress.
    target: Name = ()

    def packed(self, flush: bool) -> bytes:
        due = FLUSH if flush and self.kind != PTR else 0
        data = self.data + (packed_name(self.target) if self.target else b"")
        head = struct.pack(">HHIH", self.kind, IN | due, self.seconds, len(data))
        return packed_name(self.name) + head + data

    def ending(self) -> Resource:
        return Resource(self.name, self.kind, 0, self.data, self.target)


@dataclass
class Packet:
    is_answer: bool = False
    questions: list[Question] = field(default_factory=list)
    answers: list[Resource] = field(default_factory=list)
    # In a probe the authorities, elsewhere the additional records.
    others: list[Resource] = field(default_factory=list)

    def packed(self) -> bytes:
        probes = not self.is_answer and bool(self.others)
        counts = (
            len(self.questions), len(self.answers), len(self.others) if probes else 0,
            0 if probes else len(self.others))
        head = struct.pack(">HHHHHH", 0, 0x8400 if self.is_answer else 0, *counts)
        asked = b"".join(
            packed_name(each.name) + struct.pack(">HH", each.kind, IN) for each in self.questions)
        # Only answers replace what is known; in a probe and among known answers the bit is 0.
        known = b"".join(each.packed(self.is_answer) for each in self.answers + self.others)
        return head + asked + known

    @staticmethod
    def read(data: bytes) -> Packet:
        try:
            _, flags, *counts = struct.unpack_from(">HHHHHH", data)
            packet, offset = Packet(bool(flags & 0x8000)), 12
            for _ in range(counts[0]):
                name, offset = read_name(data, offset)
                packet.questions.append(Question(name, struct.unpack_from(">H", data, offset)[0]))
                offset += 4
            for index in range(sum(counts[1:])):
                name, offset = read_name(data, offset)
                kind, _, seconds, length = struct.unpack_from(">HHIH", data, offset)
                offset += 10
                target: Name = ()
                content = data[offset:offset + length]
                if kind in (PTR, SRV):
                    ahead = 6 if kind == SRV else 0
                    target, _ = read_name(data, offset + ahead)
                    content = content[:ahead]
                offset += length
                found = Resource(name, kind, seconds, content, target)
                (packet.answers if index < counts[1] else packet.others).append(found)
            return packet
        except (struct.error, IndexError, UnicodeDecodeError) as error:
            raise Malformed(str(error)) from error


def packed_name(name: Name) -> bytes:
    labels = [label.encode() for label in name]
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def read_name(data: bytes, offset: int) -> tuple[Name, int]:
    labels: list[str] = []
    after = 0
    # A pointer leads backwards, so this ends.
    lowest = len(data)
    while length := data[offset]:
        if length >= 0xC0:
            after = after or offset + 2
            offset = struct.unpack_from(">H", data, offset)[0] & 0x3FFF
            if offset >= lowest:
                raise Malformed("a name that leads to itself")
            lowest = offset
        else:
            labels.append(data[offset + 1:offset + 1 + length].decode())
            offset += 1 + length
    # Letters of DNS are compared without case.
    return tuple(label.lower() for label in labels), after or offset + 1


@dataclass(frozen=True)
class Network:
    """One interface: its number, its address and the network that the address is in."""

    index: int
    address: ipaddress.IPv4Address
    network: ipaddress.IPv4Network

    @staticmethod
    def of(interface: str) -> Network:
        request = struct.pack("256s", interface.encode())
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            # SIOCGIFADDR and SIOCGIFNETMASK, netdevice(7).
            address, mask = (
                socket.inet_ntoa(fcntl.ioctl(any_socket, code, request)[20:24])
                for code in (0x8915, 0x891B))
        return Network(
            socket.if_nametoindex(interface), ipaddress.IPv4Address(address),
            ipaddress.IPv4Network(f"{address}/{mask}", strict=False))

    def socket(self) -> socket.socket:
        """Beside another responder of this host: mDNS has one port for all."""
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        made.bind(("", PORT))
        member = struct.pack("4s4si", socket.inet_aton(GROUP), self.address.packed, self.index)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, member)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
        made.setblocking(False)
        return made


@dataclass(frozen=True)
class Instance:
    """What is known of a node that announces itself."""

    name: str
    host: str
    port: int
    addresses: tuple[str, ...]
    txt: tuple[str, ...]

    @property
    def versions(self) -> tuple[int, int] | None:
        """The lowest and the highest version of the wire that it announces, where it does."""
        # Keys of TXT are compared without case, and the first one counts (RFC 6763 §6.4).
        known: dict[str, str] = {}
        for text in self.txt:
            key, _, value = text.partition("=")
            known.setdefault(key.lower(), value)
        lowest, highest = known.get("min", ""), known.get("v", "")
        if not (lowest.isdecimal() and highest.isdecimal()):
            return None
        return int(lowest), int(highest)


def random_name() -> str:
    return "".join(secrets.choice(NAME_LETTERS) for _ in range(16))


class Discovery(asyncio.DatagramProtocol):
    """Announces a port where there is one to announce, and looks for others where somebody wants to know."""

    def __init__(
        self, network: Network, port: int | None = None,
        found: Callable[[Instance], None] | None = None, ended: Callable[[str], None] | None = None,
    ) -> None:
        self.network, self.port = network, port
        self.found, self.ended = found, ended
        self.name = random_name()
        self.host: Name = (random_name(), "local")
        self.is_announced = False
        self.records: dict[tuple[Name, int], dict[tuple[bytes, Name], Resource]] = {}
        self.instances: dict[str, Instance] = {}
        self.transport: asyncio.DatagramTransport | None = None
        self.running: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        self.transport, _ = await loop.create_datagram_endpoint(lambda: self, sock=self.network.socket())
        if self.port is not None:
            self.running.append(loop.create_task(self.announce()))
        if self.found is not None:
            self.running.append(loop.create_task(self.ask()))

    def close(self) -> None:
        for task in self.running:
            task.cancel()
        if self.is_announced:
            self.send(Packet(True, answers=[each.ending() for each in self.own()]))
        if self.transport is not None:
            self.transport.close()

    def send(self, packet: Packet) -> None:
        assert self.transport is not None
        self.transport.sendto(packet.packed(), (GROUP, PORT))

    # What is announced.

    def own(self) -> list[Resource]:
        assert self.port is not None
        instance = (self.name, *SERVICE)
        texts = b"".join(bytes([len(text)]) + text for text in (b"v=2", b"min=2"))
        return [
            Resource(SERVICE, PTR, OTHER_SECONDS, b"", instance),
            Resource(instance, SRV, HOST_SECONDS, struct.pack(">HHH", 0, 0, self.port), self.host),
            Resource(instance, TXT, OTHER_SECONDS, texts),
            Resource(self.host, A, HOST_SECONDS, self.network.address.packed),
        ]

    async def announce(self) -> None:
        probes = 0
        while probes < 3:
            chosen = self.name, self.host
            names = [Question((self.name, *SERVICE), ANY), Question(self.host, ANY)]
            self.send(Packet(questions=names, others=self.own()[1:]))
            await asyncio.sleep(PROBE_SECONDS)
            # Others that were chosen since are tried from the beginning.
            probes = probes + 1 if chosen == (self.name, self.host) else 0
        self.is_announced = True
        for _ in range(2):
            self.send(Packet(True, answers=self.own()))
            await asyncio.sleep(ANNOUNCE_SECONDS)

    def answer(self, packet: Packet) -> None:
        known = {(each.name, each.kind, each.target) for each in packet.answers}
        answers = [
            each for each in self.own()
            if any(
                asked.name == each.name and asked.kind in (each.kind, ANY)
                for asked in packet.questions)
            and (each.kind != PTR or (each.name, PTR, each.target) not in known)]
        if any(asked == Question(TYPES, PTR) for asked in packet.questions):
            answers.append(Resource(TYPES, PTR, OTHER_SECONDS, b"", SERVICE))
        if answers:
            others = [each for each in self.own() if each not in answers]
            self.send(Packet(True, answers=answers, others=others))

    def make_way(self, packet: Packet) -> None:
        """While it probes: what others already announce under the names that it chose."""
        names = {each.name for each in packet.answers + packet.others}
        if (self.name, *SERVICE) in names:
            self.name = random_name()
        if self.host in names:
            self.host = (random_name(), "local")

    # What others announce.

    async def ask(self) -> None:
        seconds = ASK_SECONDS
        while True:
            known = list(self.records.get((SERVICE, PTR), {}).values())
            self.send(Packet(questions=[Question(SERVICE, PTR)], answers=known))
            await asyncio.sleep(seconds)
            seconds *= 2

    def heard(self, packet: Packet) -> None:
        for each in packet.answers + packet.others:
            key, value = (each.name, each.kind), (each.data, each.target)
            if each.seconds == 0:
                self.records.get(key, {}).pop(value, None)
            elif each.kind == PTR or each.kind in (A, AAAA):
                self.records.setdefault(key, {})[value] = each
            else:
                self.records[key] = {value: each}
        self.resolve()

    def resolve(self) -> None:
        present: set[str] = set()
        lacking: list[Question] = []
        for (_, target), _ in self.records.get((SERVICE, PTR), {}).items():
            if len(target) != 1 + len(SERVICE) or target[1:] != SERVICE:
                continue
            name = target[0]
            if name == self.name:
                continue
            present.add(name)
            if (instance := self.instance(name, target, lacking)) is None:
                continue
            if self.instances.get(name) != instance:
                self.instances[name] = instance
                if self.found is not None:
                    self.found(instance)
        for name in sorted(self.instances.keys() - present):
            del self.instances[name]
            if self.ended is not None:
                self.ended(name)
        if lacking:
            self.send(Packet(questions=lacking))

    def instance(self, name: str, target: Name, lacking: list[Question]) -> Instance | None:
        services = list(self.records.get((target, SRV), {}).values())
        if not services:
            lacking.append(Question(target, SRV))
            return None
        service = services[0]
        addresses = self.records.get((service.target, A), {})
        if not addresses:
            lacking.append(Question(service.target, A))
            return None
        texts = list(self.records.get((target, TXT), {}).values())
        return Instance(
            name, ".".join(service.target), struct.unpack_from(">HHH", service.data)[2],
            tuple(sorted(socket.inet_ntoa(data) for data, _ in addresses if len(data) == 4)),
            tuple(strings(texts[0].data)) if texts else ())

    def reachable(self, instance: Instance) -> list[tuple[str, int]]:
        """Anybody may announce any address: only those of this network are dialled."""
        return [
            (address, instance.port) for address in instance.addresses
            if ipaddress.IPv4Address(address) in self.network.network]

    # The socket.

    def datagram_received(self, data: bytes, source: tuple[str, int]) -> None:
        # RFC 6762 §11: what comes from elsewhere than the network is no mDNS.
        if source[1] != PORT or ipaddress.IPv4Address(source[0]) not in self.network.network:
            return
        try:
            packet = Packet.read(data)
        except Malformed:
            return
        if packet.is_answer:
            if self.port is not None and not self.is_announced:
                self.make_way(packet)
            if self.found is not None:
                self.heard(packet)
        elif self.is_announced:
            self.answer(packet)


def strings(data: bytes) -> Iterable[str]:
    while data:
        yield data[1:1 + data[0]].decode(errors="replace")
        data = data[1 + data[0]:]


async def browse(interface: str, seconds: float) -> None:
    def found(instance: Instance) -> None:
        said = vars(instance) | {"versions": instance.versions}
        print(json.dumps({"found": said}), flush=True)

    def ended(name: str) -> None:
        print(json.dumps({"ended": name}), flush=True)

    discovery = Discovery(Network.of(interface), found=found, ended=ended)
    await discovery.start()
    await asyncio.sleep(seconds)
    discovery.close()


def main() -> int:
    parser = argparse.ArgumentParser(description="Shows which nodes announce themselves.")
    parser.add_argument("interface")
    parser.add_argument("--seconds", type=float, default=3_600.0)
    arguments = parser.parse_args()
    asyncio.run(browse(arguments.interface, arguments.seconds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
