#!/usr/bin/env python3
"""Measures what people feel of the page: how soon it is there, how soon a message is, how typing goes in a flood.

    speed.py FOLDER --work FOLDER

Times are reported: a machine with other work to do would fail them. What fails is what they come from: how much of
the page each message moves. STOA_LONG=1 stores 100,000 messages first, otherwise 5,000. Runs only in a network that has
nothing but a loopback interface. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import threading
import time

import pages  # noqa: F401  Finds the drivers.
from pages import Desk, run
from playwright.sync_api import Page

from Driver.process import memory_bytes, until

IS_LONG = os.environ.get("STOA_LONG") == "1"
STORED = 100_000 if IS_LONG else 5_000
# Of the log; and how many of them each message that comes may put in: itself, and one whose look changes.
NODES, NODES_A_MESSAGE = 600, 2
FLOOD_A_SECOND = 10_000 / 60
# It lasts until so many messages have come, however busy the machine is.
FLOOD_SECONDS, FLOOD_LEAST = 30 if IS_LONG else 10, 300


class Speed:
    def __init__(self, desk: Desk) -> None:
        self.desk, self.checks = desk, desk.checks

    def store(self) -> None:
        """Many messages, as years bring them."""
        lines = "\n".join(f"stored message {number} of many" for number in range(STORED))
        done = subprocess.run(
            [str(self.desk.ben.programs.stoa), "--socket", str(self.desk.ben.socket), "send", "meeting", "--lines"],
            input=lines,
            text=True,
            capture_output=True,
            env=self.desk.ben.environment,
            timeout=900,
        )
        self.checks.same("all are stored", done.returncode, 0)
        until(
            "ada has them all",
            lambda: (
                self.desk.ada.call("history", to="meeting", limit=1)["messages"][-1]["text"]
                == f"stored message {STORED - 1} of many"
            ),
            900,
        )

    def ready(self) -> None:
        self.desk.open(self.desk.ada).context.close()
        self.desk.contexts.clear()
        took = []
        for _ in range(5):
            context = self.desk.context()
            page = context.new_page()
            path = self.desk.redirect(self.desk.ada)
            begun = time.monotonic()
            page.goto(path.as_uri())
            page.wait_for_selector("html[data-ready]")
            page.wait_for_selector(".message")
            took.append(time.monotonic() - begun)
            context.close()
            self.desk.contexts.remove(context)
        middle = statistics.median(took)
        self.checks.say(
            f"MEASURED page: ready after {middle * 1000:.0f} ms (due 1,000) with {STORED:,} messages stored"
        )

    def between(self) -> None:
        """From Enter on one page to the text on the other; both browsers have one clock."""
        a, b = self.desk.open(self.desk.ada), self.desk.open(self.desk.ben)
        for daemon in (self.desk.ada, self.desk.ben):
            daemon.call("join", room="speed")
        for page in (a, b):
            page.click(".conversation:has(bdi:text-is('speed'))")
            page.wait_for_function("() => document.querySelector('.room .head h1').textContent === 'speed'")
        until("they meet", lambda: len(self.desk.ada.every("members", to="speed")) == 2)
        a.evaluate("""() => {
            window.begun = {};
            const line = document.querySelector(".composer textarea");
            line.addEventListener("keydown", (event) => {
                if (event.key === "Enter") window.begun[line.value] = performance.timeOrigin + performance.now();
            }, true);
        }""")
        b.evaluate("""() => {
            window.seen = {};
            new MutationObserver(() => {
                for (const text of document.querySelectorAll(".message .text")) {
                    window.seen[text.textContent] ??= performance.timeOrigin + performance.now();
                }
            }).observe(document.querySelector(".messages"), { childList: true, subtree: true });
        }""")
        for number in range(40):
            a.fill(".composer textarea", f"ping {number}")
            a.press(".composer textarea", "Enter")
            b.wait_for_selector(f".message .text:text-is('ping {number}')")
        begun, seen = a.evaluate("() => window.begun"), b.evaluate("() => window.seen")
        took = sorted(seen[text] - begun[text] for text in begun if text in seen)
        middle, late = statistics.median(took), took[int(len(took) * 0.95)]
        self.checks.say(
            f"MEASURED page: a message from page to page in {middle:.1f} ms (p50, due 50), {late:.1f} ms (p95)"
        )
        self.flood(a)
        self.away(a)

    def flood(self, page: Page) -> None:
        """Ten thousand messages a minute arrive while somebody types."""
        over = threading.Event()
        number = 0

        def pour() -> None:
            nonlocal number
            with self.desk.ben.control() as control:
                begun = time.monotonic()
                while not over.is_set():
                    control.call("send", to="speed", text=f"flood {number}")
                    number += 1
                    ahead = number / FLOOD_A_SECOND - (time.monotonic() - begun)
                    if ahead > 0:
                        time.sleep(ahead)

        page.evaluate("""() => {
            [window.keys, window.added] = [[], 0];
            new MutationObserver((changes) => {
                for (const { addedNodes } of changes) window.added += addedNodes.length;
            }).observe(document.querySelector(".messages"), { childList: true });
            document.querySelector(".composer textarea").addEventListener("keydown", () => {
                const begun = performance.now();
                requestAnimationFrame(() => setTimeout(() => window.keys.push(performance.now() - begun)));
            }, true);
        }""")
        thread = threading.Thread(target=pour)
        thread.start()
        try:
            page.focus(".composer textarea")
            ends = time.monotonic() + FLOOD_SECONDS
            while time.monotonic() < ends or (number <= FLOOD_LEAST and thread.is_alive()):
                page.keyboard.type("typing on ", delay=30)
        finally:
            over.set()
            thread.join()
        page.wait_for_function("() => window.keys.length > 0")
        keys = sorted(page.evaluate("() => window.keys"))
        most, late = keys[int(len(keys) * 0.9)], keys[int(len(keys) * 0.99)]
        self.checks.say(
            f"MEASURED page: a key in a flood of 10,000 messages a minute: {statistics.median(keys):.1f} ms (p50), "
            f"{most:.1f} ms (p90, due 100), {late:.1f} ms (p99), of {len(keys)}"
        )
        page.locator(".message .text", has_text=f"flood {number - 1}").last.wait_for()
        added = page.evaluate("() => window.added")
        self.checks.that("the flood was one", number > FLOOD_LEAST, number)
        self.checks.that("a message moves no others", added <= NODES_A_MESSAGE * number, (added, number))
        nodes = page.evaluate("() => document.querySelectorAll('.messages > *').length")
        self.checks.that("the log holds what fits", nodes <= NODES, nodes)
        memory = memory_bytes(self.desk.program(self.desk.ada))
        self.checks.say(f"MEASURED page: stoa-web has {memory / 2**20:.1f} MiB after that")

    def away(self, page: Page) -> None:
        """What somebody reads further up stays where it is, however much comes."""
        until("all of it is read", lambda: all(
            c["unread"] == 0 for c in self.desk.ada.every("conversations") if c["name"] == "speed"
        ))
        page.evaluate("""() => {
            const log = document.querySelector(".log .scroll");
            log.scrollTop = log.scrollHeight / 2;
        }""")
        page.wait_for_selector(".down:visible")
        place = """() => {
            const top = document.querySelector(".log .scroll").getBoundingClientRect().top;
            const node = [...document.querySelectorAll(".message")].find((m) => m.getBoundingClientRect().top > top);
            return [node.dataset.id, Math.round(node.getBoundingClientRect().top - top)];
        }"""
        before = page.evaluate(place)
        lines = "\n".join(f"further {number}" for number in range(NODES))
        self.desk.ben.stoa("send", "speed", "--lines", text=lines)
        page.wait_for_selector(f".conversation:has(bdi:text-is('speed')) .count:text-is('{NODES}')")
        self.checks.same("the same message is at the same place", page.evaluate(place), before)
        page.click(".down")
        page.locator(".message .text", has_text=f"further {NODES - 1}").last.wait_for()


def act(desk: Desk, _: argparse.Namespace) -> None:
    speed = Speed(desk)
    for name in ("store", "ready", "between"):
        desk.checks.context = f"{name}: "
        try:
            getattr(speed, name)()
        except Exception as error:  # noqa: BLE001  One that fails does not end the others.
            desk.checks.fail("it goes on", repr(error)[:900])
    desk.checks.context = ""


if __name__ == "__main__":
    run(act)
