#!/usr/bin/env python3
"""Kills the daemon, the page's program and the page while somebody types, sends and hands over files.

    kills.py FOLDER --work FOLDER

Nothing that was typed is lost, and nothing is sent twice. STOA_LONG=1 kills each 20 times. Runs only in a network that
has nothing but a loopback interface. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import os
import signal
import time

import pages  # noqa: F401  Finds the drivers.
from pages import Desk, run
from playwright.sync_api import Error, Page

from Driver.process import until

TIMES = 20 if os.environ.get("STOA_LONG") == "1" else 4


class Kills:
    def __init__(self, desk: Desk) -> None:
        self.desk, self.checks = desk, desk.checks
        self.sent: list[str] = []
        self.longest = 0.0
        self.page = self.open()

    def open(self) -> Page:
        page = self.desk.open(self.desk.ada)
        self.go(page)
        return page

    @staticmethod
    def go(page: Page) -> None:
        page.click(".conversation:has(bdi:text-is('meeting'))")
        page.wait_for_selector(".composer textarea:not([readonly])")

    def say(self, text: str) -> None:
        self.page.fill(".composer textarea", text)
        self.page.press(".composer textarea", "Enter")
        self.sent.append(text)

    def hand_over(self, name: str) -> None:
        self.page.set_input_files(
            ".composer input[type=file]",
            {"name": name, "mimeType": "application/octet-stream", "buffer": os.urandom(1 << 20)},
        )
        self.page.click("dialog button:has-text('Send file')")
        self.page.wait_for_selector("dialog", state="detached")

    def typed(self, text: str) -> None:
        line = self.page.locator(".composer textarea")

        def is_there() -> bool:
            # At the very moment at which a dialog was closed Chromium takes no text.
            if line.input_value() != text:
                line.fill("")
                line.press_sequentially(text)
            return line.input_value() == text

        until("it is in the line", is_there)

    def kept(self) -> None:
        """Waits until the program has what was typed, and says how long that took."""
        begun = time.monotonic()
        self.page.wait_for_selector("html[data-saving=no]")
        self.longest = max(self.longest, time.monotonic() - begun)

    def texts(self) -> list[str]:
        return [m["text"] for m in self.desk.ben.call("history", to="meeting", limit=500)["messages"]]

    def drafted(self, text: str, what: str) -> None:
        self.checks.same(f"what was typed is there after {what}", self.page.input_value(".composer textarea"), text)
        self.page.fill(".composer textarea", "")

    def daemon(self, number: int) -> None:
        self.typed("before ")
        self.desk.ada.stop(signal.SIGKILL)
        self.page.keyboard.type("and after")
        self.drafted("before and after", "the daemon was killed")
        for part in range(3):
            self.say(f"daemon {number} {part}")
        self.desk.ada.start()
        self.say(f"daemon {number} up again")
        until("ben has it", lambda: f"daemon {number} up again" in self.texts())

    def program_killed(self, number: int) -> None:
        for part in range(3):
            self.say(f"program {number} {part}")
        text = f"typed {number} when the program went"
        self.typed(text)
        self.kept()
        process = self.desk.program(self.desk.ada)
        os.kill(process, signal.SIGKILL)
        self.page.wait_for_selector(".composer.off, main.alone")
        self.page.context.close()
        self.desk.contexts.clear()
        self.page = self.open()
        self.drafted(text, "the program was killed")
        until("ben has it", lambda: f"program {number} 2" in self.texts())

    def tab(self, number: int) -> None:
        for part in range(3):
            self.say(f"tab {number} {part}")
        self.hand_over(f"tab-{number}.bin")
        text = f"typed {number} when the tab went"
        self.typed(text)
        self.kept()
        context = self.page.context
        try:
            self.page.goto("chrome://crash", timeout=2_000)
        except Error:
            pass
        context.close()
        self.desk.contexts.clear()
        self.page = self.open()
        self.drafted(text, "the tab was killed")
        until("ben has it", lambda: f"tab {number} 2" in self.texts())

    def upload(self, number: int) -> None:
        self.hand_over(f"upload-{number}.bin")
        self.desk.ada.stop(signal.SIGKILL)
        self.desk.ada.start()
        until("ben has the file", lambda: self.files().count(f"upload-{number}.bin") == 1)

    def files(self) -> list[str]:
        return [
            m["file"]["name"] for m in self.desk.ben.call("history", to="meeting", limit=500)["messages"] if "file" in m
        ]

    def once(self) -> None:
        texts, files = self.texts(), self.files()
        self.checks.same("sent and not there", [text for text in self.sent if text not in texts], [])
        self.checks.same("sent twice", [text for text in self.sent if texts.count(text) > 1], [])
        self.checks.same("files sent twice", [name for name in files if files.count(name) > 1], [])


def act(desk: Desk, _: argparse.Namespace) -> None:
    kills = Kills(desk)
    for name in (os.environ.get("KILL") or "daemon program_killed tab upload").split():
        for number in range(TIMES):
            desk.checks.context = f"{name} {number}: "
            try:
                getattr(kills, name)(number)
            except Exception as error:  # noqa: BLE001  One that fails does not end the others.
                desk.checks.fail("it goes on", repr(error)[:800])
                kills.page = kills.open()
    desk.checks.context = ""
    kills.once()
    desk.checks.say(f"MEASURED page: what was typed was kept after {kills.longest * 1000:.0f} ms at most")


if __name__ == "__main__":
    run(act)
