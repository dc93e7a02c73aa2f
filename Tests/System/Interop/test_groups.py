"""Groups, between two of these peers; and every field of what a group is made of, changed."""

from __future__ import annotations

import secrets
import unittest
from dataclasses import replace
from typing import Callable

from bodies import Announced, Body, Class, read_content
from codec import Reader, Refused
from entries import hybrid_time
from group_exchange import FEATURES
from group_forgeries import (
    SEALED_KEY,
    Cast,
    altered,
    by_nobody,
    by_wrong_keys,
    epochs_of,
    flipped,
    one_of_each,
    parts_of_act,
    parts_of_revocation,
    revocation,
    revocations_by_wrong_keys,
    sealed_by_wrong_keys,
    without_line,
)
from group_keys import SealedKey, announcing, seal_key
from groups import Epoch, Group
from peer import Peer
from persons import device_address, read_certificate
from primitives import Identity, x25519_public
from records import read_record
from replica import wall_milliseconds
from rosters import Roster
from sealing import AES, XCHACHA
from signed_acts import Act, Deed, History, Member, check_join, read_act

SECONDS = 60.0


def member_of(name: int) -> Peer:
    return Peer(Identity.from_seed(bytes([name]) * 32))


class Scene:
    """A group of an owner and a member, and acts of every kind behind it."""

    def __init__(self) -> None:
        self.owner, self.member, self.newcomer = (member_of(name).member for name in (1, 2, 3))
        self.hlc = hybrid_time(wall_milliseconds() - 60_000)
        founding = self.owner.found("ops", self.hlc, bytes(32), bytes(32), History.ALL, XCHACHA)
        self.group = Group.founded(founding, self.owner.identifier)
        add = self.owner.act(
            Deed.ADD, founding.group, self.hlc, (founding.identifier,), {1: self.member.identifier}
        )
        self.founding = founding
        self.group.take([founding, add])
        self.cast = Cast(self.owner, self.member, self.newcomer, Identity.from_seed(b"\x4c" * 32))
        self.made = one_of_each(self.cast, founding.group, self.hlc, tuple(self.group.heads))


def judged(data: bytes, link: Act) -> None:
    act = read_act(data).verified()
    if act.deed == Deed.JOIN:
        check_join(act, link)


class BetweenTwo(unittest.IsolatedAsyncioTestCase):
    async def test_a_group_from_its_founding_to_a_removal(self) -> None:
        owner, member = Peer(), Peer()
        for peer in (owner, member):
            peer.features = FEATURES
        self.addAsyncCleanup(owner.close)
        self.addAsyncCleanup(member.close)
        session = await owner.dial("127.0.0.1", await member.listen())
        group = owner.found("ops", History.JOINED, AES)
        owner.say(group, "too early")
        owner.act(group, Deed.ADD, {1: member.person_id})
        await member.until(lambda: bool(member.asked), SECONDS, "an invitation")
        other = member.enter(next(iter(member.asked.values())))
        owner.say(group, "hello")
        await member.until(lambda: "hello" in other.texts(), SECONDS, "a text")
        member.say(other, "thanks")
        await owner.until(lambda: "thanks" in group.texts(), SECONDS, "an answer")
        self.assertEqual(other.texts(), ["hello", "thanks"])
        owner.act(group, Deed.REMOVE, {1: member.person_id})
        owner.say(group, "in private")
        await member.until(lambda: not other.is_inside, SECONDS, "the removal")
        await owner.heard_back(session)
        self.assertNotIn("in private", other.texts())
        self.assertLess(len(other.ring.held), len(group.ring.held))


class Altered(unittest.TestCase):
    def setUp(self) -> None:
        self.scene = Scene()

    def refuses(self, name: str, judge: Callable[[bytes], object], data: bytes) -> None:
        with self.subTest(name), self.assertRaises(Refused):
            judge(data)

    def every_byte(self, name: str, judge: Callable[[bytes], object], data: bytes) -> None:
        judge(data)
        for at in range(len(data)):
            try:
                judge(flipped(data, at))
            except Refused:
                continue
            self.fail(f"{name}: another byte {at} is believed")

    def test_acts(self) -> None:
        link = self.scene.made["link"]
        for name, act in self.scene.made.items():
            self.every_byte(name, lambda data: judged(data, link), act.packed())
            # The parts that are sent to stoad are all of it.
            spans = parts_of_act(act)
            self.assertEqual([end for _, _, end in spans[:-1]], [start for _, start, _ in spans[1:]])
            self.assertEqual((spans[0][1], spans[-1][2]), (0, len(act.packed())))
            self.assertEqual(read_act(act.packed()), act)
            self.assertEqual(len(list(altered(act.packed(), spans))), len(spans))

    def test_acts_signed_by_wrong_keys(self) -> None:
        scene = self.scene
        link = scene.made["link"]
        liar = member_of(4).member
        wrong = by_wrong_keys(scene.made, liar) | without_line(scene.made["join"], scene.cast, liar)
        for name, act in wrong.items():
            self.refuses(name, lambda data: judged(data, link), act.packed())

    def test_acts_of_who_may_do_nothing(self) -> None:
        """They are good acts, which change nothing."""
        scene = self.scene
        # Without those that put people out.
        gone = (Deed.CREATE, Deed.REMOVE, Deed.LEAVE, Deed.CUT, Deed.END_LINK, Deed.DEMOTE)
        scene.group.take([act for act in scene.made.values() if act.deed not in gone])
        before, heads = scene.group.roster.said, tuple(scene.group.heads)
        for act in by_nobody(scene.made, heads, scene.hlc, self.liar()):
            with self.subTest(Deed(act.deed).name):
                after = Roster([*scene.group.acts.values(), act.verified()]).said
                self.assertEqual(after.members, before.members)
                self.assertEqual(after.links, before.links)
                self.assertEqual(after.undecided(), before.undecided())

    def liar(self) -> Member:
        """The one whom the owner has added last, who has no rank."""
        return self.scene.newcomer

    def test_epochs(self) -> None:
        group, maker = self.scene.group, self.scene.member
        key, people = secrets.token_bytes(32), group.roster.members

        def holds(body: Body, given: bytes = key) -> bool:
            content = Group.founded(self.scene.founding, self.scene.owner.identifier)
            content.take(list(group.acts.values()))
            try:
                said = read_announcement(body)
            except Refused:
                return False
            content.hear(Epoch(maker.device.public, maker.identifier, said))
            content.given[said.epoch] = {given}
            return content.settle()

        name, device = group.identifier, maker.device.public
        good = announcing(key, name, device, group.heads, people)
        self.assertTrue(holds(good))
        self.assertFalse(holds(good, flipped(key, 0)))
        old = self.scene.founding.identifier
        for what, body in epochs_of(key, name, device, group.heads, people, old).items():
            with self.subTest(what):
                self.assertFalse(holds(body))
        for type_ in (1, 3, 5):
            for at in range(len(good.fields[type_])):
                changed = {**good.fields, type_: flipped(good.fields[type_], at)}
                self.assertFalse(holds(replace(good, fields=changed)), (type_, at))

    def test_sealed_keys(self) -> None:
        group, giver, taker = self.scene.group.identifier, self.scene.owner, member_of(2)
        secret = device_address(taker.identity)
        sealed = seal_key(
            b"\x01" * 32, b"\x02" * 32, group, taker.identity.public, x25519_public(secret),
            giver.device, secrets.token_bytes(32),
        )

        def judge(data: bytes) -> None:
            reader = Reader(data)
            key = SealedKey(*(reader.take(length) for length in (32, 32, 32, 80, 64)))
            if key.verified(group).opened(group, secret) != b"\x02" * 32:
                raise Refused("another key")

        self.every_byte("a sealed key", judge, sealed.packed())
        self.assertEqual(SEALED_KEY[-1][2], len(sealed.packed()))
        wrong = sealed_by_wrong_keys(sealed, group, member_of(4).identity)
        for name, key in wrong.items():
            self.refuses(name, judge, key.packed())
        with self.assertRaises(Refused):
            sealed.verified(flipped(group, 0))
        with self.assertRaises(Refused):
            sealed.opened(group, flipped(secret, 5))

    def test_certificates_and_revocations(self) -> None:
        member = self.scene.member
        device, packed = member.device.public, member.certificate.packed()
        self.every_byte(
            "a certificate", lambda data: read_certificate(data).verified(device), packed
        )
        self.refuses(
            "of another device", lambda data: read_certificate(data).verified(data[:32]), packed
        )
        record = revocation(member.person, member.certificate, device, self.scene.hlc)
        self.every_byte("a revocation", lambda data: read_record(data).verified(), record.packed())
        self.assertEqual(parts_of_revocation(record)[-1][2], len(record.packed()))
        for name, wrong in revocations_by_wrong_keys(record, member_of(4).member).items():
            self.refuses(name, lambda data: read_record(data).verified(), wrong.packed())


def read_announcement(body: Body) -> Announced:
    content = read_content(Class.CONTROL, body, False)
    if not isinstance(content, Announced):
        raise Refused("no announcement")
    return content
