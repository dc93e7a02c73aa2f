"""An author who writes two histories is proven to have done so."""

from __future__ import annotations

import secrets

from Driver.control import shown
import frames
from bodies import saying
from entries import Entry, ForkProof, LogName, OwnLog, Run, hybrid_time
from frames import State
from peer import Peer
from replica import wall_milliseconds
from rig import ROOM, SECONDS, Rig


def text_entry(words: str, hlc: int) -> Entry:
    return Entry.of(saying(words), hlc, secrets.token_bytes(16))


def told(peer: Peer, log: LogName) -> ForkProof | None:
    return peer.replica.conversations[log.conversation].log(log).proof


async def run(rig: Rig) -> None:
    checks = rig.checks
    await rig.stoad.run("join", ROOM)
    control = await rig.subscribed()
    bystander = rig.peer("Bystander")
    watched = bystander.join(ROOM, say_so=False)
    beside = await rig.dial(bystander)

    # One branch: open, join, one, two, three, all in single runs and shown.
    author = rig.peer("Janus")
    room = author.join(ROOM)
    session = await rig.dial(author)
    for words in ("one", "two", "three"):
        author.say(room, words)
    await control.message(lambda item: item["text"] == "three")
    own = author.own[room.identifier]
    await bystander.until(lambda: watched.log(own.name).seq == 5, SECONDS, "the first branch")

    # The other branch leaves it after "one" and reaches stoad through somebody else's link.
    other = OwnLog(author.identity, own.name, list(own.runs[:3]))
    hlc = max(own.hlc, hybrid_time(wall_milliseconds()))
    for index, words in enumerate(("deux", "trois", "quatre")):
        other.append([text_entry(words, hlc + index + 1)])
    relay = rig.peer("Relay")
    conversation = relay.join(ROOM, say_so=False)
    for branch_run in other.runs:
        conversation.log(own.name).accept(branch_run)
    carrier = await rig.dial(relay)

    for peer, what in ((bystander, "a bystander"), (author, "the author"), (relay, "the relay")):
        await peer.until(
            lambda peer=peer: told(peer, own.name) is not None, SECONDS, f"a proof for {what}"
        )
        proof = told(peer, own.name)
        checks.same(f"the fork point that {what} learns", proof and proof.point, 4)
    raw = [frame for frame in beside.received if frame.kind == frames.Type.FORK_PROOF]
    checks.that("the bystander got it from stoad", len(raw) >= 1)

    asked = [frames.read_want(f.body) for f in carrier.received if f.kind == frames.Type.WANT]
    checks.that(
        "the relay is asked backwards for one entry",
        any(want.first == want.through == 1 for want in asked),
        [(want.first, want.through) for want in asked],
    )
    shown_before = {"one": False, "two": True, "three": True}
    messages = {
        item["text"]: item
        for item in await rig.stoad.history(ROOM)
        if item["author"] == shown(author.identity.public)
    }
    for words, disputed in shown_before.items():
        checks.that(f"{words!r} is kept", words in messages, sorted(messages))
        if words in messages:
            found = bool(messages[words].get("disputed", False))
            checks.same(f"{words!r} disputed", found, disputed)
    for words in ("deux", "trois", "quatre"):
        checks.that(f"{words!r} of the other branch is not shown", words not in messages)
    [status] = await rig.stoad.json("status")
    checks.that("the fork does not stop stoad", status["links"] >= 3, status)

    # A newcomer is given the part before the fork, the proof, and the same digest.
    late = rig.peer("Late")
    newcomer = late.join(ROOM, say_so=False)
    arrival = await rig.dial(late)
    await late.until(lambda: told(late, own.name) is not None, SECONDS, "a newcomer's proof")
    await late.until(lambda: newcomer.log(own.name).seq == 3, SECONDS, "the log before the fork")
    checks.same("a newcomer sees the part before the fork", newcomer.texts(), ["one"])
    await rig.same_digest(late, arrival, newcomer)
    row = arrival.shared[newcomer.identifier].rows[arrival.own_row(newcomer.log(own.name)).tag]
    checks.same("the row of a forked log", (row.seq, row.state), (3, State.FORKED))

    # The log is over: what is appended to either branch is not shown.
    more = own.append([text_entry("five", own.hlc + 1)])
    session.link.send(frames.live_run(more.packed()))
    await author.heard_back(session)

    # A smaller fork point wins, here at the very first entry, told as a ready proof.
    first = Run.signed(author.identity, own.name, 1, None, [text_entry("un", own.hlc)])
    proof = ForkProof.of(own.runs[0], first)
    carrier.link.send(frames.fork_proof(proof.packed()))
    await bystander.until(
        lambda: (known := told(bystander, own.name)) is not None and known.point == 1,
        SECONDS,
        "the smaller fork point",
    )
    checks.that("the smaller fork point is told on", True)
    # Told once more, it is news to nobody.
    count = len([frame for frame in beside.received if frame.kind == frames.Type.FORK_PROOF])
    carrier.link.send(frames.fork_proof(proof.packed()))
    await relay.heard_back(carrier)
    await bystander.heard_back(beside)
    again = len([frame for frame in beside.received if frame.kind == frames.Type.FORK_PROOF])
    checks.same("a known proof is not sent on", again, count)
    texts = [item["text"] for item in await rig.stoad.history(ROOM)]
    checks.that("what was shown stays", {"one", "two", "three"} <= set(texts), texts)
    checks.that("nothing after the fork is shown", not {"five", "un"} & set(texts), texts)

    # Another log of the same author goes on.
    successor = OwnLog(
        author.identity,
        LogName(room.identifier, author.identity.public, secrets.randbits(64)),
    )
    successor.begin(author.certificate, own.hlc + 1, secrets.token_bytes(16))
    successor.append([text_entry("a new incarnation", own.hlc + 2)])
    for fresh in successor.runs:
        session.link.send(frames.live_run(fresh.packed()))
    await control.message(lambda item: item["text"] == "a new incarnation")
    checks.that("a new incarnation is shown", True)

    await inside_a_run(rig)

    # Two runs that begin at one seq of two branches prove a fork there, whatever lies before.
    bases = rig.peer("Bases")
    bases.join(ROOM, say_so=False)
    shared = await rig.dial(bases)
    await bases.until(lambda: room.identifier in shared.shared, SECONDS, "the room")
    name = LogName(room.identifier, bases.identity.public, secrets.randbits(64))
    branches = [OwnLog(bases.identity, name), OwnLog(bases.identity, name)]
    for log in branches:
        log.begin(bases.certificate, hlc, secrets.token_bytes(16))
        log.append([text_entry("above", hlc + 1)])
    proof = ForkProof.of(branches[0].runs[1], branches[1].runs[1])
    shared.link.send(frames.fork_proof(proof.packed()))
    await rig.eventually(
        bystander,
        "a proof on two bases is told on",
        lambda: (known := told(bystander, name)) is not None and known.point == 2,
    )


async def inside_a_run(rig: Rig) -> None:
    """A fork point that no attestation stands right before: a run reaches beyond it."""
    author = rig.peer("Inside")
    room = author.join(ROOM, say_so=False)
    session = await rig.dial(author)
    await author.until(lambda: room.identifier in session.shared, SECONDS, "the room")
    name = LogName(room.identifier, author.identity.public, secrets.randbits(64))
    now = hybrid_time(wall_milliseconds())
    common = [text_entry("inside 2", now), text_entry("inside 3", now + 1)]
    opened = OwnLog(author.identity, name).begin(author.certificate, 1, bytes(16))
    branches = [
        OwnLog(author.identity, name, [opened]).append([*common, text_entry(words, now + 2)])
        for words in ("inside 4", "inside quatre")
    ]
    control = await rig.subscribed()
    session.link.send(frames.live_run(opened.packed()))
    for run_of_branch in branches:
        session.link.send(frames.live_run(run_of_branch.packed()))
        await control.message(lambda item: item["text"] == "inside 4")
    await rig.eventually(
        author,
        "a fork inside a run is proven",
        lambda: (proof := told(author, name)) is not None and proof.point == 4,
    )
    late = rig.peer("Later")
    newcomer = late.join(ROOM, say_so=False)
    await rig.dial(late)
    await rig.eventually(
        late,
        "a newcomer gets what lies before a fork inside a run",
        lambda: newcomer.log(name).seq == 3 and newcomer.log(name).proof is not None,
    )
