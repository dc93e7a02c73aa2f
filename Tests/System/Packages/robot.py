"""An account for a machine's jobs, set up by the words of stoad(8), and tried as everybody who may come to it."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from typing import Any

from Driver.checks import Checks
from Driver.process import until
from machine import Machine

ROBOT = "robot"
GROUP = f"stoa-{ROBOT}"
ROOM = "ops"
RUN = f"/run/stoa/{ROBOT}"
SOCKET = f"{RUN}/control.sock"
DATA = f"/var/lib/stoa/{ROBOT}"
SETTINGS = f"/etc/stoa/{ROBOT}"
NAME = "alarms"
# Accounts that every Debian has: two jobs that are in the group, and one that is not.
BACKUP, WEB, OTHER = "backup", "www-data", "games"
# Exit codes of stoa: there is no socket that may be used; what may not be done.
UNAVAILABLE, DENIED = 69, 77

# Becomes the one who asks, beside the socket, and calls each method; a line says what it is refused with, null
# where it is answered, and the last line the same of all in batches.
ASKING = """
import json, os, socket, sys
user, group, groups = sys.argv[1:4]
methods = sys.argv[4:]
os.setgroups([int(each) for each in groups.split()])
os.setgid(int(group))
os.setuid(int(user))
connection = socket.socket(socket.AF_UNIX)
try:
    connection.connect("control.sock")
except OSError as error:
    sys.exit(error.strerror)
lines = connection.makefile("rb")
def packet(number, method):
    name, _, params = method.partition(" ")
    return {"jsonrpc": "2.0", "id": number, "method": name, "params": json.loads(params or "{}")}
def asked(value, isDue):
    try:
        connection.sendall(json.dumps(value).encode() + b"\\n")
    except BrokenPipeError:
        pass
    while line := lines.readline():
        answer = json.loads(line)
        if isDue(answer):
            return answer
    sys.exit()
def reason(answer):
    return answer.get("error", {}).get("data", {}).get("reason", "" if "error" in answer else None)
for number, method in enumerate(methods):
    # Who is turned away is told so before anything was asked.
    due = lambda answer: isinstance(answer, dict) and answer.get("id") in (number, None) and "method" not in answer
    print(json.dumps([method, reason(asked(packet(number, method), due))]))
found = {}
# More at once than the daemon has room for would be put off.
for first in range(0, len(methods), 8):
    batch = [packet(number, methods[number]) for number in range(first, min(first + 8, len(methods)))]
    found |= {methods[each["id"]]: reason(each) for each in asked(batch, lambda answer: isinstance(answer, list))}
print(json.dumps(found))
"""


class Robot:
    """From the first line of the manual to what is left of it."""

    def __init__(self, checks: Checks, machine: Machine) -> None:
        self.checks, self.machine = checks, machine
        self.access: dict[str, bool] = {}

    # What each of them does

    def stoa(self, user: str, *command: str) -> tuple[int, str]:
        return self.machine.attempt(user, "stoa", "--socket", SOCKET, *command)

    def does(self, user: str, *command: str) -> str:
        return self.machine.does(user, "stoa", "--socket", SOCKET, *command)

    def unit(self, unit: str, name: str) -> str:
        return self.machine.run("systemctl", "show", "--value", "-p", name, unit).strip()

    def ask(self, user: str, *methods: str, groups: list[str] | None = None) -> list[Any]:
        """What a program of that user is answered: [method, reason] of each, then all of a batch.

        Parameters may follow a method behind a space.
        """
        machine = self.machine
        account = machine.account(user)
        if groups is None:
            groups = machine.run("id", "-G", user).split()
        # The machine has no Python; but a folder of it can be entered from here.
        done = subprocess.run(
            [sys.executable, "-c", ASKING, account[2], account[3], " ".join(groups), *methods],
            cwd=f"/proc/{machine.number}/root{RUN}", env={}, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            return [done.stderr.strip()]
        return [json.loads(line) for line in done.stdout.splitlines()]

    def process(self) -> str:
        return self.unit(f"stoad@{ROBOT}.service", "MainPID")

    # The parts, in order

    def live(self, listener: str) -> None:
        self.set_up()
        self.read_manual()
        self.try_members()
        self.try_others()
        self.be_heard(listener)

    def set_up(self) -> None:
        """By the lines of the manual; two of the jobs are let in."""
        machine, checks = self.machine, self.checks
        page = machine.run("zcat", "/usr/share/man/man8/stoad.8.gz")
        part = page.split(".SH AN ACCOUNT FOR A MACHINE", 1)[1].split(".SH ", 1)[0]
        lines = part.split(".EX\n", 1)[1].split(".EE", 1)[0].replace("\\-", "-").splitlines()
        checks.same("the manual has these steps", [line.split()[0] for line in lines],
                    ["useradd", "groupadd", "systemctl", "usermod", "sudo"])
        machine.run("mkdir", "-p", f"{SETTINGS}/stoa")
        machine.run("sh", "-c", f"printf '[Node]\\nName={NAME}\\n' > {SETTINGS}/stoa/stoad.conf")
        for line in lines[:-1]:
            machine.run(*shlex.split(line))
        machine.run("usermod", "--append", "--groups", GROUP, WEB)
        checks.same("the socket waits alone", self.unit(f"stoad@{ROBOT}.service", "ActiveState"), "inactive")
        found = machine.run("stat", "-c", "%U %G %a", SOCKET).strip()
        checks.same("it is for the account and its group", found, f"{ROBOT} {GROUP} 660")
        found = machine.run("stat", "-c", "%U %a", RUN).strip()
        checks.same("who could put another in its place", found, "root 755")
        # As sudo does it, which the machine has not.
        words = shlex.split(lines[-1])
        checks.same("the last step is the account's", words[:4], ["sudo", "-u", ROBOT, "stoa"])
        machine.does(ROBOT, *words[3:])
        state = self.unit(f"stoad@{ROBOT}.service", "ActiveState")
        checks.same("the first call starts the daemon", state, "active")
        found = machine.run("stat", "-c", "%U", f"/proc/{self.process()}").strip()
        checks.same("it runs as the account", found, ROBOT)
        found = machine.run("stat", "-c", "%U %a", DATA).strip()
        checks.same("its data are the account's alone", found, f"{ROBOT} 700")
        status = self.does(ROBOT, "status")
        checks.that("it has the name that its settings give it", f"{NAME} @" in status, status)

    def read_manual(self) -> None:
        """Which methods there are, and which of them are for the group."""
        page = self.machine.run("zcat", "/usr/share/man/man7/stoa-control.7.gz")
        part = page.split(".SH METHODS", 1)[1].split(".SH ", 1)[0]
        for name, line in re.findall(r"^\.SS (.+)\n(.+)$", part, re.MULTILINE):
            self.access[name] = line.endswith(r"(\fIgroup\fR)")
        for due in (True, False):
            self.checks.that("the manual marks some methods", due in self.access.values(), self.access)

    def try_members(self) -> None:
        """Members of the group: what the manual says, and no more."""
        checks, machine = self.checks, self.machine
        before = self.standing()
        for user in (BACKUP, WEB):
            self.does(user, "send", ROOM, f"{user} is done", "--key", f"{user} 1")
            for line in ([], ["status"], ["peers"], ["rooms"], ["conversations"], ["people"], ["members", ROOM],
                         ["search", "done"], ["usage"], ["transfers"], ["consumers"], ["whois", "@me"]):
                checks.same(f"stoa {' '.join(line)} is for {user}, too", self.stoa(user, *line)[0], 0)
        for user, other in ((BACKUP, WEB), (WEB, BACKUP)):
            history = self.does(user, "history", ROOM)
            checks.that(f"{user} reads what {other} has sent", f"{other} is done" in history, history)
        said = machine.does(BACKUP, "sh", "-c", f"echo by the line | stoa --socket {SOCKET} chat {ROOM}")
        checks.that("a member talks there, too", f"{WEB} is done" in said, said)
        until("what was typed is there", lambda: "by the line" in self.does(WEB, "history", ROOM))
        self.exchange_files()
        code, said = self.stoa(BACKUP, "doctor")
        checks.same("a member may ask what is wrong", (code, said), (0, "all is well\n"))
        for line in (["join", "more"], ["leave", ROOM], ["profile", "--name", "Mallory"], ["realm", "new", "office"],
                     ["realm", "list"], ["backup", "/tmp/stolen"], ["forget", ROOM], ["connect", "127.0.0.1:9"],
                     ["mute", ROOM], ["create", "den", "--secret"], ["topic", ROOM, "Mallory's"],
                     ["requests"], ["retain", ROOM, "--days", "1"]):
            code, said = self.stoa(BACKUP, *line)
            checks.that(f"stoa {line[0]} is not for the group", code == DENIED and "user whose daemon" in said,
                        f"{code}: {said}")
        self.try_methods(BACKUP)
        checks.same("none of it has changed anything", self.standing(), before)
        for path in (DATA, f"{DATA}/identity.key", f"{DATA}/stoa.db"):
            for test in ("-r", "-w", "-x"):
                code, _ = machine.attempt(BACKUP, "test", test, path)
                checks.same(f"a member has nothing of {path} ({test})", code, 1)
        code, _ = machine.attempt(BACKUP, "mv", SOCKET, f"{RUN}/old")
        checks.same("nor can one put another socket in its place", code, 1)

    def try_methods(self, user: str) -> None:
        """Each method of the manual, alone and in batches, from a program of the user's own."""
        checks = self.checks
        found = self.ask(user, *self.access)
        alone, batch = dict(item for item in found[:-1]), found[-1]
        for how, answers in (("alone", alone), ("in a batch", batch)):
            denied = {name for name, reason in answers.items() if reason == "ownerOnly"}
            due = {name for name, isGroup in self.access.items() if not isGroup}
            checks.that(f"a member is refused the account's methods {how}", denied == due,
                        {name: answers.get(name) for name in denied ^ due})
            checks.same(f"each is answered {how}", sorted(answers), sorted(self.access))
        for asked in ('subscribe {"kinds":["message","request"]}', 'createConversation {"room":"den"}'):
            checks.same(f"a member is refused {asked}", self.ask(user, asked)[0], [asked, "ownerOnly"])
        account = dict(item for item in self.ask(ROBOT, *self.access)[:-1])
        checks.that("the account is refused none as not its own",
                    "ownerOnly" not in account.values() and sorted(account) == sorted(self.access), account)

    def exchange_files(self) -> None:
        """A job's file is its own: the account need not be able to read it, nor to write where it goes."""
        machine = self.machine
        folder = f"/var/tmp/{BACKUP}"
        machine.run("install", "-d", "-o", BACKUP, "-m", "700", folder)
        machine.does(BACKUP, "sh", "-c", f"umask 077; echo what was saved > {folder}/report")
        self.does(BACKUP, "send", ROOM, "the report", "--file", f"{folder}/report")
        history = [json.loads(line) for line in self.does(BACKUP, "--json", "history", ROOM).splitlines()]
        ids = [each["id"] for each in history if "file" in each]
        self.checks.same("a member's file is sent", len(ids), 1)
        for each in ids:
            self.does(BACKUP, "fetch", each, "-o", f"{folder}/again")
            for line in (["info", each], ["react", each, "+1"]):
                self.does(BACKUP, *line)
        again = machine.does(BACKUP, "cat", f"{folder}/again")
        self.checks.same("and fetched into a folder of the member's", again, "what was saved\n")
        machine.run("rm", "-r", folder)

    def standing(self) -> list[Any]:
        """What a member must not change."""
        return [
            # Rooms of others may be announced meanwhile.
            [line for line in self.does(ROBOT, "--json", "rooms").splitlines() if '"joined":true' in line],
            self.does(ROBOT, "--json", "realm", "list"),
            self.does(ROBOT, "--json", "profile"), self.does(ROBOT, "topic", ROOM)]

    def try_others(self) -> None:
        """Nobody else gets anything; nor does who was a member."""
        checks, machine = self.checks, self.machine
        code, said = self.stoa(OTHER, "status")
        checks.same("others do not reach the socket", code, UNAVAILABLE)
        checks.that("and are told why, and what to do", "ask to be added to the group" in said, said)
        checks.same("nor do their programs", self.ask(OTHER, "status"), ["Permission denied"])
        # Without the file's mode the daemon itself says who may come.
        machine.run("chmod", "666", SOCKET)
        for method in ("status", "send", "join", "rpc.discover"):
            found = self.ask(OTHER, method)[:1]
            checks.same(f"the daemon turns them away from {method}", found, [[method, "otherUser"]])
        code, said = self.stoa(OTHER, "status")
        checks.that("and says so", code != 0 and "another user" in said, f"{code}: {said}")
        checks.same("who has left the group is an other", self.ask(BACKUP, "status", groups=[])[:1],
                    [["status", "otherUser"]])
        checks.same("members are let in as before", self.ask(BACKUP, "status")[:1], [["status", None]])
        machine.run("chmod", "660", SOCKET)
        checks.same("root may do what the account may", self.ask("root", "realms")[:1], [["realms", None]])

    def be_heard(self, user: str) -> None:
        """People have what the jobs have sent, as of the robot."""
        machine = self.machine
        machine.does(user, "stoa", "join", ROOM)

        def heard() -> list[str]:
            return [str(each.get("authorName")) for each in machine.list(user, "history", ROOM)
                    if each.get("text") == f"{BACKUP} is done"]
        until(f"{user} hears of the robot", lambda: bool(heard()))
        self.checks.same(f"{user} sees whom it is of", heard(), [NAME])

    def live_through(self, process: str) -> None:
        """After an upgrade: it runs on as it was, then anew, with all that was sent."""
        checks, unit = self.checks, f"stoad@{ROBOT}.service"
        checks.same("the robot's daemon runs on", self.process(), process)
        self.does(WEB, "send", ROOM, "while it was older")
        self.machine.run("systemctl", "restart", unit)
        checks.that("and starts anew", self.process() not in (process, "0"))
        history = self.does(WEB, "history", ROOM, "--all")
        for text in (f"{BACKUP} is done", "while it was older"):
            checks.that(f"with what was sent: {text}", text in history, history)


# What a purge leaves: it is the account's, and the administrator's.
LEFT = (DATA, SETTINGS)
