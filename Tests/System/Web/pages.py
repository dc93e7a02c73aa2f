"""Two daemons, the program behind each page, and pages in Chromium."""

from __future__ import annotations

import argparse
import os
import re
import signal
import struct
import sys
import zlib
from pathlib import Path
from typing import Any, Callable

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright  # noqa: E402

from Driver.checks import Broken, Checks  # noqa: E402
from Driver.daemon import Daemon, Programs  # noqa: E402
from Driver.network import demand_own_network  # noqa: E402
from Driver.process import until  # noqa: E402

ON_LOOPBACK = ["--interface", "lo", "--discovery", "embedded"]
CHROMIUM = "/usr/bin/chromium-headless-shell"
FIREFOX = "/usr/bin/firefox-esr"
# For what has no time of its own; a machine with other work to do takes long for all of it.
PATIENCE_MILLISECONDS = 120_000
# What notes said, which are gone after three seconds.
NOTES = """window.notes = [];
    new MutationObserver((changes) => {
        for (const { addedNodes } of changes) for (const node of addedNodes) {
            if (node.classList?.contains("toast")) window.notes.push(node.textContent);
        }
    }).observe(document, { childList: true, subtree: true });"""
DOCS = HERE.parents[2] / "Docs"


def listed() -> dict[int, str]:
    """The things that people do by number, as Docs/Web.md says them."""
    text = (DOCS / "Web.md").read_text()
    part = text[text.index("## Things people do") :]
    return {
        int(number): " ".join(words.split()) for number, words in re.findall(r"^(\d+)\. (.+(?:\n   .+)*)", part, re.M)
    }


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--keys", action="store_true")
    parser.add_argument("--firefox", action="store_true")
    return parser.parse_args()


def picture(side: int = 64) -> bytes:
    """A PNG of many colours."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = b"".join(b"\0" + b"".join(bytes([x * 4 % 256, y * 4 % 256, 120]) for x in range(side)) for y in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Desk:
    """ada and ben, each with a daemon; pages are opened as people open them."""

    def __init__(self, programs: Path, folder: Path, browser: Browser, checks: Checks) -> None:
        self.folder, self.browser, self.checks = folder, browser, checks
        self.downloads = folder / "downloads"
        folder.mkdir(parents=True, exist_ok=True)
        self.ada, self.ben = (
            Daemon(Programs.within(programs), folder, name, [*ON_LOOPBACK, "--name", name]) for name in ("ada", "ben")
        )
        self.contexts: list[BrowserContext] = []
        self.faults: list[str] = []

    @property
    def is_firefox(self) -> bool:
        return self.browser.browser_type.name == "firefox"

    def begin(self) -> None:
        for daemon in (self.ada, self.ben):
            daemon.start()
            daemon.call("join", room="meeting")
        until("the two are linked", lambda: any(peer["state"] == "linked" for peer in self.ada.every("peers")))
        for daemon, name in ((self.ada, "ben"), (self.ben, "ada")):
            until(
                f"{name} is known by name",
                lambda d=daemon, n=name: any(member["name"] == n for member in d.every("members", to="meeting")),
            )
        for one, other in ((self.ada, self.ben), (self.ben, self.ada)):
            one.call("addPerson", person="@" + other.call("status")["person"])

    def newcomer(self, name: str) -> Daemon:
        """Somebody whom nobody knows yet."""
        daemon = Daemon(self.ada.programs, self.folder, name, [*ON_LOOPBACK, "--name", name])
        daemon.start()
        daemon.call("join", room="meeting")
        until(f"{name} is linked", lambda: any(p["name"] == "ada" for p in daemon.every("peers")))
        return daemon

    def redirect(self, daemon: Daemon, *words: str) -> Path:
        return Path(daemon.output("web", "--no-open", *words).splitlines()[-1])

    def context(self, **more: Any) -> BrowserContext:
        context = self.browser.new_context(
            viewport={"width": 1280, "height": 800},
            locale="en-GB",
            **({} if self.is_firefox else {"permissions": ["clipboard-read", "clipboard-write"]}),
            **more,
        )
        context.set_default_timeout(PATIENCE_MILLISECONDS)
        context.add_init_script(NOTES)
        self.contexts.append(context)
        return context

    def open(self, daemon: Daemon, *words: str, **more: Any) -> Page:
        """A page in a window of its own, once it is ready."""
        page = self.context(**more).new_page()
        self.watch(page)
        page.goto(self.redirect(daemon, *words).as_uri())
        page.wait_for_selector("html[data-ready]")
        return page

    @staticmethod
    def noted(page: Page, text: str) -> None:
        """Waits until a note has said it; each counts once."""
        page.wait_for_function(
            """text => { const place = window.notes.findIndex((note) => note.includes(text));
                if (place >= 0) window.notes.splice(place, 1);
                return place >= 0; }""",
            arg=text,
        )

    def watch(self, page: Page) -> None:
        """Whatever a page complains about is a fault."""
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on(
            "console",
            lambda message: (
                message.type in ("error", "warning") and self.faults.append(f"{message.type}: {message.text}")
            ),
        )

    def download(self, page: Page, act: Callable[[], None]) -> tuple[str, bytes]:
        """The name and the content of the file that the browser saves when something is done."""
        if not self.is_firefox:
            with page.expect_download() as download:
                act()
            return download.value.suggested_filename, Path(download.value.path()).read_bytes()
        folder = self.downloads
        for path in folder.iterdir():
            path.unlink()
        act()
        until("it is saved", lambda: any(folder.iterdir()) and not any(folder.glob("*.part")))
        path = next(folder.iterdir())
        return path.name, path.read_bytes()

    @staticmethod
    def program(daemon: Daemon) -> int:
        """The process behind the pages of a daemon; 0 where there is none."""
        wanted = f"stoa-web\0--socket\0{daemon.socket}\0".encode()
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    if (folder / "cmdline").read_bytes().endswith(wanted):
                        return int(folder.name)
                except OSError:
                    continue
        return 0

    def close(self) -> None:
        for context in self.contexts:
            context.close()
        # It would end by itself ten minutes later.
        for daemon in (self.ada, self.ben):
            while process := self.program(daemon):
                os.kill(process, signal.SIGTERM)
                until("stoa-web ends", lambda p=process: not Path(f"/proc/{p}/exe").exists())
        for daemon in (self.ada, self.ben):
            daemon.stop()


def run(act: Callable[[Desk, argparse.Namespace], None], prepare: Callable[[Path], None] = lambda _: None) -> None:
    given = arguments()
    demand_own_network("unshare --net")
    checks = Checks()
    prepare(given.work)
    with sync_playwright() as playwright:
        if not Path(FIREFOX if given.firefox else CHROMIUM).exists():
            sys.exit(77)
        if given.firefox:
            # By WebDriver BiDi, which tells nothing of downloads.
            downloads = given.work / "downloads"
            downloads.mkdir(parents=True)
            browser = playwright.firefox.launch(
                channel="moz-firefox",
                executable_path=FIREFOX,
                firefox_user_prefs={"browser.download.folderList": 2, "browser.download.dir": str(downloads)},
            )
        else:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        desk = Desk(given.programs, given.work, browser, checks)
        try:
            desk.begin()
            act(desk, given)
        except Broken as error:
            checks.fail("the run goes on", error)
        finally:
            desk.close()
            browser.close()
    sys.exit(checks.report())
