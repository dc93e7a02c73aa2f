"""Two people alone, and secret rooms: what stoad seals this peer opens, and the other way round."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from Driver.control import shown
from bodies import saying
from codec import Refused
from entries import Entry, Run, hybrid_time
from frames import Frame, Type
import frames
from peer import Peer
from persons import person_of
from primitives import H
import private
from private import Key
from realms import OPEN
from replica import Conversation, LogState, sealed, wall_milliseconds
from rig import ROOM, SECONDS, Rig
from sealing import key_id, unseal
from session import Session


async def run(rig: Rig) -> None:
    await rig.stoad.run("join", ROOM)
    await two(rig)
    for suite in ("xchacha20-poly1305", "aes-256-gcm"):
        await secret(rig, suite)


async def texts(rig: Rig, to: str) -> list[str]:
    return [item["text"] for item in await rig.stoad.history(to) if item["kind"] == "text"]


async def told(rig: Rig, peer: Peer, to: str, words: str) -> bool:
    """Whether stoad shows a text by the time that it has handled what was sent."""
    for _ in range(50):
        for session in peer.sessions:
            await peer.heard_back(session)
        if words in await texts(rig, to):
            return True
    return False


async def two(rig: Rig) -> None:
    """A direct conversation that this peer begins, and stoad's user accepts."""
    checks, stoad = rig.checks, rig.stoad
    pat, eve = rig.peer("Pat"), rig.peer("Eve")
    for peer in (pat, eve):
        peer.join(ROOM)
    session, listener = await rig.dial(pat), await rig.dial(eve)
    for peer, link in ((pat, session), (eve, listener)):
        room = peer.replica.conversations[next(iter(peer.replica.conversations))]
        await rig.same_digest(peer, link, room)
    theirs = session.link.introduction.certificate
    key = private.direct(person_of(pat.identity), theirs)
    mine = pat.certificate.person_id
    conversation = pat.begin(key, mine, theirs.person_id, realm=None)
    pat.say(conversation, "hello from Python")
    control = await rig.control()
    items: list[dict[str, Any]] = []
    for _ in range(50):
        await pat.heard_back(session)
        items = (await control.call("requests"))["items"]
        if items:
            break
    checks.same("it waits to be accepted", [item["text"] for item in items], ["hello from Python"])
    checks.same("and says who wrote", items and items[0]["person"], shown(pat.identity.public))
    pat.say(conversation, "are you there?")
    await stoad.run("accept", "@Pat")
    checks.that("all of it comes then", await told(rig, pat, "@Pat", "are you there?"))
    checks.same(
        "in one order", await texts(rig, "@Pat"), ["hello from Python", "are you there?"]
    )
    await stoad.run("send", "@Pat", "hello from stoad")
    await rig.eventually(
        pat, "stoad's text is opened", lambda: "hello from stoad" in conversation.texts()
    )
    await rig.same_digest(pat, session, conversation)
    await outsiders(rig, eve, listener, key)
    altered(rig, conversation, key, session.link.remote)
    await forged(rig, pat, eve, session, conversation, key)
    digits, said = private.code(mine, theirs.person_id)
    told_code = await control.call("verify", person="@Pat")
    checks.same("the code of the two, in digits", told_code["digits"], digits)
    checks.same("and in words", told_code["words"], said)


async def outsiders(rig: Rig, eve: Peer, link: Session, key: Key) -> None:
    """Who is somebody else hears nothing of it, also who knows its id."""
    eve.begin(key, eve.certificate.person_id, link.link.introduction.certificate.person_id, realm=None)
    nowhere = bytes(31) + b"\x07"
    for identifier in (key.identifier, nowhere):
        link.link.send(Frame(Type.DIGEST, identifier + bytes(64)))
        link.link.send(frames.Want(identifier, bytes(8), 1, 8).frame(Type.WANT))
    await rig.alive(eve, "who asks for what is not theirs keeps the link", link)

    def heard(identifier: bytes) -> list[tuple[int, bytes]]:
        about = [frame for frame in link.received if identifier in frame.body]
        return [(frame.kind, frame.body.replace(identifier, b"")) for frame in about]

    rig.checks.same("and hears what is said of nothing", heard(key.identifier), heard(nowhere))


def altered(rig: Rig, conversation: Conversation, key: Key, author: bytes) -> None:
    """This peer opens what stoad wrote as it was written, and nothing else."""
    [log] = [log for log in conversation.logs.values() if log.name.author == author]
    entry, seq = log.entry(log.seq), log.seq
    prev = log.identifier(seq - 1)

    def opens(entry: Entry, log: LogState = log, seq: int = seq, prev: Any = prev) -> bool:
        try:
            unseal(key.root, entry.payload or b"", entry.header_front(log.name, seq, prev))
        except Refused:
            return False
        return True

    checks = rig.checks
    checks.that("what stoad sealed is opened", opens(entry))
    names = {
        "conversation": replace(log.name, conversation=bytes(32)),
        "author": replace(log.name, author=bytes(32)),
        "incarnation": replace(log.name, incarnation=log.name.incarnation ^ 1),
    }
    for what, name in names.items():
        checks.that(f"another {what} opens nothing", not opens(entry, replace(log, name=name)))
    checks.that("another seq opens nothing", not opens(entry, seq=seq + 1))
    checks.that("another prev opens nothing", not opens(entry, prev=bytes(32)))
    entries = {
        "class": replace(entry, class_=entry.class_ ^ 1),
        "time": replace(entry, hlc=entry.hlc + 1),
        "deps": replace(entry, deps=(*entry.deps, bytes(32))),
        "key id": replace(entry, epoch=bytes(32)),
    }
    for what, other in entries.items():
        checks.that(f"another {what} opens nothing", not opens(other))
    payload = entry.payload or b""
    for place in {0, 1, len(payload) // 2, len(payload) - 1}:
        changed = bytearray(payload)
        changed[place] ^= 1
        checks.that(
            f"byte {place} changed opens nothing", not opens(replace(entry, payload=bytes(changed)))
        )


async def forged(
    rig: Rig, pat: Peer, eve: Peer, session: Session, conversation: Conversation, key: Key
) -> None:
    """stoad shows nothing that is not sealed with the key, and takes no log of somebody else."""
    checks = rig.checks
    own = pat.own_log(conversation)
    log = conversation.log(own.name)

    def write(make: Any) -> None:
        hlc = max(hybrid_time(wall_milliseconds()), own.hlc + 1)
        run = own.append([make(Entry.of(saying("forged"), hlc, bytes(16)))])
        conversation.accept(run)
        session.push(log, run)

    def with_key(entry: Entry, other: Key) -> Entry:
        return sealed(entry, saying("forged"), other, own.name, own.seq + 1, own.head)

    write(lambda entry: entry)
    right = key_id(key.root, key.identifier)
    write(lambda entry: replace(with_key(entry, replace(key, root=b"\x01" * 32)), epoch=right))
    pat.say(conversation, "and this is mine")
    checks.that("what follows is shown", await told(rig, pat, "@Pat", "and this is mine"))
    checks.that("and nothing that was forged", "forged" not in await texts(rig, "@Pat"))
    # A log whose person is neither of the two, by one of the two.
    stranger = Peer(eve.identity)
    other = stranger.begin(key, eve.certificate.person_id, realm=None)
    run = stranger.say(other, "forged")
    theirs = other.log(stranger.own[key.identifier].name)
    for item in (theirs.runs_from(1)[0], run):
        session.link.send(frames.live_run(item.packed()))
    await rig.alive(pat, "a log of somebody else is refused, and the link stays", session)
    checks.that("nothing of it is shown", "forged" not in await texts(rig, "@Pat"))
    # A key that no log has told of may come yet, so what it seals waits, and all behind it.
    write(lambda entry: with_key(entry, replace(key, root=bytes(31) + b"\x01")))
    pat.say(conversation, "behind it")
    await rig.alive(pat, "a key that nobody has ends no link", session)
    held = await texts(rig, "@Pat")
    checks.that("nothing is shown behind it", "forged" not in held and "behind it" not in held)


async def secret(rig: Rig, suite: str) -> None:
    """A room that stoad makes, entered by its phrase; one that nobody else can find."""
    checks, stoad = rig.checks, rig.stoad
    control = await rig.control()
    name = f"den-{suite[:3]}"
    made = await control.call("createConversation", room=name, suite=suite)
    called, realm, key = private.read_invitation(made["invite"])
    checks.same(f"{suite}: the invitation's name and realm", (called, realm), (name, bytes(32)))
    checks.same("the id is that of the root", shown(key.identifier), made["conversation"]["id"])
    checks.same("the phrase says the suite", private.read_phrase(made["phrase"]), key.suite)
    root = private.root_of(made["phrase"], name, realm, key.suite)
    checks.same("the phrase gives the root", root, key.root)
    member, outsider = rig.peer("Member"), rig.peer("Outsider")
    session, other = await rig.dial(member), await rig.dial(outsider)
    conversation = member.begin(private.secret_room(root, key.suite), realm=OPEN)
    member.say(conversation, "let us talk")
    checks.that("a member's text is shown", await told(rig, member, f"&{name}", "let us talk"))
    await stoad.run("send", f"&{name}", "in private")
    await rig.eventually(
        member, "stoad's text is opened", lambda: "in private" in conversation.texts()
    )
    await rig.same_digest(member, session, conversation)
    await rig.alive(outsider, "who has no key has a link all the same", other)
    hidden = [key.identifier, name.encode(), b"in private"]
    heard = [f for f in other.received if any(part in f.body for part in hidden)]
    checks.same("and hears nothing of it", heard, [])
    for frame in session.received:
        checks.that("no frame has its name or a text in clear", not any(
            part in frame.body for part in hidden[1:]))
    # By another root nobody comes in.
    wrong = H("test wrong root", root)
    stranger = outsider.begin(private.secret_room(wrong, key.suite), realm=OPEN)
    await rig.alive(outsider, "another root is another room", other)
    checks.that("which is not shared", stranger.identifier not in other.shared)
    await outsider.close()
    await member.close()
