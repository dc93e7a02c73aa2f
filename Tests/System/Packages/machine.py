"""The machine of Tests/System/Labs/machine.sh, and what people do on it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from Driver.checks import Broken
from Driver.control import Control
from Driver.lab import LABS

# Packages are written to a disk that others keep busy, too.
COMMAND_SECONDS = 900.0


class Machine:
    """Boots from a folder; ends with the process that made it, whatever happens to that one."""

    def __init__(self, root: Path, shared: Path) -> None:
        """What is in `shared` is in its `/srv`."""
        self.users: dict[str, int] = {}
        self.homes: dict[str, str] = {}
        self.process = subprocess.Popen(
            [LABS / "machine.sh", root, shared], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        words = self.process.stdout.readline().split()
        if words[:1] != ["lab"] or self.process.stdout.readline() != "ready\n":
            raise Broken("the machine does not boot")
        self.number = words[1]
        self.prefix = ["nsenter", "-t", self.number, "-m", "-n", "-u", "-p", "--"]

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(120)

    def execute(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.prefix, *command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=COMMAND_SECONDS)

    def run(self, *command: str) -> str:
        """As root; what it says, errors too."""
        done = self.execute(list(command))
        if done.returncode != 0:
            raise Broken(f"{' '.join(command)}: {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def add_user(self, name: str) -> None:
        """A person whose service manager runs from now on, as it does after a log-in."""
        self.run("useradd", "--create-home", "--shell", "/bin/bash", name)
        self.homes[name] = self.account(name)[5]
        self.users[name] = int(self.account(name)[2])
        self.run("loginctl", "enable-linger", name)
        self.run("systemctl", "start", f"user@{self.users[name]}.service")

    def account(self, user: str) -> list[str]:
        """Its line of the accounts."""
        return self.run("getent", "passwd", user).strip().split(":")

    def command(self, user: str, *command: str) -> list[str]:
        """As a person who was added, or as an account that has no home and no service manager."""
        home = self.homes.get(user, "/")
        session = [f"XDG_RUNTIME_DIR=/run/user/{self.users[user]}"] if user in self.users else []
        return [
            "setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "env", "-i",
            f"--chdir={home}", f"HOME={home}", f"USER={user}", f"LOGNAME={user}", *session, "LANG=C.UTF-8",
            "PATH=/usr/bin:/bin", *command]

    def attempt(self, user: str, *command: str) -> tuple[int, str]:
        """As that user; the exit code, and what it says."""
        done = self.execute(self.command(user, *command))
        return done.returncode, done.stdout + done.stderr

    def does(self, user: str, *command: str) -> str:
        code, said = self.attempt(user, *command)
        if code != 0:
            raise Broken(f"{user}: {' '.join(command)}: {code}: {said}")
        return said

    def control(self, user: str) -> Control:
        """A client of that user's daemon, from outside: root may be one."""
        return Control(Path(f"/proc/{self.number}/root/run/user/{self.users[user]}/stoa/control.sock"))

    def list(self, user: str, *command: str) -> list[dict[str, Any]]:
        """What a command of stoa lists, one object a line; what it says beside, as of nothing yet, is none."""
        said = self.does(user, "stoa", "--json", *command)
        return [json.loads(line) for line in said.splitlines() if line.startswith("{")]

    def unit(self, user: str, unit: str, name: str) -> str:
        return self.does(user, "systemctl", "--user", "show", "--value", "-p", name, unit).strip()

    def files(self) -> set[str]:
        """All files, but for what a system writes down while it runs."""
        left_out = ["/var/log", "/var/cache", "/var/lib/apt", "/var/lib/dpkg", "/tmp", "/var/tmp"]
        tests = [word for path in left_out for word in ("-path", path, "-prune", "-o")]
        return set(self.run("find", "/", "-xdev", *tests, "-print").splitlines())
