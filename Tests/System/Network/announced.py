"""Sends announcements of instances that do not exist, and of some behind which there is somebody, as anybody on a
network can.

    announced.py SOURCE...    from all of these addresses in turn until its input ends; prints how many packets it
                              has sent
"""

from __future__ import annotations

import itertools
import select
import socket
import struct
import sys

GROUP, PORT = "224.0.0.251", 5353
SERVICE = "_stoa._tcp.local"
INSTANCES = 1_100
IN_PACKET = 6
SECONDS_BETWEEN = 0.002
POINTER, TEXT, SERVER, ADDRESS = 12, 16, 33, 1
# Whoever answers is the only one who does (RFC 6762, section 10.2).
UNIQUE, SHARED = 0x8001, 0x0001
LIFETIME_SECONDS = 120
# Of three instances one is at an address that is nowhere, the others at those from which the packets come.
FAR = "192.0.2.77"
# The first so many of those have each a key of its own, and answer at a port from here on; the others' answer nobody.
KEYS, KEY_PORT, CLOSED_PORT = 100, 9_000, 9


def labels(name: str) -> bytes:
    return b"".join(bytes([len(part)]) + part.encode() for part in name.split(".")) + b"\0"


def record(name: str, kind: int, of: int, data: bytes) -> bytes:
    return labels(name) + struct.pack(">HHIH", kind, of, LIFETIME_SECONDS, len(data)) + data


def places(sources: list[str]) -> list[tuple[str, int]]:
    """Where each of the instances is said to be."""
    near, keys, found = itertools.cycle(sources), itertools.count(), []
    for number in range(INSTANCES):
        if number % 3 == 2:
            found.append((FAR, CLOSED_PORT + number))
        else:
            key = next(keys)
            found.append((next(near), KEY_PORT + key if key < KEYS else CLOSED_PORT + number))
    return found


def instance(number: int, address: str, port: int) -> list[bytes]:
    name, host = f"f{number}.{SERVICE}", f"fh{number}.local"
    text = b"".join(bytes([len(part)]) + part for part in (b"txtvers=1", b"v=2", b"min=2"))
    return [
        record(SERVICE, POINTER, SHARED, labels(name)),
        record(name, SERVER, UNIQUE, struct.pack(">HHH", 0, 0, port) + labels(host)),
        record(name, TEXT, UNIQUE, text),
        record(host, ADDRESS, UNIQUE, socket.inet_aton(address)),
    ]


def packets(sources: list[str]) -> list[bytes]:
    found, all_places = [], places(sources)
    for start in range(0, INSTANCES, IN_PACKET):
        numbers = range(start, min(start + IN_PACKET, INSTANCES))
        records = [part for number in numbers for part in instance(number, *all_places[number])]
        # A response with authority; nothing is asked.
        header = struct.pack(">HHHHHH", 0, 0x8400, 0, len(records), 0, 0)
        found.append(header + b"".join(records))
    return found


def sender(source: str) -> socket.socket:
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    out.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # From elsewhere it is a question, not an answer (RFC 6762, section 11).
    out.bind((source, PORT))
    out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
    out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(source))
    return out


def main() -> None:
    sources = sys.argv[1:]
    senders = itertools.cycle([sender(source) for source in sources])
    sent = 0
    for packet in itertools.cycle(packets(sources)):
        if select.select([sys.stdin], [], [], SECONDS_BETWEEN)[0]:
            break
        next(senders).sendto(packet, (GROUP, PORT))
        sent += 1
    print(sent, flush=True)


if __name__ == "__main__":
    main()
