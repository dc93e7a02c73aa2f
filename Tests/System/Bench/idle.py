"""Workload L, idle: how often two linked daemons wake up while nothing happens, and what for."""

import re
import signal
import subprocess
import time

from Driver.checks import Broken
from Driver.desktop import Bus, Keyboard, Notifier
from Driver.network import OwnNetwork
from Driver.process import processor_seconds, wake_ups
from systems import ROOM, Stoa
from report import ALONE, Row
from workloads import Workload

# After the first minute announcements are over and timers have found their rhythm.
SETTLE_SECONDS = 60
WATCH_SECONDS = 120

# A line of `strace -f -yy`: thread, call.
LINE = re.compile(r"^(?P<thread>\d+)\s+(?P<call>.*)$")
RESUMED = re.compile(r"^<\.\.\. (\w+) resumed>")
# A wait of no time is a look, not a sleep.
AT_ONCE = re.compile(r"^epoll_wait\(.*, 0\) = ")
WAITS = ("epoll_wait", "epoll_pwait", "epoll_pwait2", "futex", "poll", "ppoll")
KINDS = [
    ("UDP", "discovery"),
    ("TCP", "link: a ping, its answer, or a clock"),
    ("stoa.db", "store"),
    ("UNIX", "client"),
    ("NETLINK", "network"),
    ("inotify", "files"),
    ("timerfd", "timer that did nothing outside; the discovery's, see what is left without it"),
    ("eventfd", "hand-over between threads"),
]


def attribute(text):
    """Counts the wake-ups in strace's lines by what the thread did before it slept again."""
    doings, counts = {}, {}
    for line in text.splitlines():
        found = LINE.match(line)
        if not found or found["call"].startswith(("+++", "---")):
            continue
        thread, call = found["thread"], found["call"]
        resumed = RESUMED.match(call)
        name = resumed.group(1) if resumed else call.split("(", 1)[0]
        if AT_ONCE.search(call):
            continue
        if name not in WAITS:
            # A call that was interrupted by another thread's line is told once.
            if not resumed:
                doings.setdefault(thread, []).append(call)
            continue
        if not resumed:
            # It goes to sleep, or asks and is answered at once: what it did is one wake-up.
            if thread in doings and doings[thread] is not None:
                kind = classify(doings[thread])
                counts[kind] = counts.get(kind, 0) + 1
            doings[thread] = None
        if resumed or "<unfinished" not in call:
            doings[thread] = [call]
    return counts


def classify(calls):
    text = "\n".join(calls[1:])
    for mark, kind in KINDS:
        if mark in text:
            return kind
    if not calls[1:]:
        return "wait that ended by its time or by another thread"
    return "other: " + ", ".join(sorted({call.split("(", 1)[0] for call in calls[1:]}))


class Clients:
    """The chat client on a terminal and the notifier on a bus, before a daemon that is quiet, too."""

    def __init__(self, node, folder):
        self.bus = Bus(folder / "bus")
        self.notifier = Notifier(node, self.bus.address)
        self.keyboard = Keyboard(node, ROOM)
        if not self.keyboard.until(ROOM.encode(), 15):
            raise Broken("the chat client is not there")
        self.processes = {"chat": self.keyboard.process, "notify": self.notifier.process.pid}

    def counts(self):
        return {
            name: (wake_ups(process), processor_seconds(process))
            for name, process in self.processes.items()}

    def close(self):
        self.keyboard.close()
        self.notifier.stop()
        self.bus.close()


class Idle(Workload):
    name = "Lidle"
    is_once = True

    def __init__(self):
        self.counts = None

    @property
    def variants(self):
        return {"stoa": self.stoa}

    def stoa(self, tools, work):
        """As many pairs as there are runs, side by side; one without discovery; one is traced."""
        systems, networks, clients = [], [], None
        try:
            for number in range(self.runs + 2):
                networks.append(OwnNetwork())
                system = Stoa(tools, work)
                systems.append(system)
                system.wrapper = networks[-1].wrapper
                if number == self.runs:
                    system.options = ["--discovery", "off"]
                system.together(2)
            # Before the daemon whose calls are traced: those that are counted have no client.
            clients = Clients(systems[-1].nodes[0], systems[-1].folder)
            clients.keyboard.rest(SETTLE_SECONDS)
            shown = clients.counts()
            pairs = [node for system in systems[:-1] for node in system.nodes]
            alone = 2 * self.runs
            before = [node.wake_ups() for node in pairs]
            used = [node.processor_seconds() for node in pairs]
            trace = systems[-1].folder / "trace"
            tracer = subprocess.Popen(
                ["strace", "-f", "-yy", "-o", str(trace), "-p",
                 str(systems[-1].nodes[0].pid)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            clients.keyboard.rest(WATCH_SECONDS)
            minutes = WATCH_SECONDS / 60
            after = [node.wake_ups() for node in pairs]
            spent = [node.processor_seconds() for node in pairs]
            tracer.send_signal(signal.SIGINT)
            tracer.wait(10)
            self.counts = attribute(trace.read_text())
            if not self.counts:
                raise Broken("strace saw nothing")
            after_clients = clients.counts()
            wakes = [(b - a) / minutes for a, b in zip(before, after)]
            return {
                **{
                    name: [(after_clients[name][0] - shown[name][0]) / minutes]
                    for name in clients.processes},
                "wakes": wakes[:alone],
                "alone": wakes[alone:],
                "processor": [(b - a) / minutes * 1e3 for a, b in zip(used, spent)][:alone],
                "unexplained": sum(
                    count for kind, count in self.counts.items() if kind.startswith("other")),
            }
        finally:
            for each in ([clients] if clients else []) + systems + networks:
                each.close()

    def rows(self, samples):
        def line(name, text, unit, **rest):
            return Row(
                self.name, text, unit, samples.get(name, {}).get("stoa", []), [], against=ALONE, **rest)

        return [
            line("wakes", f"wake-ups of a daemon with one link, idle for {SETTLE_SECONDS} s",
                 "per minute"),
            line("alone", "the same without discovery", "per minute"),
            line("processor", "processor time then, with discovery", "ms per minute"),
            line("chat", "wake-ups of stoa chat on a screen of which nothing changes", "per minute"),
            line("notify", "wake-ups of stoa-notify then", "per minute"),
            line("unexplained", "of these neither link, discovery, store nor timer", "wake-ups",
                 must=0),
        ]

    def notes(self):
        if not self.counts:
            return []
        lines = [
            f"What woke one idle daemon in {WATCH_SECONDS} s, by strace (its node dialled nobody; "
            "one link):", "", "| wake-ups | what for |", "|---|---|"]
        for kind, count in sorted(self.counts.items(), key=lambda item: -item[1]):
            lines.append(f"| {count} | {kind} |")
        return lines + [""]


ALL = [Idle()]
