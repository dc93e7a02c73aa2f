#!/usr/bin/env python3
"""Calls between browsers on hosts of their own: frames and sound, and every way in which a call ends.

    calls.py FOLDER --work FOLDER [--only NAME...]

STOA_LONG=1 has four in a call, too. Makes hosts within a network that has nothing but a loopback interface. Ends with
`N passed, N failed`.
"""

from __future__ import annotations

import base64
import os
import re
import signal
import sys
import time
import traceback
from pathlib import Path

import pages  # noqa: F401  Finds the drivers.
from alone import Alone
from axe_playwright_python.sync_playwright import Axe
from lan import FAKES, MEDIA, NAMES, Host, Lan
from pages import CHROMIUM, arguments
from playwright.sync_api import Page, sync_playwright

from Driver.checks import Broken, Checks
from Driver.control import Refusal
from Driver.network import demand_own_network
from Driver.process import until

SERIOUS = ("serious", "critical")
# The kind of what a caller says first.
RING = 1
PARTS = """pure answered muted tabs no_media declined busy cancelled missed closed crossed no_camera no_device restarted
    room group altered from_terminal devices""".split()
if os.environ.get("STOA_LONG") == "1":
    PARTS += ["cost", "four"]
# The page's clock, which a test moves.
AHEAD = """const now = Date.now;
    let ahead = 0;
    Date.now = () => now() + ahead;
    window.pass = (milliseconds) => { ahead += milliseconds; };"""


class Calls:
    def __init__(self, lan: Lan) -> None:
        self.lan, self.checks = lan, lan.checks

    # ---- What people see and press

    @staticmethod
    def go(page: Page, name: str) -> None:
        page.click(f".conversation:has(bdi:text-is('{name}'))")
        page.wait_for_function(
            "name => document.querySelector('.room .head h1')?.textContent.startsWith(name)", arg=name
        )

    def call(self, page: Page, name: str, video: bool = True) -> None:
        self.go(page, name)
        page.click(f".room .head button[aria-label='{'Call with video' if video else 'Call'}']")

    @staticmethod
    def press(page: Page, text: str) -> None:
        page.click(f".talk button:text-is('{text}')")

    @staticmethod
    def phase(page: Page, name: str) -> None:
        page.wait_for_selector(f".talk[data-phase='{name}']:visible")

    @staticmethod
    def over(page: Page) -> None:
        page.wait_for_selector(".talk", state="hidden")

    @staticmethod
    def connected(page: Page, count: int = 1) -> None:
        page.wait_for_function(
            "n => document.querySelectorAll('.talk figure[data-media=connected]').length === n", arg=count
        )

    def line(self, page: Page, text: str) -> None:
        page.locator(".line.told", has_text=text).last.wait_for()

    def flows(self, page: Page, who: str, frames: bool = True, sound: bool = True, count: int = 1) -> None:
        if frames:
            page.wait_for_function(
                """n => [...document.querySelectorAll('.talk figure[data-peer] video')]
                    .filter((v) => v.getVideoPlaybackQuality().totalVideoFrames > 0).length === n""",
                arg=count,
            )
        media = page.evaluate(MEDIA, sound)
        self.checks.same(f"{who}: so many others", len(media), count)
        for seen, heard in media:
            self.checks.that(f"{who} sees {'frames' if frames else 'none'}", (seen > 0) == frames, seen)
            self.checks.that(f"{who} {'hears' if sound else 'hears nothing'}", (heard >= 0.01) == sound, heard)

    def both(self) -> tuple[Page, Page]:
        a, b = self.lan.page("ada"), self.lan.page("ben")
        self.go(b, "ada")
        return a, b

    def talking(self) -> tuple[Page, Page]:
        a, b = self.both()
        self.call(a, "ben")
        self.phase(b, "ringing")
        self.press(b, "Answer with video")
        self.connected(a)
        self.connected(b)
        return a, b

    def stored(self, name: str, to: str) -> dict:
        """The last call that a daemon has stored."""
        found = [m for m in self.lan.hosts[name].call("history", to=to, limit=50)["messages"] if "call" in m]
        return found[-1] if found else {"call": {"outcome": "none"}}

    def becomes(self, outcome: str, count: int) -> None:
        """Both daemons have so many calls, the last of which became that."""
        for name, to in (("ada", "@ben"), ("ben", "@ada")):
            until(
                f"{name} has stored call {count}",
                lambda n=name, t=to: self.count(n, t) == count and self.stored(n, t)["call"]["outcome"] == outcome,
            )
        self.checks.that(f"stored once, as {outcome}", True)

    def count(self, name: str, to: str) -> int:
        return sum("call" in m for m in self.lan.hosts[name].call("history", to=to, limit=200)["messages"])

    @property
    def already(self) -> int:
        return self.count("ada", "@ben")

    # ---- Each of these is one way in which a call goes

    def axe(self, page: Page) -> None:
        found = Axe().run(page).response["violations"]
        self.checks.same("axe-core finds nothing serious", [f["id"] for f in found if f["impact"] in SERIOUS], [])

    def answered(self) -> None:
        before = self.already
        a, b = self.both()
        self.call(a, "ben")
        self.phase(b, "ringing")
        self.axe(b)
        self.press(b, "Answer with video")
        self.connected(a)
        self.connected(b)
        self.axe(a)
        self.flows(a, "ada")
        self.flows(b, "ben")
        self.checks.same("the key is beside the name", a.locator(".talk figcaption .key").count(), 1)
        self.press(b, "Hang up")
        self.over(a)
        self.over(b)
        self.becomes("answered", before + 1)
        self.line(a, "Call from ada, ")
        self.line(b, "Call from ada, ")
        code, out, _ = self.lan.ben.stoa("history", "@ada")
        self.checks.that("the command shows it", code == 0 and re.search(r"Call, \d+:\d\d", out) is not None, out)

    def muted(self) -> None:
        """Microphone and camera off and on, and a screen in the camera's place."""
        a, b = self.talking()
        self.press(a, "Mute microphone")
        self.press(a, "Camera off")
        b.wait_for_selector(".talk figure[data-peer]:not(.seen)")
        # What was said before is still on its way for a moment.
        until("ben hears nothing", lambda: b.evaluate(MEDIA, False)[0][1] < 0.01)
        self.checks.that("ben hears nothing", True)
        self.press(a, "Unmute microphone")
        self.press(a, "Share screen")
        b.wait_for_selector(".talk figure[data-peer].seen")
        self.press(a, "Stop sharing")
        b.wait_for_selector(".talk figure[data-peer]:not(.seen)")
        self.flows(b, "ben")
        self.press(a, "Devices for calls")
        a.wait_for_selector("dialog meter")
        a.wait_for_function("() => document.querySelector('dialog meter').value > 0")
        a.keyboard.press("Escape")

    def tabs(self) -> None:
        """Two tabs of one browser ring; once one of them has answered, the other is silent."""
        a, b = self.both()
        other = b.context.new_page()
        other.goto(self.lan.redirect(self.lan.ben).as_uri())
        other.wait_for_selector("html[data-ready]")
        self.call(a, "ben", video=False)
        self.phase(b, "ringing")
        self.phase(other, "ringing")
        self.press(other, "Answer")
        self.over(b)
        self.connected(a)
        # The caller has rung again meanwhile, if it rings at all.
        b.wait_for_timeout(2_500)
        self.checks.that("it does not ring again", b.locator(".talk").is_hidden())
        self.connected(other)

    def no_media(self) -> None:
        """Browsers that do not reach each other."""
        script = """const Connection = RTCPeerConnection;
            window.RTCPeerConnection = class extends Connection {
                constructor(wanted) { super({ ...wanted, iceTransportPolicy: "relay" }); }
            };"""
        a, b = (self.lan.page(name, script=script + AHEAD) for name in ("ada", "ben"))
        self.go(b, "ada")
        self.call(a, "ben")
        self.phase(b, "ringing")
        self.press(b, "Answer")
        self.phase(a, "in")
        a.evaluate("() => pass(11000)")
        a.locator(".talk .problem", has_text="do not reach each other").wait_for()

    def declined(self) -> None:
        before = self.already
        a, b = self.both()
        self.call(a, "ben", video=False)
        self.phase(b, "ringing")
        self.press(b, "Decline")
        self.over(a)
        self.over(b)
        self.becomes("declined", before + 1)
        self.line(b, "Declined call from ada")

    def busy(self) -> None:
        a, b = self.talking()
        c = self.lan.page("cyn")
        self.call(c, "ben", video=False)
        self.lan.noted(c, "They are in another call")
        self.over(c)
        self.checks.that("ben's call goes on", b.locator(".talk[data-phase=in]").count() == 1)
        self.connected(a)

    def cancelled(self) -> None:
        before = self.already
        a, b = self.both()
        self.call(a, "ben", video=False)
        self.phase(b, "ringing")
        self.press(a, "Hang up")
        self.over(b)
        self.becomes("cancelled", before + 1)

    def missed(self) -> None:
        before = self.already
        a = self.lan.page("ada", script=AHEAD)
        self.call(a, "ben", video=False)
        self.phase(a, "calling")
        a.evaluate("() => pass(46000)")
        self.over(a)
        self.becomes("missed", before + 1)
        b = self.lan.page("ben")
        self.go(b, "ada")
        self.line(b, "Missed call from ada")

    def closed(self) -> None:
        before = self.already
        a, b = self.talking()
        a.close(run_before_unload=False)
        self.over(b)
        self.becomes("answered", before + 1)

    def crossed(self) -> None:
        before = self.already
        a, b = self.both()
        self.go(a, "ben")
        # Neither daemon passes anything on until both have called.
        processes = [daemon.process.pid for daemon in (self.lan.ada, self.lan.ben)]
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        for page in (a, b):
            page.click(".room .head button[aria-label='Call with video']")
            self.phase(page, "calling")
        for process in processes:
            os.kill(process, signal.SIGCONT)
        self.connected(a)
        self.connected(b)
        self.flows(a, "ada")
        self.press(a, "Hang up")
        self.over(b)
        self.becomes("answered", before + 1)

    def no_camera(self) -> None:
        script = """const get = MediaDevices.prototype.getUserMedia;
            MediaDevices.prototype.getUserMedia = function (wanted) {
                const none = new DOMException("none", "NotFoundError");
                return wanted.video ? Promise.reject(none) : get.call(this, wanted);
            };"""
        a = self.lan.page("ada", script=script)
        b = self.lan.page("ben")
        self.call(a, "ben")
        self.phase(b, "ringing")
        self.press(b, "Answer with video")
        self.connected(b)
        self.flows(b, "ben", frames=False)
        self.flows(a, "ada")

    def no_device(self) -> None:
        a = self.lan.page("ada", flags=[])
        b = self.lan.page("ben")
        self.call(b, "ada")
        self.phase(a, "ringing")
        self.press(a, "Answer with video")
        self.connected(a)
        self.connected(b)
        self.flows(a, "ada")
        self.flows(b, "ben", frames=False, sound=False)
        a.locator(".talk .state", has_text="you can watch and listen").wait_for()

    def restarted(self) -> None:
        before = self.already
        a, b = self.talking()
        for daemon in (self.lan.ben, self.lan.ada):
            daemon.stop(signal.SIGKILL)
            self.flows(a, "ada")
            daemon.start()
        until("the two are linked", lambda: any(p["name"] == "ben" and p["state"] == "linked"
                                                for p in self.lan.ada.every("peers")))
        self.flows(b, "ben")
        for page in (a, b):
            page.wait_for_selector(".composer:not(.off)")
        self.press(a, "Hang up")
        self.over(b)
        self.becomes("answered", before + 1)

    def room(self) -> None:
        made = self.lan.ada.call("createConversation", room="den")
        for daemon in (self.lan.ben, self.lan.cyn):
            daemon.call("join", invite=made["invite"])
        until("all are in", lambda: all(len(d.every("members", to="&den")) == 3 for d in self.lan.hosts.values()))
        all_pages = {name: self.lan.page(name) for name in NAMES}
        for page in all_pages.values():
            page.wait_for_selector(".conversation:has(bdi:text-is('&den'))")
            self.go(page, "&den")
        all_pages["ben"].click(".room .head button[aria-label='Call with video']")
        for name in ("ada", "cyn"):
            all_pages[name].click(".room .head button:text-is('Join the call')")
        for name, page in all_pages.items():
            self.connected(page, 2)
            media = page.evaluate(MEDIA, True)
            self.checks.same(f"{name} hears two", [loud >= 0.01 for _, loud in media], [True, True])
        self.press(all_pages["cyn"], "Hang up")
        for name in ("ada", "ben"):
            self.connected(all_pages[name], 1)
        self.press(all_pages["ben"], "Hang up")
        self.over(all_pages["ada"])
        until("it is stored", lambda: self.stored("cyn", "&den")["call"]["outcome"] == "answered")

    # Shows: calls.members
    def group(self) -> None:
        """In a group others join a call, and whoever is removed meanwhile is out of it."""
        ada, hosts = self.lan.ada, self.lan.hosts.values()
        ada.call("groupCreate", name="crew")
        for daemon in (self.lan.ben, self.lan.cyn):
            ada.call("groupAct", group="+crew", act="add", person="@" + daemon.name)
            until("the invitation has come", lambda d=daemon: d.every("requests") != [])
            daemon.call("accept", person="+crew")
        until("all are in", lambda: all(len(d.every("members", to="+crew")) == 3 for d in hosts))
        all_pages = {name: self.lan.page(name) for name in NAMES}
        for page in all_pages.values():
            self.go(page, "+crew")
        # Nothing was written there, so the first word of a call has the group's key made.
        all_pages["ada"].click(".room .head button[aria-label='Call with video']")
        for name in ("ben", "cyn"):
            all_pages[name].click(".room .head button:text-is('Join the call')")
        for name, page in all_pages.items():
            self.connected(page, 2)
            media = page.evaluate(MEDIA, True)
            self.checks.same(f"{name} hears two", [loud >= 0.01 for _, loud in media], [True, True])
        ada.call("groupAct", group="+crew", act="remove", person="@cyn")
        self.over(all_pages["cyn"])
        for name in ("ada", "ben"):
            self.connected(all_pages[name], 1)
            self.checks.same(f"{name} has one left", all_pages[name].locator(".talk figure[data-peer]").count(), 1)
        self.press(all_pages["ben"], "Hang up")
        self.over(all_pages["ada"])
        until("it is stored", lambda: self.stored("ben", "+crew")["call"]["outcome"] == "answered")
        self.checks.that("who is out has nothing of that", not self.count("cyn", "+crew"))

    # Shows: calls.members
    def altered(self) -> None:
        """Another member of a room sends descriptions for a call of two others, as its own device may."""
        made = self.lan.ada.call("createConversation", room="nook")
        for daemon in (self.lan.ben, self.lan.cyn):
            daemon.call("join", invite=made["invite"])
        until("all are in", lambda: all(len(d.every("members", to="&nook")) == 3 for d in self.lan.hosts.values()))
        a, b = self.talking()
        heard: list[bytes] = []
        with self.lan.ada.control() as control:
            control.call("subscribe", kinds=["call"])
            self.press(b, "Hang up")
            self.call(b, "ada")
            # Not that the call before was left.
            while not heard or heard[-1][0] != RING:
                event = control.next()
                if event.get("method") == "call":
                    heard.append(base64.b64decode(event["params"]["data"]))
        call = heard[-1][1:9]
        self.phase(a, "ringing")
        self.press(a, "Answer with video")
        self.connected(a)
        for kind in (6, 7):
            data = base64.b64encode(bytes([kind]) + call + bytes([2, 0, 1]) + b"\x03\x00").decode()
            for to in ("@ada", "&nook"):
                self.lan.cyn.call("callSignal", to=to, member="@ada", data=data)
        leave = base64.b64encode(bytes([5]) + call).decode()
        self.lan.cyn.call("callSignal", to="@ada", member="@ada", data=leave)
        a.wait_for_timeout(1_000)
        self.connected(a)
        self.checks.same("nobody else is in the call", a.locator(".talk figure[data-peer]").count(), 1)
        self.flows(a, "ada")

    def devices(self) -> None:
        """A call rings on all devices of a person; what one of them does ends it on the other, which says so."""
        ben, desk = self.lan.ben, self.lan.add("desk")
        desk.start()
        person = ben.call("status")["id"]
        until("it is linked", lambda: any(p["id"] == person and p["state"] == "linked" for p in desk.every("peers")))
        check = ""

        def approved() -> bool:
            nonlocal check
            try:
                code = desk.call("deviceLink", person=f"@{person}")["code"]
                check = ben.call("deviceApprove", code=code, withoutBackup=True)["check"]
            except Refusal:  # The link over which the code came may have been replaced.
                return False
            return True

        def has_two(daemon: Host) -> bool:
            try:
                return len(daemon.every("devices")) == 2
            except OSError:  # The new one restarts.
                return False

        until("the code is taken", approved)
        desk.call("deviceLink", check=check)
        until("both know of two devices", lambda: has_two(ben) and has_two(desk))
        desk.call("join", room="meeting")
        until("ada is linked to both", lambda: any(
            p.get("name") == "ada" and p["state"] == "linked" for p in desk.every("peers")
        ))
        desk.call("createConversation", person="@ada")
        a, b, d = self.lan.page("ada"), self.lan.page("ben", script=AHEAD), self.lan.page("desk", script=AHEAD)
        before = self.count("ada", "@ben")
        for answering, other in ((b, d), (d, b)):
            self.call(a, "ben")
            self.phase(other, "ringing")
            self.phase(answering, "ringing")
            self.press(answering, "Answer with video")
            self.over(other)
            self.lan.noted(other, "another device")
            self.connected(a)
            self.connected(answering)
            self.flows(a, "ada")
            self.press(answering, "Hang up")
            self.over(a)
            # Where a call rang in vain, that conversation is quiet for half a minute.
            other.evaluate("() => pass(31_000)")
        self.call(a, "ben")
        self.phase(d, "ringing")
        self.phase(b, "ringing")
        self.press(d, "Decline")
        self.over(b)
        self.lan.noted(b, "another device")
        self.over(a)
        until("it is stored", lambda: self.count("ada", "@ben") == before + 3)
        self.checks.same("as declined", self.stored("ada", "@ben")["call"]["outcome"], "declined")
        for daemon in (ben, desk):
            name = daemon.name
            until(f"{name} has the same calls", lambda n=name: self.count(n, "@ada") == self.count("ada", "@ben"))
        desk.stop()

    def measure(self, page: Page, name: str, count: int) -> None:
        """What a call costs one of its people: bits that are sent, and how much of a core the browser takes."""
        page.wait_for_timeout(5_000)
        begun, before = time.monotonic(), self.lan.cost(name)
        page.wait_for_timeout(10_000)
        seconds, after = time.monotonic() - begun, self.lan.cost(name)
        bits, cores = (after[0] - before[0]) * 8 / seconds / 1000, (after[1] - before[1]) / seconds
        self.checks.say(f"MEASURED call of {count}: {bits:.0f} kbit/s sent, {cores:.2f} of a core in one browser")

    def firefox(self) -> None:
        """Between Chromium and Firefox, each calls the other."""
        ada, (fox, browser) = self.lan.ada, self.lan.firefox()
        fox.start()
        fox.call("join", room="meeting")
        for one, other in ((ada, fox), (fox, ada)):
            until("they are linked", lambda d=one, n=other.name: n in [p.get("name") for p in d.every("peers")])
            one.call("addPerson", person="@" + other.call("status")["person"])
        for one, other in ((ada, fox), (fox, ada)):
            one.call("createConversation", person="@" + other.name)
        a, b = self.lan.page("ada"), self.lan.page("fox", browser=browser)
        for caller, called, name in ((a, b, "fox"), (b, a, "ada")):
            self.call(caller, name)
            self.phase(called, "ringing")
            self.press(called, "Answer with video")
            self.connected(a)
            self.flows(a, "Chromium")
            # Without a sound card Firefox plays nothing; it tells what arrives.
            b.wait_for_function(
                """() => { const [video] = document.querySelectorAll('.talk figure[data-peer] video');
                    return video?.mozPaintedFrames > 0 && video.srcObject.getAudioTracks().some((t) => !t.muted); }"""
            )
            self.press(caller, "Hang up")
            self.over(called)

    def cost(self) -> None:
        a, b = self.talking()
        self.measure(a, "ada", 2)
        self.press(b, "Hang up")
        self.over(a)

    def four(self) -> None:
        dan = self.lan.add("dan")
        dan.start()
        made = self.lan.ada.call("createConversation", room="hall")
        for daemon in (self.lan.ben, self.lan.cyn, dan):
            daemon.call("join", invite=made["invite"])
        names = [*NAMES, "dan"]
        hosts = [self.lan.hosts[name] for name in names]
        until("all are in", lambda: all(len(d.every("members", to="&hall")) == 4 for d in hosts))
        until("all are linked", lambda: all(
            sum(p["state"] == "linked" for p in d.every("peers")) >= 3 for d in hosts
        ))
        all_pages = {name: self.lan.page(name) for name in names}
        for page in all_pages.values():
            self.go(page, "&hall")
        all_pages["ben"].click(".room .head button[aria-label='Call with video']")
        for name in ("ada", "cyn", "dan"):
            all_pages[name].click(".room .head button:text-is('Join the call')")
        for name, page in all_pages.items():
            self.connected(page, 3)
            if name != "ben":
                self.press(page, "Camera on")
        for name, page in all_pages.items():
            self.flows(page, name, count=3)
        self.measure(all_pages["ada"], "ada", 4)
        self.press(all_pages["dan"], "Hang up")
        for name in NAMES:
            self.connected(all_pages[name], 2)
        dan.stop()

    def from_terminal(self) -> None:
        b = self.lan.page("ben")
        context = self.lan.launch("ada", *FAKES).new_context()
        self.lan.contexts.append(context)
        a = context.new_page()
        path = self.lan.ada.output("call", "@ben", "--no-open").splitlines()[-1]
        a.goto(Path(path).as_uri())
        self.phase(b, "ringing")
        self.press(b, "Answer")
        self.connected(a)

    def pure(self) -> None:
        """What needs no other host."""
        Alone(self.lan.page("ada"), self.checks).run()


def main() -> None:
    given = arguments()
    demand_own_network("unshare --net")
    checks = Checks()
    if not Path(CHROMIUM).exists():
        sys.exit(77)
    with sync_playwright() as playwright:
        lan = Lan(given.programs, given.work, playwright, checks)
        try:
            lan.begin()
            calls = Calls(lan)
            names = given.only or PARTS
            for name in names:
                checks.context = f"{name}: "
                try:
                    getattr(calls, name)()
                    checks.say("done")
                except Exception as error:  # noqa: BLE001  One that fails does not end the others.
                    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == __file__]
                    checks.fail("it goes on", f"line {lines[-1]}: {error!r}"[:1200])
                lan.leave()
            checks.context = ""
            checks.same("no page complains", [
                f for f in lan.faults if "WebSocket" not in f and "502 (Bad Gateway)" not in f
            ], [])
        except Broken as error:
            checks.fail("the run goes on", error)
        finally:
            lan.close()
    sys.exit(checks.report())


if __name__ == "__main__":
    main()
