"""Payloads that are erased or left out: stoad obeys who may erase, and finds what is withheld."""

from __future__ import annotations

from dataclasses import replace

import frames
from bodies import Class, Target, answering, doing, editing, erasing, placing, reacting
from entries import Run
from frames import ClockRow, PayloadItem, PayloadState, Type, Want
from peer import Peer
from persons import certificate_of, person_of
from replica import Conversation, LogState
from rig import ROOM, SECONDS, Rig
from session import Session
from summaries import Tags


async def run(rig: Rig) -> None:
    await rig.stoad.run("join", ROOM)
    await erased(rig)
    await withheld(rig)
    await before_it_came(rig)
    await kinds(rig)


async def kinds(rig: Rig) -> None:
    """Actions and answers, from either side."""
    checks, stoad = rig.checks, rig.stoad
    author = rig.peer("Actor")
    room, log, session = await speaks(rig, author, ["a question"])
    control = await rig.subscribed()
    seq = log.seq
    target = Target(
        log.name.author, log.name.incarnation, seq, log.identifiers[seq - 1])
    author.write(room, [answering("an answer", target)])
    author.write(room, [doing("waves")])
    await control.message(lambda item: item["text"] == "waves")
    found = {item["text"]: item for item in await stoad.history(ROOM)}
    checks.same("stoad shows an action", found["waves"]["kind"], "action")
    answered = found["an answer"]["replyTo"]
    checks.same("and what a text answers", answered["id"], found["a question"]["id"])
    checks.same("with its author", answered["author"], found["a question"]["author"])
    author.write(room, [placing(481_370_000, 115_750_000, 20, "the office")])
    author.write(room, [editing("a better question", target)])
    author.write(room, [reacting("+1", target), reacting("ok", target)])
    author.write(room, [reacting("ok", target, withdrawn=True)])
    author.write(room, [doing("nods")])
    await control.message(lambda item: item["text"] == "nods")
    found = {item["text"]: item for item in await stoad.history(ROOM)}
    place = found["the office"]["location"]
    checks.same("it shows a place", place["uri"], "geo:48.137,11.575;u=20")
    better = found["a better question"]
    checks.that("it shows a text as edited", "edited" in better, better)
    signs = [(sign["sign"], sign["count"]) for sign in better["reactions"]]
    checks.same("it counts what was not taken back", signs, [("+1", 1)])
    await stoad.run("react", better["id"][:12], "+1")
    await stoad.run("send", ROOM, "--location=-0.5,180", "an edge")
    await stoad.run("send", ROOM, "--action", "bows")
    await stoad.run("send", ROOM, "--reply", found["waves"]["id"][:12], "seen")
    await rig.same_digest(author, session, room)
    checks.that("its own are read here", {"bows", "seen"} <= set(room.texts()), room.texts())


async def texts(rig: Rig) -> list[str]:
    return [item["text"] for item in await rig.stoad.history(ROOM) if item["kind"] == "text"]


async def states(rig: Rig, peer: Peer, session: Session, log: LogState) -> list[int]:
    """What stoad says of each payload of a log."""
    tag, found = session.tags.log(log.name), dict[int, int]()
    identifier = log.name.conversation
    begun = len(session.received)
    session.link.send(Want(identifier, tag, 1, log.seq).frame(Type.PAYLOAD_WANT))

    def is_answered() -> bool:
        for frame in session.received[begun:]:
            if frame.kind == Type.PAYLOADS:
                _, of, first, items = frames.read_payloads(frame.body)
                if of == tag:
                    found.update({first + at: item.state for at, item in enumerate(items)})
        return len(found) == log.seq

    await peer.until(is_answered, SECONDS, "an answer about payloads")
    return [found[seq] for seq in sorted(found)]


async def erased(rig: Rig) -> None:
    """A person erases with either of two devices; nobody else erases anything of theirs."""
    checks, stoad = rig.checks, rig.stoad
    control = await rig.subscribed()
    author, second, stranger = rig.peer("Author"), rig.peer("Second"), rig.peer("Stranger")
    second.certificate = certificate_of(second.identity, person_of(author.identity))
    room, log, session = await speaks(rig, author, ["one", "two", "three", "four"])
    await control.message(lambda item: item["text"] == "four")

    other = stranger.join(ROOM)
    await rig.same_digest(stranger, await rig.dial(stranger), other)
    stranger.erase(other, (other.log(log.name), 3), (other.log(log.name), 6))
    checks.same("a stranger erases nothing here", other.log(log.name).erased, set())
    stranger.say(other, "and now?")
    await control.message(lambda item: item["text"] == "and now?")
    checks.same("nor there", await texts(rig), ["one", "two", "three", "four", "and now?"])

    # The join stays: control entries are never erased.
    author.erase(room, (log, 2), (log, 4))
    author.say(room, "five")
    await control.message(lambda item: item["text"] == "five")
    checks.same(
        "what the author erases is gone", await texts(rig), ["one", "three", "four", "and now?", "five"]
    )
    third = second.join(ROOM)
    await rig.same_digest(second, await rig.dial(second), third)
    second.erase(third, (third.log(log.name), 5))
    second.say(third, "six")
    await control.message(lambda item: item["text"] == "six")
    left = ["one", "four", "and now?", "five", "six"]
    checks.same("what another device of the same person erases, too", await texts(rig), left)
    present, gone = PayloadState.PRESENT, PayloadState.ERASED
    due = [present, present, present, gone, gone, present, present, present]
    await rig.eventually(author, "the log is whole", lambda: log.seq == 8)
    checks.same("stoad says so to peers", await states(rig, author, session, log), due)
    await stoad.stop()
    await stoad.start()
    checks.same("so it is after a restart", await texts(rig), left)
    reader = rig.peer("Reader")
    held = reader.join(ROOM, say_so=False)
    link = await rig.dial(reader)
    await rig.same_digest(reader, link, held)
    checks.same("who comes later sees as much", held.texts(), left)
    checks.same("of the same ids", held.log(log.name).identifiers, log.identifiers)
    for peer in (author, second, stranger, reader):
        await peer.close()


async def speaks(rig: Rig, author: Peer, words: list[str]) -> tuple[Conversation, LogState, Session]:
    room = author.join(ROOM)
    session = await rig.dial(author)
    for line in words:
        author.say(room, line)
    return room, room.log(author.own[room.identifier].name), session


def bare(run_of_log: Run) -> Run:
    """With the payloads left out that may be."""
    entries = tuple(
        entry if entry.class_ == Class.CONTROL else entry.without_payload() for entry in run_of_log.entries
    )
    return replace(run_of_log, entries=entries)


class Withholder(Session):
    """Answers each question for payloads with what it was told to."""

    answer = PayloadItem(PayloadState.ERASED)

    def own_row(self, log: LogState, tags: Tags | None = None) -> ClockRow:
        """Says that nothing is lacking."""
        return replace(super().own_row(log, tags), whole=None)

    def on_payload_want(self, want: Want) -> None:
        count = want.through - want.first + 1
        items = [self.answer] * count
        self.link.send(frames.payloads(want.conversation, want.tag, want.first, items))


async def withheld(rig: Rig) -> None:
    """A relay leaves payloads out and says that they are erased, or sends others: neither counts."""
    checks = rig.checks
    control = await rig.subscribed()
    author = rig.peer("Absent")
    room = author.join(ROOM)
    words = [f"kept back {index}" for index in range(5)]
    for line in words:
        author.say(room, line)
    log = room.log(author.own[room.identifier].name)
    shown = await texts(rig)
    for name, answer in (
        ("says that they are erased", PayloadItem(PayloadState.ERASED)),
        ("says that they have expired", PayloadItem(PayloadState.EXPIRED)),
        ("sends others", PayloadItem(PayloadState.PRESENT, b"\0" * 40)),
    ):
        relay = rig.peer("Relay")
        held = relay.join(ROOM, say_so=False)
        for run_of_log in log.runs:
            held.accept(bare(run_of_log))
        session = await rig.dial(relay)
        session.__class__ = Withholder
        session.answer = answer  # type: ignore[attr-defined]
        await rig.eventually(
            relay,
            f"a relay that {name} is asked for the payloads",
            lambda session=session: any(f.kind == Type.PAYLOAD_WANT for f in session.received),
        )
        await rig.alive(relay, f"a relay that {name} keeps its link", session)
        checks.same(f"nothing is shown by a relay that {name}", await texts(rig), shown)
        due = [PayloadState.PRESENT] * 2 + [PayloadState.WANTED] * 5
        checks.same("the payloads are still wanted", await states(rig, relay, session, log), due)
        await relay.close()
    await rig.dial(author)
    for line in words:
        await control.message(lambda item, line=line: item["text"] == line, SECONDS)
    checks.that("who has them is asked", True)
    await author.close()


async def before_it_came(rig: Rig) -> None:
    """What is erased before it comes is never shown, whichever device wants it."""
    checks = rig.checks
    control = await rig.subscribed()
    author, second = rig.peer("Late"), rig.peer("Reminder")
    second.certificate = certificate_of(second.identity, person_of(author.identity))
    room = author.join(ROOM)
    for line in ("never seen", "seen"):
        author.say(room, line)
    log = room.log(author.own[room.identifier].name)
    other = second.join(ROOM)
    name = log.name
    second.write(other, [erasing([Target(name.author, name.incarnation, 3, log.identifiers[2])])])
    await rig.same_digest(second, await rig.dial(second), other)
    session = await rig.dial(author)
    await control.message(lambda item: item["text"] == "seen")
    lines = [item.get("text") for item in control.messages]
    checks.that("what was erased before is not shown", "never seen" not in lines, lines)
    checks.that("nor in history", "never seen" not in await texts(rig))
    await rig.eventually(author, "who wrote it hears of that", lambda: log.erased == {3})
    present, gone = PayloadState.PRESENT, PayloadState.ERASED
    due = [present, present, gone, present]
    checks.same("and it is said so", await states(rig, author, session, log), due)
