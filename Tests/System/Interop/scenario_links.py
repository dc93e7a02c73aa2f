"""Which of two links stays, and what either side's dial must refuse."""

from __future__ import annotations

from Driver.control import shown
from forgeries_handshake import ForgingResponder, responder_forgeries
from frames import Reason
from primitives import Identity
from rig import ROOM, Rig


async def run(rig: Rig) -> None:
    checks, stoad = rig.checks, rig.stoad
    await stoad.run("join", ROOM)

    # Same boot, same initiator: the higher dial counter stays.
    peer = rig.peer("Twice")
    first = await rig.dial(peer)
    await peer.heard_back(first)
    second = await rig.dial(peer)
    await rig.eventually(peer, "the older link ends", lambda: first.ended is not None)
    checks.same("the older link's goaway", first.ended and first.ended.reason, Reason.DUPLICATE)
    await rig.alive(peer, "the newer link stays", second)
    peer.dials = 0
    third = await rig.dial(peer)
    await rig.eventually(peer, "a lower dial ends", lambda: third.ended is not None)
    checks.same("a lower dial's goaway", third.ended and third.ended.reason, Reason.DUPLICATE)
    await rig.alive(peer, "the higher dial stays", second)

    # Another boot of the same identity while the first is alive.
    clone = rig.peer("Clone", peer.identity)
    session = await rig.dial(clone)
    await rig.eventually(clone, "the clone's link ends", lambda: session.ended is not None)
    checks.same("a clone's goaway", session.ended and session.ended.reason, Reason.IDENTITY_IN_USE)
    await rig.alive(peer, "the link of the one that is alive stays", second)
    listed = await rig.refusals(await rig.control())
    found = [item for item in listed if item.get("peer") == shown(peer.identity.public)]
    checks.that("the clone is listed among the refusals", bool(found), listed)

    # Another boot, and the first has fallen silent: it does not answer the probe.
    silent = rig.peer("Silent")
    quiet = await rig.dial(silent)
    await silent.heard_back(quiet)
    quiet.mute = True
    again = rig.peer("Silent", silent.identity)
    fresh = await rig.dial(again)
    await rig.alive(again, "a silent link gives way to another boot", fresh)
    await rig.eventually(silent, "the silent link ends", lambda: quiet.ended is not None)

    # A dial aimed at a key tells nothing to another.
    stranger = rig.peer("Stranger")
    await stranger.listen()
    wanted = Identity.from_seed(b"\x46" * 32).public
    await stoad.run("connect", f"{shown(wanted)}@127.0.0.1:{stranger.port}")
    await rig.eventually(stranger, "a dial at another key ends", lambda: bool(stranger.failures))
    checks.that("no message 3 to another key", not stranger.sessions, stranger.failures)

    for forgery in responder_forgeries():
        forger = ForgingResponder(forgery.change)
        rig.peers.append(forger)
        await forger.listen()
        await stoad.run("connect", f"127.0.0.1:{forger.port}")
        await rig.eventually(
            forger,
            f"{forgery.name}: the dial ends",
            lambda forger=forger: bool(forger.failures or forger.sessions),
        )
        checks.that(f"{forgery.name}: no message 3", not forger.sessions, forger.failures)
        if forger.server is not None:
            forger.server.close()
    await rig.alive(peer, "the honest link stays", second)
    checks.that("nobody was refused by us", second.refused is None, second.refused)
