"""Numbered UDP datagrams from one host to another, to see what a network does to them.

    datagrams.py receive                 prints `ready`, then one line of JSON when its input has ended and all is quiet
    datagrams.py send ADDRESS COUNT
"""

from __future__ import annotations

import hashlib
import json
import selectors
import socket
import struct
import sys
import time

PORT = 9_000
PAYLOAD_BYTES = 500
# socket(7); Python has no name for it.
SO_RCVBUFFORCE = 33
BUFFER_BYTES = 16 << 20
HEADER = struct.Struct("!Qq")
DIGEST_BYTES = 16
# Longer than anything is delayed, with time for a busy machine.
QUIET_SECONDS = 2.0


def send(address: str, count: int) -> None:
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for number in range(count):
        body = HEADER.pack(number, time.monotonic_ns()).ljust(PAYLOAD_BYTES, b".")
        out.sendto(body + hashlib.blake2b(body, digest_size=DIGEST_BYTES).digest(), (address, PORT))
        # Slow enough for any queue on the way.
        if number % 20 == 19:
            time.sleep(0.004)


def receive() -> None:
    into = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    # Nothing is to be lost here, however busy the machine is.
    into.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES)
    into.bind(("", PORT))
    selector = selectors.DefaultSelector()
    selector.register(into, selectors.EVENT_READ)
    selector.register(sys.stdin, selectors.EVENT_READ)
    print("ready", flush=True)
    numbers: list[int] = []
    delays: list[float] = []
    damaged = 0
    quiet = None
    while True:
        ready = [key.fileobj for key, _ in selector.select(quiet)]
        if into in ready:
            datagram = into.recv(2_048)
            body, digest = datagram[:-DIGEST_BYTES], datagram[-DIGEST_BYTES:]
            if hashlib.blake2b(body, digest_size=DIGEST_BYTES).digest() != digest:
                damaged += 1
                continue
            number, sent = HEADER.unpack_from(body)
            numbers.append(number)
            delays.append((time.monotonic_ns() - sent) / 1e6)
        elif sys.stdin in ready:
            selector.unregister(sys.stdin)
            quiet = QUIET_SECONDS
        else:
            break
    late = sum(after < before for before, after in zip(numbers, numbers[1:]))
    print(json.dumps({
        "count": len(numbers), "distinct": len(set(numbers)), "outOfOrder": late,
        "damaged": damaged, "leastMilliseconds": min(delays, default=0),
        "meanMilliseconds": sum(delays) / max(1, len(delays))}))


if __name__ == "__main__":
    if sys.argv[1] == "send":
        send(sys.argv[2], int(sys.argv[3]))
    else:
        receive()
