#!/usr/bin/env python3
"""Attacks the page: other users, foreign pages, texts and files of others, and what is too large or too slow.

    attacks.py FOLDER --work FOLDER

Runs only in a network that has nothing but a loopback interface. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import base64
import http.server
import os
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path
from typing import Any

import pages  # noqa: F401  Finds the drivers.
from pages import HERE, Desk, picture, run
from playwright.sync_api import Error, Page

from Driver.process import memory_bytes, until, wake_ups

sys.path.insert(0, str(HERE.parent / "Chat"))
from naughty import NAUGHTY  # noqa: E402

NOBODY = 65_534
# For whatever the program answers or ends; a machine with other work to do takes long for all of it.
SECONDS = 120
MARKUP = [
    "<script>window.taken = 1</script>",
    "<img src=x onerror='window.taken = 1'>",
    "<svg/onload=window.taken=1>",
    '"><iframe src=javascript:parent.taken=1>',
    "<style>*{display:none}</style>",
    "javascript:window.taken=1",
    "</p></li></ol><h1>FAKE</h1>",
    "{{constructor.constructor('taken=1')()}}",
    "${window.taken=1}",
    "&lt;b&gt;",
    "<a href='javascript:taken=1'>x</a>",
    "http://good.example@evil.example/",
    "https://еxample.org/",
    "https://a\u202eb.example/",
    "data:text/html,<script>opener.taken=1</script>",
    "<meta http-equiv=refresh content='0;url=http://evil.example'>",
    "__proto__",
    "constructor",
    "toString",
    "';window.taken=1//",
    "<base href=//evil.example>",
    "<link rel=stylesheet href=//evil.example>",
]


class Attack:
    def __init__(self, desk: Desk) -> None:
        self.desk, self.checks = desk, desk.checks
        self.page: Page = desk.open(desk.ada)
        self.host = self.page.url.split("/")[2]
        self.port = int(self.host.rpartition(":")[2])
        self.key = self.page.evaluate("() => sessionStorage.getItem('stoa-key')")
        self.process = desk.program(desk.ada)

    # ---- Requests by hand

    def ask(
        self, path: str, method: str = "GET", body: bytes = b"", **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of an answer; 0 where there is none."""
        lines = [f"{method} {path} HTTP/1.1"]
        given = {"Host": self.host, **{name.replace("_", "-"): value for name, value in headers.items()}}
        lines += [f"{name}: {value}" for name, value in given.items() if value]
        if body or method == "POST":
            lines.append(f"Content-Length: {len(body)}")
        with socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) as connection:
            try:
                connection.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1") + body)
                answer = b""
                while part := connection.recv(65_536):
                    answer += part
                    if b"101 Switching" in answer:
                        break
            except (TimeoutError, ConnectionError):
                return 0, {}, b""
        head, _, content = answer.partition(b"\r\n\r\n")
        if not head:
            return 0, {}, b""
        rows = head.decode("latin-1").split("\r\n")
        found = {name.lower(): value.strip() for name, _, value in (row.partition(":") for row in rows[1:])}
        return int(rows[0].split()[1]), found, content

    def status(self, path: str, method: str = "GET", body: bytes = b"", **headers: str) -> int:
        return self.ask(path, method, body, **headers)[0]

    # Shows: page.sites
    def origins(self) -> None:
        own, checks = f"http://{self.host}", self.checks
        checks.same("the page is served to its own host", self.status("/"), 200)
        for host in ("localhost:%d" % self.port, "evil.example", "127.0.0.1", f"[::1]:{self.port}", "127.0.0.1:1"):
            checks.same(f"to {host} as a host it is not", self.status("/", Host=host), 421)
        for origin in ("http://evil.example", "null", "", "http://127.0.0.1:1", "http://localhost:%d" % self.port):
            for path, method in (("/enter", "POST"), ("/file", "POST"), ("/ws", "GET")):
                checks.same(
                    f"{path} from {origin or 'nowhere'}",
                    self.status(path, method, b"x", Origin=origin, X_Stoa_Key=self.key),
                    403,
                )
        checks.same("a wrong token", self.status("/enter", "POST", b"A" * 43, Origin=own), 403)
        checks.that("a huge token", self.status("/enter", "POST", b"A" * 100_000, Origin=own) in (0, 403, 413))
        checks.same("no key", self.status("/file/" + "a" * 52), 401)
        checks.same("a wrong key", self.status("/file/" + "a" * 52, X_Stoa_Key="B" * 43), 401)
        checks.same("an upload without a key", self.status("/file", "POST", b"x", Origin=own), 401)
        checks.same("another method", self.status("/", "PUT", b"x", Origin=own), 405)
        checks.same("a large head", self.status("/", X_Large="x" * 9_000), 431)
        for site in ("cross-site", "same-site"):
            checks.same(
                f"a script asked for by another site ({site})", self.status("/main.js", Sec_Fetch_Site=site), 403
            )
        for path in (
            "/../../etc/passwd",
            "/%2e%2e/etc/passwd",
            "/main.js%00.html",
            "//etc/passwd",
            "/CPage",
            "/file/../enter",
        ):
            checks.same(f"{path}", self.status(path, X_Stoa_Key=self.key), 404)
        headers = self.ask("/")[1]
        for name, part in (
            ("content-security-policy", "default-src 'none'"),
            ("content-security-policy", "trusted-types 'none'"),
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cache-control", "no-store"),
        ):
            checks.that(f"{name} says {part}", part in headers.get(name, ""), headers)
        checks.that("no cookie", "set-cookie" not in headers)

    # Shows: page.tokens
    def tokens(self) -> None:
        path = self.desk.redirect(self.desk.ada)
        mode = path.stat().st_mode & 0o777
        self.checks.same("the file is for its owner only", mode, 0o600)
        text = path.read_text()
        token = text.split("/#")[1].split('"')[0]
        own = f"http://{self.host}"
        self.checks.same("a token works", self.status("/enter", "POST", token.encode(), Origin=own), 200)
        self.checks.same("and works once", self.status("/enter", "POST", token.encode(), Origin=own), 403)
        self.checks.that("its file is gone", not path.exists())
        commands = ""
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                commands += path.read_bytes().replace(b"\0", b" ").decode(errors="replace") + "\n"
            except OSError:  # It has ended meanwhile.
                continue
        self.checks.that("no command line names a token or a key", token not in commands and self.key not in commands)
        code = self.desk.ada.output("web", "--code").split()
        self.checks.same("a code leads to the same page", code[0], f"http://{self.host}/")
        self.checks.same("it works", self.status("/enter", "POST", code[1].encode(), Origin=own), 200)
        page = self.desk.context().new_page()
        page.goto(code[0])
        page.wait_for_selector("main.alone input")
        page.fill("main.alone input", self.desk.ada.output("web", "--code").split()[1])
        page.press("main.alone input", "Enter")
        page.wait_for_selector("html[data-ready]")
        self.checks.that("typed into the page it opens it", True)
        page.context.close()

    # ---- Another user of this machine

    # Shows: page.users
    def other_user(self) -> None:
        script = f"""
import os, socket, sys
found = []
for name in ({str(self.desk.ada.socket)!r}, {str(self.desk.ada.socket.parent / "web.sock")!r}):
    try:
        socket.socket(socket.AF_UNIX).connect(name); found.append('socket')
    except OSError: pass
s = socket.create_connection(('127.0.0.1', {self.port}), 5)
try:
    s.sendall(b'GET / HTTP/1.1\\r\\nHost: {self.host}\\r\\n\\r\\n')
    if s.recv(100): found.append('page')
except OSError: pass
try: found.append(open('/proc/{self.process}/environ').read()[:0] + 'environ')
except OSError: pass
print(found)
"""
        done = subprocess.run(
            [
                *("setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"),
                *("/usr/bin/python3", "-c", script),
            ],
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        self.checks.same("another user gets nothing", done.stdout.strip(), "[]")
        self.checks.same("the user gets the page all the same", self.status("/"), 200)

    # ---- A foreign page in the same browser

    # Shows: page.sites
    def foreign_page(self) -> None:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:  # noqa: N802
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!DOCTYPE html><title>foreign</title>")

            def log_message(self, *_: Any) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        context = self.page.context
        foreign = context.new_page()
        foreign.goto(f"http://127.0.0.1:{server.server_port}/")
        found = foreign.evaluate(
            """async ({ host, key }) => {
            const out = [];
            await new Promise((resolve) => {
                const socket = new WebSocket(`ws://${host}/ws`);
                socket.onopen = () => { out.push("socket"); resolve(); };
                socket.onerror = resolve;
            });
            for (const mode of ["cors", "no-cors"]) {
                try {
                    const answer = await fetch(`http://${host}/main.js`, { mode, headers: mode === "cors" ? { "X-Stoa-Key": key } : {} });
                    if (answer.ok || (await answer.text())) out.push(`fetch ${mode}`);
                } catch { /* as it should be */ }
            }
            try { await fetch(`http://${host}/enter`, { method: "POST", mode: "no-cors", body: "x" }).then((a) => a.ok && out.push("post")); } catch { /* as it should be */ }
            await new Promise((resolve) => {
                const script = document.createElement("script");
                script.src = `http://${host}/emoji.js`; script.type = "module";
                script.onload = () => { out.push("script"); resolve(); };
                script.onerror = resolve;
                document.body.append(script);
            });
            await new Promise((resolve) => {
                const image = new Image();
                image.onload = () => { out.push("image"); resolve(); };
                image.onerror = resolve;
                image.src = `http://${host}/icon.svg`;
            });
            const frame = document.createElement("iframe");
            frame.src = `http://${host}/`;
            document.body.append(frame);
            await new Promise((resolve) => setTimeout(resolve, 500));
            try { if (frame.contentDocument?.querySelector("#app")) out.push("frame"); } catch { /* as it should be */ }
            const opened = window.open(`http://${host}/`);
            await new Promise((resolve) => setTimeout(resolve, 500));
            try { if (opened && opened.sessionStorage.length) out.push("opened"); } catch { /* as it should be */ }
            return out;
        }""",
            {"host": self.host, "key": self.key},
        )
        self.checks.same("what a foreign page of the same browser gets", found, [])
        # A server of another user on this machine gets no cookie and no key, since there is none to send.
        self.checks.same("cookies of the browser", context.cookies(), [])
        foreign.close()
        server.shutdown()

    # ---- What others write

    # Shows: page.text
    def texts(self) -> None:
        ada, ben, page, checks = self.desk.ada, self.desk.ben, self.page, self.checks
        for daemon in (ada, ben):
            daemon.call("join", room="hostile")
        page.evaluate("() => { window.taken = 0; }")
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.on("dialog", lambda dialog: (requests.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.click(".conversation:has(bdi:text-is('hostile'))")
        sent = 0
        for text in [*NAUGHTY, *MARKUP]:
            try:
                ben.call("send", to="hostile", text=text)
                sent += 1
            except Exception as error:  # noqa: BLE001  What cannot be sent does no harm.
                checks.say(f"refused: {str(error)[:60]}")
        ben.call("send", to="hostile", text="the last")
        page.wait_for_selector(".message:has-text('the last')")
        shape = page.evaluate("""() => {
            const texts = [...document.querySelectorAll(".messages .text")];
            return {
                nodes: [...new Set(texts.flatMap((t) => [...t.querySelectorAll("*")].map((n) => n.tagName)))].sort(),
                links: texts.flatMap((t) => [...t.querySelectorAll("a")].map((a) => [a.href, a.textContent])),
                wide: document.documentElement.scrollWidth > innerWidth,
                outside: texts.filter((t) => getComputedStyle(t).unicodeBidi !== "isolate").length,
                taken: window.taken, title: document.title,
                elements: document.querySelectorAll("script, iframe, object, embed, base, meta[http-equiv], style").length,
            };
        }""")
        checks.same("nothing ran", shape["taken"], 0)
        checks.that("texts hold nothing but links", set(shape["nodes"]) <= {"A"}, shape["nodes"])
        checks.that(
            "each link leads where it says",
            shape["links"]
            and all(
                address.startswith(("http://", "https://"))
                and address.isascii()
                and "@" not in address
                and address.rstrip("/") == text.rstrip("/")
                and len(text) > 9
                for address, text in shape["links"]
            ),
            shape["links"],
        )
        checks.that("nothing is wider than the page", not shape["wide"])
        checks.same("each text keeps its direction to itself", shape["outside"], 0)
        checks.same("no element came in", shape["elements"], 1)
        checks.that(
            "nobody was asked for anything elsewhere",
            all(url.startswith((f"http://{self.host}/", "blob:")) for url in requests),
            requests,
        )
        heights = page.evaluate(
            "() => [...document.querySelectorAll('.messages .message')].map(n => n.getBoundingClientRect().height)"
        )
        checks.that("no message is as long as it likes", max(heights) < 1_200, max(heights))
        for text in MARKUP[:8] + ["x" * 40, "\u202eadmin"]:
            for act in (
                lambda t=text: ben.call("profile", name=t[:60]),
                lambda t=text: ben.call("profile", name="ben", status=t[:100]),
                lambda t=text: ben.call("topic", to="hostile", text=t),
                lambda t=text: ben.call("react", id=self.last(), sign=t[:30]),
            ):
                try:
                    act()
                except Exception:  # noqa: BLE001  What is refused does no harm.
                    pass
        ben.call("profile", name="ben", status="")
        page.click(".room .head .about")
        page.wait_for_selector("dialog .people")
        page.keyboard.press("Escape")
        checks.same("nothing ran by a name, a topic or a reaction", page.evaluate("() => window.taken"), 0)

    def last(self) -> str:
        return str(self.desk.ben.call("history", to="hostile", limit=1)["messages"][-1]["id"])

    # ---- Files of others

    # Shows: page.text
    def files(self) -> None:
        page, checks = self.page, self.checks
        html = b"<html><script>window.taken=1</script>"
        svg = b"<svg xmlns='http://www.w3.org/2000/svg' onload='window.taken=1'><script>window.taken=1</script></svg>"
        kinds = {
            "page.html": ("text/html", html),
            "drawing.svg": ("image/svg+xml", svg),
            "page.png": ("image/png", html),
            "drawing.jpeg": ("image/jpeg", svg),
            "gif-and-script.gif": ("image/gif", b"GIF89a/*" + b"\0" * 20 + b"*/=1;window.taken=1//"),
            "true.png": ("image/png", picture()),
            "cut.png": ("image/png", picture()[:200]),
            "empty.png": ("image/png", b""),
            "bomb.png": ("image/png", self.bomb()),
            "../../escape.txt": ("text/plain", b"x"),
            "<b>name</b>.txt": ("text/plain", b"x"),
            "\u202egnp.exe": ("application/x-msdownload", b"MZ"),
        }
        ids: dict[str, str] = {}
        for name, (kind, content) in kinds.items():
            path = self.desk.folder / "content"
            path.write_bytes(content)
            try:
                found = self.desk.ben.json("send", "hostile", "--file", str(path), "--name", name, "--type", kind)
                ids[name] = found[0]["id"]
            except Exception as error:  # noqa: BLE001  What cannot be sent does no harm.
                checks.say(f"{name!r} is refused: {str(error)[-80:]}")
        page.wait_for_selector(f".message:has-text('{list(ids)[-1][-4:]}')")
        page.locator(".message:has-text('true.png') .preview img").scroll_into_view_if_needed()
        page.wait_for_timeout(1_500)
        shown = page.evaluate("""() => [...document.querySelectorAll(".preview img")].map((i) => i.alt)""")
        checks.that("a true picture is shown", "true.png" in shown, shown)
        for name in ("page.png", "drawing.jpeg", "drawing.svg", "page.html"):
            checks.that(f"{name} is not shown", name not in shown, shown)
        bomb = page.locator(".message:has-text('bomb.png')")
        bomb.scroll_into_view_if_needed()
        bomb.locator(".preview .state", has_text="Too large to show here").wait_for()
        checks.same("a picture of too many pixels is not shown", bomb.locator(".preview img").count(), 0)
        checks.same("and can be had all the same", bomb.locator("button:text-is('Download')").count(), 1)
        (self.desk.folder / "content").write_bytes(self.bomb(5_000))
        self.desk.ben.output("profile", "--picture", str(self.desk.folder / "content"))
        until("it is known here", lambda: self.desk.ada.call("whois", person="@ben").get("picture"))
        self.desk.ada.output("picture", "@ben", "-o", str(self.desk.folder / "face"))

        def is_asked_for() -> bool:
            # The page learns a moment after the daemon that there is one.
            try:
                with page.expect_response(lambda a: "/picture/" in a.url and a.status == 200, timeout=10_000):
                    page.locator(".message .author").first.click()
            except Error:
                page.keyboard.press("Escape")
                return False
            return True

        until("the page asks for it", is_asked_for)
        page.wait_for_timeout(500)
        checks.same("nor is one that is somebody's face", page.locator(".face img").count(), 0)
        page.keyboard.press("Escape")
        checks.same("nothing ran", page.evaluate("() => window.taken"), 0)
        for name in ("page.html", "drawing.svg", "true.png"):
            status, headers, _ = self.ask(f"/file/{ids[name]}", X_Stoa_Key=self.key)
            checks.same(f"{name} can be had", status, 200)
            checks.same(f"{name} as no page", headers.get("content-type"), "application/octet-stream")
            checks.same(f"{name} as an attachment", headers.get("content-disposition"), "attachment")
            checks.that(
                f"{name} in a sandbox", headers.get("content-security-policy", "").startswith("sandbox"), headers
            )
            checks.same(f"{name} by its type alone", headers.get("x-content-type-options"), "nosniff")
        for name in ("page.html", "drawing.svg", "page.png", "drawing.jpeg"):
            checks.same(f"{name} as a picture", self.status(f"/image/{ids[name]}", X_Stoa_Key=self.key), 415)
        status, headers, content = self.ask(f"/image/{ids['true.png']}", X_Stoa_Key=self.key)
        checks.same(
            "a true picture by its own type",
            (status, headers.get("content-type"), content),
            (200, "image/png", picture()),
        )
        self.page.fill(".composer textarea", "still here")
        self.page.press(".composer textarea", "Enter")
        page.wait_for_selector(".message:not(.pending):has-text('still here')")
        checks.that("the page goes on after a bomb", True)

    @staticmethod
    def bomb(side: int = 20_000) -> bytes:
        """A PNG of so many pixels that some hundred kilobytes are much to unpack."""

        def chunk(kind: bytes, content: bytes) -> bytes:
            return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

        rows = zlib.compress((b"\0" * (side // 8 + 1)) * side, 9)
        return (
            b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0))
            + chunk(b"IDAT", rows)
            + chunk(b"IEND", b"")
        )

    # ---- What is too large, too slow, too much

    def handshake(self) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS)
        key = base64.b64encode(os.urandom(16)).decode()
        connection.sendall(
            (
                f"GET /ws HTTP/1.1\r\nHost: {self.host}\r\nOrigin: http://{self.host}\r\nUpgrade: websocket\r\n"
                f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
            ).encode()
        )
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(1)
        assert b" 101 " in head.split(b"\r\n")[0], head
        return connection

    @staticmethod
    def frame(content: bytes, kind: int = 1) -> bytes:
        size = len(content)
        head = bytes([0x80 | kind]) + (
            bytes([0x80 | size])
            if size < 126
            else bytes([0xFE]) + struct.pack(">H", size)
            if size < 65_536
            else bytes([0xFF]) + struct.pack(">Q", size)
        )
        return head + b"\0\0\0\0" + content

    @staticmethod
    def more(connection: socket.socket) -> bytes:
        found = connection.recv(65_536)
        if not found:
            raise ConnectionError("the program has ended the connection")
        return found

    @staticmethod
    def ended(connection: socket.socket) -> int:
        """With which code the other side has ended it; 0 where it just closed."""
        found = b""
        try:
            while part := connection.recv(65_536):
                found += part
        except ConnectionError:
            pass
        place = found.rfind(b"\x88\x02")
        return int.from_bytes(found[place + 2 : place + 4], "big") if place >= 0 else 0

    def limits(self) -> None:
        checks = self.checks
        slow = socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS)
        slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
        begun = time.monotonic()
        mute = self.handshake()
        for content, code in (
            (b'{"key":"wrong"}', 4_001),
            (b"", 4_001),
            (b"[" * 100_000, 4_001),
            (b'{"key":' + b'{"a":' * 5_000, 4_001),
        ):
            with self.handshake() as connection:
                connection.sendall(self.frame(content))
                checks.same(f"a first message that is no key: {content[:20]!r}", self.ended(connection), code)
        for bytes_, code in (
            (b"\x81\x05hello", 1_002),
            (b"\xff\xff", 1_002),
            (b"\x82\x80\0\0\0\0", 1_003),
            (b"\x81\xff" + struct.pack(">Q", 1 << 40) + b"\0\0\0\0", 1_009),
        ):
            with self.handshake() as connection:
                connection.sendall(bytes_)
                checks.same(f"frames that are none: {bytes_[:8]!r}", self.ended(connection), code)
        with self.handshake() as connection:
            connection.sendall(self.frame(b'{"key":"%s"}' % self.key.encode()))
            connection.sendall(
                self.frame(b'{"jsonrpc":"2.0","id":1,"method":"restore","params":{"file":"/x","phrase":"y"}}')
            )
            answer = b""
            while b'"id":1' not in answer:
                answer += self.more(connection)
            checks.that("a method that is not for pages", b"notForPages" in answer, answer)
            connection.sendall(self.frame(b"[" * 200_000))
            connection.sendall(self.frame(b'{"jsonrpc":"2.0","id":2,"method":"status"}'))
            answer = b""
            while b'"id":2' not in answer:
                answer += self.more(connection)
            checks.that("what is nested too deep is refused, and the connection goes on", True)
        others = []
        for _ in range(9):
            connection = self.handshake()
            connection.sendall(self.frame(b'{"key":"%s"}' % self.key.encode()))
            others.append(connection)
        # This page is the first of eight.
        checks.same("a ninth page is refused", self.ended(others[-1]), 4_008)
        for connection in others:
            connection.close()
        begun_many = [socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) for _ in range(70)]
        checks.same("a head that does not come is given up", slow.recv(100), b"")
        head = time.monotonic() - begun
        self.ended(mute)
        key = time.monotonic() - begun
        checks.say(f"MEASURED page: a head is waited for {head:.1f} s, a key {key:.1f} s (due 10)")
        # Ten times what is due: neither is waited for without end.
        checks.that("and a key, too", max(head, key) <= 100, (head, key))
        for connection in begun_many:
            connection.close()
        until("the page is served after that", lambda: self.status("/") == 200)
        checks.that("the page is served after that", True)

    def rest(self) -> None:
        """Nothing happens, and the program sleeps."""
        time.sleep(12)
        # What others do reaches a page, too: of so many times one is quiet.
        for _ in range(12):
            before = wake_ups(self.process)
            time.sleep(5)
            if (woken := wake_ups(self.process) - before) == 0:
                break
        memory = memory_bytes(self.process)
        self.checks.say(f"MEASURED page: {woken} wake-ups of stoa-web in five idle seconds, {memory / 2**20:.1f} MiB")
        self.checks.same("wake-ups of stoa-web", woken, 0)
        # A debug build is larger than what people install.
        if "release" in str(self.desk.ada.programs.stoa):
            self.checks.that("it has at most 16 MiB", memory <= 16 << 20, memory)


def act(desk: Desk, _: argparse.Namespace) -> None:
    attack = Attack(desk)
    for name in ("origins", "tokens", "other_user", "foreign_page", "texts", "files", "limits", "rest"):
        desk.checks.context = f"{name}: "
        try:
            getattr(attack, name)()
        except Exception as error:  # noqa: BLE001  One that fails does not end the others.
            desk.checks.fail("it goes on", repr(error)[:1500])
    desk.checks.context = ""


if __name__ == "__main__":
    if not shutil.which("setpriv"):
        sys.exit(77)
    run(act)
