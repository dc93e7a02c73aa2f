"""One stoad, an honest peer beside it, and what the scenarios share."""

from __future__ import annotations

import itertools
from typing import Any, Callable

from Driver.checks import Checks
from Driver.control import AsyncControl
from Driver.daemon import Programs
from link import LinkEnded
from peer import Peer
from persons import Person
from primitives import Identity
from replica import Conversation
from session import Session
from stoad import Stoad

ROOM = "agora"
SECONDS = 60.0


class Rig:
    def __init__(self, programs: Programs, checks: Checks) -> None:
        self.programs = programs
        self.stoad = Stoad(programs, "Stoa")
        self.checks = checks
        self.peers: list[Peer] = []
        self.controls: list[AsyncControl] = []
        # Every forger comes from an address of its own, so that none pays for another's.
        self.sources = (f"127.{a}.{b}.1" for a, b in itertools.product(range(1, 9), range(1, 250)))

    async def start(self) -> None:
        await self.stoad.start()

    async def end(self) -> None:
        for control in self.controls:
            control.close()
        for peer in self.peers:
            await peer.close()
        await self.stoad.end()

    def peer(
        self,
        name: str | None = None,
        identity: Identity | None = None,
        person: Person | None = None,
    ) -> Peer:
        peer = Peer(identity, name, person)
        self.peers.append(peer)
        return peer

    async def dial(self, peer: Peer) -> Session:
        return await peer.dial("127.0.0.1", self.stoad.port, source=next(self.sources))

    async def control(self) -> AsyncControl:
        control = await self.stoad.control()
        self.controls.append(control)
        return control

    async def subscribed(self) -> AsyncControl:
        """A control connection to which every message of the room comes."""
        control = await self.control()
        await control.call("subscribe", **{"to": ROOM, "from": 0})
        return control

    async def same_digest(self, peer: Peer, session: Session, conversation: Conversation) -> None:
        """Waits until both sides hold the same, as the other side's digest or clock tells."""
        def settled() -> bool:
            if session.ended is not None:
                raise session.ended
            return session.agrees(conversation.identifier)

        await peer.until(settled, SECONDS, "the same on both sides")

    async def eventually(
        self, peer: Peer, what: str, holds: Callable[[], bool], seconds: float = SECONDS
    ) -> bool:
        """A check that has until then to come true; the scenario goes on either way."""
        try:
            await peer.until(holds, seconds, what)
        except TimeoutError as error:
            return self.checks.that(what, False, error)
        return self.checks.that(what, True)

    async def alive(self, peer: Peer, what: str, session: Session) -> bool:
        """A check that the link answers a ping."""
        try:
            await peer.heard_back(session)
        except (LinkEnded, TimeoutError) as error:
            return self.checks.that(what, False, repr(error))
        return self.checks.that(what, True)

    async def refusals(self, control: AsyncControl) -> list[dict[str, Any]]:
        answer = await control.call("refusals")
        return list(answer["items"])
