"""Stores with 1,000,000 messages, filled once for all workloads of that size."""

import shutil
import sqlite3

import touched
from Driver.control import shown
from systems import ROOM, Floor, Stoa

MESSAGES = 1_000_000
# Other rooms beside the large one, so that a list of conversations is a list.
SMALL_ROOMS = 19
SMALL_MESSAGES = 1_000
# Away from those that other systems use meanwhile.
STOA_PORT = 7301
FLOOR_PORT = 7401
TOUCHED_PORT = 7501


class Prepared:
    def __init__(self, tools, work):
        self.tools = tools
        self.work = work
        self.systems = {}
        self.copies = {}
        self.kept = []

    def stoa(self):
        """One daemon, running, with the messages in `bench`, the newest ones, and 19 more rooms."""
        def fill(system):
            system.load("fill", MESSAGES, 0)

        return self.daemon("stoa", STOA_PORT, "", fill)

    def touched(self):
        """The same with as many messages of which half are edited, taken back or reacted to; and the
        ids of some that are not."""
        def fill(system):
            self.kept = touched.Filler(system.socket(0)).fill(MESSAGES)

        system = self.daemon("touched", TOUCHED_PORT, ", and does something to half", fill)
        return system, self.kept

    def daemon(self, name, port, what, fill):
        """A daemon with 19 small rooms, and the large one, which `fill` fills once."""
        system = self.systems.get(name)
        for other in self.systems.values():
            # They would find each other, and the room of one become the room of both.
            if other is not system:
                self.end(other)
        if system is None:
            print(f"bench: fills a daemon with 1,000,000 messages{what}", flush=True)
            system = self.systems[name] = Stoa(self.tools, self.work, first_port=port)
            system.add()
            for number in range(SMALL_ROOMS):
                system.call(0, "join", room=f"small{number}")
            system.load(
                "fill", SMALL_ROOMS * SMALL_MESSAGES, 0, room=f"small*{SMALL_ROOMS}")
            system.call(0, "join", room=ROOM)
            fill(system)
        elif system.nodes[0].process is None:
            system.start(0)
        return system

    def floor(self):
        """The floor's author, running, with as many messages in its one log."""
        system = self.systems.get("floor")
        if system is None:
            print("bench: fills the floor with 1,000,000 messages", flush=True)
            system = self.systems["floor"] = Floor(
                self.tools, self.work, chained=True, first_port=FLOOR_PORT)
            system.add()
            system.load("fill", MESSAGES, 0)
        elif system.nodes[0].process is None:
            system.start(0)
        return system

    def copy(self, system=None):
        """A copy of a daemon's database, which is stopped for it, and back; of the first one's where
        none is named. Beside it lies one of its search index, if it has made one."""
        system = system or self.stoa()
        copy = self.copies.get(system.folder)
        if copy is None:
            system.disk_bytes(system.nodes[0])
            copy = self.copies[system.folder] = system.folder / "copy.db"
            data = system.nodes[0].data
            shutil.copyfile(data / "stoa.db", copy)
            if (data / "search.db").exists():
                shutil.copyfile(data / "search.db", copy.with_name("search-copy.db"))
            connection = sqlite3.connect(copy)
            # The daemon indexes the newest ids later; the floor knows of no such thing.
            connection.execute("INSERT OR IGNORE INTO ids SELECT prefix, arrival FROM entries")
            connection.commit()
            connection.close()
            system.start(0)
        return copy

    def anchors(self, count):
        """Messages all over the large room: each id as Stoa writes it, and in hexadecimal."""
        connection = sqlite3.connect(self.copy())
        try:
            step = MESSAGES // (count + 1)
            first = SMALL_ROOMS * (SMALL_MESSAGES + 1)
            arrivals = [first + step * (index + 1) for index in range(count)]
            marks = ",".join("?" * count)
            rows = connection.execute(
                f"SELECT prefix, suffix FROM entries WHERE arrival IN ({marks}) AND kind = 32",
                arrivals).fetchall()
            newest = connection.execute("SELECT max(arrival) FROM entries").fetchone()[0]
        finally:
            connection.close()
        ids = [prefix.to_bytes(8, "big", signed=True) + suffix for prefix, suffix in rows]
        return [shown(each) for each in ids], [each.hex() for each in ids], newest

    def stop(self):
        """Ends the processes, so that they do not run beside other workloads."""
        for system in self.systems.values():
            self.end(system)

    @staticmethod
    def end(system):
        for node in system.nodes:
            node.stop()

    def close(self):
        for system in self.systems.values():
            system.close()
        self.systems = {}
