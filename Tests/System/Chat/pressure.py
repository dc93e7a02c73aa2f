#!/usr/bin/env python3
"""Puts `stoa chat` under pressure: texts that attack the terminal, a flood of messages, a daemon that is killed.

    pressure.py FOLDER --work FOLDER [--only NAME...]

Runs only in a network that has nothing but a loopback interface. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from Driver.checks import Checks  # noqa: E402
from Driver.desktop import Keyboard  # noqa: E402
from Driver.process import UNTIL_SECONDS, memory_bytes, until  # noqa: E402
from naughty import ESC, NAUGHTY, TITLES  # noqa: E402
from terminal import SCREEN_SECONDS, chat_command  # noqa: E402
from things import Pair, run_chosen  # noqa: E402

# What the issue of the client names.
ECHO_SECONDS, MEMORY_BYTES = 0.050, 64 << 20
# It lasts until so many messages have come, however busy the machine is.
FLOOD_A_SECOND, FLOOD_SECONDS, FLOOD_LEAST = 10_000 / 60, 20.0, 1_000
KILLS = 20
# How a terminal is that nobody has told anything.
MODES = {
    "alternate_on": "0", "cursor_flag": "1", "insert_flag": "0", "origin_flag": "0",
    "mouse_any_flag": "0", "wrap_flag": "1", "scroll_region_upper": "0", "scroll_region_lower": "23"}


def state(pair: Pair) -> dict[str, str]:
    """All of the terminal that a text might have changed."""
    names = [
        "pane_title", "window_name", "alternate_on", "cursor_flag", "insert_flag", "origin_flag",
        "mouse_any_flag", "mouse_standard_flag", "mouse_all_flag", "wrap_flag",
        "scroll_region_upper", "scroll_region_lower", "cursor_x", "cursor_y"]
    return {name: pair.terminal.state(name) for name in names}


def settled(pair: Pair, before: dict[str, str]) -> dict[str, str]:
    """The terminal's state once it is as before, or at last: a screen is drawn in several steps."""
    deadline = time.monotonic() + SCREEN_SECONDS
    found = state(pair)
    while found != before and time.monotonic() < deadline:
        found = state(pair)
    return found


def at_rest(pair: Pair) -> dict[str, str]:
    """The terminal's state once it changes no more."""
    found = state(pair)
    while found != (found := state(pair)):
        pass
    return found


def hostile(pair: Pair, checks: Checks) -> None:
    """Each text is shown and obeyed by nobody: the terminal is as it was before."""
    pair.both_in("hostile")
    pair.terminal.start(chat_command(pair.ada, "hostile"))
    pair.terminal.see("hostile")
    pair.control.call("send", to="hostile", text="before")
    pair.terminal.see("before")
    before = at_rest(pair)
    for number, text in enumerate(NAUGHTY):
        is_sent = True
        try:
            pair.control.call("send", to="hostile", text=text)
        except Exception as error:  # noqa: BLE001  What cannot be sent does no harm.
            is_sent = False
            checks.say(f"text {number} is refused: {str(error)[:80]}")
        mark = f"mark-{number}-end"
        pair.control.call("send", to="hostile", text=mark)
        pair.terminal.see(mark)
        # What has changed is told once, and awaited once.
        due, before = before, settled(pair, before)
        checks.same(f"the terminal after text {number}", before, due)
        rows = pair.terminal.screen()
        # Times, names and the rule stand before every text: what claims to be a line is behind them.
        foreign = [row for row in rows if "FAKE" in row and "│" not in row[:26]]
        checks.same(f"lines that text {number} fakes", foreign, [])
        fake = [row for row in rows if row[:5].count(":") == 1 and row[6:22].strip() == "ada"
                and "FAKE" in row]
        checks.same(f"messages that text {number} fakes", fake, [])
        if is_sent and ESC in text:
            # A cell of tmux never holds a control character: what stands for it is looked for.
            checks.that(f"text {number} is shown as what it is",
                        any("^[" in row for row in rows_of(number, rows)), rows)
    elsewhere(pair, checks, before)
    buffers = pair.terminal.tmux("list-buffers")
    checks.same("what is in the clipboard", buffers, "")
    # What people print on their terminal, and through a pipe.
    for command, pipe in (("history", " | cat"), ("tail", " | cat"), ("tail", "")):
        words = [str(pair.ada.programs.stoa), "--socket", str(pair.ada.socket), command, "hostile"]
        words += ["--limit", "1000"] if command == "history" else ["--from", "0", "--limit", "100"]
        pair.terminal.start(" ".join(words) + pipe)
        pair.terminal.see("ENDED 0")
        modes = {name: value for name, value in state(pair).items() if name in MODES}
        checks.same(f"the terminal after stoa {command}{pipe}", modes, MODES)
        title = pair.terminal.state("pane_title")
        checks.that(f"the title after stoa {command}", not any(t in title for t in TITLES), title)
        checks.same(f"the clipboard after stoa {command}", pair.terminal.tmux("list-buffers"), "")


def rows_of(number: int, rows: list[str]) -> list[str]:
    """What stands between the mark behind the text before and that behind this one."""
    before = f"mark-{number - 1}-end" if number else "before"
    end = next(place for place, row in enumerate(rows) if f"mark-{number}-end" in row)
    begin = max((place for place, row in enumerate(rows[:end]) if before in row), default=-1)
    return rows[begin + 1:end]


def elsewhere(pair: Pair, checks: Checks, before: dict[str, str]) -> None:
    """The same in names, in what Tab offers, in topics and in reactions."""
    pair.ada.call("send", to="hostile", text="react to this")
    until("ben has it", lambda: "react to this" in str(
        pair.control.call("history", to="hostile", limit=1)))
    target = pair.control.call("history", to="hostile", limit=1)["messages"][0]["id"]
    taken = 0
    for number, text in enumerate(text for text in NAUGHTY if len(text.encode()) <= 64):
        for method, params in (
            ("profile", {"name": text}), ("topic", {"to": "hostile", "text": text}),
            ("react", {"id": target, "sign": text})):
            try:
                pair.control.call(method, **params)
                taken += 1
            except Exception:  # noqa: BLE001  What is refused does no harm.
                continue
        mark = f"name-{number}-end"
        pair.control.call("send", to="hostile", text=mark)
        pair.terminal.see(mark)
        pair.terminal.type("@")
        pair.terminal.press("Tab", "Tab", "C-u")
        pair.terminal.inputs("")
        due, before = before, settled(pair, before)
        checks.same(f"the terminal after name {number}", before, due)
    pair.control.call("profile", name="ben")
    checks.that("some of them were taken as names, topics and signs", taken > 20, taken)


def flood(pair: Pair, checks: Checks) -> None:
    """10,000 messages a minute come, and keys are echoed all the same."""
    pair.both_in("flood")
    keyboard = Keyboard(pair.ada, "flood")
    checks.that("the client is there", keyboard.until(b"flood"))
    ending = threading.Event()
    sent = 0

    def send() -> None:
        nonlocal sent
        control = pair.ben.control()
        begin = time.monotonic()
        while not ending.is_set():
            due = (time.monotonic() - begin) * FLOOD_A_SECOND
            while sent < due and not ending.is_set():
                control.call("send", to="flood", text=f"message {sent} of a flood that does not end")
                sent += 1
            ending.wait(0.005)
        control.close()

    sender = threading.Thread(target=send)
    sender.start()
    times: list[float] = []
    begin = time.monotonic()
    number = 0
    while time.monotonic() - begin < FLOOD_SECONDS or (sent <= FLOOD_LEAST and sender.is_alive()):
        # Characters that no message holds, so that their echo is known by them.
        times.append(keyboard.echo_seconds(chr(0x2460 + number % 100)))
        number += 1
        if number % 40 == 0:
            os.write(keyboard.descriptor, b"\x15")
        wait = time.monotonic() + 0.02
        while (left := wait - time.monotonic()) > 0:
            keyboard.read(left)
    ending.set()
    sender.join()
    rate = sent / (time.monotonic() - begin) * 60
    keyboard.until(f"message {sent - 1} ".encode(), 15)
    times.sort()
    p50, p99 = times[len(times) // 2], times[int(len(times) * 0.99)]
    memory = memory_bytes(keyboard.process, "VmHWM")
    print(f"MEASURED chat: {rate:.0f} messages a minute, {len(times)} keys, echo p50 {p50 * 1e3:.1f} ms, "
          f"p99 {p99 * 1e3:.1f} ms (50), at most {times[-1] * 1e3:.0f} ms, memory {memory / (1 << 20):.1f} MiB (64)",
          flush=True)
    checks.that("every key is echoed", times[-1] < UNTIL_SECONDS, times[-1])
    # Ten times what is due at p99, in the middle: it does not hang.
    checks.that("echo at p50", p50 <= 10 * ECHO_SECONDS, p50)
    checks.that("memory", memory <= MEMORY_BYTES, memory)
    checks.that("the flood was one", sent > FLOOD_LEAST, sent)
    keyboard.close()


def kills(pair: Pair, checks: Checks) -> None:
    """The daemon is killed again and again, while one types, sends and scrolls."""
    pair.both_in("kills")
    terminal = pair.terminal
    terminal.start(chat_command(pair.ada, "kills"))
    terminal.see("kills")
    for number in range(KILLS):
        terminal.type(f"begun {number}")
        pair.ada.stop(signal.SIGKILL)
        terminal.type(" and ended")
        terminal.press("PPage", "NPage")
        terminal.inputs(f"begun {number} and ended")
        if number % 2:
            terminal.press("Enter")
            pair.ada.start()
        else:
            pair.ada.start()
            terminal.press("Enter")
        terminal.see(f"│ begun {number} and ended")
    # Elsewhere what is cut ends so, too, such as an alert in the bar.
    until("nothing waits to be sent", lambda: not any(
        "│ begun" in row and row.endswith("…") for row in terminal.screen()))
    texts = [m["text"] for m in pair.ada.call("history", to="kills", limit=1000)["messages"]
             if m["kind"] == "text"]
    checks.same("what was typed is there, once, in its order", texts,
                [f"begun {number} and ended" for number in range(KILLS)])

    def shown() -> list[str]:
        rows = [row.partition("│ ")[2] for row in terminal.screen() if "ada │" in row]
        return [row.removesuffix(" ✓✓").removesuffix(" ✓") for row in rows]
    until("the screen shows the history", lambda: shown()[-10:] == texts[-10:])
    checks.same("the screen shows the history", shown()[-10:], texts[-10:])


PARTS: dict[str, Callable[[Pair, Checks], None]] = {
    "hostile": hostile, "flood": flood, "kills": kills}


if __name__ == "__main__":
    sys.exit(run_chosen(__doc__, PARTS))
