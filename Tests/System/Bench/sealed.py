"""Workload S: what sealing costs. The same in a secret room as in an open one, in the same run."""

import threading

from systems import ROOM, Stoa
from workloads import BURST_MESSAGES, LATENCY_MESSAGES, ROOM_MESSAGES, ROOM_READERS, Workload

HISTORY_MESSAGES = 100_000
# By where the write-ahead log stood, one burst meets one checkpoint or two; over so many it evens out.
BURSTS = 5
ASKED = 500
PAGED_MESSAGES = 5_000
PAGE_TURNS = 5
# Pages that somebody else asks for at a time, while a key is made of a phrase.
ASKED_BESIDE = 100


class Sealed(Workload):
    name = "S"
    # How often pages were asked for while a key was made.
    times_beside = 0
    # What a page of an open room took where that was asked for in turn with one of a secret room.
    open_pages = []

    @property
    def variants(self):
        return {
            "stoa": lambda tools, work: self.measure(tools, work, is_sealed=True),
            "other": lambda tools, work: self.measure(tools, work, is_sealed=False),
        }

    def measure(self, tools, work, is_sealed):
        found = {}
        with self.start(tools, work) as system:
            room = self.enter(system, 2, is_sealed)
            found["latency"] = system.load("latency", LATENCY_MESSAGES, 0, 1, room=room)["p50"] * 1e6
            before = system.processor_seconds()
            seconds = sum(
                system.load("burst", BURST_MESSAGES, 0, 1, room=room)["seconds"]
                for _ in range(BURSTS))
            found["burst"] = BURSTS * BURST_MESSAGES / seconds
            took = system.processor_seconds() - before
            found["burst.processor"] = took / (BURSTS * BURST_MESSAGES) * 1e6
            if is_sealed:
                found["page"], self.open_pages = self.pages(system, room)
            else:
                found["page"] = self.open_pages
            found["wait"] = self.longest_wait(system, room, is_sealed)
        with self.start(tools, work) as system:
            room = self.enter(system, 1 + ROOM_READERS, is_sealed)
            readers = range(1 + ROOM_READERS)
            seconds = system.load("burst", ROOM_MESSAGES, *readers, room=room)["seconds"]
            found["room"] = ROOM_READERS * ROOM_MESSAGES / seconds
        with self.start(tools, work) as system:
            system.add()
            room, invite = self.make(system, is_sealed)
            system.load("fill", HISTORY_MESSAGES, 0, room=room)
            system.add()
            system.await_links(1)
            if is_sealed:
                # Its key is here then, and what counts is how quickly the rest comes.
                system.call(1, "join", invite=invite)
            before = system.processor_seconds()
            seconds = system.load("catchup", HISTORY_MESSAGES, 1, room=room)["seconds"]
            found["history"] = HISTORY_MESSAGES / seconds
            took = system.processor_seconds() - before
            found["history.processor"] = took / HISTORY_MESSAGES * 1e6
        return found

    @staticmethod
    def start(tools, work):
        """Without discovery, which makes a second link beside that of --peer seconds after a start: the
        key of a secret room takes about as long, so that would meet the burst of one side only."""
        system = Stoa(tools, work)
        system.options = ["--discovery", "off"]
        return system

    @staticmethod
    def pages(system, room):
        """Microseconds of a page of a secret room and of an open one, in turn at one daemon: which
        processor it runs on makes more difference from daemon to daemon than sealing does."""
        plain = f"open/{ROOM}"
        system.call(0, "join", room=plain)
        system.load("fill", PAGED_MESSAGES, 0, room=plain)
        found = {room: [], plain: []}
        for _ in range(PAGE_TURNS):
            for name, took in found.items():
                answer = system.load("newest", ASKED, 0, room=name, seconds=60)
                took.append(answer["p50"] * 1e6)
        return found[room], found[plain]

    def longest_wait(self, system, room, makes_key):
        """Milliseconds that the slowest page took, in as many tries beside a key that is made of a
        phrase as without one."""
        waits = []

        def ask():
            answer = system.load("newest", ASKED_BESIDE, 0, room=room, seconds=60)
            waits.append(answer["most"] * 1e3)

        if makes_key:
            maker = threading.Thread(
                target=system.call, args=(0, "createConversation"), kwargs={"room": "another"})
            maker.start()
            while maker.is_alive() or not waits:
                ask()
            maker.join()
            self.times_beside = len(waits)
        else:
            for _ in range(self.times_beside):
                ask()
        return max(waits)

    @staticmethod
    def make(system, is_sealed):
        """What the first node's room is called, and the line that invites to it."""
        if not is_sealed:
            system.call(0, "join", room=ROOM)
            return ROOM, None
        made = system.call(0, "createConversation", room=ROOM)
        return made["conversation"]["name"], made["invite"]

    def enter(self, system, count, is_sealed):
        """Nodes that share a room; its name."""
        system.add()
        room, invite = self.make(system, is_sealed)
        for index in range(1, count):
            system.add()
            system.call(index, "join", **({"invite": invite} if is_sealed else {"room": room}))
        system.await_links(count - 1)
        system.await_members(count, room)
        return room

    def rows(self, samples):
        def line(name, text, unit, **rest):
            return self.row(samples, name, text, unit, against="open room", **rest)

        return [
            line("latency", "secret room: one message at a time, p50", "µs", must=1.3),
            line(
                "burst", "20,000 messages pipelined, five times, until the peer's subscriber has them",
                "messages/s", must=0.77, is_rate=True),
            line(
                "burst.processor", "processor time of both nodes per message then", "µs", must=1.3),
            line(
                "room", "5,000 messages, 1 to 8 nodes in one room", "deliveries/s", must=0.77,
                is_rate=True),
            line(
                "history", "100,000 messages of history, until `history` has the last",
                "messages/s", must=0.77, is_rate=True),
            line(
                "history.processor", "processor time of both nodes per message then", "µs",
                must=1.3),
            line("page", "the newest page of 50, in turn at one daemon", "µs", must=1.3),
            self.row(
                samples, "wait", "the slowest page while a key is made of a phrase", "ms",
                against="no key", must=5, is_difference=True),
        ]


ALL = [Sealed()]
