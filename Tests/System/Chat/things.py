#!/usr/bin/env python3
"""Does what people do in a chat client, item by item of things.txt, and looks at the screen.

    things.py FOLDER --work FOLDER --size 80x24 [--only WORDS]

FOLDER has the programs. Runs only in a network that has nothing but a loopback interface. Ends with
`N passed, N failed`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import Any, Callable

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from Driver.checks import Broken, Checks  # noqa: E402
from Driver.daemon import Daemon, Programs  # noqa: E402
from Driver.network import demand_own_network  # noqa: E402
from Driver.process import until  # noqa: E402
from terminal import Terminal, chat_command  # noqa: E402

ON_LOOPBACK = ["--interface", "lo", "--discovery", "embedded"]
# A Tab completes what the client has heard of by then, which is a moment after the daemon has.
TAB_SECONDS, TABS = 6, 15
# How often ben says that he types, which a screen shows for a few seconds.
TYPING_SECONDS = 2
ESCAPES = {"\\n": "\n", "\\t": "\t", "\\e": "\x1b"}


def items() -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in (HERE / "things.txt").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("    "):
            found[-1][1].append(line[4:])
        else:
            found.append((line, []))
    return found


def plain(text: str) -> str:
    text = re.sub(r"\\u\{([0-9a-fA-F]+)\}", lambda code: chr(int(code[1], 16)), text)
    for escape, character in ESCAPES.items():
        text = text.replace(escape, character)
    return text


class Pair:
    """The two daemons, and ada's terminal."""

    def __init__(self, programs: Programs, folder: Path, columns: int, rows: int) -> None:
        self.folder = folder
        self.ada, self.ben = (
            Daemon(programs, folder, name, [*ON_LOOPBACK, "--name", name])
            for name in ("ada", "ben"))
        for daemon in (self.ada, self.ben):
            daemon.start()
        self.files = folder / "files"
        self.files.mkdir()
        self.opened = folder / "opened"
        self.terminal = Terminal(folder, columns, rows, {
            "HOME": str(self.ada.folder), "PATH": f"{self.fakes()}:{os.environ['PATH']}",
            "EDITOR": "an-editor --option"})
        (self.files / "notes.txt").write_text("some notes\n\n")
        for daemon in (self.ada, self.ben):
            daemon.call("join", room="meeting")
        until("the two are linked", lambda: any(
            peer["state"] == "linked" for peer in self.ada.every("peers")))
        until("ben is known by name", lambda: any(
            member["name"] == "ben" for member in self.ada.every("members", to="meeting")))
        until("ada is known by name", lambda: any(
            member["name"] == "ada" for member in self.ben.every("members", to="meeting")))
        self.control = self.ben.control()

    def fakes(self) -> Path:
        """What a desktop has, as far as chat starts it."""
        folder = self.folder / "bin"
        folder.mkdir()
        for name, script in (
            ("xdg-open", f"printf '%s\\n' \"$@\" >>'{self.opened}'"),
            ("a-pager", "echo \"paged for $TERM\"; exec cat"),
            ("an-editor", "[ \"$1\" = --option ] && printf ', ended there\\n' >>\"$2\"")):
            (folder / name).write_text(f"#!/bin/sh\n{script}\n")
            (folder / name).chmod(0o755)
        return folder

    def both_in(self, room: str) -> None:
        for daemon in (self.ada, self.ben):
            daemon.call("join", room=room)

    def close(self) -> None:
        self.terminal.close()
        self.control.close()
        self.ada.stop()
        self.ben.stop()


class Item:
    """One item of the list, in a room of its own."""

    def __init__(self, pair: Pair, number: int) -> None:
        self.pair = pair
        self.terminal = pair.terminal
        self.room = f"room-{number:02}"
        self.rooms: list[str] = []
        pair.both_in(self.room)

    def run(self, steps: list[str]) -> None:
        self.chat()
        for step in steps:
            word, _, rest = step.partition(" ")
            rest = rest.replace("{room}", self.room).replace("{folder}", str(self.pair.files))
            try:
                self.step(word, rest)
            except Exception as error:
                raise Broken(f"\"{step}\": {error}\n" + "\n".join(self.terminal.screen())) from error

    def finish(self) -> None:
        self.terminal.resize(self.terminal.columns, self.terminal.rows)
        if self.pair.ada.process is None:
            self.pair.ada.start()
        for room in [self.room, *self.rooms]:
            for daemon in (self.pair.ada, self.pair.ben):
                try:
                    daemon.call("leave", room=room)
                    daemon.call("archive", to=room)
                except Exception:  # noqa: BLE001  It may have been left already.
                    continue

    def start(self) -> None:
        files = f"cd '{self.pair.files}'; "
        self.terminal.start(files + chat_command(self.pair.ada, self.room))
        self.terminal.see(self.room)

    def chat(self) -> None:
        self.start()
        self.terminal.inputs("")

    def hang_up(self) -> None:
        self.terminal.tmux("kill-session", "-t", "chat")
        mark = f"stoa-chat\0{self.pair.ada.socket}".encode()

        def runs() -> bool:
            for process in Path("/proc").iterdir():
                try:
                    if mark in (process / "cmdline").read_bytes():
                        return True
                except OSError:
                    continue
            return False
        until("the chat has ended", lambda: not runs())

    def step(self, word: str, rest: str) -> None:
        match word, rest:
            case "type", _: self.terminal.type(rest)
            case "press", _: self.terminal.press(*rest.split())
            case "paste", "200 lines":
                self.terminal.paste("".join(f"pasted line {n}\n" for n in range(1, 201)))
            case "paste", _: self.terminal.paste(plain(rest))
            case "ben", _: self.ben(rest)
            case "room", _: self.another_room(rest)
            case "daemon", "stops": self.pair.ada.stop()
            case "daemon", "starts": self.pair.ada.start()
            case "resize", _: self.terminal.resize(*map(int, rest.split()))
            case "chat", "again": self.start()
            case "hang", "up": self.hang_up()
            case "chat", "ends":
                self.terminal.press("C-d")
                self.terminal.see("ENDED 0")
            case "chat", "in a shell":
                self.terminal.start("PS1='$ ' bash --noprofile --norc -i")
                self.terminal.see("$")
                self.terminal.type(chat_command(self.pair.ada, self.room))
                self.terminal.press("Enter")
                self.terminal.see("ada has joined")
                self.terminal.inputs("")
            case "scribble", _:
                Path(self.terminal.state("pane_tty")).write_text(f"\x1b[3;1H{rest}")
            case "presence", _:
                until(f"ada is {rest}", lambda: self.pair.ada.call("presence")["presence"] == rest)
            case "chat", _: self.chat()
            case "see", _: self.terminal.see(plain(rest))
            case "gone", _: self.terminal.gone(plain(rest))
            case "input", _: self.terminal.inputs(plain(rest))
            case "cursor", _:
                until(f"the cursor behind {rest} cells",
                      lambda: int(self.terminal.state("cursor_x")) == int(rest) + 2)
            case "completes", _: self.completes(plain(rest))
            case "bold", _: self.bold(plain(rest))
            case "stored", _: self.stored(rest)
            case "opened", "nothing":
                if self.pair.opened.exists():
                    raise Broken("a link was opened")
            case "opened", _:
                until(f"opened: {rest}", lambda: self.pair.opened.exists()
                      and rest in self.pair.opened.read_text().splitlines())
            case _: raise Broken(f"no step is called {word}")

    def completes(self, due: str) -> None:
        for left in reversed(range(TABS)):
            self.terminal.press("Tab")
            try:
                return until(f"completed: {due}", lambda: self.terminal.input() == due, TAB_SECONDS)
            except Broken:
                if not left:
                    raise

    def bold(self, text: str) -> None:
        def is_bold() -> bool:
            return any(
                text in re.sub(r"\x1b\[[0-9;]*m", "", row) and re.search(r"\x1b\[[0-9;]*\b[17]\b", row)
                for row in self.terminal.screen("-e"))
        until(f"bold: {text}", is_bold)

    def stored(self, rest: str) -> None:
        count, _, text = rest.partition(" ")
        text = plain(text)

        def found() -> int:
            messages = self.pair.ada.call("history", to=self.room, limit=1000)["messages"]
            return sum(text in str(message["text"]) for message in messages)
        until(f"{count} times in the history: {text}", lambda: found() == int(count))

    def another_room(self, rest: str) -> None:
        self.pair.both_in(rest)
        self.rooms.append(rest)

    def last_of(self, name: str) -> str:
        """The id of somebody's newest message at ben's."""
        def newest() -> str:
            messages = self.pair.control.call("history", to=self.room, limit=1000)["messages"]
            said = [m["id"] for m in messages if m["authorName"] == name and m["kind"] == "text"]
            return str(said[-1]) if said else ""
        until(f"ben has something of {name}", lambda: bool(newest()))
        return newest()

    def ben(self, rest: str) -> None:
        verb, _, text = rest.partition(" ")
        text = plain(text)
        control, room = self.pair.control, self.room
        match verb:
            case "says":
                first, _, others = text.partition(" ")
                texts = [text]
                if first == "in":
                    room, _, texts[0] = others.partition(": ")
                elif first.isdigit():
                    texts = [f"{others} {n}" for n in range(1, int(first) + 1)]
                for text in texts:
                    sent = control.call("send", to=room, text=text)
                self.arrives(room, sent["id"])
            case "does": control.call("send", to=room, text=text, kind="action")
            case "edits": control.call("edit", id=self.last_of("ben"), text=text)
            case "deletes": control.call("delete", id=self.last_of("ben"))
            case "reacts": control.call("react", id=self.last_of("ada"), sign=text)
            case "answers": control.call("send", to=room, text=text, replyTo=self.last_of("ada"))
            case "pastes":
                lines = "\n".join(f"pasted line {n}" for n in range(1, int(text.split()[0]) + 1))
                control.call("send", to=room, text=lines)
            case "joins":
                self.pair.ben.call("join", room=text)
                until(f"ada knows of {text}", lambda: any(
                    each["name"] == text for each in self.pair.ada.every("rooms")))
            case "types": until(f"on the screen: {text}", lambda: self.is_typing_seen(text))
            case "reads":
                self.last_of("ada")
                newest = control.call("history", to=room, limit=1)["messages"][-1]
                control.call("acknowledge", conversation=room, cursor=newest["cursor"])
            case _: raise Broken(f"ben cannot {verb}")

    def arrives(self, room: str, message: str) -> None:
        if self.pair.ada.process is not None:
            until("ada has it", lambda: any(
                m["id"] == message for m in self.pair.ada.call("history", to=room, limit=20)["messages"]))

    def is_typing_seen(self, text: str) -> bool:
        self.pair.control.call("typing", to=self.room)
        try:
            until(text, lambda: any(text in row for row in self.terminal.screen()), TYPING_SECONDS)
        except Broken:
            return False
        return True


def do_item(pair: Pair, checks: Checks, number: int, steps: list[str]) -> None:
    item = Item(pair, number)
    item.run(steps)
    item.finish()
    checks.passed += 1


def arguments(description: str | None) -> argparse.ArgumentParser:
    """What every program over the two daemons is given."""
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument("programs", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    return parser


def run_parts(
    options: argparse.Namespace, size: tuple[int, int], checks: Checks,
    parts: list[tuple[str, Callable[[Pair], None]]],
) -> int:
    """Runs each part with the two daemons, the others too where one fails; gives the exit code."""
    demand_own_network("Tests/System/Chat/run.sh FOLDER")
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(mode=0o700, parents=True)
    pair = Pair(Programs.within(options.programs), options.work, *size)
    try:
        for name, part in parts:
            try:
                part(pair)
            except Exception as error:  # noqa: BLE001  Whatever it is, the next part is tried.
                checks.fail(name, error)
                if pair.ada.process is None:
                    pair.ada.start()
    finally:
        pair.close()
    return checks.report()


def run_chosen(doc: str | None, parts: dict[str, Callable[..., None]]) -> int:
    """The main function of a program of parts, of which the command line may choose some."""
    parser = arguments(doc)
    parser.add_argument("--only", nargs="+", choices=sorted(parts), default=sorted(parts))
    options = parser.parse_args()
    checks = Checks()
    return run_parts(options, (80, 24), checks, [
        (name, partial(part, checks=checks))
        for name, part in parts.items() if name in options.only])


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--size", default="80x24")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    columns, rows = map(int, options.size.split("x"))
    checks = Checks()
    checks.context = f"{options.size}: "
    return run_parts(options, (columns, rows), checks, [
        (title, partial(do_item, checks=checks, number=number, steps=steps))
        for number, (title, steps) in enumerate(items(), 1) if options.only in title])


if __name__ == "__main__":
    sys.exit(main())
