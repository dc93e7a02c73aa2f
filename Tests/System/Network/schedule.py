"""What goes wrong when: a list of faults, all of it from a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

# Percent of the frames, or milliseconds, or thousand bytes a second: the lowest and the highest.
DAMAGE = {
    "loss": (1, 20),
    "delay": (1, 300),
    "duplicate": (1, 30),
    "reorder": (1, 30),
    "corrupt": (0.1, 5),
    "corrupt-checked": (0.3, 2),
    "rate": (20, 500),
}
# What happens to hosts and cables; one at a time per host.
UPSETS = (
    "cut", "flap", "silence", "one-way", "halves", "renumber", "avahi", "kill", "power",
)
KINDS = (*DAMAGE, *UPSETS)
# How long one lasts, in seconds; others as OTHER says.
SECONDS = {
    "flap": (4, 8), "renumber": (1, 1), "avahi": (2, 8), "kill": (0.5, 8), "power": (2, 10),
    "cut": (2, 15), "silence": (2, 15), "halves": (4, 20),
}
OTHER_SECONDS = (8, 25)
# In a long round every fourth of these outlives the minute after which a silent link is dead.
LASTING = ("cut", "silence", "one-way", "halves")
LASTING_SECONDS = (65, 150)
LONG_ROUND_SECONDS = 240
# All faults have begun by then, as a part of the round; those that would end later than LAST_END
# stay until the round is over, so that everything ends at once.
LAST_START = 0.85
LAST_END = 0.9


@dataclass
class Fault:
    kind: str
    start: float
    end: float
    hosts: list[int]
    # What is done to each host's frames, by direction.
    damage: dict[str, float] = field(default_factory=dict)
    direction: str = "both"
    # Who does not get what others send.
    blocked: set[tuple[int, int]] = field(default_factory=set)

    def __str__(self) -> str:
        values = " ".join(f"{name} {value:g}" for name, value in self.damage.items())
        where = f" {self.direction}" if self.damage else ""
        hosts = ",".join(map(str, self.hosts))
        return (f"{values or self.kind}{where} on {hosts} for {self.end - self.start:.1f} s")


class Schedule:
    """The faults of one round, by their start."""

    def __init__(
        self, seed: int, seconds: float, hosts: list[int], avahi: list[int], kinds: list[str]
    ) -> None:
        self.random = random.Random(seed)
        self.seconds, self.hosts, self.avahi = seconds, hosts, avahi
        self.faults: list[Fault] = []
        self.busy: dict[int, list[tuple[float, float]]] = {host: [] for host in hosts}
        decks = max(1, round(seconds / 60))
        # Each kind once a minute, in any order.
        for deck in range(decks):
            shuffled = self.random.sample(kinds, len(kinds))
            for index, kind in enumerate(shuffled):
                part = (deck + (index + self.random.random()) / len(kinds)) / decks
                self.add(kind, part * seconds * LAST_START)
        self.faults.sort(key=lambda fault: fault.start)

    def add(self, kind: str, start: float) -> None:
        lowest, highest = SECONDS.get(kind, OTHER_SECONDS)
        if (kind in LASTING and self.seconds >= LONG_ROUND_SECONDS
                and self.random.random() < 0.25):
            lowest, highest = LASTING_SECONDS
        end = self.end(start + self.random.uniform(lowest, highest))
        fault = Fault(kind, start, end, [])
        if kind in DAMAGE:
            self.fill_damage(fault)
        else:
            self.fill_upset(fault)
        if kind == "flap":
            self.cut_again_and_again(fault)
        else:
            self.faults.append(fault)

    def end(self, due: float) -> float:
        return due if due < self.seconds * LAST_END else self.seconds

    def fill_damage(self, fault: Fault) -> None:
        count = self.random.choice([1, 2, 3, len(self.hosts)])
        fault.direction = self.random.choice(["in", "out", "both"])
        if fault.kind == "corrupt-checked":
            # Only some frames have a payload; some of those are to be hit in any case.
            count, fault.direction = len(self.hosts) // 2, "both"
        fault.hosts = sorted(self.random.sample(self.hosts, count))
        lowest, highest = DAMAGE[fault.kind]
        fault.damage = {fault.kind: round(self.random.uniform(lowest, highest), 1)}
        if fault.kind == "delay":
            part = self.random.random()
            fault.damage["jitter"] = round(fault.damage["delay"] * part, 1)

    def fill_upset(self, fault: Fault) -> None:
        everyone = set(self.hosts)
        if fault.kind == "halves":
            half = set(self.random.sample(self.hosts, len(self.hosts) // 2))
            fault.hosts = sorted(half)
            fault.blocked = {
                pair for here in half for there in everyone - half
                for pair in ((here, there), (there, here))}
        elif fault.kind == "one-way":
            sender, receiver = self.random.sample(self.hosts, 2)
            fault.hosts = [sender, receiver]
            fault.blocked = {(sender, receiver)}
        elif fault.kind == "silence":
            host = self.random.choice(self.hosts)
            fault.hosts = [host]
            fault.blocked = {
                pair for there in everyone - {host} for pair in ((host, there), (there, host))}
        else:
            fault.hosts = [self.free_host(fault)]

    def free_host(self, fault: Fault) -> int:
        """One to which nothing else of that kind happens meanwhile; the fault moves where none is."""
        hosts = self.avahi if fault.kind == "avahi" else self.hosts
        for _ in range(1000):
            host = self.random.choice(hosts)
            if all(fault.end + 1 < start or end + 1 < fault.start
                   for start, end in self.busy[host]):
                self.busy[host].append((fault.start, fault.end))
                return host
            length = fault.end - fault.start
            fault.start = self.random.uniform(0, self.seconds * LAST_START)
            fault.end = self.end(fault.start + length)
        raise ValueError(f"there is no room for another {fault.kind}")

    def cut_again_and_again(self, flap: Fault) -> None:
        at = flap.start
        kind = "flap"
        while at < flap.end:
            out = self.random.uniform(0.05, 0.6)
            self.faults.append(Fault(kind, at, min(at + out, self.seconds), flap.hosts))
            at += out + self.random.uniform(0.05, 1)
            kind = "flap again"
