#!/usr/bin/env python3
"""A page whose node is locked hides everything and asks for the passphrase; with it the page goes on where it was.

    lock.py FOLDER --work FOLDER

Runs only in a network that has nothing but a loopback interface. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse

import pages  # noqa: F401  Finds the drivers.
from access import SERIOUS
from axe_playwright_python.sync_playwright import Axe
from pages import Desk, run
from playwright.sync_api import Page

from Driver.process import until

PASSPHRASE = "plover quartz hinterland fuchsia anvil"
FIELD = "input[type=password]"
LINE = ".composer textarea"
SAVED = "() => document.documentElement.dataset.saving !== 'yes'"


def kept(desk: Desk) -> str:
    """What ada's page keeps on the disk."""
    paths = (desk.ada.folder / ".local" / "state" / "stoa").glob("page-*")
    return "".join(path.read_text() for path in paths)


def is_locked(desk: Desk) -> bool:
    return desk.ada.call("status").get("lock") == "locked"


def typed(page: Page, text: str) -> None:
    """By the keyboard alone: the field has the focus. Another one may take its place meanwhile."""
    page.wait_for_selector(FIELD)
    page.keyboard.type(text)
    until("it is in the field", lambda: page.input_value(FIELD) == text or page.fill(FIELD, text))


def unlock(page: Page, passphrase: str) -> None:
    typed(page, passphrase)
    page.keyboard.press("Enter")


def asks(desk: Desk, page: Page) -> None:
    page.click(".conversation:has(bdi:text-is('meeting'))")
    page.wait_for_selector(".message:has-text('said before the lock')")
    page.fill(LINE, "half a line")
    page.wait_for_function(SAVED)
    until("the draft is kept", lambda: "half a line" in kept(desk))
    desk.ada.call("setLock", passphrase=PASSPHRASE, withoutBackup=True)
    until("and under a lock it is not", lambda: "half a line" not in kept(desk))
    page.wait_for_function("() => document.querySelector('.banner').hidden")
    page.fill(LINE, "half a line, and more")
    page.wait_for_function(SAVED)
    desk.checks.that("nor is a later one", "half a line" not in kept(desk), kept(desk))
    desk.checks.that("but where one was is", '"open"' in kept(desk), kept(desk))
    desk.ada.call("lock")
    page.wait_for_selector(FIELD)
    shown = page.inner_text("body")
    desk.checks.that("nothing but the lock is shown", "said before" not in shown and "meeting" not in shown, shown)
    desk.checks.same("the field has a name", page.get_by_label("Passphrase").count(), 1)
    found = Axe().run(page).response["violations"]
    desk.checks.same("axe-core finds nothing serious", [v["id"] for v in found if v["impact"] in SERIOUS], [])
    unlock(page, "not this one")
    page.wait_for_selector(".problem[role=alert]:has-text('the passphrase does not open the lock')")
    desk.checks.same("the field is empty after it", page.input_value(FIELD), "")
    page.keyboard.press("Control+k")
    desk.checks.same("no key leads elsewhere", page.locator("dialog").count(), 0)
    unlock(page, PASSPHRASE)
    page.wait_for_selector(".room .head h1:has-text('meeting')")
    page.wait_for_selector(".message:has-text('said before the lock')")
    desk.checks.same("what was typed is in the line", page.input_value(LINE), "half a line, and more")
    page.fill(LINE, "sent after the lock")
    page.press(LINE, "Enter")
    until(
        "ben has it",
        lambda: any(m["text"] == "sent after the lock" for m in desk.ben.call("history", to="meeting")["messages"]),
    )


def elsewhere(desk: Desk, page: Page) -> None:
    """Somebody else unlocks the node while the passphrase is typed here."""
    desk.ada.call("lock")
    typed(page, "plover ")
    desk.ada.call("unlock", passphrase=PASSPHRASE)
    until("it is open", lambda: not is_locked(desk))
    page.wait_for_timeout(1_000)
    page.keyboard.type("quartz")
    desk.checks.same("what is typed goes on in the field", page.input_value(FIELD), "plover quartz")
    page.keyboard.press("Enter")
    page.wait_for_selector(LINE)
    desk.checks.same("and not in the line", page.input_value(LINE), "")


def begins(desk: Desk) -> None:
    """A page that is opened at a locked node."""
    desk.ada.call("lock")
    until("it is locked", lambda: is_locked(desk))
    page = desk.context().new_page()
    desk.watch(page)
    page.goto(desk.redirect(desk.ada).as_uri())
    unlock(page, PASSPHRASE)
    page.wait_for_selector("html[data-ready]")
    page.wait_for_selector(".conversation:has(bdi:text-is('meeting'))")


def act(desk: Desk, _: argparse.Namespace) -> None:
    desk.ben.call("send", to="meeting", text="said before the lock")
    # What looks at the page is a script, which the page's policy would not let in.
    page = desk.open(desk.ada, bypass_csp=True)
    asks(desk, page)
    elsewhere(desk, page)
    begins(desk)
    # Of a picture that is asked for while the daemon comes back.
    faults = [fault for fault in desk.faults if "502 (Bad Gateway)" not in fault]
    desk.checks.same("without a complaint", faults, [])


if __name__ == "__main__":
    run(act)
