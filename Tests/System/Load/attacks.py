"""What a node is put under: each attack is a process of its own that goes on until it is told to stop.

An attack is called with the node's TCP port and control socket, says `ready` once all of it is in
place, goes on until `stop`, and returns figures. Peers are real ones (Tests/System/Interop).
"""

from __future__ import annotations

import asyncio
import errno
import itertools
import multiprocessing
import os
import resource
import selectors
import socket
import time
from pathlib import Path
from typing import Any, Callable

import frames
import busy_attacks
import clock_attacks
import crowd_attacks
import file_attacks
import giveway_attacks
import hoard_attacks
import lie_attacks
import name_attacks
import room_attacks
import stranger_attacks
from bodies import saying
from Driver.control import request_line
from link import Link
from noise_link import INITIATOR, Handshake, attempt, preface
from peer import HANDSHAKE_FAILURES, Peer

ROOM = "bench"
WAIT_SECONDS = 60.0


def sources() -> Any:
    """Addresses of loopback that nothing else uses, a new one each time."""
    return (
        f"127.{a}.{b}.{c}"
        for a, b, c in itertools.product(range(10, 250), range(250), range(1, 250))
    )


class Signals:
    """How an attack and who started it talk."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.ready, self.stop = context.Event(), context.Event()
        self.figures = context.Queue()


def many_peers(port: int, path: Path, signals: Signals, count: int = 200) -> dict[str, Any]:
    """Peers with keys of their own, all in the room; who is refused stays away."""

    async def run() -> dict[str, Any]:
        peers: list[Peer] = []
        refused: list[str] = []
        places = sources()

        async def one(number: int) -> None:
            peer = Peer(name=f"peer {number}")
            peer.join(ROOM, say_so=False)
            try:
                session = await peer.dial("127.0.0.1", port, source=next(places))
                await peer.heard_back(session, WAIT_SECONDS)
                peers.append(peer)
            except HANDSHAKE_FAILURES as failure:
                refused.append(str(failure))

        for start in range(0, count, 8):
            await asyncio.gather(*(one(n) for n in range(start, min(start + 8, count))))
        signals.ready.set()
        await until_stopped(signals)

        # Those without a place were linked for a moment, to say in which conversations they are.
        linked = [peer for peer in peers if peer.sessions]

        def texts() -> list[int]:
            return [
                sum(len(list(room.texts())) for room in peer.replica.conversations.values())
                for peer in linked
            ]

        # What was sent last is still on its way to some.
        most, deadline = -1, time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline and (most != max(texts()) or min(texts()) != most):
            most = max(texts())
            await asyncio.sleep(0.5)
        held = texts()
        alive = sum(1 for peer in linked if peer.sessions)
        for peer in peers:
            await peer.close()
        return {
            "linked": alive,
            "refused": len(refused) + len(peers) - len(linked),
            "reasons": sorted(set(refused)),
            "texts": [min(held), max(held)],
        }

    return asyncio.run(run())


async def until_stopped(signals: Signals) -> None:
    while not signals.stop.is_set():
        await asyncio.sleep(0.05)


def half_open(port: int, path: Path, signals: Signals, count: int = 10_000) -> dict[str, Any]:
    """Connections on which nothing comes, each from another address; closed ones are replaced."""
    return connections(port, signals, count, lambda opened, now: b"", 2_000)


def slow_handshakes(port: int, path: Path, signals: Signals, count: int = 400) -> dict[str, Any]:
    """Handshakes of which a byte comes five times a second; closed ones are replaced."""
    handshake = Handshake(INITIATOR, preface())
    start = preface() + attempt(handshake.tag, handshake.write_first())

    def due(opened: float, now: float) -> bytes:
        return start[: int((now - opened) * 5)]

    return connections(port, signals, count, due, 500)


def connections(
    port: int,
    signals: Signals,
    count: int,
    due: Callable[[float, float], bytes],
    per_second: int,
) -> dict[str, Any]:
    """Keeps so many connections; `due` says what each has sent by then."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(limit, count + 1_000),) * 2)
    selector = selectors.DefaultSelector()
    places = sources()
    open_: dict[socket.socket, tuple[float, int]] = {}
    opened = closed = refused = most = 0
    begin = time.monotonic()
    while not signals.stop.is_set():
        now = time.monotonic()
        # All at once at first, then as many as were closed, at a bounded rate.
        room = min(count - len(open_), max(0, count + int((now - begin) * per_second) - opened))
        for _ in range(min(room, 500)):
            stream = socket.socket()
            stream.setblocking(False)
            stream.bind((next(places), 0))
            opened += 1
            failure = stream.connect_ex(("127.0.0.1", port))
            if failure not in (0, errno.EINPROGRESS):
                refused += 1
                stream.close()
                continue
            open_[stream] = (now, 0)
            selector.register(stream, selectors.EVENT_READ)
        for stream, (since, sent) in list(open_.items()):
            wanted = due(since, now)
            if len(wanted) > sent:
                try:
                    open_[stream] = (since, sent + stream.send(wanted[sent:]))
                except OSError:
                    pass
        for key, _ in selector.select(0.02):
            stream = key.fileobj
            try:
                if stream.recv(4_096):
                    continue
            except BlockingIOError:
                continue
            except OSError:
                pass
            selector.unregister(stream)
            stream.close()
            del open_[stream]
            closed += 1
        most = max(most, len(open_))
        if opened >= count:
            signals.ready.set()
    for stream in open_:
        stream.close()
    return {"opened": opened, "closed": closed, "refused": refused, "most": most}


def pings(port: int, path: Path, signals: Signals) -> dict[str, Any]:
    """A peer that sends pings as fast as the wire takes them, and reads the answers; closed, it comes again."""

    async def run() -> dict[str, Any]:
        peer = Peer(name="ping")
        counts = {"sent": 0, "received": 0, "closed": 0}
        one = frames.ping(7, 7).packed()
        full = one * (frames.PLAINTEXT_MAXIMUM // len(one))
        begin = time.monotonic()

        async def read(link: Link) -> None:
            while data := await link.reader.read(1 << 18):
                counts["received"] += len(data)

        while not signals.stop.is_set():
            peer.dials += 1
            try:
                link = await Link.dial("127.0.0.1", port, peer.opening(), next(sources()))
            except HANDSHAKE_FAILURES:
                await asyncio.sleep(0.05)
                continue
            reading = asyncio.get_running_loop().create_task(read(link))
            signals.ready.set()
            try:
                while not signals.stop.is_set() and not reading.done():
                    link.writer.write(link.transport.seal(full))
                    counts["sent"] += len(full)
                    await link.writer.drain()
                    await asyncio.sleep(0)
            except OSError:
                pass
            counts["closed"] += not signals.stop.is_set()
            reading.cancel()
            link.writer.close()
        seconds = time.monotonic() - begin
        return {
            "sent MiB/s": round(counts["sent"] / seconds / 1e6, 1),
            "read MiB/s": round(counts["received"] / seconds / 1e6, 1),
            "closed": counts["closed"],
        }

    return asyncio.run(run())


def entries(port: int, path: Path, signals: Signals) -> dict[str, Any]:
    """A peer that writes messages of 100 bytes as fast as its credit comes back."""

    async def run() -> dict[str, Any]:
        peer = Peer(name="flood")
        room = peer.join(ROOM)
        session = await peer.dial("127.0.0.1", port, source=next(sources()))
        await peer.heard_back(session, WAIT_SECONDS)
        signals.ready.set()
        words = [saying("x" * 100)] * 128
        begin, count = time.monotonic(), 0
        while not signals.stop.is_set() and session.ended is None:
            if len(session.link.queues[1]) < 4:
                peer.write(room, words)
                count += len(words)
            await asyncio.sleep(0)
        seconds = time.monotonic() - begin
        ended = session.ended
        await peer.close()
        return {"entries/s": round(count / seconds), "closed": str(ended) if ended else False}

    return asyncio.run(run())


def mute_clients(port: int, path: Path, signals: Signals, count: int = 32) -> dict[str, Any]:
    """Clients that ask for history without end, or follow everything, and never read."""
    request = request_line(1, "history", {"to": ROOM, "limit": 1000})
    follow = request_line(1, "subscribe", {"to": ROOM, "from": 0})
    clients: list[socket.socket] = []
    closed = sent = 0
    for number in range(count):
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(path))
        client.setblocking(False)
        client.send(follow if number % 2 else request)
        clients.append(client)
    signals.ready.set()
    while not signals.stop.is_set():
        for client in list(clients):
            try:
                sent += client.send(request)
            except BlockingIOError:
                continue
            except OSError:
                closed += 1
                clients.remove(client)
        time.sleep(0.005)
    for client in clients:
        client.close()
    return {"clients": count, "closed": closed, "requests": sent // len(request)}


def run(name: str, port: int, path: Path, signals: Signals, *more: str | int) -> None:
    os.nice(5)
    try:
        places = (
            globals(), vars(clock_attacks), vars(stranger_attacks), vars(room_attacks),
            vars(crowd_attacks), vars(hoard_attacks), vars(busy_attacks), vars(lie_attacks),
            vars(name_attacks), vars(file_attacks), vars(giveway_attacks))
        attack = next(place[name] for place in places if name in place)
        signals.figures.put(attack(port, path, signals, *more))
    except BaseException as error:
        signals.figures.put({"error": repr(error)})
        raise
