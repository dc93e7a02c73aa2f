"""Workload W: what it costs that messages can be found. The same where somebody has searched, and the words
of all that comes are indexed behind the commits, against where nobody has."""

from Driver.process import until
from sealed import Sealed
from systems import ROOM
from workloads import LATENCY_MESSAGES, Workload

# Long enough that it is indexed meanwhile, which is done each second.
BURST_MESSAGES = HISTORY_MESSAGES = 200_000


class Indexed(Workload):
    name = "W"

    @property
    def variants(self):
        return {
            "stoa": lambda tools, work: self.measure(tools, work, is_indexed=True),
            "other": lambda tools, work: self.measure(tools, work, is_indexed=False),
        }

    def measure(self, tools, work, is_indexed):
        found = {}
        with Sealed.start(tools, work) as system:
            for index in range(2):
                self.enter(system, index, is_indexed)
            system.await_links(1)
            system.await_members(2)
            found["latency"] = system.load("latency", LATENCY_MESSAGES, 0, 1)["p50"] * 1e6
            seconds = system.load("burst", BURST_MESSAGES, 0, 1)["seconds"]
            found["burst"] = BURST_MESSAGES / seconds
        with Sealed.start(tools, work) as system:
            self.enter(system, 0, is_indexed)
            system.load("fill", HISTORY_MESSAGES, 0)
            if is_indexed:
                self.index(system, 0)
            self.enter(system, 1, is_indexed)
            system.await_links(1)
            seconds = system.load("catchup", HISTORY_MESSAGES, 1)["seconds"]
            found["history"] = HISTORY_MESSAGES / seconds
        return found

    def enter(self, system, index, is_indexed):
        system.add()
        if is_indexed:
            self.index(system, index)
        system.call(index, "join", room=ROOM)

    @staticmethod
    def index(system, index):
        """The first search makes the index; from then on it follows the commits."""
        until("all is indexed", lambda: system.call(index, "search", words="people")["complete"], 600)

    def rows(self, samples):
        def line(name, text, unit, **rest):
            return self.row(samples, name, text, unit, against="nothing indexed", **rest)

        return [
            line("latency", "messages are indexed: one at a time, p50", "µs", must=1.05),
            line(
                "burst", "200,000 messages pipelined, until the peer's subscriber has them",
                "messages/s", must=0.95, is_rate=True),
            line(
                "history", "200,000 messages of history, until `history` has the last",
                "messages/s", must=0.95, is_rate=True),
        ]


ALL = [Indexed()]
