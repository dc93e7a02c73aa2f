"""Workload G: reading from a store of 1,000,000 messages, against the same rows by SQLite's C API
(queries.c) over one Unix socket."""

from Driver.checks import Broken
from Driver.process import Program, until
from systems import ROOM, System
from workloads import Workload

ASKED = 500
PAGE = 50
ANCHORS = 32


class QueryFloor(System):
    """Answers the load generator in the floor's way."""

    kind = "floor"

    def start(self, database, *index):
        node = Program(self.folder, "queries")
        self.nodes.append(node)
        node.launch([self.tools.queries, self.socket(0), database, ROOM, *index])
        until("the floor of queries listens", self.socket(0).exists)


class Queries(Workload):
    name = "G"
    # What is asked, and how many rows must come.
    ASKS = [
        ("newest", PAGE, "history, the newest page of 50"),
        ("before", PAGE, "history, a page of 50 before an older message"),
        ("list", None, "list of 20 conversations with their last messages"),
        ("subscribe", PAGE, "subscribe from a cursor, until 50 messages are there"),
    ]

    def ask(self, system, anchors, cursor):
        found = {}
        expected = {}
        for query, _, _ in self.ASKS:
            given = {"before": anchors, "subscribe": [str(cursor)]}.get(query, ())
            answer = system.load(query, ASKED, 0, anchors=given, seconds=60)
            found[query] = answer["p50"] * 1e6
            found[query + ".p99"] = answer["p99"] * 1e6
            expected[query] = answer["rows"]
        for query, rows, _ in self.ASKS:
            # The store has 20 rooms, each with a message.
            if expected[query] != (rows or 20):
                raise Broken(f"{query}: {expected[query]} rows came")
        return found

    def stoa(self, tools, work):
        written, _, newest = tools.prepared.anchors(ANCHORS)
        return self.ask(tools.prepared.stoa(), written, newest - PAGE)

    def floor(self, tools, work):
        _, hexadecimal, newest = tools.prepared.anchors(ANCHORS)
        database = tools.prepared.copy()
        tools.prepared.stop()
        with QueryFloor(tools, work) as system:
            system.start(database)
            return self.ask(system, hexadecimal, newest - PAGE)

    def rows(self, samples):
        rows = []
        for query, _, text in self.ASKS:
            rows.append(
                self.row(
                    samples, query, f"{text}, p50", "µs", against="SQLite in C", must=3, aim=1.5))
        for query, _, text in self.ASKS:
            rows.append(
                self.row(samples, query + ".p99", f"{text}, p99", "µs", against="SQLite in C"))
        return rows


ALL = [Queries()]
