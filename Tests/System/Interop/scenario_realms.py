"""A realm of stoad's, and who is in it, who is not, and who only says so."""

from __future__ import annotations

import base64
from urllib.parse import parse_qs

from Driver.control import shown
import frames
from entries import room_id
from forgeries import Author
from frames import Frame, Type
from peer import HANDSHAKE_FAILURES, Peer
from primitives import H
from realms import OPEN, RealmSecret
from rig import SECONDS, Rig
from session import Session

ROOM = "ops"


def base32(raw: str) -> bytes:
    return base64.b32decode(raw.upper() + "=" * (-len(raw) % 8))


def read_invitation(line: str) -> RealmSecret:
    """Docs/Data.md, Realms."""
    before, _, check = line.strip().partition("&check=")
    assert base32(check) == H("stoa invitation", before.encode())[:5], "the line's check"
    items = parse_qs(before.partition("?")[2])
    return RealmSecret(base32(items["id"][0]), base32(items["secret"][0]))


def rooms_told(session: Session) -> set[str]:
    bodies = [frame.body for frame in session.received if frame.kind == Type.ROOMS]
    return {name for body in bodies for name in frames.read_rooms(body)[1]}


async def run(rig: Rig) -> None:
    checks, stoad = rig.checks, rig.stoad
    await stoad.run("realm", "new", "circle")
    circle = read_invitation(await stoad.run("realm", "invite", "circle"))
    await stoad.run("join", f"circle/{ROOM}")
    await stoad.run("join", "agora")
    await stoad.run("send", f"circle/{ROOM}", "within the circle")
    await stoad.run("send", "agora", "to everybody")

    # One who is in that realm alone.
    inside = rig.peer("Inside")
    inside.secrets = [circle]
    room = inside.join(ROOM, say_so=False, realm=circle)
    session = await rig.dial(inside)
    await rig.eventually(
        inside, "a room of a realm is caught up", lambda: room.texts() == ["within the circle"]
    )
    checks.same("the realms that both are in", session.realms, {circle.realm})
    checks.same("no room of another realm is told", rooms_told(session), {ROOM})
    first = next(f for f in session.received if f.kind not in (Type.PING, Type.PONG))
    checks.same("realms come first", first.kind, Type.REALMS)
    shares = [f for f in session.received if f.kind == Type.SHARES]
    checks.same("shares are told, of nothing", len(frames.read_shares(shares[0].body)), 16)
    inside.say(room, "from inside")
    await shown_there(rig, inside, "a member's text is shown", "from inside")

    # One who is in both, over one link, tried by a realm that stoad is not in first.
    both = rig.peer("Both")
    both.secrets = [RealmSecret.new(), circle, OPEN]
    inner = both.join(ROOM, say_so=False, realm=circle)
    outer = both.join("agora", say_so=False)
    link = await rig.dial(both)
    await rig.eventually(
        both,
        "one link serves both realms",
        lambda: outer.texts() == ["to everybody"] and len(inner.texts()) == 2,
    )
    checks.same("both realms are common", link.realms, {circle.realm, OPEN.realm})
    checks.same("the link was made by the newest secret that fits", link.link.realm, circle.realm)

    await outsiders(rig, circle)
    await renewed(rig, circle, inside, session)

    # stoad leaves the realm: it says so, and shares nothing of it.
    await stoad.run("realm", "leave", "circle")
    await rig.eventually(both, "leaving a realm is told", lambda: link.realms == {OPEN.realm})
    checks.that("its rooms are not shared then", inner.identifier not in link.shared)
    await rig.alive(both, "the link of the other realm stays", link)
    late = rig.peer("Late")
    late.secrets = [circle]
    try:
        await rig.dial(late)
        checks.that("who is in that realm alone gets no link then", False)
    except HANDSHAKE_FAILURES:
        checks.that("who is in that realm alone gets no link then", True)


async def shown_there(rig: Rig, peer: Peer, what: str, words: str) -> None:
    async def texts() -> list[str]:
        return [item["text"] for item in await rig.stoad.history(f"circle/{ROOM}")]

    for session in peer.sessions:
        await peer.heard_back(session)
    for _ in range(50):
        if words in await texts():
            break
    rig.checks.that(what, words in await texts())


async def outsiders(rig: Rig, circle: RealmSecret) -> None:
    """Who knows the realm's id and the room's name, but not the secret."""
    checks = rig.checks
    forged = RealmSecret(circle.realm, b"\x07" * 32)
    other_id = RealmSecret(b"\x07" * 32, circle.secret)
    for name, tags_of in (
        ("another secret", lambda s: [s.realm_tag(forged, s.tags.role)]),
        ("another id", lambda s: [s.realm_tag(other_id, s.tags.role)]),
        ("the other role", lambda s: [s.realm_tag(circle, s.tags.other.role)]),
        ("sent back", mirrored),
    ):
        outsider = rig.peer()
        session = await rig.dial(outsider)
        await outsider.until(
            lambda session=session: any(f.kind == Type.REALMS for f in session.received),
            SECONDS,
            "stoad's realms",
        )
        tags = tags_of(session)
        fill = [bytes([index]) * 16 for index in range(1, 9)]
        realms = sorted(set((tags + fill)[:8])) if len(tags) < 8 else tags
        session.link.send(frames.realms(realms))
        session.link.send(frames.rooms(tags[0], [ROOM]))
        session.link.send(Frame(Type.DIGEST, room_id(ROOM, circle.realm) + bytes(64)))
        author = Author.new(outsider.identity, room_id(ROOM, circle.realm))
        for frame in author.live(author.run(author.text("forged: from outside"))):
            session.link.send(frame)
        await rig.alive(outsider, f"realm tags, {name}: the link stays", session)
        checks.that(
            f"realm tags, {name}: nothing of the realm is told",
            ROOM not in rooms_told(session)
            and not any(room_id(ROOM, circle.realm) in f.body for f in session.received),
        )
    texts = [item["text"] for item in await rig.stoad.history(f"circle/{ROOM}")]
    checks.that("nothing from outside is shown", "forged: from outside" not in texts, texts)

    # A dial of stoad's to somebody in a realm of his own ends with nothing told.
    stranger = rig.peer("Stranger")
    stranger.secrets = [RealmSecret.new()]
    await stranger.listen()
    await rig.stoad.run("connect", f"{shown(stranger.identity.public)}@127.0.0.1:{stranger.port}")
    await rig.eventually(
        stranger, "a dial into another realm ends", lambda: bool(stranger.failures)
    )
    checks.that("no message 3 into another realm", not stranger.sessions, stranger.failures)


def mirrored(session: Session) -> list[bytes]:
    body = next(f.body for f in session.received if f.kind == Type.REALMS)
    return frames.read_realms(body)


async def renewed(rig: Rig, old: RealmSecret, inside: Peer, session: Session) -> None:
    """Either secret of a realm that was renewed is taken until its time is over."""
    await rig.stoad.run("realm", "rotate", "circle", "--days", "1")
    new = read_invitation(await rig.stoad.run("realm", "invite", "circle"))
    rig.checks.same("a renewed realm keeps its id", new.realm, old.realm)
    rig.checks.that("and has another secret", new.secret != old.secret)
    for name, secret in (("new", new), ("old", old)):
        peer = rig.peer(name)
        peer.secrets = [secret]
        room = peer.join(ROOM, say_so=False, realm=secret)
        await rig.dial(peer)
        await rig.eventually(
            peer,
            f"the {name} secret of a renewed realm is taken",
            lambda room=room: "from inside" in room.texts(),
        )
        await peer.close()
    await rig.alive(inside, "the links by the old secret stay", session)
