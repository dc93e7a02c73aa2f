#!/usr/bin/env python3
"""Completes command lines in bash, zsh and fish as people do, with Tab, from what the running daemon knows.

    shells.py FOLDER --work FOLDER [--only NAME...]

Runs only in a network that has nothing but a loopback interface. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from Driver.checks import Broken, Checks  # noqa: E402
from Driver.process import until  # noqa: E402
from things import Pair, run_chosen  # noqa: E402

COMPLETIONS = HERE.parents[2] / "Completions"
# How each is started without anybody's settings, and told where the completions are, as a package does by
# the folder that it installs them in.
STARTS = {
    # Whoever presses Tab on an empty line is not asked whether all commands are to be shown: nobody answers.
    "bash": (
        "bash --noprofile --norc -i",
        f". {COMPLETIONS}/stoa.bash; PS1='$ '; bind 'set completion-query-items 0' 'set page-completions off'"),
    "zsh": (
        "zsh -f -i",
        f"fpath=({COMPLETIONS} $fpath); autoload -Uz compinit; compinit -u -D; PS1='$ '; LISTMAX=500"),
    "fish": (
        "fish --no-config",
        f"set fish_complete_path {COMPLETIONS}; set fish_greeting; function fish_prompt; echo -n '$ '; end; "
        "set -g fish_autosuggestion_enabled 0"),
}
# Of one of them a name has what a shell takes for something else.
NAME = "Ben O'Neil: ops & co"
# Whoever is called so has a file made where a shell takes the name for more than a word.
HOSTILE = ("$(touch {})", "`touch {}`", "a;touch {}", "a'$(touch {})'", "(touch {})", "a{{$(touch {}),b}}")
ROOMS = ("agenda", "agora")
TEXT = "shall we meet"
# What people wait for behind a Tab, without the shell's own part of it.
DUE_MILLISECONDS = 20
# A daemon that does not answer in time offers nothing: Tab is pressed again after so long, so often.
TAB_SECONDS, TABS = 6, 15
RUNS = 40
# More rooms than people look through.
MANY = 200


class Shell:
    """One shell in the terminal, whose line is typed and read."""

    def __init__(self, pair: Pair, checks: Checks, name: str) -> None:
        self.pair, self.checks, self.name = pair, checks, name
        self.terminal = pair.terminal
        command, setup = STARTS[name]
        home = pair.folder / name
        home.mkdir()
        (home / "notes.txt").write_text("x")
        words = {
            "HOME": home, "STOA_SOCKET": pair.ada.socket, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home,
            "XDG_CACHE_HOME": home, "PATH": f"{pair.ada.programs.stoa.parent}:/usr/bin:/bin"}
        settings = " ".join(f"{key}={shlex.quote(str(value))}" for key, value in words.items())
        self.terminal.start(f"cd {home} && env {settings} {command}")
        until(f"{name} has begun", lambda: any(self.terminal.screen()))
        self.terminal.type(f"{setup}; clear")
        self.terminal.press("Enter")
        until(f"{name} is ready", lambda: self.terminal.screen()[0] == "$" and not any(
            self.terminal.screen()[1:]))

    def line(self) -> str:
        """What stands behind the newest prompt; a space at its end cannot be seen."""
        lines = [row for row in self.terminal.screen() if row == "$" or row.startswith("$ ")]
        return lines[-1][2:] if lines else ""

    def completes(self, typed: str, due: str) -> None:
        """One candidate is left, which stands there after a Tab."""
        what = f"{self.name}: '{typed}' becomes '{due}'"
        try:
            self.becomes(typed, lambda: self.line() == f"stoa {due}")
            self.checks.passed += 1
        except Exception:  # noqa: BLE001
            self.checks.fail(what, self.terminal.screen())

    def becomes(self, typed: str, is_due: Callable[[], bool]) -> None:
        begun = f"stoa {typed}"
        self.terminal.type(begun)
        until(f"{begun} stands there", lambda: self.line() == begun)
        for left in reversed(range(TABS)):
            if self.line() == begun:
                self.terminal.press("Tab")
            try:
                return until(f"{begun} is completed", is_due, TAB_SECONDS)
            except Broken:
                if not left:
                    raise

    def offers(self, typed: str, *words: str) -> None:
        """Of several candidates each is listed."""
        self.terminal.type(f"stoa {typed}")
        self.terminal.press("Tab")
        if self.name == "bash":
            self.terminal.press("Tab")
        what = f"{self.name}: behind '{typed}' {words} are offered"

        def seen() -> bool:
            rows = self.terminal.screen()
            shown = " ".join(row for row in rows if row != f"$ stoa {typed.rstrip()}")
            return all(word in shown for word in words)
        # Where all begin alike, as two ids may, a Tab has only written that.
        for _ in range(TABS):
            try:
                until(what, seen, TAB_SECONDS)
                self.checks.passed += 1
                break
            except Exception:  # noqa: BLE001
                self.terminal.press("Tab")
        else:
            self.checks.fail(what, self.terminal.screen())
        self.clear()

    def clear(self) -> None:
        """Throws the line away, and what is listed.

        An interrupt may be obeyed late, at the next Tab, and would take along what was typed meanwhile: the line is
        killed instead, and only what that does not end is interrupted. That something typed stays there shows
        that it is done.
        """
        def rows() -> list[str]:
            return [row for row in self.terminal.screen() if row]
        ways = ("C-u", "C-u", "C-c", "C-c", "C-c")
        for number, way in enumerate(ways, 1):
            self.terminal.press(way)
            self.terminal.press("C-l")
            self.terminal.type(":")
            try:
                until("a line of one character", lambda: rows() == ["$ :"], 15)
                break
            except Broken:
                if number == len(ways):
                    raise
        self.terminal.press("BSpace")
        until("an empty line", lambda: rows() == ["$"])

    def runs(self, due: str) -> None:
        self.terminal.press("Enter")
        self.terminal.see(due)
        self.clear()


def complete(pair: Pair, checks: Checks, name: str) -> None:
    """Rooms, people, ids, flags and files; names stay one word."""
    prepare(pair)
    shell = Shell(pair, checks, name)
    shell.offers("send ", "agenda", "meeting", "@Ben")
    shell.offers("re", "react", "restore")
    shell.completes("send agen", "send agenda")
    shell.clear()
    shell.completes("send agenda --wai", "send agenda --wait")
    shell.clear()
    shell.completes("send agenda --wait del", "send agenda --wait delivered")
    shell.clear()
    found = pair.ada.call("history", to="agenda", limit=1)["messages"][0]["id"][:8]
    shell.offers("react ", found) if name == "bash" else shell.offers("react ", found, TEXT)
    shell.completes(f"react {found[:6]}", f"react {found}")
    shell.clear()
    shell.completes("backup no", "backup notes.txt")
    shell.clear()
    # Whatever a name has in it, it is one word that stoa understands.
    try:
        shell.becomes("whois @Be", lambda: "co" in shell.line())
        shell.runs(pair.ben.identity[:12])
        checks.passed += 1
    except Exception as error:  # noqa: BLE001
        checks.fail(f"{name}: a name is completed and understood", (error, shell.terminal.screen()))
        shell.clear()


    for hostile in HOSTILE:
        run_nothing(pair, shell, hostile)


def run_nothing(pair: Pair, shell: Shell, hostile: str) -> None:
    """Whoever presses Tab before a name runs nothing, and neither does Enter behind it."""
    checks, terminal = shell.checks, shell.terminal
    pwned = pair.files / f"pwned-{shell.name}"
    rename(pair, hostile.format(pwned))
    # An interrupt of before can take along what was typed, however long one has waited for it.
    for _ in range(TABS):
        if not shell.line().startswith("stoa whois @"):
            shell.clear()
            terminal.type("stoa whois @")
        terminal.press("Tab", "Tab")
        try:
            until("the name is offered", lambda: f"pwned-{shell.name}" in shell.line(), TAB_SECONDS)
            break
        except Broken:
            continue
    else:
        checks.fail(f"{shell.name}: {hostile} is completed", terminal.screen())
    terminal.press("Enter")
    terminal.type("echo do''ne")
    terminal.press("Enter")
    until("the next command has run", lambda: "done" in terminal.screen())
    checks.that(f"{shell.name}: nothing is run for {hostile}", not pwned.exists(), terminal.screen())
    shell.clear()


def rename(pair: Pair, name: str) -> None:
    pair.control.call("profile", name=name)
    until("ada knows the name", lambda: any(person["name"] == name for person in pair.ada.every("people")))


def prepare(pair: Pair) -> None:
    if "agenda" in str(pair.ada.every("conversations")):
        return rename(pair, NAME)
    for room in ROOMS:
        pair.both_in(room)
    for text in ("anything", TEXT):
        pair.ada.call("send", to="agenda", text=text)
    pair.ada.call("addPerson", person="@" + pair.ben.identity)
    rename(pair, NAME)


def speed(pair: Pair, checks: Checks) -> None:
    """From the question to the end of the answer, of a daemon with many rooms."""
    prepare(pair)
    with pair.ada.control() as control:
        for number in range(MANY):
            control.call("join", room=f"room-{number:03}")
    for words in (["send", ""], ["whois", ""], ["react", ""], ["send", "agenda", "--"]):
        took, answered = [], 0
        for _ in range(RUNS):
            begin = time.perf_counter()
            text = subprocess.run(
                [pair.ada.programs.stoa, "complete", "--", *words], capture_output=True, text=True, check=True,
                env=pair.ada.environment | {"STOA_SOCKET": str(pair.ada.socket)}).stdout
            took.append((time.perf_counter() - begin) * 1e3)
            answered += bool(text)
        took.sort()
        print(
            f"MEASURED completion of {' '.join(words)!r}: {took[RUNS // 2]:.1f} ms (due {DUE_MILLISECONDS}), "
            f"p90 {took[RUNS * 9 // 10]:.1f} ms, {answered} of {RUNS} answered", flush=True)
        # Nothing is said where the daemon takes longer than people wait: of many some are.
        checks.that(f"{words} are completed", answered > 0, took)
        # Ten times what is due: it does not hang. What else the machine does only adds to it.
        checks.that(f"{words} are completed soon", took[RUNS // 10] <= 10 * DUE_MILLISECONDS, took)


PARTS: dict[str, Callable[[Pair, Checks], None]] = {
    **{name: partial(complete, name=name) for name in STARTS}, "speed": speed}


if __name__ == "__main__":
    sys.exit(run_chosen(__doc__, PARTS))
