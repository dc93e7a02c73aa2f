#!/usr/bin/python3
"""Tells of messages at a desktop: stoa-notify, a bus of its own, and a server that notes what it is asked.

    notify.py FOLDER --work FOLDER [--keep PICTURE]

Then the same with dunst on a screen that nobody sees, of which a picture is taken. Needs Debian's python3-dbus,
python3-gi, dunst and xvfb. Runs only in a network that has nothing but a loopback interface. Ends with
`N passed, N failed`.
"""

from __future__ import annotations

import argparse
import shutil
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import dbus  # noqa: E402
import dbus.mainloop.glib  # noqa: E402
import dbus.service  # noqa: E402
from gi.repository import GLib  # noqa: E402

from Driver.checks import Broken, Checks  # noqa: E402
from Driver.control import Refusal  # noqa: E402
from Driver.daemon import Programs  # noqa: E402
from Driver.desktop import Bus, Notifier  # noqa: E402
from Driver.network import demand_own_network  # noqa: E402
from Driver.process import until, wake_ups  # noqa: E402
from things import Pair  # noqa: E402

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
PROPERTIES = "org.freedesktop.DBus.Properties"


class Server(dbus.service.Object):  # type: ignore[misc]
    """Notes what it is asked to show and to take away."""

    def __init__(self, bus: Any) -> None:
        super().__init__(dbus.service.BusName(NAME, bus), PATH)
        self.shown: list[tuple[int, int, str, str, int]] = []
        self.closed: list[int] = []
        self.actions: dict[int, list[str]] = {}
        self.pictures: dict[int, str] = {}
        self.inhibited = False
        self.asked = 0
        self.last = 0

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")  # type: ignore[misc]
    def Notify(  # noqa: N802, PLR0913
        self, _app: str, replaces: int, _icon: str, title: str, text: str, actions: Any,
        hints: dict[str, Any], _timeout: int,
    ) -> int:
        self.last = int(replaces) or self.last + 1
        self.actions[self.last] = [str(word) for word in actions]
        self.pictures[self.last] = str(hints.get("image-path", ""))
        self.shown.append(
            (self.last, int(replaces), str(title), str(text), int(hints["urgency"])))
        return self.last

    @dbus.service.method(NAME, in_signature="u")  # type: ignore[misc]
    def CloseNotification(self, number: int) -> None:  # noqa: N802
        self.closed.append(int(number))
        self.NotificationClosed(number, 3)

    @dbus.service.signal(NAME, signature="uu")  # type: ignore[misc]
    def NotificationClosed(self, number: int, reason: int) -> None:  # noqa: N802
        pass

    @dbus.service.signal(NAME, signature="us")  # type: ignore[misc]
    def ActionInvoked(self, number: int, key: str) -> None:  # noqa: N802
        pass

    @dbus.service.signal(NAME, signature="us")  # type: ignore[misc]
    def NotificationReplied(self, number: int, text: str) -> None:  # noqa: N802
        pass

    @dbus.service.method(NAME, out_signature="as")  # type: ignore[misc]
    def GetCapabilities(self) -> list[str]:  # noqa: N802
        return ["actions", "body", "inline-reply"]

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")  # type: ignore[misc]
    def Get(self, _interface: str, name: str) -> Any:  # noqa: N802
        if name != "Inhibited":
            raise dbus.DBusException("no such property")
        answer = dbus.Boolean(self.inhibited)
        self.asked += 1
        return answer


class Desk:
    """What happens between the two, and what the server is asked then."""

    def __init__(self, pair: Pair, server: Server, checks: Checks) -> None:
        self.pair, self.server, self.checks = pair, server, checks
        # Each is known to the other, so nobody has to be let in.
        for one, other in ((pair.ada, "@ben"), (pair.ben, "@ada")):
            one.call("addPerson", person="@" + one.call("whois", person=other)["id"])
        pair.both_in("desk")
        pair.control.call("send", to="@ada", text="begins")
        until("ada has the conversation", lambda: any(
            c["name"] == "@ben" and c["lastMessage"] for c in pair.ada.every("conversations")))
        self.direct = next(
            c["id"] for c in pair.ada.every("conversations") if c["name"] == "@ben")
        self.read()

    def says(self, text: str, to: str = "@ada") -> None:
        self.pair.control.call("send", to=to, text=text)

    def read(self) -> None:
        page = self.pair.ada.call("history", to=self.direct, limit=1)
        self.pair.ada.call(
            "acknowledge", conversation=self.direct, cursor=page["messages"][-1]["cursor"])

    def read_all(self) -> None:
        """Nothing is left that might be told of as missed."""
        for conversation in self.pair.ada.every("conversations"):
            last = conversation["lastMessage"]
            if last:
                self.pair.ada.call(
                    "acknowledge", conversation=conversation["id"], cursor=last["cursor"])

    def has(self, text: str) -> tuple[int, int, str, str, int]:
        """What was shown with that text, once it is."""
        def found() -> list[tuple[int, int, str, str, int]]:
            return [shown for shown in list(self.server.shown) if text in shown[3]]
        until(f"shown: {text}", lambda: bool(found()))
        return found()[-1]

    def lacks(self, what: str, text: str) -> None:
        """Once something that came later is shown, it has been decided about what came before."""
        self.checks.that(
            what, not any(text in shown[3] for shown in self.server.shown), self.server.shown)

    def handled(self, notifier: Notifier, text: str, before: int) -> None:
        """Waits until the notifier has done with a message of which nothing is shown: it sleeps again."""
        until("ada has it", lambda: any(
            c["lastMessage"] and c["lastMessage"]["text"] == text for c in self.pair.ada.every("conversations")))
        process = notifier.process.pid
        until("the notifier has woken", lambda: wake_ups(process) > before)
        count = -1
        while count != (count := wake_ups(process)):
            time.sleep(2)


def begun(desk: Desk) -> bool:
    desk.says("are you there")
    time.sleep(0.1)
    return any("are you there" in shown[3] for shown in desk.server.shown)


def scripted(pair: Pair, desk: Desk, notifier: Notifier, checks: Checks) -> None:
    server = desk.server
    # It is told of what comes once it follows: each message is said until it is.
    until("stoa-notify follows", lambda: begun(desk))
    desk.read()
    desk.says("<b>first</b> & foremost")
    first = desk.has("first")
    checks.that("of whom", first[2].startswith("ben"), first)
    checks.same("markup is none", first[3], "&lt;b&gt;first&lt;/b&gt; &amp; foremost")
    desk.says("second")
    second = desk.has("second")
    desk.says("\x1b]0;owned\x07\u202ehostile\r\nFAKE" + "\u0301" * 10_000)
    attack = desk.has("hostile")
    checks.that("a notification shows what a text holds, in one line of bounded length",
                attack[3].isprintable() and len(attack[3].encode()) <= 1_000, attack[3][:300])
    checks.that("the second takes the place of the first, and says that it is one more",
                second[1] == first[0] and "new)" in second[2], second)
    checks.same("what can be done about it", server.actions[first[0]],
                ["default", "Open", "open", "Open", "inline-reply", "Reply"])
    server.NotificationReplied(first[0], "answered at the desk")
    until("ben has the answer", lambda: any(
        m["text"] == "answered at the desk"
        for m in pair.ben.call("history", to="@ada", limit=5)["messages"]))
    checks.that("an answer typed there reaches the other", True)
    dot = pair.folder / "dot.png"
    dot.write_bytes(b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 1, 1) + bytes(64))
    pair.ben.output("profile", "--picture", str(dot))

    def is_here() -> bool:
        try:
            return bool(pair.ada.call("picture", person="@ben")["size"])
        except Refusal:
            return False

    until("ada has his picture", is_here)

    def pictured() -> bool:
        desk.says("with a picture")
        path = server.pictures[desk.has("with a picture")[0]]
        return bool(path) and Path(path).read_bytes() == dot.read_bytes()

    until("the notification has his picture", pictured)
    checks.that("the notification has his picture", True)
    desk.read()
    until("it is taken away when it is read elsewhere", lambda: first[0] in server.closed)
    checks.that("it is taken away when it is read elsewhere", True)

    desk.says("of no concern", "desk")
    desk.says("hey @ada", "desk")
    called = desk.has("hey @ada")
    checks.same("where one is called", called[2], "ben in desk")
    desk.lacks("nothing of what calls nobody", "of no concern")

    pair.ada.call("mute", to="desk")
    desk.says("@ada muted", "desk")
    desk.says("after muted")
    desk.has("after muted")
    desk.lacks("nothing of a muted conversation", "@ada muted")

    invite = pair.ada.call("createConversation", room="hush")["invite"]
    pair.ben.call("join", invite=invite)
    until("ben is in the secret room", lambda: any(
        m["name"] == "ben" for m in pair.ada.every("members", to="&hush")))
    desk.says("@ada the plan", "&hush")
    secret = desk.has("a new message")
    checks.same("where something secret was said", secret[2], "ben in &hush")
    desk.lacks("nothing of what was said there", "the plan")

    server.inhibited = True
    before, asked = wake_ups(notifier.process.pid), server.asked
    desk.says("while inhibited")
    desk.handled(notifier, "while inhibited", before)
    checks.that("the notifier has asked", server.asked > asked)
    server.inhibited = False
    desk.says("after inhibited")
    desk.has("after inhibited")
    desk.lacks("nothing while the desktop is not to be disturbed", "while inhibited")

    now = time.localtime()
    hours = f"{(now.tm_hour - 1) % 24:02}:00-{(now.tm_hour + 2) % 24:02}:00"
    pair.ada.output("notify", "--quiet", hours)
    before = wake_ups(notifier.process.pid)
    desk.says("while quiet")
    desk.handled(notifier, "while quiet", before)
    pair.ada.output("notify", "--quiet", "off")
    desk.says("after quiet")
    desk.has("after quiet")
    desk.lacks("nothing in quiet hours", "while quiet")

    checks.same("it ends well", notifier.stop(), 0)
    desk.read()
    for number in range(3):
        desk.says(f"missed {number}")
    until("ada has them", lambda: any(
        c["id"] == desk.direct and c["unread"] == 3 for c in pair.ada.every("conversations")))
    server.shown.clear()
    notifier.start()
    missed = desk.has("3 from @ben")
    checks.same("what was missed", missed[2], "While you were away")
    desk.says("and now")
    desk.has("and now")
    checks.same("it is told once", len(server.shown), 2)
    notifier.stop()

    environment = {**notifier.environment, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"}
    done = subprocess.run(
        [notifier.program, "--socket", str(pair.ada.socket)], env=environment, timeout=120,
        capture_output=True, text=True)
    checks.same("nothing where there is no bus", done.returncode, 0)


def dunst(pair: Pair, desk: Desk, checks: Checks, picture: Path | None) -> None:
    """dunst under Xvfb shows, replaces and closes; paused, it is given nothing."""
    bus = Bus(pair.folder / "dunst")
    # Says on its output which display it has taken, once it is there.
    screen = subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert screen.stdout
    display = ":" + screen.stdout.readline().strip()
    environment = {
        **pair.ada.environment, "DISPLAY": display, "DBUS_SESSION_BUS_ADDRESS": bus.address}
    program = None
    notifier = None
    try:
        log = pair.folder / "dunst.log"
        with log.open("wb") as output:
            program = subprocess.Popen(
                ["dunst", "-conf", "/dev/null", "-print"], env=environment, stdout=output, stderr=subprocess.DEVNULL)

        def ctl(*words: str) -> str:
            done = subprocess.run(
                ["dunstctl", *words], env=environment, capture_output=True, text=True, timeout=120)
            return done.stdout.strip()

        until("dunst answers", lambda: ctl("count", "displayed") == "0")
        desk.read_all()
        notifier = Notifier(pair.ada, bus.address)
        desk.says("to begin with")
        until("it is told of", lambda: ctl("count", "displayed") == "1")
        desk.read_all()
        until("nothing is left", lambda: ctl("count", "displayed") == "0")
        desk.says("shown by dunst")
        until("dunst shows it", lambda: ctl("count", "displayed") == "1")
        desk.says("and another")
        # It takes the place of the first.
        until("dunst has it", lambda: b"and another" in log.read_bytes())
        checks.same("dunst replaces it", ctl("count", "displayed"), "1")
        if picture:
            subprocess.run(
                ["import", "-display", display, "-window", "root", str(picture)], check=True)
        desk.read()
        until("dunst closes it", lambda: ctl("count", "displayed") == "0")
        past = ctl("history")
        checks.that("dunst has shown the second in its place",
                    "and another" in past and "shown by dunst" not in past, past)
        ctl("set-paused", "true")
        before = wake_ups(notifier.process.pid)
        desk.says("while paused")
        desk.handled(notifier, "while paused", before)
        checks.same("dunst is given nothing while it is paused", ctl("count", "waiting"), "0")
        # The notifier was there all the time: the next one is shown, and that one never was.
        ctl("set-paused", "false")
        desk.says("after paused")
        until("dunst shows the next", lambda: ctl("count", "displayed") == "1")
        ctl("close-all")
        until("dunst has closed it", lambda: "after paused" in ctl("history"))
        past = ctl("history")
        checks.that("dunst has never been given what came while it was paused",
                    "while paused" not in past, past)
    finally:
        if notifier:
            notifier.stop()
        if program:
            program.kill()
            program.wait()
        screen.terminate()
        screen.wait()
        bus.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("programs", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    demand_own_network("Tests/System/Chat/run.sh FOLDER")
    checks = Checks()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(mode=0o700, parents=True)
    bus = Bus(options.work / "session")
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    dbus.mainloop.glib.threads_init()
    server = Server(dbus.bus.BusConnection(bus.address))
    loop = GLib.MainLoop()
    thread = threading.Thread(target=loop.run, daemon=True)
    thread.start()
    pair = Pair(Programs.within(options.programs), options.work, 80, 24)
    notifier = None
    try:
        desk = Desk(pair, server, checks)
        notifier = Notifier(pair.ada, bus.address)
        scripted(pair, desk, notifier, checks)
        dunst(pair, desk, checks, options.keep)
    except (Broken, OSError, subprocess.SubprocessError) as error:
        checks.fail("the run", error)
    finally:
        if notifier:
            notifier.process.kill()
            notifier.process.wait()
        pair.close()
        loop.quit()
        bus.close()
    return checks.report()


if __name__ == "__main__":
    sys.exit(main())
