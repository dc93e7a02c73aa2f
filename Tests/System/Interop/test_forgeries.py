"""Every forgery against this peer, which must do with it what is asked of stoad."""

from __future__ import annotations

import asyncio
import unittest
from typing import Callable

from forgeries import (
    Author,
    LinkForgery,
    frame_forgeries,
    plaintext_forgeries,
    record_forgeries,
    sync_forgeries,
)
from forgeries_handshake import (
    Due,
    ForgingResponder,
    handshake_forgeries,
    responder_forgeries,
)
from forgeries_runs import due_texts, run_forgeries
from frames import Reason
from link import Link
from peer import HANDSHAKE_FAILURES, Peer
from session import Session

SECONDS = 60.0


class HandshakeForgeries(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.peers: list[Peer] = []

    async def asyncTearDown(self) -> None:
        for peer in self.peers:
            await peer.close()

    def peer(self) -> Peer:
        self.peers.append(Peer())
        return self.peers[-1]

    async def test_what_an_initiator_forges(self) -> None:
        for forgery in handshake_forgeries():
            with self.subTest(forgery.name):
                responder, forger = self.peer(), self.peer()
                port = await responder.listen()
                forger.dials = 1
                opening = forger.opening()
                forgery.change(opening)
                passed = False
                try:
                    session = forger.start(await Link.dial("127.0.0.1", port, opening))
                    await forger.heard_back(session)
                    passed = True
                except HANDSHAKE_FAILURES:
                    pass
                self.assertEqual(passed, forgery.accepted)

    async def test_what_a_responder_forges(self) -> None:
        for forgery in responder_forgeries():
            with self.subTest(forgery.name):
                forger = ForgingResponder(forgery.change)
                self.peers.append(forger)
                port = await forger.listen()
                with self.assertRaises(HANDSHAKE_FAILURES):
                    await self.peer().dial("127.0.0.1", port)
                self.assertEqual(forger.sessions, [])


class LinkForgeries(unittest.IsolatedAsyncioTestCase):
    """What comes behind a handshake, on links of their own, a few at a time."""

    async def asyncSetUp(self) -> None:
        # Debug mode makes hundreds of links slow.
        asyncio.get_running_loop().set_debug(False)
        self.honest = Peer(name="Honest")
        self.port = await self.honest.listen()
        self.room = self.honest.join("agora")
        self.honest.say(self.room, "genuine: the honest one's")
        self.gate = asyncio.Semaphore(16)

    async def asyncTearDown(self) -> None:
        await self.honest.close()

    @property
    def known(self) -> tuple[bytes, int]:
        log = self.room.log(self.honest.own[self.room.identifier].name)
        return log.identifiers[-1], log.entry(log.seq).hlc

    async def tried(self, name: str, due: Due, send: Callable[[Session, Author], None]) -> None:
        async with self.gate:
            peer = Peer()
            room = peer.join("agora", say_so=False)
            session = await peer.dial("127.0.0.1", self.port)
            await peer.until(lambda: room.identifier in session.shared, SECONDS, "the room")
            session.mute = due is Due.CLOSE
            send(session, Author.new(peer.identity, room.identifier))
            if due is Due.CLOSE:
                await peer.until(lambda: session.ended is not None, SECONDS, name)
                reason = session.ended and session.ended.reason
                self.assertEqual(reason, Reason.PROTOCOL_VIOLATION, name)
            elif due is not Due.HIDE:
                await peer.heard_back(session, SECONDS)
                self.assertIsNone(session.ended, name)
            session.link.writer.close()

    async def test_entries_records_and_clocks(self) -> None:
        known = self.known
        everything = frame_forgeries() + run_forgeries() + record_forgeries()
        everything += sync_forgeries(self.room.identifier)

        def sender(forgery: LinkForgery) -> Callable[[Session, Author], None]:
            def send(session: Session, author: Author) -> None:
                for frame in forgery.frames(author, *known):
                    session.link.send(frame)

            return send

        jobs = [self.tried(item.name, item.due, sender(item)) for item in everything]
        await asyncio.gather(*jobs)
        texts = self.room.texts()
        self.assertEqual([words for words in texts if not words.startswith("genuine")], [])
        self.assertEqual([words for words in due_texts() if words not in texts], [])

    async def test_plaintexts(self) -> None:
        def sender(plaintexts: list[bytes]) -> Callable[[Session, Author], None]:
            def send(session: Session, author: Author) -> None:
                session.link.counts_credit = False
                for plaintext in plaintexts:
                    session.link.write_plaintext(plaintext)

            return send

        cases = plaintext_forgeries().items()
        await asyncio.gather(*(self.tried(name, due, sender(p)) for name, (p, due) in cases))


if __name__ == "__main__":
    unittest.main()
