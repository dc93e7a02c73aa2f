"""`stoa chat` in a terminal of tmux, whose screen is read as text."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from Driver.daemon import Daemon
from Driver.process import until

# How long the screen may take to show what it must: far more than it needs, even on a busy machine.
SCREEN_SECONDS = 90.0
PASTE_BUFFER = "stoa"


class Terminal:
    """One window of a tmux server of its own."""

    def __init__(self, folder: Path, columns: int, rows: int, environment: dict[str, str]) -> None:
        self.socket = folder / "tmux"
        self.columns, self.rows = columns, rows
        self.environment = {
            **os.environ, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color",
            "SHELL": "/bin/sh", **environment}
        self.environment.pop("TMUX", None)
        self.environment.pop("NO_COLOR", None)
        self.environment.pop("XDG_STATE_HOME", None)
        configuration = folder / "tmux.conf"
        configuration.write_text(
            "set -g default-terminal tmux-256color\nset -g status off\nset -g escape-time 0\n"
            "set -g remain-on-exit on\nset -g set-titles on\nset -g allow-rename on\n"
            # The name of the window is what a text might change.
            "set -g automatic-rename off\n"
            "set -g set-clipboard on\n")
        self.configuration = configuration

    def tmux(self, *words: str, text: str | None = None) -> str:
        done = subprocess.run(
            ["tmux", "-S", str(self.socket), "-f", str(self.configuration), *words],
            input=text, capture_output=True, text=True, env=self.environment, timeout=180)
        if done.returncode != 0:
            raise RuntimeError(f"tmux {' '.join(words)}: {done.stderr}")
        return done.stdout

    def start(self, command: str) -> None:
        """Runs a command in a new window, in place of the one before."""
        size = ["-x", str(self.columns), "-y", str(self.rows)]
        self.tmux(
            "new-session", "-d", "-s", "next", *size, f"{command}; echo ENDED $?; exec sleep 600")
        for name in self.tmux("list-sessions", "-F", "#{session_name}").split():
            if name != "next":
                self.tmux("kill-session", "-t", name)
        self.tmux("rename-session", "-t", "next", "chat")

    def close(self) -> None:
        subprocess.run(
            ["tmux", "-S", str(self.socket), "kill-server"], capture_output=True, check=False)

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-t", "chat", "-l", text)

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", "-t", "chat", *keys)

    def paste(self, text: str) -> None:
        self.tmux("load-buffer", "-b", PASTE_BUFFER, "-", text=text)
        self.tmux("paste-buffer", "-p", "-d", "-b", PASTE_BUFFER, "-t", "chat")

    def resize(self, columns: int, rows: int) -> None:
        self.tmux("resize-window", "-t", "chat", "-x", str(columns), "-y", str(rows))

    def screen(self, *options: str) -> list[str]:
        text = self.tmux("capture-pane", "-p", *options, "-t", "chat")
        return [line.rstrip() for line in text.split("\n")]

    def input(self) -> str:
        """What stands in the input line, without the prompt; of several rows the first."""
        rows = [line for line in self.screen() if line.startswith(">")]
        return rows[-1][2:] if rows else "(no input line)"

    def state(self, what: str) -> str:
        return self.tmux("display-message", "-p", "-t", "chat", f"#{{{what}}}").strip("\n")

    def see(self, text: str) -> None:
        until(f"on the screen: {text}", lambda: any(text in row for row in self.screen()),
              SCREEN_SECONDS)

    def gone(self, text: str) -> None:
        until(f"no longer on the screen: {text}",
              lambda: not any(text in row for row in self.screen()), SCREEN_SECONDS)

    def inputs(self, text: str) -> None:
        until(f"in the input line: {text}", lambda: self.input() == text, SCREEN_SECONDS)


def chat_command(daemon: Daemon, *words: str) -> str:
    return " ".join(
        f"'{word}'" for word in
        [str(daemon.programs.stoa), "--socket", str(daemon.socket), "chat", *words])
