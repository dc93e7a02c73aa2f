#!/usr/bin/env python3
"""Looks at the page as people do who see little, or use no mouse: axe-core, and keys alone.

    access.py FOLDER --work FOLDER [--pictures FOLDER]

With --pictures it keeps what the page looks like at 360, 1280 and 2560 columns, light and dark. Runs only in a network
that has nothing but a loopback interface. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import traceback

import pages  # noqa: F401  Finds the drivers.
from axe_playwright_python.sync_playwright import Axe
from pages import Desk, picture, run
from playwright.sync_api import Page

from Driver.process import until

# Of what axe-core finds, what keeps people out.
SERIOUS = ("serious", "critical")


class Access:
    def __init__(self, desk: Desk) -> None:
        self.desk, self.checks = desk, desk.checks
        self.fill()

    def fill(self) -> None:
        """Something of everything to look at."""
        ada, ben = self.desk.ada, self.desk.ben
        for daemon in (ada, ben):
            daemon.call("join", room="lunch")
        path = self.desk.folder / "view.png"
        path.write_bytes(picture(200))
        ben.call("topic", to="meeting", text="autumn plans")
        first = ben.call("send", to="meeting", text="Who takes the keys tonight?")["id"]
        until("ada has it", lambda: any(m["id"] == first for m in ada.call("history", to="meeting")["messages"]))
        ada.call("send", to="meeting", text="I do, see https://example.org/keys", replyTo=first)
        ada.call("react", id=first, sign="👍")
        ben.output("send", "meeting", "the view from the roof", "--file", str(path), "--type", "image/png")
        ben.call("send", to="meeting", text="@ada it was closed at nine, so be early\nand bring the list")
        ben.call("send", to="meeting", text="تمام، شكرا")
        ben.call("send", to="lunch", text="soup today")
        ben.call("send", to="@ada", text="are you in?")

    def axe(self, page: Page, what: str) -> None:
        found = Axe().run(page).response["violations"]
        bad = [f"{v['id']}: {n['html'][:120]}" for v in found if v["impact"] in SERIOUS for n in v["nodes"][:3]]
        self.checks.same(f"axe-core finds nothing serious in {what}", bad, [])

    def looked_at(self) -> None:
        for scheme in ("light", "dark"):
            # What looks at the page is a script, which the page's policy would not let in.
            page = self.desk.open(self.desk.ada, bypass_csp=True, color_scheme=scheme)
            page.click(".conversation:has(bdi:text-is('meeting'))")
            page.wait_for_selector(".preview img")
            self.axe(page, f"a conversation, {scheme}")
            for what, way in (
                ("settings", "button[aria-label='Settings']"),
                ("the profile", ".self"),
                ("a new conversation", "button[aria-label='New conversation']"),
                ("what is known of a conversation", ".room .head .about"),
                ("the emoji", ".composer button[aria-label='Emoji']"),
            ):
                page.click(way)
                page.wait_for_selector("dialog[open] .content > *")
                page.wait_for_timeout(300)
                self.axe(page, f"{what}, {scheme}")
                page.keyboard.press("Escape")
                page.wait_for_selector("dialog", state="detached")
            page.evaluate("() => document.querySelector('.back').click()")
            self.axe(page, f"the start, {scheme}")
            page.context.close()
            self.desk.contexts.remove(page.context)

    def by_keys(self) -> None:
        page = self.desk.open(self.desk.ada)
        keys = page.keyboard
        keys.press("Control+k")
        page.wait_for_selector("dialog[open]")
        keys.type("meet")
        keys.press("Enter")
        page.wait_for_function("() => document.querySelector('.room .head h1').textContent === 'meeting'")
        page.wait_for_function("() => document.activeElement.matches('.composer textarea')")
        keys.type("by keys alone")
        keys.press("Enter")
        page.wait_for_selector(".message:not(.pending):has-text('by keys alone')")
        keys.press("Shift+Tab")
        self.checks.that(
            "Shift+Tab leads to the last message",
            "by keys alone" in page.evaluate("() => document.activeElement.textContent"),
        )
        keys.press("e")
        page.wait_for_function("() => document.querySelector('.composer textarea').value === 'by keys alone'")
        keys.press("End")
        keys.type(", edited")
        keys.press("Enter")
        page.wait_for_selector(".message .edited")
        keys.press("Shift+Tab")
        keys.press("+")
        page.wait_for_selector("dialog.picker")
        keys.type("rocket")
        keys.press("Enter")
        page.wait_for_selector(".message .reactions:has-text('🚀')")
        page.focus(".composer textarea")
        keys.press("Shift+Tab")
        keys.press("ArrowUp")
        keys.press("r")
        page.wait_for_selector(".composer .about:has-text('Replying to')")
        keys.press("Escape")
        keys.press("Shift+Tab")
        keys.press("End")
        keys.press("Delete")
        page.wait_for_selector("dialog button.danger")
        keys.press("Enter")
        page.locator(".message", has_text="by keys alone").wait_for(state="detached")
        self.checks.that("written, edited, answered, reacted to and deleted by keys", True)
        # While the list still counts the deleted message, this room comes first, and no other is above it.
        page.wait_for_function("() => document.querySelector('[data-conversation]').ariaCurrent !== 'page'")
        keys.press("Alt+ArrowUp")
        page.wait_for_function("() => document.querySelector('.room .head h1').textContent !== 'meeting'")
        keys.press("Control+Shift+F")
        page.wait_for_selector("dialog[open]")
        keys.type("roof")
        keys.press("Enter")
        page.wait_for_selector("dialog .result")
        # The first empties the line, as in every such field.
        while page.locator("dialog[open]").count():
            keys.press("Escape")
            page.wait_for_timeout(50)
        # Everything that can be pressed can be reached, and what has the focus is seen.
        page.evaluate("() => document.activeElement.blur()")
        reached = set()
        for _ in range(40):
            keys.press("Tab")
            reached.add(
                page.evaluate(
                    "() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
                )
            )
        for label in (
            "Search (Ctrl+Shift+F)",
            "New conversation",
            "Settings",
            "Send a file",
            "Emoji",
            "Send",
            "Go to a date",
        ):
            self.checks.that(f"Tab reaches “{label}”", label in reached, sorted(filter(None, reached)))
        self.checks.same("without a complaint", self.desk.faults, [])

    def narrow(self) -> None:
        for width in (360, 768, 2560, 3840):
            page = self.desk.open(self.desk.ada)
            page.set_viewport_size({"width": width, "height": 800})
            # Where there is room for one of the two, the page begins where one was last.
            if page.locator("nav.list").is_visible():
                page.click(".conversation:has(bdi:text-is('meeting'))")
            page.wait_for_selector(".message")
            wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
            self.checks.that(f"nothing is wider than {width} pixels", wide <= 0, wide)
            box = page.locator(".composer textarea").bounding_box()
            self.checks.that(f"the line is on the screen at {width}", box and box["y"] + box["height"] <= 800, box)
            if width == 360:
                page.click(".back")
                page.wait_for_selector(".conversations .conversation")
            page.context.close()
            self.desk.contexts.remove(page.context)

    def right_to_left(self) -> None:
        page = self.desk.open(self.desk.ada)
        page.evaluate("() => { document.documentElement.dir = 'rtl'; }")
        page.click(".conversation:has(bdi:text-is('meeting'))")
        page.wait_for_selector(".message")
        list_, room = page.locator("nav.list").bounding_box(), page.locator("main").bounding_box()
        self.checks.that("the list is at the other side", list_["x"] > room["x"], (list_, room))
        self.checks.that("nothing is cut", page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))


def keep(desk: Desk, folder) -> None:  # noqa: ANN001
    folder.mkdir(parents=True, exist_ok=True)
    for scheme in ("light", "dark"):
        for width, height in ((360, 740), (1280, 800), (2560, 1440)):
            page = desk.open(desk.ada, color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": height})
            if page.locator("nav.list").is_visible():
                page.click(".conversation:has(bdi:text-is('meeting'))")
            page.wait_for_selector(".preview img")
            page.wait_for_timeout(500)
            page.screenshot(path=folder / f"{width}-{scheme}.png")
            page.context.close()
            desk.contexts.remove(page.context)


def act(desk: Desk, given: argparse.Namespace) -> None:
    access = Access(desk)
    for name in ("looked_at", "by_keys", "narrow", "right_to_left"):
        desk.checks.context = f"{name}: "
        try:
            getattr(access, name)()
        except Exception as error:  # noqa: BLE001  One that fails does not end the others.
            desk.checks.fail("it goes on", f"{traceback.format_exc(limit=2)[:500]} {error!r}"[:1_200])
    desk.checks.context = ""
    if given.pictures:
        keep(desk, given.pictures)


if __name__ == "__main__":
    run(act)
