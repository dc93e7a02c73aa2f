"""An independent Stoa peer, from Docs/Protocol alone.

peer.py HOST:PORT --room agora --name Python --say "hello"
peer.py --listen 127.0.0.1:0 --room agora
peer.py --listen 0.0.0.0:0 --announce eth0 --room agora
peer.py --find eth0 --room agora
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys
from dataclasses import dataclass
from typing import Callable

import frames
from bodies import Body, Target, erasing, joining, opening, saying
from codec import Refused, u16
from cryptography.exceptions import InvalidTag
from discovery import Discovery, Instance, Network
from entries import ForkProof, LogName, OwnLog, Run, hybrid_time, room_id
from frames import Reason
from group_keys import acts as acts_frame
from groups import IN_CLEAR, Group
from link import GOODBYE_SECONDS, Link, LinkEnded, NoCommonRealm, NoCommonVersion, Opening
from noise_link import AREA_PORT
from persons import Person, certificate_of, device_address, person_of
from primitives import Identity
from private import GroupLine, Key
from realms import OPEN, RealmSecret
from records import Record, profile
from replica import Conversation, LogState, Replica, wall_milliseconds
from rosters import Roster
from session import DELTA_SECONDS, Session
from signed_acts import Act, Deed, Member

# How long after a dial that failed the next one comes; each time twice as long.
REDIAL_SECONDS = 1.0

# What a handshake can fail with by the other side's fault.
HANDSHAKE_FAILURES = (
    Refused,
    LinkEnded,
    NoCommonRealm,
    NoCommonVersion,
    ConnectionError,
    TimeoutError,
    asyncio.IncompleteReadError,
    InvalidTag,
    ValueError,
)


@dataclass(frozen=True)
class Coming:
    """By a group's link."""

    act: Act
    realm: bytes


class Watch:
    """Lets one wait for a state instead of for a time."""

    def __init__(self) -> None:
        self.event = asyncio.Event()

    def touch(self) -> None:
        self.event.set()
        self.event = asyncio.Event()

    async def until(self, what: Callable[[], bool], seconds: float, words: str) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while not what():
            try:
                await asyncio.wait_for(self.event.wait(), deadline - loop.time())
            except asyncio.TimeoutError:
                if not what():
                    raise TimeoutError(f"not within {seconds} s: {words}") from None


class Peer:
    def __init__(
        self,
        identity: Identity | None = None,
        name: str | None = None,
        person: Person | None = None,
    ) -> None:
        self.identity = identity or Identity.from_seed(secrets.token_bytes(32))
        # Whose device it is.
        self.person = person or person_of(self.identity)
        self.boot = secrets.randbits(64)
        self.dials = 0
        self.certificate = certificate_of(self.identity, self.person)
        self.features = b""
        # Groups into which somebody brings it, as their acts say.
        self.asked: dict[bytes, list[Act]] = {}
        # By which links it comes, and what members have shown of these.
        self.joins: dict[bytes, Coming] = {}
        self.links_told: dict[bytes, Act] = {}
        # Of the realms that this peer is in, in the order in which it tries them.
        self.secrets = [OPEN]
        self.replica = Replica()
        self.own: dict[bytes, OwnLog] = {}
        self.sessions: list[Session] = []
        self.past: list[Session] = []
        self.watch = Watch()
        self.server: asyncio.Server | None = None
        self.running: set[asyncio.Task[None]] = set()
        self.moved: set[LogName] = set()
        self.failures: list[BaseException] = []
        self.serves = True
        # What pings and pongs say.
        self.clock = wall_milliseconds
        # Otherwise it answers a digest with all of its pages, which is as good.
        self.sends_buckets = True
        if name is not None:
            record = profile(self.identity, name, "", hybrid_time(wall_milliseconds()))
            self.replica.kept[record.slot] = record

    # Links.

    def opening(self) -> Opening:
        area = {} if self.server is None else {AREA_PORT: u16(self.port)}
        return Opening(
            self.identity,
            self.boot,
            self.dials,
            features=self.features,
            area=area,
            secrets=self.secrets,
            certificate=self.certificate,
        )

    @property
    def port(self) -> int:
        if self.server is None:
            raise RuntimeError("this peer does not listen")
        return int(self.server.sockets[0].getsockname()[1])

    async def listen(self, host: str = "127.0.0.1", port: int = 0) -> int:
        self.server = await asyncio.start_server(self.accepted, host, port)
        return self.port

    async def accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            self.start(await Link.accept(reader, writer, self.opening()))
        except HANDSHAKE_FAILURES as failure:
            self.failures.append(failure)
            self.watch.touch()

    async def dial(
        self,
        host: str,
        port: int,
        expected: bytes | None = None,
        source: str | None = None,
    ) -> Session:
        self.dials += 1
        opening = self.opening()
        opening.expected = expected
        return self.start(await Link.dial(host, port, opening, source))

    def start(self, link: Link) -> Session:
        session = Session(self, link)
        self.sessions.append(session)
        task = asyncio.get_running_loop().create_task(session.run())
        self.running.add(task)
        task.add_done_callback(self.running.discard)
        self.watch.touch()
        return session

    def forget(self, session: Session) -> None:
        if session in self.sessions:
            self.sessions.remove(session)
            self.past.append(session)
        self.watch.touch()

    async def close(self) -> None:
        if self.server is not None:
            self.server.close()
        for session in self.sessions:
            session.link.say_goodbye(Reason.SHUTDOWN)
        if self.running:
            # Each reads on until the other side has closed, too.
            await asyncio.wait(self.running, timeout=GOODBYE_SECONDS)
        for task in list(self.running):
            task.cancel()
        await asyncio.gather(*self.running, return_exceptions=True)

    async def until(self, what: Callable[[], bool], seconds: float, words: str) -> None:
        await self.watch.until(what, seconds, words)

    async def heard_back(self, session: Session, seconds: float = 60.0) -> None:
        """Waits for the answer to a ping: what was sent before has been handled then."""
        nonce = session.ping()
        await self.until(
            lambda: nonce in session.pongs or session.ended is not None, seconds, "a pong"
        )
        if nonce not in session.pongs:
            raise session.ended or RuntimeError("the link ended")

    # Rooms and messages.

    def join(
        self, name: str, say_so: bool = True, realm: RealmSecret = OPEN
    ) -> Conversation:
        """Takes part in a room; `say_so` also writes the join entry."""
        identifier = room_id(name, realm.realm)
        conversation = self.replica.conversations.setdefault(
            identifier, Conversation(identifier, name, realm.realm)
        )
        for session in self.sessions:
            session.announce()
        if say_so:
            self.write(conversation, [joining(name)])
        return conversation

    def join_unnamed(self, identifier: bytes, realm: RealmSecret = OPEN) -> Conversation:
        """Takes part in a conversation that nobody else can recognise."""
        conversation = self.replica.conversations.setdefault(
            identifier, Conversation(identifier, None, realm.realm)
        )
        for session in self.sessions:
            session.send_shares()
            session.share()
        return conversation

    def begin(self, key: Key, *persons: bytes, realm: RealmSecret | None = OPEN) -> Conversation:
        """Takes part in what is sealed with a key: that of two people, or a secret room."""
        conversation = self.replica.conversations.setdefault(
            key.identifier,
            Conversation(
                key.identifier, None, realm and realm.realm, key, frozenset(persons)
            ),
        )
        for session in self.sessions:
            session.send_shares()
            session.share()
        return conversation

    def hold(self, *realm_secrets: RealmSecret) -> None:
        """Is in these realms from here on, and no others."""
        self.secrets = list(realm_secrets)
        for session in self.sessions:
            session.send_realms()
            session.find_common()

    def leave(self, conversation: Conversation) -> None:
        del self.replica.conversations[conversation.identifier]
        for session in self.sessions:
            session.announced.discard(conversation.identifier)
            session.shared.pop(conversation.identifier, None)
            session.link.send(frames.rooms_left([conversation.identifier]))

    def say(self, conversation: Conversation, words: str) -> Run:
        return self.write(conversation, [saying(words)])

    def erase(self, conversation: Conversation, *entries: tuple[LogState, int]) -> Run:
        """Asks for entries to be erased, whosever they are."""
        targets = [
            Target(log.name.author, log.name.incarnation, seq, log.identifiers[seq - 1])
            for log, seq in entries
        ]
        return self.write(conversation, [erasing(targets)])

    def own_log(self, conversation: Conversation) -> OwnLog:
        """The log that this peer writes there, which begins with its certificate."""
        identifier = conversation.identifier
        if identifier not in self.own:
            name = LogName(identifier, self.identity.public, secrets.randbits(64))
            self.own[identifier] = OwnLog(self.identity, name)
            self.write(conversation, [opening(self.certificate)])
        return self.own[identifier]

    def write(self, conversation: Conversation, bodies: list[Body]) -> Run:
        own = self.own_log(conversation)
        if isinstance(conversation, Group) and any(body.kind not in IN_CLEAR for body in bodies):
            made = conversation.choose(self.identity.public, secrets.token_bytes(32))
            if made is not None:
                # A run of its own, which others take before they have the key for what follows.
                self.write(conversation, [made])
                self.regrouped(conversation)
        run = self.replica.write(own, bodies, secrets.token_bytes(16))
        log = conversation.log(own.name)
        for session in self.sessions:
            session.push(log, run)
        self.committed(log)
        return run

    # Groups.

    @property
    def person_id(self) -> bytes:
        return self.certificate.person_id

    @property
    def device_address(self) -> bytes:
        return device_address(self.identity)

    @property
    def member(self) -> Member:
        """Who signs this peer's acts."""
        return Member(self.identity, self.person, self.certificate)

    @property
    def groups(self) -> list[Group]:
        known = self.replica.conversations.values()
        return [item for item in known if isinstance(item, Group)]

    def group(self, identifier: bytes) -> Group | None:
        found = self.replica.conversations.get(identifier)
        return found if isinstance(found, Group) else None

    def found(self, name: str, history: int, suite: int, realm: RealmSecret = OPEN) -> Group:
        """Creates a group."""
        time, nonce = hybrid_time(wall_milliseconds()), secrets.token_bytes(32)
        act = self.member.found(name, time, nonce, realm.realm, history, suite)
        return self.enter([act])

    def enter(self, acts: list[Act]) -> Group:
        """Takes part in a group, by what is known of it."""
        founding = next(act for act in acts if act.deed == Deed.CREATE)
        group = Group.founded(founding, self.person_id)
        group.hosts |= {act.author for act in acts if act.brings(self.person_id)}
        group.take(acts)
        self.replica.conversations[group.identifier] = group
        self.asked.pop(group.identifier, None)
        self.regrouped(group)
        return group

    def asked_into(self, name: bytes, acts: list[Act]) -> None:
        """Somebody brings this peer into a group: its user is asked, or has come by a link."""
        before = {act.identifier: act for act in self.asked.get(name, [])}
        both = [*before.values(), *(act for act in acts if act.identifier not in before)]
        if not any(act.deed == Deed.CREATE for act in both):
            # All that a newcomer is shown who is not let in.
            told = {act.identifier: act for act in acts if act.deed == Deed.LINK}
            self.links_told |= {name: told[name] for name in told.keys() & self.joins.keys()}
            return
        self.asked[name] = both
        mine = [link for link, join in self.joins.items() if join.act.group == name]
        if mine and self.person_id in Roster(both).members:
            del self.joins[mine[0]]
            self.enter(both)

    def come(self, line: GroupLine) -> None:
        """By the line of a group's link."""
        time = hybrid_time(wall_milliseconds())
        key = Identity.from_seed(line.seed)
        act = self.member.join(line.group, time, line.link, key)
        self.joins[line.link] = Coming(act, line.realm)
        for session in self.sessions:
            session.send_shares()
            session.show_joins()

    def act(self, group: Group, deed: Deed, of: dict[int, bytes]) -> Act:
        """Signs an act that follows all that is known, and tells it."""
        heads = tuple(group.heads)
        return self.tell(group, self.member.act(deed, group.identifier, group.next_time, heads, of))

    def cut(self, group: Group, device: bytes) -> Act:
        """As its person, who has lost that device."""
        time, heads = group.next_time, tuple(group.heads)
        return self.tell(
            group, self.member.cut(device, group.identifier, time, heads, wall_milliseconds())
        )

    def tell(self, group: Group, made: Act) -> Act:
        group.take([made])
        # Unasked, since who leaves shares nothing any more.
        for session in self.sessions:
            if group.identifier in session.shared:
                session.link.send(acts_frame(group.identifier, [made]))
        self.regrouped(group)
        return made

    def regrouped(self, group: Group) -> None:
        """The acts or keys of a group have changed."""
        for session in self.sessions:
            if group.realm in session.realms:
                session.send_shares()
                session.share()
                session.regroup(group)
        self.watch.touch()

    # Spreading.

    def committed(self, log: LogState) -> None:
        """Tells the other links within 100 ms, all logs that moved meanwhile together."""
        if not self.moved:
            asyncio.get_running_loop().call_later(DELTA_SECONDS, self.send_deltas)
        self.moved.add(log.name)
        self.watch.touch()

    def send_deltas(self) -> None:
        moved, self.moved = self.moved, set()
        for session in self.sessions:
            for name in sorted(moved):
                conversation = self.replica.conversations.get(name.conversation)
                if conversation is not None:
                    session.send_delta(conversation.log(name))

    def spread_proof(self, proof: ForkProof, source: Session | None) -> None:
        for session in self.sessions:
            if session is not source and proof.log.conversation in session.shared:
                session.link.send(frames.fork_proof(proof.packed()))
        self.watch.touch()

    def spread_record(self, record: Record, source: object) -> None:
        for session in self.sessions:
            authors = [shared.conversation.authors for shared in session.shared.values()]
            if session is not source and any(record.author in known for known in authors):
                session.link.send(frames.records([record.packed()]))


class Finder:
    """Dials what discovery finds: one address of an instance after the other until one gives a link."""

    def __init__(self, peer: Peer, interface: str, finds: bool) -> None:
        self.peer = peer
        self.network = Network.of(interface)
        self.dialling: set[asyncio.Task[None]] = set()
        port = None if peer.server is None else peer.port
        self.discovery = Discovery(self.network, port, self.found if finds else None)

    def found(self, instance: Instance) -> None:
        task = asyncio.get_running_loop().create_task(self.reach(instance))
        self.dialling.add(task)
        task.add_done_callback(self.dialling.discard)

    async def reach(self, instance: Instance) -> None:
        seconds = REDIAL_SECONDS
        while self.discovery.instances.get(instance.name) == instance:
            for host, port in self.discovery.reachable(instance):
                try:
                    await self.peer.dial(host, port)
                    return
                except HANDSHAKE_FAILURES as failure:
                    self.peer.failures.append(failure)
            await asyncio.sleep(seconds)
            seconds *= 2

    def close(self) -> None:
        self.discovery.close()
        for task in list(self.dialling):
            task.cancel()


async def command(arguments: argparse.Namespace) -> int:
    peer = Peer(name=arguments.name)
    if arguments.listen is not None:
        host, _, port = arguments.listen.rpartition(":")
        print(f"listening on {host}:{await peer.listen(host, int(port))}", flush=True)
    conversation = peer.join(arguments.room, say_so=arguments.say is not None)
    if arguments.address is not None:
        host, _, port = arguments.address.rpartition(":")
        await peer.dial(host, int(port))
    finder = None
    if (interface := arguments.find or arguments.announce) is not None:
        finder = Finder(peer, interface, finds=arguments.find is not None)
        await finder.discovery.start()
    await peer.until(lambda: len(peer.sessions) >= arguments.links, arguments.seconds, "a link")
    if arguments.say is not None:
        peer.say(conversation, arguments.say)

    await peer.until(
        lambda: all(
            each.ended is not None or each.agrees(conversation.identifier)
            for each in peer.sessions),
        arguments.seconds, "the same on both sides")
    for words in conversation.texts():
        print(words.encode("unicode_escape").decode("ascii"))
    if finder is not None:
        finder.close()
    await peer.close()
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="An independent Stoa peer.")
    parser.add_argument("address", nargs="?", metavar="HOST:PORT")
    parser.add_argument("--listen", metavar="HOST:PORT")
    parser.add_argument("--announce", metavar="INTERFACE", help="so that others find what listens")
    parser.add_argument("--find", metavar="INTERFACE", help="dial what is announced there")
    parser.add_argument("--links", type=int, default=1, help="to wait for")
    parser.add_argument("--room", required=True)
    parser.add_argument("--name", default="python")
    parser.add_argument("--say", metavar="TEXT")
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    if arguments.announce is not None and arguments.listen is None:
        parser.error("--announce needs --listen")
    if arguments.address is None and arguments.listen is None and arguments.find is None:
        parser.error("an address, --listen or --find")
    return asyncio.run(command(arguments))


if __name__ == "__main__":
    sys.exit(main())
