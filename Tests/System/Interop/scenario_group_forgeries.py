"""Everything that a group is made of, with one field changed: stoad refuses it, and goes on."""

from __future__ import annotations

import secrets
from typing import Any

from Driver.control import shown
from bodies import Body, opening, saying
from codec import Reader, varint
from entries import hybrid_time
from frames import Frame, Reason, Type, read_frame
from group_forger import Forger, rightly
from group_forgeries import (
    CERTIFICATE,
    SEALED_KEY,
    Cast,
    altered,
    by_nobody,
    by_wrong_keys,
    epochs_of,
    laid_out,
    one_of_each,
    parts_of_act,
    parts_of_revocation,
    revocation,
    revocations_by_wrong_keys,
    sealed_by_wrong_keys,
    without_line,
)
from group_keys import seal_key
import group_keys
from peer import Peer
from persons import read_certificate
from primitives import Identity
from private import Key
from replica import wall_milliseconds
from rig import ROOM, SECONDS, Rig
from rosters import in_order
from scenario_groups import accepts, info, linked, shows, until
from sealing import XCHACHA
from session import Session
from signed_acts import Act, Deed, History
from vectors_groups import groups_vectors


async def run(rig: Rig) -> None:
    await rig.stoad.run("join", ROOM)
    stage = Stage(rig)
    await stage.start()
    await shapes(stage)
    await acts(stage)
    await epochs(stage)
    await opened(stage)
    await sealed_keys(stage)
    await revocations(stage)


class Stage:
    """A group of an honest owner, stoad, and a member who forges."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.checks = rig.checks
        self.stoad = rig.stoad

    async def start(self) -> None:
        self.owner, self.session = await linked(self.rig, "Owner")
        self.liar = self.rig.peer("Liar")
        self.liar.features = self.owner.features
        self.member, self.newcomer = Peer().member, Peer().member
        self.group = self.owner.found("ops", History.ALL, XCHACHA)
        self.owner.act(self.group, Deed.ADD, {1: self.session.person})
        await accepts(self.rig, self.stoad, self.group, self.owner)
        for person in (self.member.identifier, self.liar.person_id):
            self.owner.act(self.group, Deed.ADD, {1: person})
        self.owner.say(self.group, "all is well")
        name = self.name
        await until(self.rig, "stoad shows it", lambda: shows(self.stoad, name, "all is well"))
        self.before = await self.seen()

    @property
    def name(self) -> str:
        return shown(self.group.identifier)

    async def seen(self) -> dict[str, Any]:
        """What stoad says of the group."""
        told = await info(self.stoad, self.name)
        people = {item["person"]: item["role"] for item in told["members"]}
        acts = [sorted(item["act"] for item in told[what]) for what in ("undecided", "links")]
        return {"members": people, "acts": acts, "count": told["acts"], "waiting": told["waitingActs"]}

    async def texts(self) -> list[str]:
        return [item["text"] for item in await self.stoad.history(self.name) if item["kind"] == "text"]

    async def tell(self, *acts: Act) -> None:
        """The owner has these, and so has stoad then, as they are; from here on that is how the group is."""
        self.group.take(acts)
        self.owner.regrouped(self.group)
        count = len(self.group.acts)

        async def has() -> bool:
            return (await self.seen())["count"] == count

        await until(self.rig, "unaltered acts are taken", has)
        self.before = await self.seen()

    async def dialled(self) -> Session:
        return await self.rig.dial(self.liar)

    async def closed(self, name: str, frame: Frame) -> None:
        """The link on which it comes ends."""
        session = await self.dialled()
        session.mute = True
        session.link.send(frame)
        try:
            await self.liar.until(lambda: session.ended is not None, SECONDS, name)
        except TimeoutError as error:
            self.checks.that(f"{name}: the link ends", False, error)
            return
        reason = session.ended and session.ended.reason
        self.checks.same(f"{name}: the link ends", reason, Reason.PROTOCOL_VIOLATION)

    async def unchanged(self, name: str) -> None:
        self.checks.same(f"{name}: the group is as it was", await self.seen(), self.before)
        await self.rig.alive(self.owner, f"{name}: the owner's link stays", self.session)


def acts_frame(group: bytes, *packed: bytes) -> Frame:
    listed = b"".join(varint(len(data)) + data for data in packed)
    return Frame(Type.ACTS, group + varint(len(packed)) + listed)


async def shapes(stage: Stage) -> None:
    """The vectors of what is refused before anybody looks at who signs it."""
    for name, data in groups_vectors().items():
        if name.startswith("refuse.frame."):
            await stage.closed(name, read_frame(Reader(data)))
        elif name.startswith(("refuse.act.", "forged.act.")):
            await stage.closed(name, acts_frame(data[2:34], data))
    await stage.unchanged("shapes")


async def acts(stage: Stage) -> None:
    """Each field of each kind of act; acts that others sign; and those that change nothing."""
    group, checks = stage.group, stage.checks
    cast = Cast(stage.owner.member, stage.member, stage.newcomer, Identity.from_seed(bytes(31) + b"L"))
    hlc = max(hybrid_time(wall_milliseconds()), *(act.hlc for act in group.acts.values()))
    made = one_of_each(cast, group.identifier, hlc, tuple(group.heads))
    for name, act in made.items():
        for part, data in altered(act.packed(), parts_of_act(act)):
            await stage.closed(f"{name}, {part}", acts_frame(act.group, data))
        await stage.unchanged(name)
    for name, act in by_wrong_keys(made, stage.liar.member).items():
        await stage.closed(name, acts_frame(act.group, act.packed()))
    await stage.unchanged("what others have signed")
    # A join is looked at by the link of which it shows the line.
    await stage.tell(made["link"])
    for name, act in without_line(made["join"], cast, stage.liar.member).items():
        await stage.closed(name, acts_frame(act.group, act.packed()))
    await stage.unchanged("joins without the line")
    rest = in_order(act for act in made.values() if act.group == group.identifier)
    await stage.tell(*(act for act in rest if act.identifier not in group.acts))
    people = {bytes.fromhex(person) for person in group.roster.said.members}
    checks.that("unaltered, one is let in", stage.newcomer.identifier in people)
    checks.that("and one is removed", stage.member.identifier not in people)
    session = await stage.dialled()
    nobody = by_nobody(made, tuple(group.heads), hlc, stage.liar.member)
    session.link.send(group_keys.acts(group.identifier, nobody))
    await stage.rig.alive(stage.liar, "who may do nothing has a link all the same", session)
    await stage.owner.until(
        lambda: all(act.identifier in group.acts for act in nobody), SECONDS, "acts of nobody"
    )
    found = await stage.seen()
    checks.same("its acts are taken", found["count"], stage.before["count"] + len(nobody))
    stage.before["count"] = found["count"]
    await stage.unchanged("acts of who may do nothing")
    here = {bytes.fromhex(person) for person in group.roster.said.members}
    checks.same("for this peer, too", here, people)


async def forging(stage: Stage) -> Session:
    """A link of the forger on which the group is shared."""
    stage.liar.enter(in_order(stage.group.acts.values()))
    session = await stage.dialled()
    await stage.liar.until(lambda: stage.group.identifier in session.shared, SECONDS, "the group")
    return session


async def epochs(stage: Stage) -> None:
    """Each field of what is announced of a key, and the key itself."""
    session, group, liar = await forging(stage), stage.group, stage.liar
    founding = next(name for name, act in group.acts.items() if act.deed == Deed.CREATE)
    people = group.roster.members
    # Each with a key of its own, since of what a device says of one the first counts.
    names = epochs_of(bytes(32), group.identifier, bytes(32), group.heads, people, founding)
    for name in names:
        key = secrets.token_bytes(32)
        made = epochs_of(
            key, group.identifier, liar.identity.public, group.heads, people, founding)
        Forger(stage.liar, stage.group, session).says(f"forged: {name}", made[name], key)
    body, _ = rightly(liar, stage.group)
    Forger(stage.liar, stage.group, session).says("forged: a key of another", body, secrets.token_bytes(32))
    body, key = rightly(liar, stage.group)
    Forger(stage.liar, stage.group, session).says("forged: not the key", body, key, given=secrets.token_bytes(32))
    await stage.rig.alive(liar, "forged keys end no link", session)
    stage.checks.same("what they seal is not shown", await stage.texts(), ["all is well"])
    Forger(stage.liar, stage.group, session).says("with the right key", *rightly(stage.liar, stage.group))
    await until(
        stage.rig, "what the right key seals is shown",
        lambda: shows(stage.stoad, stage.name, "with the right key"))
    stage.expected = ["all is well", "with the right key"]
    stage.checks.same("and nothing else", await stage.texts(), stage.expected)


async def opened(stage: Stage) -> None:
    """Each field of the certificate of a device, with which its log begins."""
    session = await forging(stage)
    packed = stage.liar.certificate.packed()
    for name, data in altered(packed, laid_out(CERTIFICATE)):
        start = opening(read_certificate(data))
        Forger(stage.liar, stage.group, session, start).says(f"forged: {name}", *rightly(stage.liar, stage.group))
    liar, group = stage.liar, stage.group
    start = opening(stage.owner.certificate)
    Forger(liar, group, session, start).says("forged: the owner's certificate", *rightly(liar, group))
    await stage.rig.alive(stage.liar, "logs without a person end no link", session)
    stage.checks.same("nothing of them is shown", await stage.texts(), stage.expected)


async def sealed_keys(stage: Stage) -> None:
    """Each field of a sealed key, on a link: there they are for nothing."""
    session = await forging(stage)
    group, liar = stage.group.identifier, stage.liar
    to, address = stage.session.link.remote, stage.session.link.introduction.certificate.device_address
    body, key = rightly(liar, stage.group)
    made = seal_key(
        body.fields[1], key, group, to, address, liar.identity, secrets.token_bytes(32))
    forged = [data for _, data in altered(made.packed(), SEALED_KEY)]
    wrong = sealed_by_wrong_keys(made, group, stage.member.device)
    for data in [*forged, *(one.packed() for one in wrong.values())]:
        session.link.send(Frame(Type.SEALED_KEYS, group + varint(1) + data))
    log = Forger(stage.liar, stage.group, session)
    log.write(body)
    log.write(saying("forged: sealed"), Key(group, key, XCHACHA, body.fields[1]))
    await stage.rig.alive(liar, "sealed keys end no link", session)
    stage.checks.same("and open nothing", await stage.texts(), stage.expected)


async def revocations(stage: Stage) -> None:
    """Each field of a revocation; at the end one that is right."""
    liar, rig, group = stage.liar, stage.rig, stage.group
    mine, device = liar.member, liar.identity.public
    record = revocation(mine.person, mine.certificate, device, hybrid_time(wall_milliseconds()))

    def framed(data: bytes) -> Frame:
        return Frame(Type.RECORDS, varint(1) + varint(len(data)) + data)

    for part, data in altered(record.packed(), parts_of_revocation(record)):
        await stage.closed(f"a revocation, {part}", framed(data))
    for name, wrong in revocations_by_wrong_keys(record, stage.owner.member).items():
        await stage.closed(f"a revocation {name}", framed(wrong.packed()))
    session = await stage.dialled()
    await rig.alive(liar, "after forged revocations the device has a link", session)
    await stage.unchanged("forged revocations")
    stage.session.link.send(framed(record.packed()))
    await rig.eventually(liar, "a right one ends it", lambda: session.ended is not None)
    stage.checks.same("as that of a revoked device", session.ended and session.ended.reason, Reason.BLOCKED)
    await stage.unchanged("revocations")
    stage.owner.say(group, "and all goes on")
    await until(rig, "stoad goes on", lambda: shows(stage.stoad, stage.name, "and all goes on"))
    stage.checks.same(
        "and shows nothing else", await stage.texts(), [*stage.expected, "and all goes on"])
