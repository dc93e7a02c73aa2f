#!/usr/bin/env python3
"""Runs `stoa chat` with the names of terminals that people have, known to terminfo and not, as over ssh.

    terminals.py FOLDER --work FOLDER [--only NAME...]

Each is started in one width, read in all, and ended. Needs root, for a terminfo that knows nothing but xterm, as a
small server's. Runs only in a network that has nothing but a loopback interface. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import itertools
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from Driver.checks import Checks  # noqa: E402
from terminal import chat_command  # noqa: E402
from things import Pair, run_chosen  # noqa: E402

NAMES = [
    "xterm-256color", "xterm", "xterm-16color", "xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm",
    "st-256color", "konsole-256color", "vte-256color", "gnome-256color", "putty-256color", "mintty", "contour",
    "rxvt-unicode-256color", "screen-256color", "tmux-256color", "linux", "vt100", "vt220", "iTerm2.app", "nsterm",
    "cygwin", "of-tomorrow",
]
WIDTHS = [40, 66, 80, 132, 200]
# What clients of ssh pass on: also locales that the server does not have, and sizes of another terminal.
SETTINGS = [
    "LANG=C.UTF-8", "LANG=en_GB.UTF-8", "LC_CTYPE=UTF-8", "", "LANG=C", "LC_ALL=de_DE.ISO-8859-1",
    "LANG=C.UTF-8 LINES=11 COLUMNS=33", "LANG=C.UTF-8 NO_COLOR=1",
]
FOLDERS = ["/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo"]


def environment(pair: Pair, name: str, settings: str) -> str:
    """A session of ssh: nothing of what a desktop sets."""
    return (
        f"env -i HOME={pair.ada.folder} PATH={shlex.quote('/usr/bin:/bin')} SSH_TTY=/dev/pts/0 "
        f"SSH_CONNECTION='192.0.2.1 50000 192.0.2.2 22' TERM={name} {settings} ")


def bare(pair: Pair) -> str:
    """What runs a command where terminfo knows xterm-256color alone."""
    folder = pair.folder / "terminfo"
    if not folder.exists():
        (folder / "x").mkdir(parents=True)
        found = next(
            path for each in FOLDERS for path in [Path(each) / "x/xterm-256color"] if path.exists())
        shutil.copy(found, folder / "x")
    mounts = "; ".join(
        f"if [ -d {each} ]; then mount --bind {folder} {each}; fi" for each in FOLDERS)
    return f"unshare --mount sh -c '{mounts}; exec \"$@\"' - "


def visit(pair: Pair, checks: Checks, name: str, title: str, begin: str, wide: int, is_known: bool) -> None:
    """Starts a chat in one width, reads and types in all, and ends it."""
    terminal = pair.terminal
    modes = [pair.folder / "before", pair.folder / "after"]
    terminal.columns = wide
    terminal.start(
        f"stty -g >{modes[0]}; {begin}{chat_command(pair.ada, 'terms')}; code=$?; "
        f"stty -g >{modes[1]}; (exit $code)")
    terminal.see("grüße 日本")
    if is_known:
        terminal.gone("TERM=")
    else:
        terminal.see(f"TERM={name} is")
    for columns in [wide, *(each for each in WIDTHS if each != wide)]:
        terminal.resize(columns, 24)
        terminal.see("ben │ grüße 日本 |end" if columns >= 60 else "ben: grüße 日本 |end")
    terminal.type("typed é")
    terminal.inputs("typed é")
    terminal.press("C-u", "C-d")
    terminal.see("ENDED 0")
    states = {what: terminal.state(what) for what in (
        "alternate_on", "cursor_flag", "keypad_flag", "keypad_cursor_flag", "mouse_any_flag", "insert_flag",
        "origin_flag", "wrap_flag")}
    checks.same(f"what is left after {title}", states, {
        "alternate_on": "0", "cursor_flag": "1", "keypad_flag": "0", "keypad_cursor_flag": "0",
        "mouse_any_flag": "0", "insert_flag": "0", "origin_flag": "0", "wrap_flag": "1"})
    checks.same(f"the modes of the terminal after {title}", modes[1].read_text(), modes[0].read_text())


def each_name(pair: Pair, checks: Checks, prefix: str) -> None:
    pair.both_in("terms")
    pair.control.call("send", to="terms", text="grüße 日本 |end")
    settings, widths = itertools.cycle(SETTINGS), itertools.cycle(WIDTHS)
    for name in NAMES:
        known = subprocess.run(
            ["sh", "-c", f"{prefix} env -i PATH=/usr/bin:/bin infocmp {name}"], capture_output=True)
        chosen, wide = next(settings), next(widths)
        title = f"TERM={name} {chosen} in {wide} columns"
        try:
            begin = prefix + environment(pair, name, chosen)
            visit(pair, checks, name, title, begin, wide, known.returncode == 0)
        except Exception as error:  # noqa: BLE001  The next terminal is another one.
            checks.fail(title, RuntimeError(f"{error}\n" + "\n".join(pair.terminal.screen())))


def known(pair: Pair, checks: Checks) -> None:
    """With the entries of this machine."""
    each_name(pair, checks, "")


def unknown(pair: Pair, checks: Checks) -> None:
    """Where terminfo knows xterm-256color alone."""
    each_name(pair, checks, bare(pair))


def dumb(pair: Pair, checks: Checks) -> None:
    """What can show no screen is told so, and with a room gets lines; a pager gets a name that it knows."""
    pair.both_in("lines")
    pair.control.call("send", to="lines", text="a line")
    command = chat_command(pair.ada)
    for name in ("dumb", ""):
        pair.terminal.start(environment(pair, f"'{name}'", "") + command)
        pair.terminal.see("ENDED 64")
        checks.that(f"TERM={name} is named", "TERM says" in " ".join(pair.terminal.screen()), pair.terminal.screen())
    pair.terminal.start(environment(pair, "dumb", "") + chat_command(pair.ada, "lines"))
    pair.terminal.see("ben: a line")
    pair.terminal.press("C-d")
    pair.terminal.see("ENDED 0")
    checks.that("lines without a screen", True)
    history = chat_command(pair.ada, "lines", "--all").replace("'chat'", "'history'")
    pager = f"PAGER={pair.folder}/bin/a-pager"
    for prefix, name, due in (
            (bare(pair), "xterm-kitty", "xterm-256color"), (bare(pair), "xterm-256color", "xterm-256color"),
            ("", "vt220", "vt220")):
        pair.terminal.start(prefix + environment(pair, name, pager) + history)
        pair.terminal.see("ENDED 0")
        checks.that(f"what the pager is told of {name}", any(
            row == f"paged for {due}" for row in pair.terminal.screen()), pair.terminal.screen())


PARTS: dict[str, Callable[[Pair, Checks], None]] = {"known": known, "unknown": unknown, "dumb": dumb}


if __name__ == "__main__":
    sys.exit(run_chosen(__doc__, PARTS))
