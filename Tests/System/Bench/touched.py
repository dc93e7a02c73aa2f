"""Workload M: reading a room of 1,000,000 messages of which half are edited, taken back or reacted to,
against one in which nothing is."""

import json
import socket

from Driver.checks import Broken
from Driver.control import request_line
from Driver.process import until
from queries import ASKED, PAGE, QueryFloor
from systems import ROOM
from workloads import Workload

# So many requests are under way at a time.
PIPELINE = 512
# But of so many before each message at which one will look, fewer.
STRETCHES, MIXED, FEW = 32, 200, 10
# So many messages a page of a search has.
PAGE_OF_HITS = 20
# Of ten messages five have something: two an edit, two a sign, one is taken back.
TOUCHED = {1: "edit", 3: "react", 5: "edit", 7: "react", 9: "delete"}


class Filler:
    """Sends messages and what is done to them on one connection, as they come about in a room."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.lines = self.socket.makefile("rb")
        self.last = 0

    def ask(self, requests):
        """The results of requests that are under way together, in order."""
        first = self.last + 1
        packed = bytearray()
        for method, params in requests:
            self.last += 1
            packed += request_line(self.last, method, params)
        self.socket.sendall(packed)
        found = {}
        while len(found) < len(requests):
            answer = json.loads(self.lines.readline())
            if "error" in answer:
                raise Broken(f"touched: {answer['error']}")
            found[answer["id"]] = answer["result"]
        return [found[number] for number in range(first, self.last + 1)]

    def fill(self, count):
        """The ids of some messages all over the room, which nobody takes back.

        Before each of them, and before the end, what people do with messages comes right behind these,
        as in a room; elsewhere, where nobody looks, behind many, which takes less time."""
        kept = []
        stretch = count // STRETCHES
        for start in range(0, count, stretch):
            end = min(start + stretch, count)
            mixed = max(start, end - MIXED)
            for at in range(start, mixed, PIPELINE):
                self.fill_between(at, min(at + PIPELINE, mixed))
            for at in range(mixed, end, FEW):
                last = self.fill_between(at, min(at + FEW, end))
            kept.append(last)
        return kept

    def fill_between(self, start, end):
        numbers = range(start, end)
        sent = self.ask([
            ("send", {"to": ROOM, "text": f"message {number} of a room that people use"})
            for number in numbers])
        ids = {number: answer["id"] for number, answer in zip(numbers, sent)}
        self.ask([
            self.touch(TOUCHED[number % 10], ids[number], number)
            for number in numbers if number % 10 in TOUCHED])
        return ids[start]

    @staticmethod
    def touch(how, identifier, number):
        if how == "edit":
            return "edit", {"id": identifier, "text": f"message {number}, and what was meant"}
        if how == "react":
            return "react", {"id": identifier, "sign": "+1"}
        return "delete", {"id": identifier}


class Touched(Workload):
    name = "M"
    ASKS = [
        ("newest", "history, the newest page of 50"),
        ("before", "history, a page of 50 before an older message"),
        ("list", "list of 20 conversations with their last messages"),
        ("subscribe", "subscribe from a cursor, until 50 events are there"),
    ]

    def ask(self, system, anchors):
        last = system.call(0, "history", to=ROOM, limit=PAGE)["messages"]
        # What has come behind the cursor of the first of these: it and the others.
        given = {"before": anchors, "subscribe": [str(last[0]["cursor"] - 1)]}
        found = {}
        for query, _ in self.ASKS:
            answer = system.load(query, ASKED, 0, anchors=given.get(query, ()), seconds=120)
            found[query] = answer["p50"] * 1e6
        return found

    def stoa(self, tools, work):
        system, anchors = tools.prepared.touched()
        return self.ask(system, anchors)

    def floor(self, tools, work):
        written, _, _ = tools.prepared.anchors(32)
        return self.ask(tools.prepared.stoa(), written)

    def rows(self, samples):
        return [
            self.row(
                samples, query, f"half of 1,000,000 touched: {text}, p50", "µs",
                against="nothing touched", must=1.5, aim=1.2)
            for query, text in self.ASKS]


class Found(Workload):
    """Workload F: the first page of a search in that store."""

    name = "F"
    # What is looked for, in the words of FTS5 for the floor, and how many messages a page has.
    ASKS = [
        ("common", "people", '"people"', PAGE_OF_HITS, "a word of all messages"),
        ("phrase", '\\"room that\\"', '"room that"', PAGE_OF_HITS, "two words in quotes"),
        ("prefix", "50012*", '"50012"*', None, "the beginning of a number"),
        ("once", "message 500124", '"message" AND "500124"', 1, "a number that one message has"),
    ]

    def ask(self, system, column):
        found = {}
        for ask in self.ASKS:
            answer = system.load("find", ASKED, 0, anchors=[ask[column]], seconds=120)
            found[ask[0]] = answer["p50"] * 1e6
            if ask[3] not in (None, answer["rows"]) and column == 1:
                raise Broken(f"{ask[0]}: {answer['rows']} messages were found")
        return found

    def indexed(self, tools):
        system, _ = tools.prepared.touched()
        # The first search makes the index.
        until("all is indexed", lambda: system.call(0, "search", words="people")["complete"], 600)
        return system

    def stoa(self, tools, work):
        return self.ask(self.indexed(tools), 1)

    def floor(self, tools, work):
        database = tools.prepared.copy(self.indexed(tools))
        tools.prepared.stop()
        with QueryFloor(tools, work) as system:
            system.start(database, database.with_name("search-copy.db"))
            return self.ask(system, 2)

    def rows(self, samples):
        return [
            self.row(
                samples, name, f"search in 1,000,000 messages, first page, {text}, p50", "µs",
                against="SQLite in C", must=3)
            for name, _, _, _, text in self.ASKS]


ALL = [Touched(), Found()]
