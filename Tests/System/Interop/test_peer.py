"""Two of these peers against each other, over loopback."""

from __future__ import annotations

import asyncio
import unittest

import frames
from codec import Refused
from bodies import saying
from entries import Entry, Run, hybrid_time
from link import LinkEnded, NoCommonRealm
from peer import Peer
from realms import OPEN, RealmSecret
from records import Record
from replica import wall_milliseconds
from story import Story, records_of

SECONDS = 60.0


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
        self.assertEqual(len(self.ada.replica.kept), 2)

    async def test_whole_clocks_in_place_of_buckets_do_as_well(self) -> None:
        room = self.ada.join("agora")
        for index in range(20):
            self.ada.say(room, f"message {index}")
        other = self.bea.join("agora")
        for buckets in ((True, False), (False, True), (False, False)):
            self.ada.sends_buckets, self.bea.sends_buckets = buckets
            session = await self.bea.dial("127.0.0.1", self.ada.port)
            await self.bea.until(lambda: self.same(self.ada, self.bea), SECONDS, "one digest")
            self.assertEqual(len(other.texts()), 20)
            await self.bea.heard_back(session)
            self.assertIsNone(session.ended)

    async def test_payloads_that_were_left_out_are_asked_for(self) -> None:
        room = self.ada.join("agora")
        for index in range(5):
            self.ada.say(room, f"message {index}")
        name = self.ada.own[room.identifier].name
        other = self.bea.join("agora", say_so=False)
        held = other.log(name)
        for run in room.log(name).runs:
            held.accept(run if run.first == 1 else run.without_payloads())
        self.assertEqual((held.whole, other.texts()), (1, []))
        await self.bea.dial("127.0.0.1", self.ada.port)
        self.ada.say(room, "message 5")
        await self.bea.until(lambda: len(other.texts()) == 6, SECONDS, "the payloads")
        self.assertEqual(other.texts(), room.texts())

    async def test_large_runs_are_cut_and_wait_for_credit(self) -> None:
        room = self.ada.join("agora")
        for _ in range(12):
            self.ada.say(room, "x" * 65_000)
        other = self.bea.join("agora", say_so=False)
        session = await self.bea.dial("127.0.0.1", self.ada.port)
        await self.bea.until(lambda: self.same(self.ada, self.bea), SECONDS, "one digest")
        self.assertEqual(len(other.texts()), 12)
        self.assertGreater(len([f for f in session.received if f.kind == frames.Type.SYNC_RUN]), 3)

    async def test_what_this_version_cannot_read_is_kept_and_handed_on(self) -> None:
        room = self.ada.join("agora", say_so=False)
        story = Story()
        for names in ("u1", "u2 u3 u4 u5 u6 u7 u8 u9"):
            room.log(story.logs["u"][0]).accept(story.run(names))
        later = records_of()["unknownKind.wide"]
        self.assertTrue(self.ada.replica.accept_record(later))
        other = self.bea.join("agora", say_so=False)
        await self.bea.dial("127.0.0.1", self.ada.port)
        await self.bea.until(lambda: self.same(self.ada, self.bea), SECONDS, "one digest")
        due = ["from a later version"] * 2 + ["even fields", "from a later version"]
        self.assertEqual(other.texts(), due)

    async def test_a_log_without_a_person_is_kept_and_not_shown(self) -> None:
        room = self.ada.join("agora", say_so=False)
        stranger = Peer()
        own = stranger.join("agora", say_so=False)
        await stranger.dial("127.0.0.1", self.ada.port)
        stranger.certificate = self.bea.certificate
        stranger.say(own, "by nobody")
        await self.ada.until(lambda: self.same(self.ada, stranger), SECONDS, "one digest")
        self.assertEqual(room.texts(), [])
        await stranger.close()

    async def test_the_smallest_kinds_of_records_stay(self) -> None:
        author = self.bea.identity
        for kind in [*range(20, 40), 5, 250]:
            record = Record(kind, author.public, None, 1, b"x").signed(author)
            self.ada.replica.accept_record(record)
        kept = sorted(slot[2] for slot in self.ada.replica.kept if slot[0] == author.public)
        self.assertEqual(kept, [5, *range(20, 35)])

    async def test_a_fork_is_proven_and_told(self) -> None:
        self.ada.join("agora", say_so=False)
        one, two = self.bea, Peer()
        room = one.join("agora")
        opened, join = one.own[room.identifier].runs
        conversation = two.join("agora", say_so=False)
        for run in (opened, join):
            conversation.log(join.log).accept(run)
        hlc = hybrid_time(wall_milliseconds()) + 9
        branch = Entry.of(saying("two"), hlc, bytes(16))
        prev = join.identifiers[-1]
        other = Run.signed(one.identity, join.log, 3, prev, [branch])
        conversation.log(join.log).accept(other)
        one.say(room, "one")
        await one.dial("127.0.0.1", self.ada.port)
        held = self.ada.replica.conversations[room.identifier].log(join.log)
        await self.ada.until(lambda: held.seq == 3, SECONDS, "the first branch")
        await two.dial("127.0.0.1", self.ada.port)
        try:
            await self.ada.until(lambda: held.proof is not None, SECONDS, "a proof")
            await one.until(lambda: room.log(join.log).proof is not None, SECONDS, "the proof here")
            await two.until(
                lambda: conversation.log(join.log).proof is not None, SECONDS, "and there"
            )
            self.assertEqual(held.seq, 2)
            self.assertTrue(self.same(self.ada, one, two))
        finally:
            await two.close()

    async def test_a_realm_that_both_are_in_is_found_on_one_stream(self) -> None:
        circle, other = RealmSecret.new(), RealmSecret.new()
        self.ada.secrets = [circle, OPEN]
        for secrets, realm in (
            ([OPEN], OPEN.realm),
            ([circle], circle.realm),
            ([other] * 15 + [circle], circle.realm),
            ([other, OPEN], OPEN.realm),
        ):
            self.bea.secrets = secrets
            session = await self.bea.dial("127.0.0.1", self.ada.port)
            await self.bea.heard_back(session)
            self.assertEqual(session.link.realm, realm)
            self.assertEqual(self.ada.sessions[-1].link.realm, realm)

    async def test_one_link_serves_every_realm_that_both_are_in(self) -> None:
        circle, other = RealmSecret.new(), RealmSecret.new()
        self.ada.secrets, self.bea.secrets = [circle, OPEN], [other, circle, OPEN]
        self.ada.join("agora", realm=circle)
        self.ada.say(self.ada.join("agora"), "to all")
        inner = self.bea.join("agora", say_so=False, realm=circle)
        outer = self.bea.join("agora", say_so=False)
        self.bea.say(self.bea.join("agora", realm=other), "to nobody")
        self.assertNotEqual(inner.identifier, outer.identifier)
        session = await self.bea.dial("127.0.0.1", self.ada.port)
        await self.bea.until(lambda: len(outer.texts()) == 1, SECONDS, "the open one")
        await self.bea.until(lambda: len(inner.logs) == 1, SECONDS, "the inner one")
        self.assertEqual(session.realms, {OPEN.realm, circle.realm})
        self.assertEqual(len(self.ada.replica.conversations), 2)
        # Who leaves a realm says no more of its rooms, and takes nothing of them.
        self.bea.hold(OPEN)
        await self.bea.heard_back(session)
        self.assertEqual(set(self.ada.sessions[0].shared), {outer.identifier})
        self.assertEqual(set(session.shared), {outer.identifier})

    async def test_either_secret_of_a_realm_that_was_renewed_is_taken(self) -> None:
        realm = RealmSecret.new()
        renewed = RealmSecret(realm.realm, RealmSecret.new().secret)
        self.ada.secrets, self.bea.secrets = [renewed, realm], [realm]
        self.ada.say(self.ada.join("agora", realm=renewed), "hello")
        room = self.bea.join("agora", say_so=False, realm=realm)
        await self.bea.dial("127.0.0.1", self.ada.port)
        await self.bea.until(lambda: room.texts() == ["hello"], SECONDS, "the text")

    async def test_a_conversation_without_a_name_is_recognised_by_its_tag(self) -> None:
        identifier = bytes(range(32))
        room = self.ada.join_unnamed(identifier)
        self.ada.join_unnamed(b"\x01" * 32)
        self.ada.say(room, "in private")
        other = self.bea.join_unnamed(identifier)
        session = await self.bea.dial("127.0.0.1", self.ada.port)
        await self.bea.until(lambda: other.texts() == ["in private"], SECONDS, "the text")
        self.assertEqual(set(session.shared), {identifier})

    async def test_tags_of_realms_and_shares_that_are_sent_back_share_nothing(self) -> None:
        circle = RealmSecret.new()
        self.ada.secrets = [circle, OPEN]
        self.ada.join("agora", realm=circle)
        self.ada.join_unnamed(bytes(32))
        session = await self.bea.dial("127.0.0.1", self.ada.port)
        await self.bea.heard_back(session)
        for frame in list(session.received):
            if frame.kind in (frames.Type.REALMS, frames.Type.SHARES):
                session.link.send(frame)
        await self.bea.heard_back(session)
        [held] = self.ada.sessions
        self.assertEqual((held.realms, held.shared), (set(), {}))

    async def test_who_is_in_no_common_realm_learns_nothing_else(self) -> None:
        self.ada.secrets = [RealmSecret.new()]
        for secrets in ([OPEN], [RealmSecret.new() for _ in range(17)]):
            self.bea.secrets = secrets
            with self.assertRaises(NoCommonRealm):
                await self.bea.dial("127.0.0.1", self.ada.port)
        # The stream ends with the 17th refusal, whatever comes behind it.
        self.bea.secrets = [OPEN] * 18
        with self.assertRaises((asyncio.IncompleteReadError, ConnectionError)):
            await self.bea.dial("127.0.0.1", self.ada.port)
        self.assertEqual(self.ada.sessions, [])

    async def test_both_ends_know_the_person_of_the_other(self) -> None:
        session = await self.bea.dial("127.0.0.1", self.ada.port)
        await self.bea.heard_back(session)
        self.assertEqual(session.link.introduction.certificate, self.ada.certificate)
        held = self.ada.sessions[0].link.introduction.certificate
        self.assertEqual(held.person_id, self.bea.certificate.person_id)

    async def test_a_dial_aimed_at_another_key_stops_before_message_3(self) -> None:
        with self.assertRaises(Refused):
            await self.bea.dial("127.0.0.1", self.ada.port, expected=bytes(32))
        self.assertEqual(self.ada.sessions, [])

    async def test_a_refused_frame_closes_the_link_with_a_reason(self) -> None:
        session = await self.bea.dial("127.0.0.1", self.ada.port)
        session.link.send(frames.Frame(frames.Type.DIGEST, b"short"))
        await self.bea.until(lambda: session.ended is not None, SECONDS, "the end")
        self.assertIsInstance(session.ended, LinkEnded)
        self.assertEqual(session.ended and session.ended.reason, 4)


if __name__ == "__main__":
    unittest.main()
