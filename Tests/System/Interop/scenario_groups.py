"""Groups with stoads: this peer is invited, creates, writes, removes and is removed."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import replace
from typing import Any, Awaitable, Callable

from Driver.control import shown
import frames
from bodies import saying
from entries import Entry, room_id
from frames import Type
from group_exchange import FEATURES
from group_forger import Forger, rightly
from group_keys import epoch_keys, read_acts
from groups import Group
from peer import Peer
from persons import Person
from primitives import Identity
from private import group_invitation, read_group_invitation
from replica import sealed
from realms import OPEN
from rig import ROOM, SECONDS, Rig
from rosters import in_order
from sealing import AES, XCHACHA
from session import Session
from signed_acts import Deed, History, Position, rank
from stoad import Stoad

ASKS = 200
ASK_SECONDS = 0.05


async def run(rig: Rig) -> None:
    await rig.stoad.run("join", ROOM)
    pat, session = await linked(rig, "Pat")
    await invited(rig, pat, session)
    tia = Stoad(rig.programs, "Tia")
    await tia.start()
    try:
        await tia.run("join", ROOM)
        await tia.run("connect", f"{rig.stoad.key}@127.0.0.1:{rig.stoad.port}")
        for history, suite in ((History.ALL, XCHACHA), (History.JOINED, AES)):
            await creates(rig, tia, history, suite)
        await comes(rig)
        await lets_in(rig, tia)
        await told_twice(rig, tia)
        await cuts(rig)
    finally:
        await tia.end()


async def linked(rig: Rig, name: str, person: Person | None = None) -> tuple[Peer, Session]:
    """A peer that takes part in groups, known to stoad by a room."""
    peer = rig.peer(name, person=person)
    peer.features = FEATURES
    peer.join(ROOM)
    return peer, await known_to(rig, peer, rig.stoad)


async def known_to(rig: Rig, peer: Peer, stoad: Stoad) -> Session:
    session = await peer.dial("127.0.0.1", stoad.port, source=next(rig.sources))
    await peer.until(lambda: room_id(ROOM) in session.shared, SECONDS, "the room")
    return session


def named(peer: Peer) -> str:
    """How a command names it."""
    return "@" + shown(peer.identity.public)


async def until(rig: Rig, what: str, holds: Callable[[], Awaitable[bool]]) -> bool:
    """A check of what stoad says, that has until then to come true."""
    for _ in range(ASKS):
        if await holds():
            return rig.checks.that(what, True)
        await asyncio.sleep(ASK_SECONDS)
    return rig.checks.that(what, False)


async def info(stoad: Stoad, group: Group | str) -> dict[str, Any]:
    name = group if isinstance(group, str) else shown(group.identifier)
    return dict(await asyncio.to_thread(stoad.daemon.call, "groupInfo", group=name))


async def members(stoad: Stoad, group: Group | str) -> set[str]:
    return {item["person"] for item in (await info(stoad, group))["members"]}


async def shows(stoad: Stoad, group: str, words: str) -> bool:
    return words in [item.get("text") for item in await stoad.history(group)]


async def come_in(rig: Rig, peer: Peer) -> Group:
    """Accepts the invitation that comes."""
    await rig.eventually(peer, "an invitation comes", lambda: bool(peer.asked))
    [acts] = peer.asked.values()
    return peer.enter(acts)


async def invited(rig: Rig, pat: Peer, session: Session) -> None:
    """stoad's group: what it wrote is read, what the peer writes is shown, and then the peer is removed."""
    checks, stoad = rig.checks, rig.stoad
    await stoad.run("group", "create", "ops")
    await stoad.run("send", "+ops", "before Pat")
    await stoad.run("group", "invite", "+ops", named(pat))
    group = await come_in(rig, pat)
    checks.same("who is in it", len(group.roster.members), 2)
    await rig.eventually(
        pat, "what was written before is read", lambda: "before Pat" in group.texts()
    )
    await stoad.run("send", "+ops", "hello Pat")
    await rig.eventually(pat, "and what is new", lambda: "hello Pat" in group.texts())
    pat.say(group, "hello from Python")
    await until(rig, "stoad shows what the peer wrote", lambda: shows(stoad, "+ops", "hello from Python"))
    await rig.same_digest(pat, session, group)
    told = (await info(stoad, "+ops"))["acts"]
    checks.same("both have the same acts", told, len(group.acts))
    await removed(rig, pat, session, group)


async def removed(rig: Rig, pat: Peer, session: Session, group: Group) -> None:
    """The peer is told that it is out, and is given nothing more."""
    checks, stoad = rig.checks, rig.stoad
    keys = set(group.ring.held)
    await stoad.run("group", "remove", "+ops", named(pat), "--yes")
    await rig.eventually(pat, "the peer is told that it is out", lambda: not group.is_inside)
    checks.same("by whom", [act.device for act in group.roster.removals(pat.person_id)], [session.link.remote])
    before, known = len(session.received), set(group.acts)
    await stoad.run("send", "+ops", "without Pat")
    for _ in range(3):
        await pat.heard_back(session)
    checks.that("what is written then is not read", "without Pat" not in group.texts())
    late = [frame for frame in session.received[before:] if group.identifier in frame.body]
    # The acts that say so may come twice: as stoad signs them, and for those who are out.
    again = [read_acts(frame.body)[1] for frame in late if frame.kind == Type.ACTS]
    news = [Type(frame.kind).name for frame in late if frame.kind != Type.ACTS]
    checks.same("nothing of the group comes any more", news, [])
    checks.that("and no act", all(act.identifier in known for acts in again for act in acts))
    checks.same("and no key", set(group.ring.held) | set(session.keys_received[group.identifier]), keys)
    # What it insists on is not shown either, though it has a key that was good.
    own = group.log(pat.own[group.identifier].name)
    entry = Entry.of(saying("still here"), own.entry(own.seq).hlc + 1, bytes(16))
    key = group.ring.current
    assert key is not None
    made = sealed(entry, saying("still here"), key, own.name, own.seq + 1, own.identifier(own.seq))
    run = pat.own[group.identifier].append([made])
    session.link.send(frames.live_run(run.packed()))
    await rig.alive(pat, "a text of somebody who is out ends no link", session)
    checks.that("and is not shown", not await shows(stoad, "+ops", "still here"))
    await pat.close()


async def accepts(rig: Rig, stoad: Stoad, group: Group, by: Peer) -> None:
    """stoad's user is asked into the peer's group, and agrees."""
    async def asked() -> bool:
        items = (await asyncio.to_thread(stoad.daemon.call, "requests"))["items"]
        due = {"group": shown(group.identifier), "person": shown(by.identity.public)}
        return any(due.items() <= item.items() for item in items)

    await until(rig, "stoad's user is asked", asked)
    await stoad.run("accept", shown(group.identifier))


async def creates(rig: Rig, tia: Stoad, history: History, suite: int) -> None:
    """The peer's group: both stoads come in, all write, one is removed and comes back."""
    checks, stoad = rig.checks, rig.stoad
    pat, session = await linked(rig, f"Owner{suite}")
    other = await known_to(rig, pat, tia)
    group = pat.found(f"den{suite}", history, suite)
    name = shown(group.identifier)
    pat.say(group, "nobody else is here")
    pat.act(group, Deed.ADD, {1: session.person})
    await accepts(rig, stoad, group, pat)
    pat.say(group, "welcome")
    await until(rig, "stoad shows what the owner wrote", lambda: shows(stoad, name, "welcome"))
    is_all = history == History.ALL
    checks.same(
        "and what was written before it came",
        await shows(stoad, name, "nobody else is here"), is_all)
    pat.act(group, Deed.ADD, {1: other.person})
    await accepts(rig, tia, group, pat)
    await stoad.run("send", name, "from one")
    await tia.run("send", name, "from two")
    for words in ("from one", "from two"):
        await rig.eventually(pat, f"{words} is read", lambda words=words: words in group.texts())
    await until(rig, "one reads two", lambda: shows(stoad, name, "from two"))
    await until(rig, "two reads one", lambda: shows(tia, name, "from one"))
    checks.same("and what came before", await shows(tia, name, "welcome"), is_all)
    for each in (stoad, tia):
        told = await info(each, name)
        checks.same("all have the same acts", told["acts"], len(group.acts))
        checks.same("and the same members", len(told["members"]), 3)
        checks.same("what newcomers read", told["history"], "all" if is_all else "joined")
    await removes(rig, pat, group, tia, other)
    await returns(rig, pat, group, tia, other)
    await pat.close()


async def removes(rig: Rig, pat: Peer, group: Group, tia: Stoad, other: Session) -> None:
    """Who is removed by the peer reads nothing more, although linked with all members."""
    checks, stoad, name = rig.checks, rig.stoad, shown(group.identifier)
    before = set(group.ring.held)
    seen = [
        Position(log.name.author, log.name.incarnation, log.seq)
        for log in group.logs.values()
        if log.name.author == other.link.remote
    ]
    pat.act(group, Deed.REMOVE, {1: other.person, 4: b"".join(one.packed() for one in seen)})
    run = pat.say(group, "without two")
    made = set(group.ring.held) - before
    checks.same("a new key is made", len(made), 1)
    await until(rig, "one reads what two may not", lambda: shows(stoad, name, "without two"))
    await stoad.run("send", name, "nor this")
    await rig.eventually(pat, "and answers", lambda: "nor this" in group.texts())

    async def is_out() -> bool:
        return "role" not in await info(tia, name)

    await until(rig, "two knows that it is out", is_out)
    code, _, _ = await asyncio.to_thread(tia.daemon.stoa, "send", name, "too late")
    checks.that("two can write nothing", code != 0)
    # Also where somebody pushes it all, key included.
    other.link.send(frames.live_run(run.packed()))
    other.link.send(epoch_keys(group.identifier, [(key, group.ring.held[key]) for key in made]))
    await rig.alive(pat, "what is pushed all the same ends no link", other)
    for words in ("without two", "nor this"):
        checks.that(f"two does not show: {words}", not await shows(tia, name, words))
    checks.that("what two has written stays", await shows(stoad, name, "from two"))
    checks.that("here, too", "from two" in group.texts())


async def returns(rig: Rig, pat: Peer, group: Group, tia: Stoad, other: Session) -> None:
    """An admin cannot lift the owner's removal; the owner can."""
    checks, stoad, name = rig.checks, rig.stoad, shown(group.identifier)
    one = next(session for session in pat.sessions if session is not other)
    pat.act(group, Deed.ADMIN, {1: one.person, 3: rank(256)})

    async def is_admin() -> bool:
        return (await info(stoad, name)).get("role") == "admin"

    await until(rig, "stoad is an admin", is_admin)
    code, _, _ = await asyncio.to_thread(
        stoad.daemon.stoa, "group", "invite", name, f"@{tia.key}")
    checks.that("who cannot lift the owner's removal", code != 0)
    pat.act(group, Deed.ADD, {1: other.person})
    await accepts(rig, tia, group, pat)
    pat.say(group, "back again")
    await until(rig, "two reads again", lambda: shows(tia, name, "back again"))
    checks.same(
        "and what it has missed", await shows(tia, name, "without two"),
        group.history == History.ALL)
    await tia.run("send", name, "hello again")
    await rig.eventually(pat, "two writes again", lambda: "hello again" in group.texts())


async def comes(rig: Rig) -> None:
    """The peer comes by the links of stoad's group."""
    checks, stoad = rig.checks, rig.stoad
    line = read_group_invitation(await stoad.run("group", "link", "+ops"))
    zoe, session = await linked(rig, "Zoe")
    for what, wrong in (("key", replace(line, seed=bytes(32))), ("id", replace(line, link=bytes(32)))):
        zoe.come(wrong)
        for _ in range(3):
            await zoe.heard_back(session)
        checks.same(f"by another {what} nobody comes in", zoe.groups, [])
        zoe.joins.clear()
    told = zoe.links_told.get(line.link)
    checks.that("and is shown why", told is not None and told.fields[1] != Identity.from_seed(bytes(32)).public)
    zoe.come(line)
    await rig.eventually(zoe, "by the right one the peer is in", lambda: bool(zoe.groups))
    [group] = zoe.groups
    await rig.eventually(zoe, "it reads", lambda: "without Pat" in group.texts())
    zoe.say(group, "hello from Zoe")
    await until(rig, "and writes", lambda: shows(stoad, "+ops", "hello from Zoe"))
    line = read_group_invitation(await stoad.run("group", "link", "+ops", "--approve"))
    yan, session = await linked(rig, "Yan")
    yan.come(line)

    async def waits() -> bool:
        return any(item["does"] == "join" for item in (await info(stoad, "+ops"))["undecided"])

    await until(rig, "who needs approval waits", waits)
    checks.same("and is not in", yan.groups, [])
    await stoad.run("group", "approve", "+ops", named(yan))
    await rig.eventually(yan, "until an admin agrees", lambda: bool(yan.groups))
    yan.act(yan.groups[0], Deed.LEAVE, {})
    await rig.eventually(zoe, "all see who leaves", lambda: yan.person_id not in group.roster.members)
    for peer in (zoe, yan):
        await peer.close()


async def lets_in(rig: Rig, tia: Stoad) -> None:
    """stoads come by a link of the peer's group."""
    checks, stoad = rig.checks, rig.stoad
    pat, session = await linked(rig, "Host")
    await known_to(rig, pat, tia)
    group = pat.found("porch", History.ALL, XCHACHA)
    pat.say(group, "come in")
    key = Identity.from_seed(secrets.token_bytes(32))
    made = pat.act(group, Deed.LINK, {1: key.public})

    def line(seed: bytes = key.seed) -> str:
        return group_invitation("porch", bytes(32), group.identifier, made.identifier, seed)

    code, _, words = await asyncio.to_thread(stoad.daemon.stoa, "join", line(bytes(32)))
    checks.that("stoad sees that a line is altered", code != 0, words)
    await stoad.run("join", line())
    await until(rig, "stoad comes by the link", lambda: shows(stoad, "+porch", "come in"))
    checks.that("and is a member", session.person in group.roster.members)
    pat.act(group, Deed.END_LINK, {1: made.identifier})
    code, _, words = await asyncio.to_thread(tia.daemon.stoa, "join", line())
    checks.that("by a link that was ended nobody comes", code != 0, words)
    checks.same("so they stay two", len(group.roster.members), 2)
    await pat.close()


async def told_twice(rig: Rig, tia: Stoad) -> None:
    """A member who says two things of one key keeps nobody from reading what others seal with it."""
    stoad = rig.stoad
    for is_late in (False, True):
        pat, session = await linked(rig, "Pat")
        liar, one = await linked(rig, "Liar")
        other = await known_to(rig, liar, tia)
        await known_to(rig, pat, tia)
        group = pat.found(f"twice{int(is_late)}", History.ALL, XCHACHA)
        name = shown(group.identifier)
        for person in (one.person, other.person, liar.person_id):
            pat.act(group, Deed.ADD, {1: person})
        for each in (stoad, tia):
            await accepts(rig, each, group, pat)
        liar.enter(in_order(group.acts.values()))
        for link in (one, other):
            await liar.until(lambda link=link: group.identifier in link.shared, SECONDS, "the group")
        body, key = rightly(liar, group)
        wrong = replace(body, fields={**body.fields, 5: bytes(32)})
        if is_late:
            # One is shown both, the right one in a log that nobody gets; the other only the wrong one.
            Forger(liar, group, one, serves=False).write(body)
            told, link, writer, reader = Forger(liar, group, one), one, stoad, tia
            told.write(wrong)
        else:
            # One is shown the wrong one first, the other only the right one.
            Forger(liar, group, one, serves=False).write(wrong)
            told, link, writer, reader = Forger(liar, group, other), other, tia, stoad
            told.write(body)
        for each in (one, other):
            told.session = each
            told.give(body.fields[1], key)
        rows = link.shared[group.identifier].rows
        tag = link.tags.log(told.log.name)
        await rig.eventually(
            liar, "a log that tells of the key is taken",
            lambda rows=rows, tag=tag: tag in rows and rows[tag].seq == 2)
        await writer.run("send", name, "honest words")
        await until(rig, "what others write is read", lambda: shows(reader, name, "honest words"))
        for peer in (pat, liar):
            await peer.close()


async def cuts(rig: Rig) -> None:
    """A person with two devices, one of which is cut: what it writes later nobody shows, and it gets no key."""
    checks, stoad = rig.checks, rig.stoad
    desk, session = await linked(rig, "Desk")
    phone, other = await linked(rig, "Phone", desk.person)
    group = desk.found("fleet", History.ALL, XCHACHA)
    desk.act(group, Deed.ADD, {1: session.person})
    await accepts(rig, stoad, group, desk)
    desk.say(group, "from the desk")
    await until(rig, "stoad has a key", lambda: shows(stoad, "+fleet", "from the desk"))
    same = phone.enter(in_order(group.acts.values()))
    await rig.eventually(
        phone, "another device gets the key from stoad", lambda: "from the desk" in same.texts())
    phone.say(same, "from the phone")
    await until(rig, "stoad shows what it writes", lambda: shows(stoad, "+fleet", "from the phone"))
    await rig.eventually(
        desk, "and so does the first device", lambda: "from the phone" in group.texts())
    told = (await info(stoad, "+fleet"))["members"]
    checks.same("they are one person", len(told), 2)
    desk.cut(group, phone.identity.public)

    async def is_known() -> bool:
        return bool((await info(stoad, "+fleet"))["acts"] == len(group.acts))

    await until(rig, "stoad knows of the cut", is_known)
    keys = set(same.ring.held)
    phone.say(same, "from a thief")
    desk.say(group, "after the cut")
    await until(rig, "others go on", lambda: shows(stoad, "+fleet", "after the cut"))
    await rig.alive(phone, "the cut device has a link", other)
    checks.that("but stoad shows nothing of it", not await shows(stoad, "+fleet", "from a thief"))
    await desk.heard_back(session)
    checks.that("nor does this peer", "from a thief" not in group.texts())
    checks.same("and it gets no key", set(same.ring.held), keys)
    checks.that("nor what is sealed with it", "after the cut" not in same.texts())
    checks.that("what it wrote before stays", await shows(stoad, "+fleet", "from the phone"))
    for peer in (desk, phone):
        await peer.close()
