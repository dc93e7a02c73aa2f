#!/usr/bin/env python3
"""Runs `stoa chat` in what people have: terminals of every size, no colours, no screen, no terminal, an idle night.

    surroundings.py FOLDER --work FOLDER [--only NAME...]

Runs only in a network that has nothing but a loopback interface. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from Driver.checks import Checks  # noqa: E402
from Driver.control import Control  # noqa: E402
from Driver.daemon import Daemon  # noqa: E402
from Driver.desktop import Bus, Keyboard, Notifier  # noqa: E402
from Driver.process import processor_seconds, until, wake_ups  # noqa: E402
from naughty import NAUGHTY  # noqa: E402
from terminal import chat_command  # noqa: E402
from things import ON_LOOPBACK, Pair, run_chosen  # noqa: E402

SIZES = [(40, 10), (300, 100), (80, 24), (20, 5), (10, 3), (10, 1)]
LINES = 500
# The long form is what the issue of the client names.
IDLE_SECONDS = 600.0 if os.environ.get("STOA_LONG") == "1" else 15.0
# What a client may do in that time by itself: after ten minutes it says that nobody is there.
IDLE_WAKE_UPS = 6 if IDLE_SECONDS >= 600 else 2
# Of so many times one is quiet: by then all that they ask for at the beginning is answered, and drawn.
IDLE_TIMES = 8
MESSAGES = 10
PASSPHRASE = "plover quartz hinterland fuchsia anvil"
# Colours as tmux gives them back: of the eight, of the bright ones, and of the 256.
COLOUR = re.compile(r"\x1b\[[0-9;]*?\b(3[0-7]|4[0-7]|9[0-7]|10[0-7]|38|48)\b[0-9;]*m")


def sizes(pair: Pair, checks: Checks) -> None:
    """In every size there is a line to type in, and above it as much of the conversation as fits."""
    pair.both_in("sizes")
    columns, rows = pair.terminal.columns, pair.terminal.rows
    long = "words that go on and on " * 8
    for number, (wide, high) in enumerate(SIZES):
        pair.terminal.columns, pair.terminal.rows = wide, high
        pair.terminal.start(chat_command(pair.ada, "sizes"))
        until(f"a prompt at {wide}x{high}", lambda: any(
            row.startswith(">") for row in pair.terminal.screen()))
        pair.control.call("send", to="sizes", text=f"{long} end-{number}")
        if high >= 5:
            until(f"shown at {wide}x{high}", lambda: f"end-{number}" in "".join(
                row.strip() for row in pair.terminal.screen()))
        pair.terminal.type("ab")
        until(f"typed at {wide}x{high}", lambda: "b" in pair.terminal.screen()[
            int(pair.terminal.state("cursor_y"))])
        checks.same(f"rows at {wide}x{high}",
                    (pair.terminal.state("pane_width"), pair.terminal.state("pane_height")),
                    (str(wide), str(high)))
        pair.terminal.resize(80, 24)
        pair.terminal.see(f"end-{number}")
        pair.terminal.inputs("ab")
        pair.terminal.resize(wide, high)
        pair.terminal.press("C-u", "C-d")
        if high >= 3:
            pair.terminal.see("ENDED 0"[:wide])
    pair.terminal.columns, pair.terminal.rows = columns, rows


def colours(pair: Pair, checks: Checks) -> None:
    """Colours only help: without them the screen says the same, and NO_COLOR takes all of them away."""
    pair.both_in("colours")
    pair.control.call("send", to="colours", text="in colour @ada")
    shown: list[list[str]] = []
    for environment in ("", "NO_COLOR=1 ", "NO_COLOR= ", "TERM=vt100 "):
        pair.terminal.start(environment + chat_command(pair.ada, "colours"))
        pair.terminal.see("in colour @ada")
        pair.terminal.type("/tpoic")
        pair.terminal.press("Enter")
        pair.terminal.see("there is no /tpoic")
        pair.terminal.press("C-u")
        pair.terminal.inputs("")
        has = any(COLOUR.search(row) for row in pair.terminal.screen("-e"))
        checks.same(f"whether there are colours with '{environment}'", has,
                    environment in ("", "NO_COLOR= "))
        shown.append([row for row in pair.terminal.screen() if "colour @ada" in row])
    checks.that("the text is the same with and without", shown.count(shown[0]) == len(shown), shown)
    for command in ("status", "peers", "history colours", ""):
        words = f"'{pair.ada.programs.stoa}' --socket '{pair.ada.socket}' {command}"
        pair.terminal.start(f"NO_COLOR=1 {words}")
        pair.terminal.see("ENDED 0")
        has = any(COLOUR.search(row) for row in pair.terminal.screen("-e"))
        checks.that(f"stoa {command} has no colours with NO_COLOR", not has, pair.terminal.screen("-e"))


def plain(pair: Pair, checks: Checks) -> None:
    """With --plain each message is a line, nothing that was read out before is changed, and nothing is lost."""
    pair.both_in("plain")
    pair.control.call("send", to="plain", text="said before")
    command = chat_command(pair.ada, "plain").replace("'chat'", "'chat' '--plain'")
    pair.terminal.start(command)
    pair.terminal.see("ben: said before")
    checks.same("the alternate screen", pair.terminal.state("alternate_on"), "0")
    pair.terminal.type("half a li")
    pair.control.call("send", to="plain", text="comes between")
    pair.terminal.see("ben: comes between")
    pair.terminal.see("half a li")

    def unread() -> int:
        with Control(pair.ada.socket) as control:
            return sum(each["unread"] for each in control.every("conversations") if each["name"] == "plain")
    until("what is printed is read", lambda: unread() == 0)
    pair.terminal.type("ne")
    pair.terminal.press("Enter")
    pair.terminal.see("ada: half a line")
    pair.terminal.type("kept over")
    pair.ada.stop(signal.SIGKILL)
    pair.terminal.see("connecting again")
    pair.terminal.type(" the end")
    pair.terminal.press("Enter")
    pair.ada.start()
    pair.terminal.see("ada: kept over the end")
    rows = [row for row in pair.terminal.screen() if row]
    said = [row for row in rows if ": " in row and row[:2] == "20"]
    checks.same("each message is one line, in their order", [row.split(": ", 1)[1] for row in said], [
        "said before", "comes between", "half a line", "kept over the end"])
    pair.terminal.press("C-d")
    pair.terminal.see("ENDED 0")


def pipes(pair: Pair, checks: Checks) -> None:
    """Without a terminal it reads and prints lines, and loses none, though the daemon is killed."""
    pair.both_in("pipes")
    stoa = str(pair.ada.programs.stoa)
    said = [f"line {number} of a script" for number in range(LINES)]
    heard = [f"line {number} of ben" for number in range(LINES)]
    printed = pair.folder / "printed"
    with printed.open("w") as output:
        process = subprocess.Popen(
            [stoa, "--socket", str(pair.ada.socket), "chat", "pipes"], env=pair.ada.environment,
            stdin=subprocess.PIPE, stdout=output, stderr=subprocess.PIPE, text=True)
    assert process.stdin
    for number in range(LINES):
        process.stdin.write(said[number] + "\n")
        process.stdin.flush()
        pair.control.call("send", to="pipes", text=heard[number])
        if number in (LINES // 4, LINES // 2):
            pair.ada.stop(signal.SIGKILL)
            pair.ada.start()
    # Whoever ends the input ends the chat, whatever it has not printed yet.
    until("all of ben is printed", lambda: f"{heard[-1]}\n" in printed.read_text())
    _, errors = process.communicate(timeout=600)
    checks.same("it ends well", process.returncode, 0)
    texts = [row.split(": ", 1)[1] for row in printed.read_text().splitlines() if ": line " in row]
    for who, due in (("ada", said), ("ben", heard)):
        found = [row for row in texts if row in due]
        checks.that(f"each line of {who} is printed once, in order", found == due,
                    (len(found), len(set(found)), errors[-500:]))
    stored = [m["text"] for m in pair.ada.history("pipes") if m["authorName"] == "ada"]
    checks.same("each line that was read is in the history once", [
        text for text in stored if text in said], said)


def listed(pair: Pair, checks: Checks) -> None:
    """Names of others are offered to completions of shells, told by the first `stoa`, and logged, as what they are."""
    log = pair.ada.log
    pair.ada.stop()
    pair.ada.environment["JOURNAL_STREAM"] = "0:0"
    pair.ada.arguments += ["--log-level", "debug"]
    begin = log.stat().st_size
    pair.ada.start()
    pair.both_in("listed")
    folder = pair.folder / "named"
    folder.mkdir()
    pwned = pair.files / "pwned"
    names = [text for text in NAUGHTY if len(text.encode()) <= 64] + [
        f"$(touch {pwned})", f"`touch {pwned}`", f"';touch {pwned};'", f"x\n<3>stoad: FAKE"]
    taken = 0
    for number, name in enumerate(names):
        for method, params in (("profile", {"name": name}), ("join", {"room": name})):
            try:
                pair.control.call(method, **params)
                taken += 1
            except Exception:  # noqa: BLE001  What is refused does no harm.
                continue
        file = folder / name.replace("/", "_").replace("\0", "_")
        try:
            file.write_text("x")
            code, _, _ = pair.ben.stoa("send", "listed", "--file", str(file))
            taken += code == 0
        except OSError:
            pass
        mark = f"listed-{number}-end"
        pair.control.call("send", to="listed", text=mark)
        until(f"ada has {mark}", lambda: mark in str(pair.ada.call("history", to="listed", limit=1)))
        complete(pair, checks, number)
        for command in ([], ["peers"], ["rooms"], ["transfers"], ["people"]):
            text = pair.ada.output(*command)
            checks.that(f"stoa {command} shows name {number} as what it is",
                        is_visible(text) and not fakes(text), text)
    checks.that("some were taken", taken > len(names), taken)
    pair.control.call("profile", name="ben")
    text = log.read_bytes()[begin:].decode()
    bad = [line for line in text.splitlines() if not re.match(r"<[3-7]>\S", line) or fakes(line)]
    checks.same("lines of the journal that are none of the daemon's", bad, [])
    checks.that("all of the journal can be seen", is_visible(text), text[-500:])


def complete(pair: Pair, checks: Checks, number: int) -> None:
    """What the shells ask for: a word, a tab, what is said of it, in a line of its own."""
    for words in (["send", ""], ["join", ""], ["whois", ""], ["info", ""], ["fetch", ""]):
        text = pair.ada.output("complete", "--", "--socket", str(pair.ada.socket), *words)
        bad = [line for line in text.splitlines() if line.count("\t") != 1 or line.startswith(
            ("<", "FAKE"))]
        checks.same(f"lines of {words} that are no candidates with name {number}", bad, [])
        checks.that(f"candidates of {words} with name {number} can be seen",
                    is_visible(text.replace("\t", " ")), text)


def idle(pair: Pair, checks: Checks) -> None:
    """With nothing to show nothing is done; each message that is shown wakes the client, and the notifier."""
    pair.both_in("idle")
    pair.ada.call("addPerson", person="@" + pair.ben.identity)
    bus = Bus(pair.folder / "idle-bus")
    notifier = Notifier(pair.ada, bus.address)
    keyboard = Keyboard(pair.ada, "idle")
    try:
        checks.that("the client is there", keyboard.until(b"idle"))
        keyboard.rest(3)
        programs = {"chat": keyboard.process, "stoa-notify": notifier.process.pid}
        for _ in range(IDLE_TIMES):
            before = {name: wake_ups(process) for name, process in programs.items()}
            used = {name: processor_seconds(process) for name, process in programs.items()}
            keyboard.rest(IDLE_SECONDS)
            counts = {name: wake_ups(process) - before[name] for name, process in programs.items()}
            if max(counts.values()) <= IDLE_WAKE_UPS:
                break
        for name, process in programs.items():
            count, spent = counts[name], processor_seconds(process) - used[name]
            print(f"MEASURED {name}: {count} wake-ups and {spent * 1e3:.1f} ms in {IDLE_SECONDS:.0f} s of nothing",
                  flush=True)
            checks.that(f"wake-ups of the idle {name}", count <= IDLE_WAKE_UPS, count)
        before = {name: wake_ups(process) for name, process in programs.items()}
        for number in range(MESSAGES):
            pair.control.call("send", to="idle", text=f"message {number}")
            checks.that("it is shown", keyboard.until(f"message {number}".encode()))
            keyboard.rest(0.3)
        for name, process in programs.items():
            count = wake_ups(process) - before[name]
            print(f"MEASURED {name}: {count / MESSAGES:.1f} wake-ups a message that is shown", flush=True)
            checks.that(f"wake-ups of {name} by messages", count <= 8 * MESSAGES, count)
    finally:
        keyboard.close()
        notifier.stop()
        bus.close()


def first(pair: Pair, checks: Checks) -> None:
    """The first screen shows what comes and goes around, and sleeps while nothing does."""
    pair.both_in("meadow")
    eve = Daemon(pair.ada.programs, pair.folder, "eve", [*ON_LOOPBACK, "--name", "eve"])
    eve.start()
    keyboard = Keyboard(eve)
    try:
        checks.that("it shows a room of others", keyboard.until(b"meadow"))
        # Strangers tell nobody their names.
        for daemon in (pair.ada, pair.ben):
            checks.that("and who is linked", keyboard.until(daemon.identity[:12].encode()), keyboard.output[-500:])
        keyboard.rest(5)
        for _ in range(IDLE_TIMES):
            before = wake_ups(keyboard.process)
            keyboard.rest(IDLE_SECONDS)
            count = wake_ups(keyboard.process) - before
            if count <= IDLE_WAKE_UPS:
                break
        print(f"MEASURED first screen: {count} wake-ups in {IDLE_SECONDS:.0f} s of nothing", flush=True)
        checks.that("wake-ups of the idle first screen", count <= IDLE_WAKE_UPS, count)
        keyboard.output = b""
        pair.both_in("brook")
        checks.that("a room that appears is shown", keyboard.until(b"brook"))
    finally:
        keyboard.close()
        eve.stop()


def kept(pair: Pair) -> str:
    """What ada's chat keeps on the disk."""
    paths = (pair.ada.folder / ".local" / "state" / "stoa").glob("chat-*")
    return "".join(path.read_text() for path in paths)


def lock(pair: Pair, checks: Checks) -> None:
    """A node that is locked hides the conversations and asks for the passphrase; with it the client goes on."""
    pair.both_in("vault")
    pair.control.call("send", to="vault", text="said before the lock")
    pair.terminal.start(chat_command(pair.ada, "vault"))
    pair.terminal.see("said before the lock")
    pair.terminal.type("half a")
    until("the draft is kept", lambda: "half a" in kept(pair))
    code, _, errors = pair.ada.stoa("lock", "set", "--new-passphrase-file", "-", "--without-backup", text=PASSPHRASE)
    checks.same("the lock is set", (code, errors), (0, ""))
    until("no text is kept from here on", lambda: "half a" not in kept(pair))
    pair.terminal.type(" line")
    pair.terminal.inputs("half a line")
    pair.ada.call("lock")
    pair.terminal.see("This node is locked")
    hidden = ("said before", "half a line", "vault", "ben")
    until("nothing of the conversations is shown", lambda: not any(
        text in "".join(pair.terminal.screen()) for text in hidden))
    pair.terminal.type("not this one")
    pair.terminal.press("Enter")
    pair.terminal.see("the passphrase does not open the lock")
    pair.terminal.type(PASSPHRASE)
    pair.terminal.see(f"{len(PASSPHRASE)} characters")
    screen = "".join(pair.terminal.screen())
    checks.that("what is typed is not shown", "plover" not in screen, screen)
    pair.terminal.press("Enter")
    pair.terminal.see("said before the lock")
    pair.terminal.inputs("half a line")
    pair.terminal.type(" is whole")
    pair.terminal.press("Enter")
    # Not before the daemon has it: under a lock quitting asks once more.
    pair.terminal.see("half a line is whole ✓")
    pair.terminal.press("C-d")
    pair.terminal.see("ENDED 0")
    pair.ada.call("lock")
    until("it is locked", lambda: pair.ada.call("status").get("lock") == "locked")
    # Also one that begins at a locked node.
    pair.terminal.start(chat_command(pair.ada, "vault"))
    pair.terminal.see("This node is locked")
    pair.terminal.type(PASSPHRASE)
    pair.terminal.press("Enter")
    pair.terminal.see("said before the lock")
    pair.terminal.type("typed under a lock")
    # Longer than a draft waits to be kept.
    time.sleep(2.5)
    checks.that("nor is a later one", "under a lock" not in kept(pair), kept(pair))
    pair.ada.call("setLock", current=PASSPHRASE)
    pair.terminal.type(", kept")
    until("without the lock it is", lambda: "typed under a lock, kept" in kept(pair))
    pair.terminal.press("C-u", "C-d")
    pair.terminal.see("ENDED 0")


def is_visible(text: str) -> bool:
    """Whether a terminal obeys nothing of it, and nothing of it turns the direction or is hidden."""
    return not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\u200b\ufeff]", text)


def fakes(text: str) -> bool:
    return any(line.startswith(("FAKE", "<3>")) for line in text.splitlines()[1:])


PARTS: dict[str, Callable[[Pair, Checks], None]] = {
    "sizes": sizes, "colours": colours, "plain": plain, "pipes": pipes, "listed": listed,
    "idle": idle, "first": first, "lock": lock}


if __name__ == "__main__":
    sys.exit(run_chosen(__doc__, PARTS))
