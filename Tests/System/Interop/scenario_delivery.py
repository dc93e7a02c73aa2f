"""Delivered is what members say of themselves: strangers who lie or say nothing change nothing."""

from __future__ import annotations

import asyncio
import itertools
import json
import secrets

import frames
import marks
from Driver.control import shown
from frames import ClockRow, State, Type
from peer import Peer
from records import Record
from replica import hybrid_time, wall_milliseconds
from rig import ROOM, SECONDS, Rig
from session import Session

# Where nothing is to come; and where somebody has to answer, too.
SHORT, LONG = "2", "15"
PAUSE = 0.25


async def send(
    rig: Rig, *options: str, wait: str = "delivered", seconds: str = "60"
) -> tuple[int, dict[str, object]]:
    """The exit code, and the result or what the error says."""
    code, out, _ = await asyncio.to_thread(
        rig.stoad.daemon.stoa,
        *("--json", "send", ROOM, "who has it?", "--wait", wait, "--timeout", seconds),
        *options,
    )
    answer = json.loads(out) if out else {}
    return code, answer["error"]["data"] if "error" in answer else answer


async def in_room(rig: Rig, peer: Peer) -> Session:
    """A peer that is a member, and has all there is."""
    room = peer.join(ROOM)
    session = await rig.dial(peer)
    await rig.same_digest(peer, session, room)
    return session


async def run(rig: Rig) -> None:
    checks, stoad = rig.checks, rig.stoad
    await stoad.run("join", ROOM)
    honest, silent, liar = rig.peer("Honest"), rig.peer("Silent"), rig.peer("Liar")
    linked = await in_room(rig, honest)
    (await in_room(rig, silent)).mute = True
    code, answer = await send(rig)
    ids = [shown(honest.identity.public)]
    checks.same("a silent stranger delays nothing", (code, answer["deliveredTo"]), (0, ids))
    code, answer = await send(rig, "--members", "2", seconds=LONG)
    checks.same("nor has it anything", (code, answer["deliveredTo"]), (75, ids))
    code, answer = await send(rig, "--members", "all")
    checks.same("where nobody is known, all are nobody", (code, answer["reason"]), (77, "nobodyKnown"))
    await stoad.run("people", "add", "@" + shown(honest.identity.public))
    code, answer = await send(rig, "--members", "all")
    checks.same("all are those who are known", (code, answer["deliveredTo"]), (0, ids))
    code, answer = await send(rig, "--members", f"@{shown(silent.identity.public)},@Honest", seconds=LONG)
    checks.same("who is named is waited for", code, 75)
    checks.same("and told", answer["waitingFor"], [shown(silent.identity.public)])
    await relayed(rig, honest)
    await lies(rig, liar, linked)
    code, _, errors = await asyncio.to_thread(
        stoad.daemon.stoa, "send", ROOM, "x", "--wait", "delivered", "--timeout", SHORT
    )
    checks.that("the message says for whom", "not delivered to Honest in time" in errors, errors)


async def relayed(rig: Rig, honest: Peer) -> None:
    """Who is not linked says by a mark that somebody else passes on what it has and has read."""
    checks, stoad = rig.checks, rig.stoad
    relay = rig.peer("Relay")
    session = await in_room(rig, relay)
    identifier = next(iter(session.shared))
    room = session.shared[identifier].conversation
    own = next(log for log in room.logs.values() if log.name.author == session.link.remote)

    def mark(read: bool, seconds_ahead: int) -> Record:
        head = marks.head_tag(own.identifier(own.seq) or b"")
        tag = marks.log_tag(identifier, own.name)
        row = marks.Row(tag, own.seq, own.seq if read else 0, head)
        hlc = hybrid_time(wall_milliseconds() + seconds_ahead * 1_000)
        return marks.Mark((row,)).record(honest.identity, identifier, hlc)

    await honest.close()
    for wait, read in (("delivered", False), ("read", True)):
        before = own.seq
        sending = asyncio.create_task(send(rig, "--members", "@Honest", wait=wait))
        await relay.until(lambda before=before: own.seq > before, SECONDS, "the message")
        # Again and again: of each member few marks are looked at in a while, and none is kept for later.
        for seconds_ahead in itertools.count():
            record = mark(read, seconds_ahead)
            session.link.send(frames.records([record.packed()]))
            done, _ = await asyncio.wait({sending}, timeout=PAUSE)
            if done:
                break
        code, answer = await sending
        found = shown(honest.identity.public) in str(answer["deliveredTo"])
        checks.same(f"{wait}, as a mark says", (code, found), (0, True))
    # stoad says what its user has read, to those who are linked with it.
    control = await stoad.control()
    relay.say(room, "read this")
    await control.call("subscribe", **{"to": ROOM, "from": 0})
    said = await control.message(lambda item: item["text"] == "read this")
    await control.call("acknowledge", conversation=ROOM, cursor=said["cursor"])
    tag = marks.log_tag(identifier, relay.own[identifier].name)
    seq = relay.own[identifier].seq

    def is_read() -> bool:
        kept = relay.replica.kept.get((session.link.remote, identifier, marks.KIND, b""))
        rows = marks.read_mark(kept.value).rows if kept is not None else ()
        return any((row.log, row.stored, row.read) == (tag, seq, seq) for row in rows)

    await rig.eventually(relay, "stoad says what its user has read", is_read)
    control.close()
    await relay.close()


async def lies(rig: Rig, liar: Peer, linked: Session) -> None:
    """A stranger says to have far more than there is; then what there is, and nobody is known."""
    checks, stoad = rig.checks, rig.stoad
    session = await in_room(rig, liar)
    session.mute = True
    identifier = next(iter(session.shared))
    own = [
        session.tags.log(log.name)
        for log in session.shared[identifier].conversation.logs.values()
        if log.name.author == session.link.remote
    ]
    # The honest one hears nothing from here on, and stays a member.
    await linked.peer.close()
    rows = [ClockRow(tag, 2**40, secrets.token_bytes(8), State.OPEN) for tag in own]
    session.link.send(frames.delta(identifier, rows))
    code, answer = await send(rig, seconds=SHORT)
    checks.same("a stranger that claims all there will be", (code, answer["deliveredTo"]), (75, []))
    await stoad.run("people", "remove", "@Honest")
    code, answer = await send(rig, seconds=SHORT)
    checks.same("nor where nobody is known", (code, answer["deliveredTo"]), (75, []))
    await stoad.run("people", "add", "@" + shown(linked.peer.identity.public)[:12])
    got = sum(1 for frame in session.received if frame.kind == Type.LIVE_RUN)
    checks.that("it was sent the messages all the while", session.ended is None, got)
