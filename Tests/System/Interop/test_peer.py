"""Two of these peers against each other, over loopback."""

from __future__ import annotations

import asyncio
import unittest

import frames
from codec import Refused
from entries import Entry, EntryKind, Run, hybrid_time, payload
from link import LinkEnded
from peer import Peer
from replica import wall_milliseconds

SECONDS = 10.0


class Peers(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        # These tests run in asyncio's debug mode, which would report a slow machine.
        asyncio.get_running_loop().slow_callback_duration = SECONDS
        self.ada, self.bea = Peer(name="Ada"), Peer(name="Bea")
        await self.ada.listen()

    async def asyncTearDown(self) -> None:
        await self.bea.close()
        await self.ada.close()

    def same(self, *peers: Peer) -> bool:
        digests = set()
        for peer in peers:
            for identifier in peer.replica.conversations:
                digests.add(peer.replica.digest(identifier))
        return len(digests) == 1

    async def test_history_is_caught_up_and_both_sides_speak(self) -> None:
        room = self.ada.join("agora")
        for index in range(300):
            self.ada.say(room, f"message {index}")
        other = self.bea.join("agora")
        await self.bea.dial("127.0.0.1", self.ada.port, self.ada.identity.public)
        await self.bea.until(lambda: len(other.texts()) == 300, SECONDS, "300 texts")
        self.bea.say(other, "hello from bea")
        await self.ada.until(lambda: len(room.texts()) == 301, SECONDS, "the answer")
        self.ada.say(room, "hello from ada")
        await self.bea.until(lambda: self.same(self.ada, self.bea), SECONDS, "one digest")
        self.assertEqual(other.texts()[-2:], ["hello from bea", "hello from ada"])
        self.assertEqual(len(self.ada.replica.profiles), 2)

    async def test_large_runs_are_cut_and_wait_for_credit(self) -> None:
        room = self.ada.join("agora")
        for _ in range(12):
            self.ada.say(room, "x" * 65_000)
        other = self.bea.join("agora", say_so=False)
        session = await self.bea.dial("127.0.0.1", self.ada.port)
        await self.bea.until(lambda: self.same(self.ada, self.bea), SECONDS, "one digest")
        self.assertEqual(len(other.texts()), 12)
        self.assertGreater(len([f for f in session.received if f.kind == 0x23]), 3)

    async def test_a_fork_is_proven_and_told(self) -> None:
        self.ada.join("agora", say_so=False)
        one, two = self.bea, Peer()
        room = one.join("agora")
        join = one.own[room.identifier].runs[0]
        conversation = two.join("agora", say_so=False)
        conversation.log(join.log).accept(join)
        branch = Entry.new(
            EntryKind.TEXT, hybrid_time(wall_milliseconds()) + 9, payload(b"two", bytes(16))
        )
        prev = join.identifiers[-1]
        other = Run.signed(one.identity, join.log, 2, prev, [branch])
        conversation.log(join.log).accept(other)
        one.say(room, "one")
        await one.dial("127.0.0.1", self.ada.port)
        held = self.ada.replica.conversations[room.identifier].log(join.log)
        await self.ada.until(lambda: held.seq == 2, SECONDS, "the first branch")
        await two.dial("127.0.0.1", self.ada.port)
        try:
            await self.ada.until(lambda: held.proof is not None, SECONDS, "a proof")
            await one.until(lambda: room.log(join.log).proof is not None, SECONDS, "the proof here")
            await two.until(
                lambda: conversation.log(join.log).proof is not None, SECONDS, "and there"
            )
            self.assertEqual(held.seq, 1)
            self.assertTrue(self.same(self.ada, one, two))
        finally:
            await two.close()

    async def test_a_dial_aimed_at_another_key_stops_before_message_3(self) -> None:
        with self.assertRaises(Refused):
            await self.bea.dial("127.0.0.1", self.ada.port, expected=bytes(32))
        self.assertEqual(self.ada.sessions, [])

    async def test_a_refused_frame_closes_the_link_with_a_reason(self) -> None:
        session = await self.bea.dial("127.0.0.1", self.ada.port)
        session.link.send(frames.Frame(0x20, b"short"))
        await self.bea.until(lambda: session.ended is not None, SECONDS, "the end")
        self.assertIsInstance(session.ended, LinkEnded)
        self.assertEqual(session.ended and session.ended.reason, 4)


if __name__ == "__main__":
    unittest.main()
