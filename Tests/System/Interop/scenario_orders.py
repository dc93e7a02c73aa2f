"""The same entries in many orders, each brought to a fresh stoad: all show the same in the end.

One author's devices, edits of edits, erasures, reactions and their withdrawal, answers, topics, comings and goings,
equal and odd times, a fork and its proof; restarts between, and strangers' floods beside.
"""

from __future__ import annotations

import asyncio
import os
import random
from dataclasses import dataclass
from typing import Any, Iterator

import frames
from bodies import (
    LEAVING,
    Body,
    Kind,
    Target,
    answering,
    doing,
    editing,
    erasing,
    joining,
    placing,
    reacting,
    saying,
    streaming,
)
from Driver.control import shown
from entries import Entry, ForkProof, LogName, OwnLog, Run, hybrid_time, room_id
from persons import Person, certificate_of, person_of
from primitives import Identity
from replica import wall_milliseconds
from rig import ROOM, SECONDS, Rig
from stoad import Stoad

ORDERS, ORDERS_LONG = 8, 200
STEPS = 220
SIGNS = "\N{THUMBS UP SIGN}\N{THUMBS DOWN SIGN}\N{PARTY POPPER}"
# More than a message's references that are looked at, and of more authors than signs are listed.
FLOODERS, FLOOD_ENTRIES = 80, 16
FRIENDLY = "\N{WAVING HAND SIGN}"
# What depends on the order of arrival and says so.
ARRIVAL = ("cursor", "late")


@dataclass
class Writer:
    """A log of a device, and whose that is."""

    name: str
    person: bytes
    log: OwnLog


class Story:
    """What is brought: made of a seed, so that it can be made again."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.room = room_id(ROOM)
        self.began = wall_milliseconds() - 3_600_000
        self.clock = self.began
        # A target, and the person who has written it.
        self.messages: list[tuple[Target, bytes]] = []
        self.writers = list(self.people())
        for step in range(STEPS):
            self.step(step, self.random.choice(self.writers))
        # What strangers say much of: no person erases it.
        talker = self.writers[0]
        self.target = self.append(talker.log, saying("said of much"), self.moment(talker.log))
        for writer, body in (
            (self.writers[3], reacting(FRIENDLY, self.target)),
            (self.writers[2], editing("much is said of this", self.target)),
        ):
            self.append(writer.log, body, self.moment(writer.log))
        self.runs = {writer.name: list(writer.log.runs) for writer in self.writers}
        self.flood = [self.stranger(number) for number in range(FLOODERS)]
        self.branches, self.proof = self.fork()

    def identity(self) -> Identity:
        return Identity.from_seed(self.random.randbytes(32))

    def writer(self, name: str, device: Identity, person: Person) -> Writer:
        log = OwnLog(device, LogName(self.room, device.public, self.random.getrandbits(63)))
        start = hybrid_time(self.began - 1_000)
        log.begin(certificate_of(device, person), start, self.random.randbytes(16))
        return Writer(name, person.identity.public, log)

    def people(self) -> Iterator[Writer]:
        """Three people with five devices and seven logs."""
        devices = {name: self.identity() for name in ("ada", "ada2", "bob", "cleo", "cleo2")}
        for name, device in devices.items():
            person = person_of(devices[name.rstrip("2")])
            yield self.writer(name, device, person)
            if name in ("ada", "cleo"):
                yield self.writer(f"{name} again", device, person)

    def moment(self, log: OwnLog) -> int:
        """Sometimes that of another log, sometimes before what an entry names."""
        if self.random.random() > 0.25:
            self.clock += self.random.randrange(1, 15_000)
        return max(log.hlc + 1, hybrid_time(self.clock, self.random.randrange(3)))

    def append(self, log: OwnLog, body: Body, hlc: int) -> Target:
        if body.kind in list(Kind):
            entry = Entry.of(body, hlc, self.random.randbytes(16))
        else:
            entry = Entry.new(2, hlc, body.payload(self.random.randbytes(16)))
        run = log.append([entry])
        return Target(log.name.author, log.name.incarnation, run.last, run.identifiers[-1])

    def step(self, number: int, writer: Writer) -> None:
        draw = self.random.random()
        said = f"{writer.name} {number}"
        own = [target for target, person in self.messages if person == writer.person]
        if not self.messages or draw < 0.3:
            body = self.random.choice([saying, doing])(said)
        else:
            any_ = self.random.choice(self.messages)[0]
            mine = self.random.choice(own) if own and self.random.random() < 0.8 else any_
            body = self.body(draw, said, any_, mine)
        target = self.append(writer.log, body, self.moment(writer.log))
        if body.kind not in (Kind.JOIN, Kind.LEAVE, Kind.ERASE):
            self.messages.append((target, writer.person))

    def body(self, draw: float, said: str, any_: Target, mine: Target) -> Body:
        if draw < 0.38:
            return answering(said, any_)
        if draw < 0.53:
            return editing(said, mine)
        if draw < 0.75:
            return reacting(self.random.choice(SIGNS), any_, withdrawn=self.random.random() < 0.3)
        if draw < 0.81:
            return erasing(sorted({mine, any_}, key=lambda target: target.place))
        if draw < 0.86:
            return Body(Kind.TOPIC, {1: f"topic of {said}".encode()})
        if draw < 0.92:
            return self.random.choice([joining(ROOM), LEAVING])
        if draw < 0.95:
            return placing(self.random.randrange(900_000_000), 5)
        if draw < 0.97:
            return streaming("numbers", self.random.getrandbits(60), said.encode())
        return Body(99, {2: f"in place of {said}".encode()})

    def stranger(self, number: int) -> list[Run]:
        """Says much of one message, by a name of its own, and wants it erased."""
        writer = self.writer(f"stranger {number}", *self.invented())
        for index in range(FLOOD_ENTRIES):
            hlc = hybrid_time(self.clock + 1_000, index) + (number << 5)
            sign = f"s{number % 40}-{index}"
            body = reacting(sign, self.target) if number % 2 else editing("fooled", self.target)
            self.append(writer.log, body, max(writer.log.hlc + 1, hlc))
        wanted = [Target(*self.target.place, bytes(31) + bytes([index])) for index in (1,)]
        self.append(writer.log, erasing([*wanted]), writer.log.hlc + 1)
        self.append(writer.log, erasing([self.target]), writer.log.hlc + 1)
        return list(writer.log.runs)

    def invented(self) -> tuple[Identity, Person]:
        device = self.identity()
        return device, person_of(device)

    def fork(self) -> tuple[list[list[Run]], ForkProof]:
        """Two histories: in each the other text of a message, a reaction, a topic and a farewell."""
        device, person = self.invented()
        dave = self.writer("dave", device, person)
        self.append(dave.log, joining(ROOM), hybrid_time(self.began))
        said = self.append(dave.log, saying("pay 100"), hybrid_time(self.began + 1_000))
        other = OwnLog(device, dave.log.name, list(dave.log.runs))
        common = len(other.runs)
        for log, word in ((dave.log, "ada"), (other, "eve")):
            hlc = hybrid_time(self.clock + 5_000)
            self.append(log, editing(f"pay 100 to {word}", said), hlc)
            self.append(log, reacting(word, self.target), hlc + 1)
            self.append(log, Body(Kind.TOPIC, {1: word.encode()}), hlc + 2)
            self.append(log, LEAVING, hlc + 3)
        branches = [list(dave.log.runs), list(other.runs), list(dave.log.runs[:common])]
        return branches, ForkProof.of(dave.log.runs[common], other.runs[common])

    def order(self, number: int) -> list[Run | ForkProof]:
        """All of it in an order of its own, each log in its own order."""
        drawn = random.Random(number)
        queues = {name: list(runs) for name, runs in self.runs.items()}
        floods = {f"flood {index}": list(runs) for index, runs in enumerate(self.flood)}
        # Before all else, between, or behind.
        first = drawn.choice([floods, queues, {**floods, **queues}])
        rest = {name: runs for name, runs in {**floods, **queues}.items() if name not in first}
        branch = self.branches[number % 3]
        (queues if "ada" in first else first)["dave"] = list(branch)
        if "dave" not in first and "dave" not in rest:
            first["dave"] = list(branch)
        out: list[Run | ForkProof] = []
        for part in (first, rest):
            left = {name: list(runs) for name, runs in part.items()}
            while left:
                name = drawn.choice(sorted(left))
                for _ in range(drawn.choice([1, 1, 3, 12])):
                    if left[name]:
                        out.append(left[name].pop(0))
                if not left[name]:
                    del left[name]
        # Who has the proof first never shows what lies behind it.
        proof_at = len(out) if number % 3 < 2 else drawn.randrange(len(out))
        out.insert(proof_at, self.proof)
        return out


async def bring(
    rig: Rig, stoad: Stoad, order: list[Run | ForkProof], restart: int, forked: LogName, sent: int
) -> int:
    """In that order, and the daemon starts again in the middle; gives how much it has by then."""
    for part in (order[:restart], order[restart:]) if restart else (order,):
        peer = rig.peer()
        peer.serves = False
        peer.join(ROOM, say_so=False)
        session = await peer.dial("127.0.0.1", stoad.port, source=next(rig.sources))
        await peer.heard_back(session)
        for index, item in enumerate(part):
            if isinstance(item, ForkProof):
                await peer.heard_back(session)
                session.link.send(frames.fork_proof(item.packed()))
                await peer.heard_back(session)
            else:
                session.link.send(frames.live_run(item.packed()))
            if index % 64 == 63:
                await peer.heard_back(session)
        await peer.heard_back(session)
        # What waits for the disk when a daemon ends has to be sent again, and nobody does that here.
        sent += sum(len(item.entries) for item in part if isinstance(item, Run) and item.log != forked)
        stored = await settled(stoad, sent, ForkProof in map(type, part))
        rig.checks.that("all that was sent is stored", stored, sent)
        await peer.close()
        if len(part) < len(order):
            await stoad.stop()
            await stoad.start()
    return sent


def plain(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key not in ARRIVAL}


async def screen(stoad: Stoad) -> dict[str, Any]:
    """All that a user would see of the room."""
    own = stoad.key
    history = [plain(item) for item in await stoad.history(ROOM) if item["author"] != own]
    # What lies behind a fork stands where it was shown before the proof came.
    history = [item for item in history if not item.get("disputed")]
    members = [
        {key: value for key, value in item.items() if key in ("id", "present", "left", "since")}
        for item in await stoad.json("members", ROOM) if item["id"] != own]
    lists = [
        {key: item.get(key) for key in ("name", "topic", "unread", "mentions")}
        for item in await stoad.json("conversations")]
    found = [item["message"]["id"] if "message" in item else item["id"]
             for word in ("topic", "m1", "eve", "pay")
             for item in await stoad.json("search", word, "--limit", "100")]
    return {"history": history, "members": sorted(members, key=lambda item: item["id"]),
            "conversations": lists, "search": sorted(found)}


def difference(one: dict[str, Any], other: dict[str, Any]) -> str:
    """Where two screens differ first, in a few words."""
    for part, due in one.items():
        if due == other[part]:
            continue
        if not isinstance(due, list) or len(due) != len(other[part]):
            return f"{part}: {len(due)} and {len(other[part])}"
        pairs = [(a, b) for a, b in zip(due, other[part]) if a != b]
        return f"{part}: {pairs[0]}"
    return ""


async def settled(stoad: Stoad, entries: int, is_forked: bool) -> bool:
    """Whether all that counts comes to the disk, and the proof where that was sent."""
    control = await stoad.control()
    try:
        for _ in range(int(SECONDS / 0.05)):
            status = await control.call("status")
            codes = [alert["code"] for alert in status["alerts"]]
            if status["messages"] >= entries and ("fork" in codes or not is_forked):
                return True
            await asyncio.sleep(0.05)
        return False
    finally:
        control.close()


async def looked_at(rig: Rig, stoad: Stoad, history: list[dict[str, Any]]) -> None:
    """What a crowd says hides nobody whom the user knows, and what a fork disputes is listed."""
    said = next(item for item in history if item["text"] == "much is said of this")
    rig.checks.same("a friend's sign comes first", said["reactions"][0]["sign"], FRIENDLY)
    rig.checks.that("and it is said how many more there are", said.get("moreReactions", 0) > 100, said)
    forked = next(item for item in history if item["text"] == "pay 100")
    rig.checks.that("a disputed edit counts for nothing", "edited" not in forked, forked)
    info = (await stoad.json("info", forked["id"]))[0]
    texts = [item["text"] for item in info.get("disputed", [])]
    rig.checks.same("and is listed", texts, ["pay 100 to ada"])


async def run(rig: Rig) -> None:
    checks = rig.checks
    count = ORDERS_LONG if os.environ.get("STOA_LONG") == "1" else ORDERS
    seed = int(os.environ.get("SEED", "20261128"))
    story = Story(seed)
    friend = story.writers[3].log.name
    first: dict[str, Any] | None = None
    for number in range(count):
        stoad = Stoad(rig.stoad.daemon.programs, "Stoa")
        await stoad.start()
        try:
            await stoad.run("join", ROOM)
            order = story.order(number)
            # Nobody is known before anything is heard of them.
            opening = next(item for item in order if isinstance(item, Run) and item.log == friend)
            order.remove(opening)
            forked = story.branches[0][0].log
            # Own entries: what opens the log, and the join.
            sent = await bring(rig, stoad, [opening], 0, forked, 2)
            await stoad.run("people", "add", shown(friend.author))
            restart = random.Random(-number).randrange(1, len(order))
            await bring(rig, stoad, order, restart, forked, sent)
            found = await screen(stoad)
            if first is None:
                first = found
                texts = " ".join(item.get("text", "") for item in found["history"])
                await looked_at(rig, stoad, found["history"])
                checks.that("something is shown", len(found["history"]) > 40, found)
                checks.that("nobody is fooled", "fooled" not in texts)
                checks.that("and a fork counts for nothing", "pay 100 to" not in texts)
            else:
                what = f"seed {seed}: order {number} ends with the screen of order 0"
                checks.that(what, found == first, difference(first, found))
            await stoad.stop()
            code, out = await asyncio.to_thread(stoad.daemon.check)
            checks.that(f"order {number}: the store is as it should be", code == 0, out)
        finally:
            await stoad.end()
