"""Workload S: what sealing costs. The same in a secret room as in an open one, in the same run."""

from systems import ROOM, Stoa
from workloads import BURST_MESSAGES, LATENCY_MESSAGES, ROOM_MESSAGES, ROOM_READERS, Workload

HISTORY_MESSAGES = 20_000
ASKED = 500


class Sealed(Workload):
    name = "S"

    @property
    def variants(self):
        return {
            "stoa": lambda tools, work: self.measure(tools, work, is_sealed=True),
            "other": lambda tools, work: self.measure(tools, work, is_sealed=False),
        }

    def measure(self, tools, work, is_sealed):
        found = {}
        with Stoa(tools, work) as system:
            room = self.enter(system, 2, is_sealed)
            found["latency"] = system.load("latency", LATENCY_MESSAGES, 0, 1, room=room)["p50"] * 1e6
            seconds = system.load("burst", BURST_MESSAGES, 0, 1, room=room)["seconds"]
            found["burst"] = BURST_MESSAGES / seconds
            found["page"] = system.load("newest", ASKED, 0, room=room, seconds=60)["p50"] * 1e6
        with Stoa(tools, work) as system:
            room = self.enter(system, 1 + ROOM_READERS, is_sealed)
            readers = range(1 + ROOM_READERS)
            seconds = system.load("burst", ROOM_MESSAGES, *readers, room=room)["seconds"]
            found["room"] = ROOM_READERS * ROOM_MESSAGES / seconds
        with Stoa(tools, work) as system:
            system.add()
            room, invite = self.make(system, is_sealed)
            system.load("fill", HISTORY_MESSAGES, 0, room=room)
            system.add()
            system.await_links(1)
            if is_sealed:
                # Its key is here then, and what counts is how quickly the rest comes.
                system.call(1, "join", invite=invite)
            seconds = system.load("catchup", HISTORY_MESSAGES, 1, room=room)["seconds"]
            found["history"] = HISTORY_MESSAGES / seconds
        return found

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
            line("latency", "secret room: one message at a time, p50", "µs", must=1.15),
            line(
                "burst", "20,000 messages pipelined, until the peer's subscriber has them",
                "messages/s", must=0.87, is_rate=True),
            line(
                "room", "5,000 messages, 1 to 8 nodes in one room", "deliveries/s", must=0.87,
                is_rate=True),
            line(
                "history", "20,000 messages of history, until `history` has the last",
                "messages/s", must=0.87, is_rate=True),
            line("page", "the newest page of 50", "µs", must=1.3),
        ]


ALL = [Sealed()]
