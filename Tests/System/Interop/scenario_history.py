"""A history is caught up, checked and answered; credit is kept to on both sides."""

from __future__ import annotations

from dataclasses import replace

from Driver.control import shown
import frames
from bodies import Kind
from entries import hybrid_time
from forgeries import Author
from frames import Type
from records import profile
from replica import Conversation, wall_milliseconds
from rig import ROOM, SECONDS, Rig

MESSAGES = 300
LONG = 12
PROFILE_TRIES = 100
FULL_CREDIT = frames.CREDIT_INITIAL - frames.CREDIT_OWED_MAXIMUM
# What a stranger dates more than a minute ahead is held; this entry is due soon after it is sent.
HELD_FROM_MILLISECONDS = 60_000
DUE_AFTER_MILLISECONDS = 15_000


def verify_everything(rig: Rig, conversation: Conversation, author: bytes) -> None:
    """The chain and every attestation once more, from what was stored."""
    logs = [log for log in conversation.logs.values() if log.name.author == author]
    rig.checks.same("one log of stoad's", len(logs), 1)
    log = logs[0]
    prev, hlc = None, 0
    for run in log.runs:
        rig.checks.that("a run's attestation verifies", run.is_valid)
        rig.checks.same("a run goes on where the last one ended", run.prev, prev)
        for offset, entry in enumerate(run.entries):
            if entry.hlc <= hlc:
                rig.checks.that("hlc grows", False, (run.first + offset, entry.hlc, hlc))
            prev = entry.identifier(log.name, run.first + offset, prev)
            hlc = entry.hlc
    rig.checks.same("the chain ends at the head", prev, log.identifiers[-1])


def kinds_of(conversation: Conversation, author: bytes) -> list[int | None]:
    entries = [entry for name, _, entry in conversation.entries() if name.author == author]
    bodies = [entry.body for entry in entries]
    return [None if body is None else body.kind for body in bodies]


async def run(rig: Rig) -> None:
    checks, stoad = rig.checks, rig.stoad
    await stoad.run("join", ROOM)
    control = await rig.subscribed()
    words = [f"message {index}" for index in range(MESSAGES)]
    words += [f"{index} " + "long " * 11_000 for index in range(LONG)]
    for index, line in enumerate(words):
        if index % 100 == 0:
            await stoad.run("send", ROOM, line)
        else:
            await control.call("send", to=ROOM, text=line)

    peer = rig.peer("Python")
    conversation = peer.join(ROOM, say_so=False)
    session = await rig.dial(peer)
    checks.same(
        "stoad's id is the identity of the handshake", shown(session.link.remote), stoad.key
    )
    checks.same("stoad tells the port it listens on", session.link.introduction.port, stoad.port)
    # Credit is kept back: stoad must stop before it has sent more than the credit allows.
    session.withheld = []
    sent = 0

    def stopped() -> bool:
        nonlocal sent
        sent = frames.CREDIT_INITIAL - session.link.may_receive[2]
        return sent > frames.CREDIT_INITIAL - 140_000 or session.ended is not None

    await peer.until(stopped, SECONDS, "two runs on the sync channel")
    await peer.heard_back(session)
    checks.that("stoad does not send more than its credit", session.ended is None, session.ended)
    held = len(conversation.texts())
    checks.that("stoad waits for credit", held < len(words), held)
    session.release()
    await rig.same_digest(peer, session, conversation)
    checks.same("the whole history, in order", conversation.texts(), words)
    verify_everything(rig, conversation, session.link.remote)
    kinds = kinds_of(conversation, session.link.remote)
    checks.same("stoad's log begins so", kinds[:2], [Kind.OPEN, Kind.JOIN])
    [log] = [log for log in conversation.logs.values() if log.name.author == session.link.remote]
    checks.same("its first entry stands alone", log.runs[0].last, 1)
    certificate = log.opened and log.opened.certificate
    checks.same("and has the link's person", certificate, session.link.introduction.certificate)
    record = peer.replica.profile(session.link.remote)
    checks.same("stoad's profile", record and record.profile()[0], "Stoa")
    checks.that(
        "runs over a plaintext were cut",
        any(
            frame.kind == Type.SYNC_RUN and len(frame.body) > frames.PLAINTEXT_MAXIMUM
            for frame in session.received
        ),
    )

    # What we write, stoad shows.
    peer.join(ROOM)
    peer.say(conversation, "hello from Python")
    message = await control.message(lambda item: item["text"] == "hello from Python")
    checks.same("author", message["author"], shown(peer.identity.public))
    checks.same("author's name", message["authorName"], "Python")
    own = conversation.log(peer.own[conversation.identifier].name)
    checks.same("the message's id is the entry's", message["id"], shown(own.identifiers[-1]))
    history = await stoad.history(ROOM)
    lines = [item["text"] for item in history if item["kind"] == "text"]
    checks.same("stoa history has it last", lines[-1], "hello from Python")
    checks.that(
        "our join is there",
        any(m["kind"] == "join" and m["author"] == message["author"] for m in history),
    )
    await peer.until(
        lambda: min(session.link.may_send.values()) > FULL_CREDIT,
        SECONDS,
        "all credit back",
    )
    checks.that("stoad returns all credit", True)

    def told_ours() -> bool:
        deltas = [frames.read_delta(f.body) for f in session.received if f.kind == Type.DELTA]
        mine = replace(session.own_row(own), head_tag=session.tags.other.head(own.identifiers[-1]))
        return any(mine in rows for _, rows in deltas)

    await rig.eventually(peer, "a delta tells the author what has arrived", told_ours)

    # To who lacks what comes before nothing is sent live.
    idle = rig.peer("Idle")
    idle.join(ROOM, say_so=False)
    behind = await rig.dial(idle)
    behind.mute_from = Type.DIGEST
    await rig.eventually(idle, "who is behind is told the digest", lambda: behind.mute)

    # And live the other way.
    await stoad.run("send", ROOM, "and hello to you")
    await peer.until(
        lambda: conversation.texts()[-1] == "and hello to you", SECONDS, "a live message"
    )
    runs = (Type.LIVE_RUN, Type.SYNC_RUN)
    last = [frame.kind for frame in session.received if frame.kind in runs][-1]
    checks.same("it came in a liveRun", last, Type.LIVE_RUN)
    behind.ping()
    await idle.until(
        lambda: any(frame.kind == Type.PONG for frame in behind.received), SECONDS, "a pong"
    )
    kinds = {frame.kind for frame in behind.received}
    checks.that("nothing live to who is behind", Type.LIVE_RUN not in kinds, kinds)
    await idle.close()

    # Who gives no credit for live runs gets the rest from the store once it does.
    session.withheld = []
    for index in range(LONG):
        await control.call("send", to=ROOM, text=f"late {index} " + "z" * 60_000)
    await peer.heard_back(session)
    sent = frames.CREDIT_INITIAL - session.link.may_receive[1]
    checks.that("live runs stop at the credit", 240_000 < sent <= frames.CREDIT_INITIAL, sent)
    session.release()
    await peer.until(
        lambda: conversation.texts()[-1].startswith(f"late {LONG - 1} "), SECONDS, "the rest"
    )
    checks.same(
        "and go on in order",
        [int(line.split()[1]) for line in conversation.texts() if line.startswith("late ")],
        list(range(LONG)),
    )

    # Long ones from here, cut into fragments on the live channel.
    for index in range(8):
        peer.say(conversation, f"{index} " + "y" * 60_000)
    await control.message(lambda item: item["text"].startswith("7 yyy"))
    await rig.same_digest(peer, session, conversation)

    # A profile that changes.
    record = profile(peer.identity, "Python 3", "interop", hybrid_time(wall_milliseconds() + 1))
    session.link.send(frames.records([record.packed()]))
    who: dict[str, object] = {}
    for _ in range(PROFILE_TRIES):
        # Only what is on disk is told, so some pings may go by.
        await peer.heard_back(session)
        [who] = await stoad.json("whois", f"@{shown(peer.identity.public)[:12]}")
        if who.get("name") == "Python 3":
            break
    checks.same("the new name", who.get("name"), "Python 3")
    checks.same("the new status", who.get("status"), "interop")

    # A want that cannot be served, and one for what nobody knows.
    own_tag = session.own_row(own).tag
    session.link.send(frames.Want(conversation.identifier, own_tag, 1_000, 1_001).frame())
    session.link.send(frames.Want(conversation.identifier, bytes(8), 1, 1).frame())
    session.link.send(frames.Want(bytes(32), own_tag, 7, 7).frame())
    due = {
        (conversation.identifier, own_tag, 1_000),
        (conversation.identifier, bytes(8), 1),
        (bytes(32), own_tag, 7),
    }
    await peer.until(
        lambda: set(session.unavailable) >= due or session.ended is not None,
        SECONDS,
        "three unavailable",
    )
    checks.same("what stoad cannot serve", set(session.unavailable), due)

    # stoad dials us, leaves and comes back.
    other = rig.peer("Listener")
    await other.listen()
    room = other.join(ROOM, say_so=False)
    await stoad.run("connect", f"{shown(other.identity.public)}@127.0.0.1:{other.port}")
    await other.until(lambda: bool(other.sessions), SECONDS, "stoad's dial")
    incoming = other.sessions[0]
    checks.that("stoad's dial counter is at least 1", incoming.link.introduction.dial >= 1)
    await rig.same_digest(other, incoming, room)
    checks.same("the same history there", room.texts(), conversation.texts())
    await stoad.run("leave", ROOM)
    await other.until(lambda: room.identifier not in incoming.remote_rooms, SECONDS, "roomsLeft")
    checks.that("leaving is announced", True)
    await stoad.run("join", ROOM)
    await other.until(lambda: room.identifier in incoming.remote_rooms, SECONDS, "rooms again")
    await rig.same_digest(other, incoming, room)
    kinds = kinds_of(room, session.link.remote)
    checks.same("the leave and the join are in the log", kinds[-2:], [Kind.LEAVE, Kind.JOIN])
    await peer.until(lambda: session.pings > 0, SECONDS, "stoad's first ping")
    checks.that("stoad pings", session.ended is None)

    await ahead_of_time(rig)


async def ahead_of_time(rig: Rig) -> None:
    """An entry ahead of time is held, counted in `status`, and shown when due."""
    control = await rig.subscribed()
    peer = rig.peer("Early")
    conversation = peer.join(ROOM, say_so=False)
    session = await rig.dial(peer)
    await rig.same_digest(peer, session, conversation)
    author = Author.new(peer.identity, conversation.identifier)
    sent = wall_milliseconds()
    hlc = hybrid_time(sent + HELD_FROM_MILLISECONDS + DUE_AFTER_MILLISECONDS)
    for frame in author.live(author.run(author.text("ahead of time", hlc))):
        session.link.send(frame)
    held = 0
    while held == 0 and wall_milliseconds() < sent + DUE_AFTER_MILLISECONDS:
        await peer.heard_back(session)
        held = (await control.call("status"))["held"]
    rig.checks.same("an entry ahead of time is held and counted", held, 1)
    texts = [item["text"] for item in await rig.stoad.history(ROOM)]
    rig.checks.that("and not shown", "ahead of time" not in texts)
    await control.message(lambda item: item["text"] == "ahead of time", 120)
    after = wall_milliseconds() - sent
    due = DUE_AFTER_MILLISECONDS
    print(f"MEASURED an entry ahead of time: due after {due} ms, shown after {after} ms")
    rig.checks.that("it is not shown before it is due", after >= DUE_AFTER_MILLISECONDS, after)
    rig.checks.same("nothing is held then", (await control.call("status"))["held"], 0)
    await peer.close()
