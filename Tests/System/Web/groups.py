#!/usr/bin/env python3
"""Does with groups and devices what people do in the page, and looks at what it shows.

    groups.py FOLDER --work FOLDER

Runs only in a network that has nothing but a loopback interface. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse

import pages  # noqa: F401  Finds the drivers.
from axe_playwright_python.sync_playwright import Axe
from pages import ON_LOOPBACK, Desk, run
from playwright.sync_api import Page

from Driver.daemon import Daemon
from Driver.process import until

GROUP = "+crew"
# Of what axe-core finds, what keeps people out.
SERIOUS = ("serious", "critical")


class Groups:
    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.checks = desk.checks
        # What looks at the page is a script, which the page's policy would not let in.
        self.a = desk.open(desk.ada, bypass_csp=True)
        self.b = desk.open(desk.ben)

    # ---- What people see and press

    @staticmethod
    def press(page: Page, label: str) -> None:
        """A button of the window in front."""
        page.locator("dialog[open]").last.get_by_role("button", name=label, exact=True).click()

    def ask(self, page: Page, label: str) -> None:
        """Presses it until a window asks: a button that is drawn anew meanwhile hears nothing."""
        windows = page.locator("dialog[open]")
        before = windows.count()

        def asks() -> bool:
            if windows.count() == before:
                self.press(page, label)
            return windows.count() > before

        until(f"{label} is asked about", asks)

    def confirm(self, page: Page, label: str) -> None:
        self.ask(page, label)
        self.press(page, label)

    @staticmethod
    def shut(page: Page) -> None:
        while page.locator("dialog[open]").count():
            page.keyboard.press("Escape")

    @staticmethod
    def go(page: Page, name: str) -> None:
        page.click(f".conversation:has(bdi:text-is('{name}'))")
        page.wait_for_selector(f".room .head h1:has-text('{name}')")

    def about(self, page: Page) -> None:
        self.go(page, GROUP)
        page.click(".room .head .about")
        page.wait_for_selector("dialog .people .row .row")

    @staticmethod
    def member(page: Page, name: str, state: str = "") -> None:
        """Waits for somebody in the window of a group, and for what is said of them."""
        row = f"dialog .people li.row:has(bdi:text-is('{name}'))"
        page.wait_for_selector(f"{row} .state:text-is('{state}')", state="attached")

    def axe(self, page: Page, what: str) -> None:
        found = Axe().run(page).response["violations"]
        bad = [f"{v['id']}: {n['html'][:120]}" for v in found if v["impact"] in SERIOUS for n in v["nodes"][:3]]
        self.checks.same(f"axe-core finds nothing serious in {what}", bad, [])

    def role(self, name: str) -> str:
        members = self.desk.ada.call("groupInfo", group=GROUP)["members"]
        return next((member["role"] for member in members if member["name"] == name), "")

    # ---- What they do

    def create(self) -> None:
        self.a.click("nav .sign[aria-label='New conversation']")
        section = self.a.locator("dialog section:has(h3:text-is('Group'))")
        section.get_by_label("Name of the group").fill("crew")
        section.get_by_role("button", name="Create").click()
        self.a.wait_for_selector(f".room .head h1:has-text('{GROUP}')")
        self.checks.same("ada owns it", self.role("ada"), "owner")

    def invite(self) -> None:
        self.about(self.a)
        self.a.locator("dialog label:has-text('Invite somebody') input").fill("ben")
        self.press(self.a, "Invite")
        self.member(self.a, "ben", "invited")
        self.axe(self.a, "the window of a group")
        request = f".conversation.request:has-text('{GROUP}')"
        self.b.wait_for_selector(request)
        self.checks.that("nothing of it is in the list before", GROUP not in self.names(self.b))
        self.b.click(request)
        self.press(self.b, "Accept")
        self.b.wait_for_selector(f".room .head h1:has-text('{GROUP}')")
        # The window is open, and follows.
        self.member(self.a, "ben")

    @staticmethod
    def names(page: Page) -> list[str]:
        return page.locator(".conversation:not(.request) bdi").all_inner_texts()

    def talk(self) -> None:
        self.shut(self.a)
        for page, text in ((self.a, "for the crew"), (self.b, "aye")):
            page.fill(".composer textarea", text)
            page.press(".composer textarea", "Enter")
        self.a.wait_for_selector(".message:has-text('aye')")
        self.b.wait_for_selector(".message:has-text('for the crew')")

    def admins(self) -> None:
        self.about(self.a)
        self.press(self.a, "Make admin")
        self.member(self.a, "ben", "admin")
        self.desk.noted(self.b, "an admin now")
        self.about(self.b)
        self.checks.same(
            "who is an admin cannot remove the owner", self.b.locator("dialog li button:text-is('Remove')").count(), 0
        )
        self.b.wait_for_selector("dialog label:has-text('Invite somebody')")
        self.shut(self.b)
        self.confirm(self.a, "End as admin")
        self.member(self.a, "ben")
        self.checks.same("ben is a member", self.role("ben"), "member")

    def remove(self) -> None:
        self.ask(self.a, "Remove")
        self.a.wait_for_selector("dialog:has-text('keeps everything that they have read')")
        self.press(self.a, "Cancel")
        self.checks.same("nothing is done before the answer", self.role("ben"), "member")
        self.confirm(self.a, "Remove")
        until("ben is out", lambda: self.role("ben") == "")
        self.desk.noted(self.b, f"ada removed you from {GROUP}")
        until("it leaves ben's list", lambda: GROUP not in self.names(self.b))

    def decline(self) -> None:
        self.a.locator("dialog label:has-text('Invite somebody') input").fill("@ben")
        self.press(self.a, "Invite")
        self.member(self.a, "ben")
        self.b.click(f".conversation.request:has-text('{GROUP}')")
        self.press(self.b, "Decline")
        self.b.wait_for_selector(".conversation.request", state="detached")
        self.checks.that("it is not in the list", GROUP not in self.names(self.b))
        self.shut(self.a)

    def leave(self) -> None:
        self.about(self.a)
        self.ask(self.a, "Leave")
        self.a.wait_for_selector("dialog:has-text('only an admin can bring you back')")
        self.press(self.a, "Leave")
        until("it leaves ada's list", lambda: GROUP not in self.names(self.a))

    def links(self) -> None:
        self.desk.ada.call("groupCreate", name="choir")
        self.go(self.a, "+choir")
        self.a.click(".room .head .about")
        self.a.check("dialog label:has-text('An admin lets people in') input")
        self.press(self.a, "Invite by a link")
        self.press(self.a, "Show the invitation")
        self.a.wait_for_selector("dialog .invitation svg, dialog .invitation canvas")
        line = self.a.wait_for_selector("dialog code.secret").inner_text()
        self.a.keyboard.press("Escape")
        self.a.wait_for_selector("dialog li:has-text('an admin lets people in')")
        self.b.click("nav .sign[aria-label='New conversation']")
        self.b.fill("dialog section:has(h3:text-is('By invitation')) textarea", line)
        self.b.locator("dialog section:has(h3:text-is('By invitation'))").get_by_role("button", name="Join").click()
        self.desk.noted(self.b, "until an admin lets you in")
        self.a.wait_for_selector("dialog li:has-text('ben asks to come in by a link')")
        self.checks.that("nobody is in before", len(self.desk.ada.every("members", to="+choir")) == 1)
        self.press(self.a, "Approve")
        self.b.wait_for_selector(".conversation:not(.request):has(bdi:text-is('+choir'))")
        self.confirm(self.a, "End")
        self.a.wait_for_selector("dialog li:has-text('an admin lets people in')", state="detached")
        self.shut(self.a)

    def devices(self) -> None:
        # It alone dials, so that there is one link, and no second one that takes its place after the code.
        arguments = ["--interface", "lo", "--discovery", "off", "--name", "laptop"]
        laptop = Daemon(self.desk.ada.programs, self.desk.folder, "laptop", arguments)
        laptop.start()
        laptop.call("connect", address=f"127.0.0.1:{self.desk.ada.port}")
        try:
            ada = self.desk.ada.call("status")["id"]
            until("it is linked", lambda: any(
                p["id"] == ada and p["state"] == "linked" for p in laptop.every("peers")
            ))
            page = self.desk.open(laptop)
            page.click("button:has-text('You use Stoa on another machine?')")
            self.press(page, "Show a code")
            shown = page.wait_for_selector("dialog .lead:has-text('On the other machine')").inner_text()
            code = "".join(letter for letter in shown if letter.isdigit())
            self.a.click("nav .sign[aria-label='Settings']")
            self.press(self.a, "Your devices")
            self.a.wait_for_selector("dialog li:has-text('this device')")
            self.axe(self.a, "the window of devices")
            field = self.a.locator("dialog label:has-text('Code of the other machine') input")
            field.fill(code)
            self.press(self.a, "Link a device")
            # What it hands over is said first, then that there is no backup.
            self.press(self.a, "Link a device")
            self.a.wait_for_selector("dialog:has-text('You have no backup')")
            self.press(self.a, "Link a device")
            check = self.a.wait_for_selector("dialog code.digits").inner_text()
            self.checks.that("four digits are shown", len(check) == 4 and check.isdigit(), check)
            page.locator("dialog label:has-text('four digits') input").fill(check)
            self.press(page, "Make this machine my device")
            self.desk.noted(page, "is your device now")
            page.wait_for_selector(".self:has-text('ada')")
            self.a.wait_for_selector("dialog button:text-is('Revoke')")
            self.a.click("dialog li:has-text('this device') button:text-is('Rename')")
            self.a.locator("dialog label:has-text('Name of this device') input").fill("the desk")
            self.a.click("dialog form button:text-is('Rename')")
            self.a.wait_for_selector("dialog li:has-text('the desk'):has-text('this device')")
            until("the other device shows the name", lambda: "the desk" in [
                d.get("name") for d in laptop.every("devices")
            ])
            self.confirm(self.a, "Revoke")
            self.a.wait_for_selector("dialog li .state:text-is('revoked')")
            self.shut(self.a)
        finally:
            laptop.stop()


def act(desk: Desk, _: argparse.Namespace) -> None:
    groups = Groups(desk)
    for step in ("create", "invite", "talk", "admins", "remove", "decline", "leave", "links", "devices"):
        desk.checks.context = f"groups, {step}: "
        desk.faults.clear()
        try:
            getattr(groups, step)()
            desk.checks.same("without a complaint", desk.faults, [])
        except Exception as error:  # noqa: BLE001  One that fails does not end the others.
            shown = [text for page in (groups.a, groups.b) for text in page.locator("dialog[open]").all_inner_texts()]
            desk.checks.fail("it can be done", f"{str(error)[:600]} {shown}")
            for page in (groups.a, groups.b):
                groups.shut(page)
    desk.checks.context = ""


if __name__ == "__main__":
    run(act)
