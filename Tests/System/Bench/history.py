"""Workloads D and H: a node gets the history of a room, from one peer, from eight, and beside live
messages; and one of 1,000,000 messages with its memory watched."""

import json
import subprocess
import threading

from Driver.checks import Broken
from systems import ROOM, Floor, Stoa
from prepared import MESSAGES as LARGE_MESSAGES
from report import ALONE, Row
from workloads import LATENCY_MESSAGES, MEBIBYTE, Workload, bare_memory, settle, wire_bytes

HISTORY_MESSAGES = 100_000
# So many that the catch-up lasts for some hundred live messages.
BESIDE_MESSAGES = 300_000
HOLDERS = 8


class History(Workload):
    name = "D1"

    @property
    def variants(self):
        return {
            "stoa": lambda tools, work: self.stoa(tools, work, "catchup", ""),
            "other": lambda tools, work: self.floor(tools, work, True, ""),
            "stoa-events": lambda tools, work: self.stoa(tools, work, "events", "events."),
            "each": lambda tools, work: self.floor(tools, work, False, "each."),
            "bare": lambda tools, work: dict.fromkeys(["memory", "rest"], bare_memory(tools)),
        }

    @staticmethod
    def found(system, mode, prefix):
        before, used = wire_bytes(), system.processor_seconds()
        seconds = system.load(mode, HISTORY_MESSAGES, 1)["seconds"]
        found = {
            prefix + "processor": (system.processor_seconds() - used) / HISTORY_MESSAGES * 1e6,
            prefix + "rate": HISTORY_MESSAGES / seconds,
            prefix + "memory": system.nodes[1].memory_bytes() / MEBIBYTE,
            prefix + "wire": (wire_bytes() - before) / HISTORY_MESSAGES,
        }
        if not prefix and isinstance(system, Stoa):
            found["rest"] = system.resting_bytes(1) / MEBIBYTE
        found[prefix + "disk"] = system.disk_bytes(system.nodes[1]) / HISTORY_MESSAGES
        return found

    def stoa(self, tools, work, mode, prefix):
        with Stoa(tools, work) as system:
            system.add()
            system.call(0, "join", room=ROOM)
            system.load("fill", HISTORY_MESSAGES, 0)
            system.add()
            system.await_links(1)
            return self.found(system, mode, prefix)

    def floor(self, tools, work, chained, prefix):
        with Floor(tools, work, chained) as system:
            system.together(2)
            system.load("fill", HISTORY_MESSAGES, 0)
            return self.found(system, "catchup", prefix)

    def rows(self, samples):
        def line(name, text, unit, stoa="stoa", other="other", prefix="", **rest):
            found = samples.get(prefix + name, {})
            mine = samples.get(("events." if stoa == "stoa-events" else "") + name, {})
            return Row(
                self.name, text, unit, mine.get(stoa, []), found.get(other, []), **rest)

        many = f"{HISTORY_MESSAGES:,} messages of history"
        return [
            line(
                "rate", f"{many}, until `history` has the last", "messages/s",
                against="floor, chained", must=0.5, aim=0.8, is_rate=True),
            line(
                "rate", f"{many}, until a subscriber has the last", "messages/s",
                stoa="stoa-events", against="floor, chained", is_rate=True),
            line(
                "rate", "the same against a floor that checks every signature", "messages/s",
                other="each", prefix="each.", against="floor", is_rate=True),
            line("processor", "processor time of both nodes per message", "µs"),
            line("wire", "bytes on loopback per message", "bytes"),
            line("disk", "bytes on disk per message", "bytes"),
            line(
                "memory", "resident at its end, against the bare program", "MiB", other="bare",
                against="bare Swift program", is_difference=True),
            line(
                "rest", "resident after it, at rest, against the bare program", "MiB", other="bare",
                against="bare Swift program", must=24, is_difference=True),
        ]


class Holders(Workload):
    """What more peers that have the same cost on the wire: nobody may send what another sends."""

    name = "D2"

    @property
    def variants(self):
        return {
            "stoa": lambda tools, work: self.measure(tools, work, HOLDERS),
            "other": lambda tools, work: self.measure(tools, work, 1),
        }

    @staticmethod
    def measure(tools, work, holders):
        with Stoa(tools, work) as system:
            system.add()
            system.call(0, "join", room=ROOM)
            system.load("fill", HISTORY_MESSAGES, 0)
            for index in range(1, holders):
                system.add()
                system.load("catchup", HISTORY_MESSAGES, index, anchors=[2 * HOLDERS])
            # The reader, which dials all of them.
            system.add(peers=range(holders))
            linked = lambda: system.call(holders, "status")["links"] >= holders
            settle(linked)
            before, used = wire_bytes(), system.processor_seconds()
            seconds = system.load(
                "catchup", HISTORY_MESSAGES, holders, anchors=[2 * HOLDERS])["seconds"]
            # What is still under way was sent for nothing, and counts.
            settle(lambda: True)
            return {
                "rate": HISTORY_MESSAGES / seconds,
                "wire": (wire_bytes() - before) / HISTORY_MESSAGES,
                "processor": (system.processor_seconds() - used) / HISTORY_MESSAGES * 1e6,
            }

    def rows(self, samples):
        one = {"against": "from one peer"}
        return [
            self.row(
                samples, "wire", "the same history from eight peers: bytes on loopback per message",
                "bytes", must=1.2, aim=1.05, **one),
            self.row(samples, "rate", "the same, until `history` has the last", "messages/s",
                     is_rate=True, **one),
            self.row(samples, "processor", "processor time of all nodes per message", "µs", **one),
        ]


class Watch:
    """Notes the memory of a node while a block runs; a context manager."""

    def __init__(self, node):
        self.node = node
        self.samples = []
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        while not self.is_over.wait(0.05):
            try:
                self.samples.append(self.node.memory_bytes() / MEBIBYTE)
            except (Broken, OSError):
                return

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join(5)


class LargeHistory(Workload):
    name = "D6"

    def stoa(self, tools, work):
        return self.measure(tools.prepared.stoa())

    def floor(self, tools, work):
        return self.measure(tools.prepared.floor())

    @staticmethod
    def measure(system):
        node = system.add()
        try:
            if system.kind == "stoa":
                system.await_links(1)
            used = system.processor_seconds()
            with Watch(node) as watch:
                seconds = system.load("catchup", LARGE_MESSAGES, 1)["seconds"]
            tenth = watch.samples[:max(1, len(watch.samples) // 10)]
            return {
                "rate": LARGE_MESSAGES / seconds,
                "processor": (system.processor_seconds() - used) / LARGE_MESSAGES * 1e6,
                "memory": max(watch.samples),
                "early": max(tenth),
                "disk": system.disk_bytes(node) / LARGE_MESSAGES,
            }
        finally:
            system.remove_last()
            system.nodes[0].stop()

    def rows(self, samples):
        many = f"{LARGE_MESSAGES:,} messages of history"
        memory = samples.get("memory", {}).get("stoa", [])
        early = samples.get("early", {}).get("stoa", [])
        return [
            self.row(
                samples, "rate", f"{many}, until `history` has the last", "messages/s",
                against="floor, chained", must=0.5, aim=0.8, is_rate=True),
            self.row(samples, "processor", "processor time of both nodes per message", "µs"),
            self.row(samples, "disk", "bytes on disk per message", "bytes"),
            Row(
                self.name, "most resident during it: flat", "MiB", memory, early,
                against="in its first tenth", must=1.1),
        ]


class Beside(Workload):
    """A live message while another log comes over the same link as fast as it can."""

    name = "H"

    @property
    def variants(self):
        return {
            "stoa": lambda tools, work: self.measure(tools, work, 0, True),
            "other": lambda tools, work: self.measure(tools, work, 0, False),
            "back": lambda tools, work: self.measure(tools, work, 1, True),
        }

    @staticmethod
    def measure(tools, work, sender, is_beside):
        prefix = "back." if sender else ""
        with Stoa(tools, work) as system:
            system.together(2, room="live")
            if not is_beside:
                found = system.load("latency", LATENCY_MESSAGES, 0, 1, room="live")
                return {"p50": found["p50"] * 1e6, "p99": found["p99"] * 1e6}
            system.call(0, "join", room=ROOM)
            system.load("fill", BESIDE_MESSAGES, 0)
            receiver = 1 - sender
            live = subprocess.Popen(
                system.load_command("live", 1_000_000, sender, receiver, room="live"),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            try:
                seconds = system.load("catchup", BESIDE_MESSAGES, 1)["seconds"]
                out, _ = live.communicate("", timeout=60)
            finally:
                live.kill()
                live.wait()
            if live.returncode != 0:
                raise Broken("the live messages did not come")
            found = json.loads(out)
            return {
                prefix + "p50": found["p50"] * 1e6, prefix + "p99": found["p99"] * 1e6,
                prefix + "count": found["count"],
                prefix + "rate": BESIDE_MESSAGES / seconds,
            }

    def rows(self, samples):
        def line(name, text, prefix="", variant="stoa", **rest):
            return Row(
                self.name, text, "µs", samples.get(prefix + name, {}).get(variant, []),
                samples.get(name, {}).get("other", []), against="without the catch-up", **rest)

        text = f"live beside {BESIDE_MESSAGES:,} messages of another log, "
        back = {"prefix": "back.", "variant": "back"}
        return [
            line("p99", text + "from who has them, p99", must=4, aim=2),
            line("p50", text + "from who has them, p50"),
            line("p99", text + "from who gets them, p99", must=4, aim=2, **back),
            line("p50", text + "from who gets them, p50", **back),
            Row(self.name, "live messages measured in that time", "messages",
                samples.get("count", {}).get("stoa", []), [], against=ALONE),
            Row(self.name, "the catch-up meanwhile", "messages/s",
                samples.get("rate", {}).get("stoa", []), [], against=ALONE, is_rate=True),
        ]


ALL = [History(), Holders(), LargeHistory(), Beside()]
