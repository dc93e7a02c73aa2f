#!/usr/bin/env python3
"""Does what people do in the page, by the list in Docs/Web.md, and looks at what the page shows.

    things.py FOLDER --work FOLDER [--only NUMBER...] [--pictures FOLDER] [--keys]

With --keys nothing is clicked: each thing is done by the keyboard alone. Runs only in a network that has nothing but a
loopback interface. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import time
from typing import Callable

import keys
import pages  # noqa: F401  Finds the drivers.
from pages import Desk, listed, picture, run
from playwright.sync_api import Page

from Driver.process import until


class Things:
    def __init__(self, desk: Desk, by_keys: bool) -> None:
        self.desk, self.by_keys = desk, by_keys
        self.checks = desk.checks
        self.a: Page
        self.b: Page

    # ---- What people see and press

    @staticmethod
    def message(page: Page, text: str):  # noqa: ANN205
        return page.locator(".message", has_text=text).last

    def see(self, page: Page, text: str) -> None:
        self.message(page, text).wait_for()

    def say(self, page: Page, text: str) -> None:
        page.fill(".composer textarea", text)
        page.press(".composer textarea", "Enter")

    def go(self, page: Page, name: str) -> None:
        page.click(f".conversation:has(bdi:text-is('{name}'))")
        page.wait_for_function(
            "name => document.querySelector('.room .head h1')?.textContent.startsWith(name)", arg=name
        )

    def tool(self, page: Page, text: str, label: str) -> None:
        """Presses a button of a message, as one does with the mouse."""
        node = self.message(page, text)
        node.hover()
        node.locator(f".tools button[aria-label='{label}']").click()

    def texts(self, daemon, to: str) -> list[str]:  # noqa: ANN001
        return [m["text"] for m in daemon.call("history", to=to, limit=100)["messages"]]

    def room(self, name: str) -> None:
        """A room with both in it, open on both pages."""
        self.join(name)
        for page in (self.a, self.b):
            page.wait_for_selector(f".conversation:has(bdi:text-is('{name}'))")
            self.go(page, name)

    def join(self, name: str) -> None:
        daemons = (self.desk.ada, self.desk.ben)
        for daemon in daemons:
            daemon.call("join", room=name)
        until("both know each other", lambda: all(len(d.every("members", to=name)) == 2 for d in daemons))

    def is_read(self, name: str) -> bool:
        return all(c["unread"] == 0 for c in self.desk.ada.every("conversations") if c["name"] == name)

    def offered(self, text: str, choice: str, before: str = "") -> None:
        """Types it until that is offered: the page learns a moment after the daemon who is in a room."""
        line, choices = self.a.locator(".composer textarea"), self.a.locator(f".choices li:has-text('{choice}')")

        def is_offered() -> bool:
            line.fill(before)
            line.press_sequentially(text)
            return choices.count() > 0

        until(f"{choice} is offered", is_offered)

    def dialog(self, page: Page, text: str) -> None:
        page.click(f"dialog button:has-text('{text}')")

    def shut(self, page: Page) -> None:
        while page.locator("dialog[open]").count():
            page.keyboard.press("Escape")

    # ---- The things

    def thing_01(self) -> None:
        begun = time.monotonic()
        self.a = self.desk.open(self.desk.ada)
        took = time.monotonic() - begun
        self.checks.say(f"MEASURED page: open after {took * 1000:.0f} ms, with starting the program")
        begun = time.monotonic()
        self.b = self.desk.open(self.desk.ben)
        page = self.desk.open(self.desk.ben)
        page.close()
        self.checks.same("it is ready", self.a.locator("html[data-ready]").count(), 1)

    def thing_02(self) -> None:
        self.join("second")
        for number in range(3):
            self.desk.ben.call("send", to="second", text=f"unseen {number}")
        self.a.wait_for_selector(".conversation.unread:has(bdi:text-is('second')) .count:text-is('3')")
        first = self.a.locator(".conversation bdi").first.inner_text()
        self.checks.same("the newest is first", first, "second")
        excerpt = self.a.locator(".conversation .excerpt").first.inner_text()
        self.checks.that("its last line is shown with its author", excerpt.startswith("ben: unseen 2"), excerpt)
        self.join("third")
        if not self.by_keys:
            self.under_button()

    def under_button(self) -> None:
        """A message that comes while a button of the mouse is down does not take away what is pressed."""
        second = self.a.locator(".conversation:has(bdi:text-is('second'))")
        second.hover()
        self.a.mouse.down()

        def is_pressed() -> bool:
            if second.evaluate("element => element.matches(':active')"):
                return True
            # The list has moved before.
            self.a.mouse.move(900, 300)
            self.a.mouse.up()
            second.hover()
            self.a.mouse.down()
            return False

        until("it is pressed", is_pressed)
        self.desk.ben.call("send", to="third", text="while the button is down")
        self.a.wait_for_function("() => document.title.startsWith('(4)')")
        self.a.mouse.up()
        self.a.wait_for_selector(".room .head h1:has-text('second')")
        first = self.a.locator(".conversation:has(bdi:text-is('third'))").first
        first.locator(".count:text-is('1')").wait_for()

    def thing_03(self) -> None:
        self.room("talk")
        self.say(self.a, "hello there")
        self.see(self.b, "hello there")
        self.message(self.a, "hello there").locator(".tick:not(:empty)").wait_for()
        self.checks.that("sent once", self.texts(self.desk.ben, "talk").count("hello there") == 1)

    def thing_04(self) -> None:
        self.room("reading")
        self.a.bring_to_front()
        self.desk.ben.call("send", to="reading", text="seen at once")
        self.see(self.a, "seen at once")
        until("it counts as read", lambda: self.is_read("reading"))

    def thing_05(self) -> None:
        self.room("elsewhere")
        self.go(self.a, "talk")
        self.desk.ben.call("send", to="elsewhere", text="over here @ada")
        self.a.wait_for_selector(".conversation:has(bdi:text-is('elsewhere')) .count.call:text-is('@1')")
        self.a.wait_for_function("() => /^\\(\\d+\\)/.test(document.title)")
        self.a.wait_for_function("() => document.querySelector('link[rel=icon]').href.endsWith('/icon-new.svg')")
        self.go(self.a, "elsewhere")

    def thing_06(self) -> None:
        self.room("many")
        self.go(self.a, "talk")
        for number in range(60):
            self.desk.ben.call("send", to="many", text=f"line {number}")
        self.a.wait_for_selector(".conversation:has(bdi:text-is('many')) .count:text-is('60')")
        self.go(self.a, "many")
        line = self.a.locator(".line.new")
        until("the line is on the screen", lambda: (place := line.bounding_box()) and 0 < place["y"] < 500)
        last = self.message(self.a, "line 59")
        self.checks.that("the last is not", not last.is_visible() or last.bounding_box()["y"] > 700)
        self.a.click(".log .down")
        self.see(self.a, "line 59")

    def thing_07(self) -> None:
        self.go(self.a, "talk")
        self.a.wait_for_selector(".line.day time")

    def thing_08(self) -> None:
        self.room("long")
        for number in range(400):
            self.desk.ben.call("send", to="long", text=f"story {number:03}")
        self.see(self.a, "story 399")
        # From the end on, of which alone a page has anything when it begins.
        until("it is read", lambda: self.is_read("long"))
        self.a.reload()
        self.see(self.a, "story 399")
        self.checks.that("not all is there at first", not self.a.locator(".text", has_text="story 000").count())
        deadline = time.monotonic() + 120
        while not self.a.locator(".text", has_text="story 000").count() and time.monotonic() < deadline:
            self.a.eval_on_selector(".log .scroll", "node => { node.scrollTop = 0; }")
            self.a.wait_for_timeout(50)
        self.checks.same("the first is there once", self.a.locator(".text", has_text="story 000").count(), 1)
        found = self.a.eval_on_selector_all(".message .text", "nodes => nodes.map(n => n.textContent)")
        self.checks.same(
            "all are there, in order",
            [t for t in found if t.startswith("story")],
            [f"story {number:03}" for number in range(400)],
        )
        self.a.click(".log .down")

    def thing_09(self) -> None:
        self.go(self.a, "long")
        self.a.click(".room .head button[aria-label='Go to a date']")
        self.a.fill("dialog input[type=date]", time.strftime("%Y-%m-%d"))
        self.dialog(self.a, "Go to it")
        self.a.locator(".text", has_text="story 000").wait_for()
        self.a.click(".log .down")

    def thing_10(self) -> None:
        self.room("replies")
        self.say(self.b, "who takes the keys?")
        self.see(self.a, "who takes the keys?")
        self.tool(self.a, "who takes the keys?", "Reply")
        self.say(self.a, "I do")
        self.message(self.b, "I do").locator(".quote", has_text="who takes the keys?").wait_for()
        self.message(self.b, "I do").locator(".quote").click()
        self.b.wait_for_selector(".pointed:has-text('who takes the keys?')")

    def thing_11(self) -> None:
        self.room("edits")
        self.say(self.a, "teh typo")
        self.see(self.b, "teh typo")
        self.a.wait_for_selector(".message:not(.pending):has-text('teh typo')")
        self.a.press(".composer textarea", "ArrowUp")
        self.a.wait_for_function("() => document.querySelector('.composer textarea').value === 'teh typo'")
        self.say(self.a, "the typo")
        self.message(self.b, "the typo").locator(".edited").wait_for()
        self.message(self.a, "the typo").locator(".edited").wait_for()

    def thing_12(self) -> None:
        self.room("deletes")
        self.say(self.a, "said in error")
        self.see(self.b, "said in error")
        self.tool(self.a, "said in error", "Delete")
        self.a.click("dialog button.danger")
        for page in (self.a, self.b):
            self.message(page, "said in error").wait_for(state="detached")

    def thing_13(self) -> None:
        self.room("reacts")
        self.say(self.b, "shall we?")
        self.see(self.a, "shall we?")
        self.tool(self.a, "shall we?", "React: 👍")
        self.message(self.b, "shall we?").locator(".reactions button", has_text="👍").wait_for()
        self.message(self.a, "shall we?").locator(".reactions button.own").click()
        for page in (self.a, self.b):
            self.message(page, "shall we?").locator(".reactions button").wait_for(state="detached")

    def thing_14(self) -> None:
        self.room("emoji")
        self.a.click(".composer button[aria-label='Emoji']")
        self.a.fill("dialog input", "rocket")
        self.a.click("dialog .emoji button[aria-label='rocket']")
        self.a.wait_for_function("() => document.querySelector('.composer textarea').value === '🚀'")
        self.a.wait_for_selector("dialog", state="detached")
        self.offered(":tada", "🎉", "🚀 ")
        self.a.keyboard.press("Enter")
        self.a.keyboard.press("Enter")
        self.see(self.b, "🚀 🎉")

    def thing_15(self) -> None:
        self.room("mentions")
        self.offered("hey @be", "ben")
        self.a.keyboard.press("Tab")
        self.a.keyboard.type("look")
        self.a.keyboard.press("Enter")
        self.see(self.b, "hey @ben look")
        found = self.desk.ben.call("history", to="mentions")["messages"]
        self.checks.that("ben is mentioned", any(m.get("mention") for m in found), found)

    def thing_16(self) -> None:
        self.room("called")
        self.go(self.b, "talk")
        self.say(self.a, "@ben come here")
        self.b.wait_for_selector(".conversation:has(bdi:text-is('called')) .count.call")
        self.go(self.b, "called")
        self.b.wait_for_selector(".message.mention:has-text('come here')")

    def thing_17(self) -> None:
        self.room("lines")
        self.a.focus(".composer textarea")
        self.a.keyboard.type("one")
        self.a.keyboard.press("Shift+Enter")
        self.a.keyboard.type("two")
        self.a.keyboard.press("Enter")
        self.see(self.b, "one\ntwo")
        pasted = "\n".join(f"pasted {number}" for number in range(40))
        self.a.evaluate("text => navigator.clipboard.writeText(text)", pasted)
        self.a.focus(".composer textarea")
        self.a.keyboard.press("Control+v")
        self.a.keyboard.press("Enter")
        until("ben has all in one", lambda: pasted in self.texts(self.desk.ben, "lines"))
        self.message(self.b, "pasted 0").locator("button:has-text('Show all')").click()

    def thing_18(self) -> None:
        self.room("acts")
        self.say(self.a, "/me waves")
        self.b.wait_for_selector(".message em:has-text('ada waves')")

    def thing_19(self) -> None:
        self.room("types")
        self.a.focus(".composer textarea")

        def is_shown() -> bool:
            self.a.keyboard.type("m")
            return self.b.locator(".typing:has-text('ada is typing')").count() > 0

        until("b shows it", is_shown)

    def thing_20(self) -> None:
        self.desk.ben.call("createConversation", person="@ada")
        self.desk.ada.call("createConversation", person="@ben")
        self.a.wait_for_selector(".conversation:has(bdi:text-is('ben')) .presence.online")

    def thing_21(self) -> None:
        self.room("ticks")
        self.b.bring_to_front()
        self.go(self.b, "ticks")
        self.say(self.a, "read me")
        self.see(self.b, "read me")
        self.message(self.a, "read me").locator(".tick:text-is('✓✓')").wait_for()
        self.tool(self.a, "read me", "Details")
        self.a.wait_for_selector("dialog .row:has-text('ben') .state:text-is('read')")
        self.shut(self.a)

    def thing_22(self) -> None:
        self.room("files")
        self.a.set_input_files(
            ".composer input[type=file]", {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"some notes"}
        )
        self.a.fill("dialog input", "the notes")
        self.dialog(self.a, "Send file")
        self.message(self.b, "notes.txt").wait_for()
        self.checks.that("with a word about it", "the notes" in self.message(self.b, "notes.txt").inner_text())

    def thing_23(self) -> None:
        self.go(self.a, "files")
        self.a.evaluate(
            """bytes => {
            const give = (kind, name, type, content, target) => {
                const data = new DataTransfer();
                data.items.add(new File([content], name, { type }));
                const event = kind === "paste" ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
                    : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
                // Firefox gives a script's event an empty clipboard.
                if (kind === "paste") Object.defineProperty(event, "clipboardData", { value: data });
                target.dispatchEvent(event);
            };
            window.give = give;
            give("drop", "dropped.bin", "application/octet-stream", "dropped", document.querySelector(".log"));
        }""",
            [],
        )
        self.dialog(self.a, "Send file")
        self.message(self.b, "dropped.bin").wait_for()
        self.a.evaluate(
            """bytes => window.give("paste", "pasted.png", "image/png", new Uint8Array(bytes),
            document.querySelector(".composer textarea"))""",
            list(picture()),
        )
        self.a.wait_for_selector("dialog img.thumb")
        self.dialog(self.a, "Send file")
        self.message(self.b, "pasted.png").wait_for()

    def thing_24(self) -> None:
        self.go(self.b, "files")
        image = self.message(self.b, "pasted.png").locator(".preview img")
        width = image.evaluate("image => image.decode().then(() => image.naturalWidth)")
        self.checks.same("the picture is whole", width, 64)
        button = self.message(self.b, "notes.txt").locator("button:has-text('Download')")
        self.checks.same("the file", self.desk.download(self.b, button.click), ("notes.txt", b"some notes"))

    def thing_25(self) -> None:
        self.go(self.a, "talk")
        self.a.keyboard.press("Control+Shift+F")
        self.a.fill("dialog input[type=search]", "story 123")
        self.a.keyboard.press("Enter")
        self.a.wait_for_selector("dialog .result mark")
        self.a.click("dialog .result >> nth=0")
        self.a.wait_for_selector(".pointed:has-text('story 123')")

    def thing_26(self) -> None:
        self.a.keyboard.press("Control+k")
        self.a.keyboard.type("talk")
        self.a.keyboard.press("Enter")
        self.a.wait_for_function("() => document.querySelector('.room .head h1').textContent === 'talk'")

    def thing_27(self) -> None:
        self.desk.ben.call("join", room="around")
        until("ada sees it", lambda: any(r["name"] == "around" for r in self.desk.ada.every("rooms")))
        for name in ("around", "created"):
            self.a.click("button[aria-label='New conversation']")
            self.a.fill("dialog section:nth-of-type(1) input", name)
            self.a.click("dialog section:nth-of-type(1) button.main")
            self.a.wait_for_function("name => document.querySelector('.room .head h1').textContent === name", arg=name)

    def thing_28(self) -> None:
        self.a.click("button[aria-label='New conversation']")
        self.a.fill("dialog section:nth-of-type(2) input", "@ben")
        self.a.click("dialog section:nth-of-type(2) button.main")
        self.a.wait_for_function("() => document.querySelector('.room .head h1').textContent === 'ben'")
        self.say(self.a, "just you and me")
        until("ben has it", lambda: "just you and me" in self.texts(self.desk.ben, "@ada"))

    def thing_29(self) -> None:
        carl = self.desk.newcomer("carl")
        try:
            carl.call("createConversation", person="@" + self.desk.ada.call("status")["person"])
            carl.call("send", to="@" + self.desk.ada.call("status")["person"], text="may I?")
            self.a.click(".conversation.request:has-text('carl')")
            self.a.wait_for_selector("dialog:has-text('may I?')")
            self.dialog(self.a, "Accept")
            self.see(self.a, "may I?")
        finally:
            carl.stop()

    def thing_30(self) -> None:
        self.a.click("button[aria-label='New conversation']")
        self.a.fill("dialog section:nth-of-type(3) input", "plans")
        self.a.click("dialog section:nth-of-type(3) button.main")
        self.a.wait_for_selector("dialog button:has-text('Show the invitation')")
        self.checks.same("the invitation is not shown unasked", self.a.locator("dialog code.secret").count(), 0)
        self.dialog(self.a, "Show the invitation")
        self.a.wait_for_selector("dialog svg.qr")
        line = self.a.locator("dialog code.secret").inner_text().replace("\n", "")
        self.shut(self.a)
        self.b.click("button[aria-label='New conversation']")
        self.b.fill("dialog section:nth-of-type(5) textarea", line)
        self.b.click("dialog section:nth-of-type(5) button.main")
        self.b.wait_for_function("() => document.querySelector('.room .head h1').textContent.includes('plans')")
        until("they meet", lambda: any(
            c["name"].endswith("plans") and c["members"] == 2 for c in self.desk.ada.every("conversations")
        ))
        self.say(self.b, "in secret")
        self.see(self.a, "in secret")

    def thing_31(self) -> None:
        self.a.click(".self")
        face = {"name": "me.png", "mimeType": "image/png", "buffer": picture(300)}
        self.a.set_input_files("dialog input[type=file]", face)
        self.a.wait_for_selector("dialog .face img")
        self.a.fill("dialog label:has-text('Name') input", "Ada L")
        self.a.fill("dialog label:has-text('Status') input", "counting")
        self.dialog(self.a, "Save")
        until("ben sees the name", lambda: any(p["name"] == "Ada L" for p in self.desk.ben.every("people")))
        self.b.wait_for_selector(".conversation:has(bdi:text-is('Ada L')) .face img")
        self.a.click(".self")
        self.a.fill("dialog label:has-text('Name') input", "ada")
        self.dialog(self.a, "Save")
        until("ben sees it again", lambda: any(p["name"] == "ada" for p in self.desk.ben.every("people")))

    def about_ben(self) -> None:
        self.go(self.a, "ben")
        self.a.click(".room .head .about")
        self.dialog(self.a, "About this person")
        self.a.wait_for_selector("dialog:has-text('Key:')")

    def thing_32(self) -> None:
        self.about_ben()
        self.dialog(self.a, "Compare keys")
        digits = self.a.locator("dialog .digits").inner_text()
        other = self.desk.ben.call("verify", person="@ada")["digits"]
        self.checks.same("both see the same", digits, other)
        self.dialog(self.a, "They are the same")
        until("ben is verified", lambda: self.desk.ada.call("whois", person="@ben")["verified"])

    def thing_33(self) -> None:
        self.about_ben()
        self.dialog(self.a, "Block")
        self.a.locator("dialog button.danger:has-text('Block')").last.click()
        until("ben is blocked", lambda: self.desk.ada.call("whois", person="@" + self.ben_id())["tier"] == "blocked")
        self.shut(self.a)
        self.desk.ada.call("unblock", person="@" + self.ben_id())
        self.desk.ada.call("addPerson", person="@" + self.ben_id())
        until("they are linked again", lambda: any(p["state"] == "linked" for p in self.desk.ada.every("peers")))

    def ben_id(self) -> str:
        return str(self.desk.ben.call("status")["person"])

    def thing_34(self) -> None:
        self.room("quiet")
        for word in ("Mute", "Archive"):
            self.a.click(".room .head .about")
            self.dialog(self.a, word)
            self.a.wait_for_selector("dialog", state="detached")
        found = next(c for c in self.desk.ada.every("conversations") if c["name"] == "quiet")
        self.checks.that("it is both", bool(found.get("muted") and found.get("archived")), found)
        self.a.wait_for_selector(".conversation:has(bdi:text-is('quiet'))", state="detached")
        self.a.click("button:has-text('Show archived')")
        self.a.wait_for_selector(".conversation:has(bdi:text-is('quiet'))")
        self.a.click("button:has-text('Hide archived')")

    def thing_35(self) -> None:
        self.room("short")
        self.say(self.a, "gone soon")
        self.see(self.a, "gone soon")
        self.a.click(".room .head .about")
        self.a.select_option("dialog select", "7")
        self.a.locator("dialog .form:has(select) button:has-text('Save')").click()
        self.a.wait_for_selector("dialog", state="detached")
        found = next(c for c in self.desk.ada.every("conversations") if c["name"] == "short")
        self.checks.same("kept for", found.get("retainDays"), 7)
        self.a.click(".room .head .about")
        self.dialog(self.a, "Delete from this machine")
        self.a.locator("dialog", has_text="deleted from this machine").locator("button.danger").last.click()
        self.a.wait_for_selector(".conversation:has(bdi:text-is('short'))", state="detached")

    def thing_36(self) -> None:
        self.a.click("button[aria-label='Settings']")
        self.dialog(self.a, "Realms")
        self.a.fill("dialog label:has-text('Name of the realm') input", "office")
        self.dialog(self.a, "Create")
        self.a.locator("dialog li:has-text('office') button:has-text('Invitation')").click()
        self.dialog(self.a, "Show the invitation")
        line = self.a.locator("dialog code.secret").inner_text().replace("\n", "")
        self.checks.that("it is an invitation", line.startswith("stoa:realm?"), line[:20])
        self.shut(self.a)

    def thing_37(self) -> None:
        self.a.click("button[aria-label='Settings']")
        self.a.select_option("dialog label:has-text('ReadMarks') select", "private")
        until("it is set", lambda: any(
            s["name"] == "ReadMarks" and s["value"] == "private" for s in self.desk.ada.every("settings")
        ))
        self.a.select_option("dialog label:has-text('ReadMarks') select", "shown")
        self.a.select_option("dialog label:has-text('Colours') select", "dark")
        self.checks.same("dark", self.a.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(21, 25, 28)")
        self.a.select_option("dialog label:has-text('Colours') select", "auto")
        self.shut(self.a)

    def thing_38(self) -> None:
        self.a.click("button[aria-label='Settings']")
        self.dialog(self.a, "Backup")
        _, content = self.desk.download(self.a, lambda: self.dialog(self.a, "Save a backup"))
        phrase = self.a.locator("dialog code.secret").inner_text()
        self.checks.that("there is content", len(content) > 500, len(content))
        self.checks.same("and a phrase of six words", len(phrase.split()), 6)
        self.shut(self.a)

    def thing_39(self) -> None:
        self.a.click("button[aria-label='Settings']")
        self.dialog(self.a, "Check the connection")
        self.a.wait_for_selector("dialog[aria-label='Check the connection'] :is(.lead, li)")
        self.shut(self.a)

    def thing_40(self) -> None:
        self.room("drafts")
        self.a.focus(".composer textarea")
        self.a.keyboard.type("half a sent")
        self.a.reload()
        self.a.wait_for_selector("html[data-ready]")
        self.go(self.a, "drafts")
        self.checks.same("the draft", self.a.input_value(".composer textarea"), "half a sent")
        self.desk.ada.stop()
        self.a.wait_for_selector(".banner:not([hidden])")
        self.say(self.a, "written while it was away")
        self.message(self.a, "written while it was away").wait_for()
        self.desk.ada.start()
        until("ben has it", lambda: "written while it was away" in self.texts(self.desk.ben, "drafts"))
        self.a.wait_for_selector(".message:not(.pending):has-text('written while it was away')")
        self.checks.same("once", self.texts(self.desk.ben, "drafts").count("written while it was away"), 1)
        # Of a picture that was asked for while it was away.
        self.desk.faults[:] = [fault for fault in self.desk.faults if "502 (Bad Gateway)" not in fault]


def act(desk: Desk, given: argparse.Namespace) -> None:
    if given.keys:
        keys.install()
    things = Things(desk, given.keys)
    wanted = {int(number) for number in given.only}
    for number, words in sorted(listed().items()):
        if wanted and number not in wanted | {1}:
            continue
        desk.checks.context = f"{number}. {words} "
        desk.faults.clear()
        try:
            method: Callable[[], None] = getattr(things, f"thing_{number:02}")
            method()
            desk.checks.same("without a complaint", desk.faults, [])
        except Exception as error:  # noqa: BLE001  One that fails does not end the others.
            desk.checks.fail("it can be done", str(error)[:600])
            if given.pictures:
                given.pictures.mkdir(parents=True, exist_ok=True)
                for name in ("a", "b"):
                    if hasattr(things, name):
                        getattr(things, name).screenshot(path=given.pictures / f"failed-{number:02}-{name}.png")
            for page in (things.a, things.b):
                things.shut(page)
    desk.checks.context = ""


if __name__ == "__main__":
    run(act)
