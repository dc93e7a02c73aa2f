"""Sends announcements of instances that do not exist, as anybody on a network can.

    announced.py SECONDS OWN ADDRESS...    from the own address, of all the others in turn; prints
                                           how many packets it has sent
"""

from __future__ import annotations

import itertools
import socket
import struct
import sys
import time

GROUP, PORT = "224.0.0.251", 5353
SERVICE = "_stoa._tcp.local"
INSTANCES = 1_100
IN_PACKET = 6
SECONDS_BETWEEN = 0.002
POINTER, TEXT, SERVER, ADDRESS = 12, 16, 33, 1
# Whoever answers is the only one who does (RFC 6762, section 10.2).
UNIQUE, SHARED = 0x8001, 0x0001
LIFETIME_SECONDS = 120


def labels(name: str) -> bytes:
    return b"".join(bytes([len(part)]) + part.encode() for part in name.split(".")) + b"\0"


def record(name: str, kind: int, of: int, data: bytes) -> bytes:
    return labels(name) + struct.pack(">HHIH", kind, of, LIFETIME_SECONDS, len(data)) + data


def instance(number: int, address: str) -> list[bytes]:
    """One whose port answers nobody."""
    name, host = f"f{number}.{SERVICE}", f"fh{number}.local"
    text = b"".join(bytes([len(part)]) + part for part in (b"txtvers=1", b"v=2", b"min=2"))
    return [
        record(SERVICE, POINTER, SHARED, labels(name)),
        record(name, SERVER, UNIQUE, struct.pack(">HHH", 0, 0, 9 + number) + labels(host)),
        record(name, TEXT, UNIQUE, text),
        record(host, ADDRESS, UNIQUE, socket.inet_aton(address)),
    ]


def packets(addresses: list[str]) -> list[bytes]:
    address = itertools.cycle(addresses)
    found = []
    for start in range(0, INSTANCES, IN_PACKET):
        numbers = range(start, min(start + IN_PACKET, INSTANCES))
        records = [part for number in numbers for part in instance(number, next(address))]
        # A response with authority; nothing is asked.
        header = struct.pack(">HHHHHH", 0, 0x8400, 0, len(records), 0, 0)
        found.append(header + b"".join(records))
    return found


def main() -> None:
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    out.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Elsewhere it is a question, not an answer (RFC 6762, section 11).
    out.bind(("", PORT))
    out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
    out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(sys.argv[2]))
    end = time.monotonic() + float(sys.argv[1])
    sent = 0
    for packet in itertools.cycle(packets(sys.argv[3:])):
        if time.monotonic() > end:
            break
        out.sendto(packet, (GROUP, PORT))
        sent += 1
        time.sleep(SECONDS_BETWEEN)
    print(sent, flush=True)


if __name__ == "__main__":
    main()
