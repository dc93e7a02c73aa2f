#!/usr/bin/env python3
"""What an administrator and two users see of the packages: installed, upgraded, removed, purged.

See Docs/Release.md. As root; everything happens on a machine in namespaces of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from Driver.checks import Broken, Checks  # noqa: E402
from Driver.process import until  # noqa: E402
from machine import Machine  # noqa: E402
from robot import LEFT, UNAVAILABLE, Robot  # noqa: E402

PROJECT = Path(__file__).resolve().parents[3]
USERS = ("ada", "ben")
ROOM = "agora"
# Written while the packages are replaced, and while the daemons start anew.
MESSAGES = 10
# The exit codes of what may work a moment later: the daemon is about to end, or has just ended.
TEMPORARY = (75, 69)
# Where one of them has counters written, while that is set.
METRICS = "/tmp/stoa.prom"
DATA = (".local/share/stoa", ".local/state/stoa", ".config/stoa")


def said(*command: object) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise Broken(f"{command[0]}: {done.stdout}{done.stderr}")
    return str(done.stdout + done.stderr)


def tree(folder: Path) -> dict[str, tuple[int, bytes | str]]:
    """Each file's mode and content; pages unpacked, of programs what the linker calls them."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = (0, os.readlink(path))
        elif path.is_file():
            content: bytes | str = path.read_bytes()
            if name.endswith(".gz"):
                name, content = name[:-3], gzip.decompress(path.read_bytes())
            elif path.read_bytes().startswith(b"\x7fELF"):
                content = build_id(path)
            found[name] = (stat.S_IMODE(path.stat().st_mode), content)
    return found


def build_id(program: Path) -> str:
    return re.findall(r"Build ID: (\w+)", said("readelf", "-n", program))[0]


def packages(folder: Path) -> dict[str, Path]:
    return {path.name.split("_")[0]: path for path in folder.glob("*.deb")}


def compare_files(checks: Checks, programs: Path, debs: dict[str, Path], work: Path) -> None:
    """`make install` and the packages place the same files; debug symbols fit the programs."""
    source, package = work / "installed", work / "unpacked"
    for folder in (source, package):
        shutil.rmtree(folder, ignore_errors=True)
    said(
        "make", "-C", PROJECT, "install", f"DESTDIR={source}", "PREFIX=/usr", f"PROGRAMS={programs}",
        "ZSH_COMPLETIONS=vendor-completions")
    for name in debs:
        if not name.endswith("-dbgsym"):
            said("dpkg-deb", "-x", debs[name], package)
    # What every Debian package has, and `make install` has not.
    own = re.compile(r"usr/share/doc/stoa((d|-sites)($|/)|/(changelog|copyright))")
    found = {name: what for name, what in tree(package).items() if not own.match(name)}
    due = tree(source)
    checks.same("make install and the packages place the same files", sorted(found), sorted(due))
    for name in sorted(found.keys() & due.keys()):
        checks.same(f"{name} is the same in both", found[name], due[name])
    symbols = "".join(
        said("dpkg-deb", "-c", debs[name]) for name in debs if name.endswith("-dbgsym"))
    for name, (_, what) in due.items():
        if re.match(r"usr/(bin|libexec)/", name):
            assert isinstance(what, str)
            checks.that(f"{name} has debug symbols", f"{what[:2]}/{what[2:]}.debug" in symbols, what)


def check_pages(checks: Checks) -> None:
    for page in sorted(PROJECT.glob("Docs/*.[1-8]")):
        warnings = subprocess.run(
            ["man", "--warnings", "--encoding=UTF-8", "--troff-device=utf8", "--ditroff", "--local-file", page],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env=os.environ | {"LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80"}).stderr
        checks.same(f"man has nothing to say against {page.name}", warnings, "")


def refuse_uncommitted(checks: Checks, programs: Path, work: Path) -> None:
    """Packages for others have the programs of their commit: nothing may be there beside it."""
    tree = work / "uncommitted"
    shutil.rmtree(tree, ignore_errors=True)
    script = tree / "Tests/System/Tools/package.sh"
    script.parent.mkdir(parents=True)
    shutil.copy(PROJECT / "Tests/System/Tools/package.sh", script)
    said("git", "init", "--quiet", tree)
    done = subprocess.run(
        [script, programs, tree / "made"], capture_output=True, text=True,
        env={name: value for name, value in os.environ.items() if name != "STOA_QUICK"})
    checks.same("no packages of what is not committed", done.returncode, 65)
    checks.that("and what to do is said", "commit first" in done.stderr, done.stderr)
    shutil.rmtree(tree)


def make_older(deb: Path, version: str, older: str, folder: Path) -> None:
    """The same package as one of an earlier version: its programs give that as theirs."""
    made, folder = folder / deb.name, folder / deb.stem
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(exist_ok=True)
    said("dpkg-deb", "-R", deb, folder)
    control = folder / "DEBIAN/control"
    control.write_text(control.read_text().replace(version, older))
    # Swift keeps so short a text in a word of its own.
    words = [text.encode().ljust(8, b"\0") for text in (version, older)]
    for program in ("stoa", "stoad"):
        path = folder / "usr/bin" / program
        if path.exists():
            path.write_bytes(path.read_bytes().replace(*words))
            if older not in said(path, "--version"):
                raise Broken(f"{program} cannot be made to give {older} as its version")
    said("dpkg-deb", "--root-owner-group", "-Znone", "-b", folder, made)


class Writer(threading.Thread):
    """A user who writes one message after the other, as a script does: again with the same key where the
    daemon is about to end, or has just ended."""

    def __init__(self, machine: Machine, user: str) -> None:
        super().__init__(daemon=True)
        self.machine, self.user = machine, user
        self.sent: list[str] = []
        self.failed: list[str] = []
        self.ended = False
        self.start()

    def run(self) -> None:
        while not self.ended:
            text = f"{self.user} {len(self.sent) + 1}"
            code, answer = self.machine.attempt(self.user, "stoa", "send", ROOM, text, "--key", text)
            if code == 0:
                self.sent.append(text)
            elif code not in TEMPORARY:
                self.failed.append(f"{text}: {code}: {answer}")

    def more(self) -> None:
        due = len(self.sent) + MESSAGES
        until(f"{self.user} has written", lambda: len(self.sent) >= due)


class Life:
    """From the first installation to the purge."""

    def __init__(self, checks: Checks, machine: Machine, version: str, older: str) -> None:
        self.checks, self.machine = checks, machine
        self.version, self.older = version, older
        self.robot = Robot(checks, machine)

    def apt(self, *arguments: str) -> str:
        return self.machine.run(
            "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y",
            "--no-install-recommends", *arguments)

    def texts(self, user: str) -> list[str]:
        messages = self.machine.list(user, "history", ROOM, "--all")
        return [str(each["text"]) for each in messages if "text" in each]

    def install(self, debs: list[str]) -> None:
        self.apt("install", *debs)
        machine, checks = self.machine, self.checks
        verify = "systemd-analyze --man=no verify"
        checks.same(
            "the users' units are clean",
            machine.does("ada", "sh", "-c", f"{verify} --user /usr/lib/systemd/user/stoa*"), "")
        checks.same(
            "the units of accounts are clean",
            machine.run("sh", "-c", f"{verify} stoad@ada.service stoad@ada.socket"), "")
        # Who was logged in need not log in again: the first call starts the daemon.
        for user in USERS:
            state = machine.unit(user, "stoad.service", "ActiveState")
            checks.same(f"{user}'s daemon does not run yet", state, "inactive")
            overview = machine.does(user, "stoa")
            checks.that(f"stoa says to {user} who that is", f"{user} @" in overview, overview)
            checks.that("and not that versions differ", self.older not in overview, overview)
            status = machine.does(user, "stoa", "status")
            checks.that(f"{user}'s status is shown", f"stoad {self.older}\n" in status, status)

    def talk(self) -> None:
        machine, checks = self.machine, self.checks
        for user in USERS:
            machine.does(user, "stoa", "join", ROOM)
        for user, other in zip(USERS, reversed(USERS)):
            until(f"{user} is linked to {other}", lambda: any(
                peer["name"] == other and peer["state"] == "linked"
                for peer in machine.list(user, "peers")))
            answer = machine.does(user, "stoa", "send", ROOM, f"{user} says hello", "--wait", "delivered")
            checks.that(f"what {user} sends is delivered", "delivered to 1 peer" in answer, answer)
            checks.that(f"{other} sees it", f"{user} says hello" in self.texts(other))

    def upgrade(self, debs: list[str]) -> None:
        machine, checks = self.machine, self.checks
        machine.run("sh", "-c", "printf '[Node]\\nLogLevel=notice\\n' > /etc/stoa/stoad.conf")
        processes = {user: machine.unit(user, "stoad.service", "MainPID") for user in USERS}
        robot = self.robot.process()
        writers = [Writer(machine, user) for user in USERS]
        for writer in writers:
            writer.more()
        self.reload(USERS[0], USERS[1])
        for writer in writers:
            writer.more()
        self.apt("install", *debs)
        for writer in writers:
            writer.more()
        settings = machine.run("tail", "-1", "/etc/stoa/stoad.conf")
        checks.same("what the administrator has set stays", settings, "LogLevel=notice\n")
        restart = ["systemctl", "--user", "restart", "stoad"]
        due = f"{self.older}, older than this stoa {self.version}: {' '.join(restart)}"
        for user in USERS:
            process = machine.unit(user, "stoad.service", "MainPID")
            checks.same(f"{user}'s daemon runs on", process, processes[user])
            for command in (["stoa"], ["stoa", "status"]):
                said = machine.does(user, *command)
                checks.that(f"{command} says that the daemon is older, and what to do", due in said, said)
            _, said = machine.attempt(user, "stoa", "doctor")
            checks.that("stoa doctor says it, too", "warning (version)" in said, said)
            machine.does(user, *restart)
            status = machine.does(user, "stoa", "status")
            checks.that("then it is not", f"stoad {self.version}\n" in status, status)
            self.is_well("and all is well", user)
        self.robot.live_through(robot)
        self.compare(writers)

    def is_well(self, what: str, user: str) -> None:
        """Sooner or later the doctor says so: links come back, and are tested, after a start."""
        found: tuple[int, str] = (1, "")

        def says_so() -> bool:
            nonlocal found
            found = self.machine.attempt(user, "stoa", "doctor")
            return found == (0, "all is well\n")
        with contextlib.suppress(Broken):
            until(what, says_so, 120)
        self.checks.same(what, found, (0, "all is well\n"))

    def settle(self, user: str) -> None:
        """Of two links that both have dialled after a start one ends, soon after: waits for ten seconds of calm."""
        machine = self.machine
        heard = ("", time.monotonic())

        def is_calm() -> bool:
            nonlocal heard
            said = machine.run(
                "journalctl", "--output=cat", "--lines=20", f"_UID={machine.users[user]}",
                "_SYSTEMD_USER_UNIT=stoad.service")
            if said != heard[0]:
                heard = (said, time.monotonic())
            return time.monotonic() > heard[1] + 10
        until("nothing new is in the log", is_calm, 300)

    def reload(self, user: str, other: str) -> None:
        """While both write: what is set is taken up as stoad.conf(5) says, what is wrong is not, and nothing ends."""
        machine, checks = self.machine, self.checks
        reload = ["systemctl", "--user", "reload", "stoad"]
        self.settle(user)
        since = machine.run("date", "+@%s").strip()
        # One that is not dropped: it does not connect again.
        client = machine.control(user)
        process, before = machine.unit(user, "stoad.service", "MainPID"), client.call("status")
        machine.does(user, "mkdir", "-p", ".config/stoa")

        def set_up(text: str) -> None:
            machine.does(user, "sh", "-c", f"printf '{text}' > .config/stoa/stoad.conf")

        set_up("[Node]\\nDirectFrom=anyone\\nMetrics=%s\\n[Network]\\nListen=127.0.0.1:4999\\n" % METRICS)
        machine.does(user, *reload)
        until("counters are written", lambda: machine.attempt(user, "test", "-s", METRICS)[0] == 0)
        set_up("[Node]\\nDirectFrom=verified\\nMetrics=\\nNmae=x\\n")
        code, said = machine.attempt(user, *reload)
        checks.that("a reload of something wrong fails", code != 0, said)
        # Past the check before it.
        machine.does(user, "systemctl", "--user", "kill", "--signal=HUP", "stoad")

        def log() -> str:
            return machine.run(
                "journalctl", "--output=cat", f"--since={since}", f"_UID={machine.users[user]}",
                "_SYSTEMD_USER_UNIT=stoad.service")
        wrong = 'stoad.conf:4: there is no key "Nmae"; did you mean Name?'
        until("what is wrong is not taken up", lambda: f"is not applied: {machine.homes[user]}" in log())
        checks.that(
            "with its line and what to do, and all stays", f"{wrong}; nothing changes" in log(), log())
        after = client.call("status")
        # Nobody of the two knows the other.
        machine.does(other, "stoa", "send", f"@{after['id']}", "let me in", "--wait", "delivered")
        checks.same(f"as it does: {other} need not be let in", machine.list(user, "requests"), [])
        for what in ("startedAt", "listen", "links"):
            checks.same(f"a reload leaves {what}", after[what], before[what])
        checks.same("and the process", machine.unit(user, "stoad.service", "MainPID"), process)
        checks.that("what was taken up is said", "applied: DirectFrom, LogLevel, Metrics\n" in log(), log())
        checks.that("what was not, too", "Listen will change at the next start" in log(), log())
        checks.that("no link has ended", "unlinked" not in log(), log())
        machine.does(user, "rm", ".config/stoa/stoad.conf")
        machine.does(user, *reload)
        client.close()

    def compare(self, writers: list[Writer]) -> None:
        """All that was written is there, once."""
        machine, checks = self.machine, self.checks
        for writer in writers:
            writer.more()
            writer.ended = True
        for writer in writers:
            writer.join()
            checks.same(f"nothing that {writer.user} sent was refused", writer.failed, [])
        due = sorted(text for writer in writers for text in writer.sent)
        for user in USERS:
            def seen(user: str = user) -> list[str]:
                return sorted(text for text in self.texts(user) if re.fullmatch(r"\w+ \d+", text))
            try:
                until(f"{user} has all messages", lambda: len(seen()) >= len(due))
            except Broken as broken:
                checks.fail(str(broken), set(due) - set(seen()))
            checks.same(f"{user} has each message once", seen(), due)
        print(f"MEASURED packages: {len(due)} messages sent while upgrading, all there", flush=True)

    def lose_units(self) -> None:
        """What keeps a daemon from being started is named, with what to do."""
        machine, checks = self.machine, self.checks
        control = ["systemctl", "--user"]
        machine.does("ada", *control, "stop", "stoad.service", "stoad.socket")
        code, said = machine.attempt("ada", "stoa", "doctor")
        checks.that("a socket that is not active is named", "enable --now stoad.socket" in said, said)
        checks.same("as a problem", code, 2)
        machine.does("ada", *control, "start", "stoad.socket")
        machine.does("ada", "sh", "-c", "mkdir -p .config/stoa && echo Nonsense > .config/stoa/stoad.conf")
        machine.attempt("ada", *control, "start", "stoad.service")
        until("the service has failed", lambda: "failed" == machine.attempt(
            "ada", *control, "is-failed", "stoad.service")[1].strip())
        code, said = machine.attempt("ada", "stoa", "doctor")
        checks.that("a service that fails is named", "the daemon could not start" in said, said)
        checks.same("as a problem, too", code, 2)
        machine.does("ada", "rm", ".config/stoa/stoad.conf")
        machine.does("ada", *control, "reset-failed")
        machine.does("ada", *control, "restart", "stoad.socket", "stoad.service")
        self.is_well("mended, all is well", "ada")
        machine.does("ada", *control, "enable", "--quiet", "stoad.service")
        # Behind the back of the log-in manager, which would end her services.
        machine.run("mv", "/var/lib/systemd/linger/ada", "/run/lingering")
        code, said = machine.attempt("ada", "stoa", "doctor")
        checks.that("a daemon that ends at log-out is named", "loginctl enable-linger" in said, said)
        checks.same("as a warning", code, 1)
        machine.run("mv", "/run/lingering", "/var/lib/systemd/linger/ada")
        machine.does("ada", *control, "disable", "--quiet", "stoad.service")
        machine.does("ada", "rmdir", ".config/systemd/user", ".config/systemd")
        self.is_well("lingering, all is well", "ada")

    def log_out(self, user: str, other: str) -> None:
        """Whose services end with the log-out says goodbye, and has all that was sent meanwhile at the next one."""
        machine, checks = self.machine, self.checks
        manager = f"user@{machine.users[user]}.service"
        process = machine.unit(user, "stoad.service", "MainPID")

        def state() -> list[object]:
            return [peer["state"] for peer in machine.list(other, "peers") if peer["name"] == user]

        until(f"{other} is linked to {user}", lambda: state() == ["linked"])
        machine.run("systemctl", "stop", manager)
        found = machine.execute(["test", "-e", f"/proc/{process}"])
        checks.same("no daemon outlives a log-out", found.returncode, 1)
        code, said = machine.attempt(user, "stoa", "status")
        checks.that("without a log-in there is none, and that is said", code == UNAVAILABLE, (code, said))
        until(f"{other} sees that {user} is gone", lambda: state() != ["linked"])
        machine.does(other, "stoa", "send", ROOM, "after the log-out")
        machine.run("systemctl", "start", manager)
        until("nobody has to call it in the next session", lambda: machine.unit(
            user, "stoad.service", "ActiveState") == "active")
        until(f"{user} has what was sent meanwhile", lambda: "after the log-out" in self.texts(user))
        self.is_well("and all is well", user)
        alerts = machine.list(other, "status")[0]["alerts"]
        checks.same("nobody is alarmed", alerts, [])
        machine.does(user, "systemctl", "--user", "enable", "--quiet", "stoad.service")
        machine.run("systemctl", "stop", manager)
        until(f"{other} sees that {user} is gone again", lambda: state() != ["linked"])
        machine.run("systemctl", "start", manager)
        # Nobody asks it here.
        until(f"{other} is linked to {user}, who has only logged in", lambda: state() == ["linked"])
        machine.does(user, "systemctl", "--user", "disable", "--quiet", "stoad.service")
        machine.does(user, "rmdir", ".config/systemd/user", ".config/systemd")

    def leave(self, before: set[str], debs: list[str]) -> None:
        machine, checks = self.machine, self.checks
        processes = [machine.unit(user, "stoad.service", "MainPID") for user in USERS] + [self.robot.process()]
        self.apt("remove", "stoa", "stoad")
        for process in processes:
            found = machine.execute(["test", "-e", f"/proc/{process}"])
            checks.same("no daemon outlives its package", found.returncode, 1)
        files = machine.files()
        checks.that("the administrator's settings outlive it", "/etc/stoa/stoad.conf" in files)
        self.apt("install", *debs)
        checks.that("installed again, all is there", "ada says hello" in self.texts("ben"))
        self.apt("purge", "stoa", "stoad")
        left = machine.files() - before
        # The folders above were not there either.
        data = {f"{machine.homes[user]}/{path}" for user in USERS for path in DATA} | set(LEFT)
        above = {str(parent) for path in data for parent in Path(path).parents}
        for user in USERS:
            database = f"{machine.homes[user]}/.local/share/stoa/stoa.db"
            checks.that(f"{user}'s messages are left", database in left)
        checks.that("the robot's, too", f"{LEFT[0]}/stoa.db" in left)
        others = {
            path for path in left - above
            if not any(path == each or path.startswith(each + "/") for each in data)}
        checks.same("nothing else is left", sorted(others), [])
        checks.same("nothing that was there is gone", sorted(before - machine.files()), [])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="holds deb/ and root/")
    options = parser.parse_args()
    checks = Checks()
    debs = packages(options.work / "deb")
    version = said(options.programs / "stoad", "--version").split()[-1]
    major, minor, patch = map(int, version.split("."))
    older = f"{major}.{minor - 1}.{patch}" if minor else f"{major - 1}.9.{patch}"
    packaged = said("dpkg-deb", "-f", debs["stoad"], "Version").strip()
    checks.same("the packages are of this version", packaged, version)
    compare_files(checks, options.programs, debs, options.work)
    check_pages(checks)
    refuse_uncommitted(checks, options.programs, options.work)
    checks.say("files and pages are compared")

    old, new = (
        [f"/srv/{folder}/{debs[name].name}" for name in ("stoa", "stoad")]
        for folder in ("old", "deb"))
    for name in ("stoa", "stoad"):
        make_older(debs[name], version, older, options.work / "old")
    checks.say("the older packages are made")
    machine = Machine(options.work / "root", options.work)
    try:
        for user in USERS:
            machine.add_user(user)
        checks.say("the machine has booted")
        life = Life(checks, machine, version, older)
        before = machine.files()
        life.install(old)
        checks.say("installed")
        life.talk()
        life.robot.live(USERS[0])
        checks.say("a robot's account was tried by everybody")
        life.upgrade(new)
        checks.say("upgraded")
        life.lose_units()
        checks.say("units lost and found")
        life.log_out(*USERS)
        checks.say("logged out and in")
        life.leave(before, new)
        checks.say("removed and purged")
    # What a command does not do in time is a fault, too.
    except (Broken, OSError, subprocess.SubprocessError) as broken:
        checks.fail("the run", broken)
    finally:
        machine.end()
        checks.say("the machine is off")
        for name in ("installed", "unpacked", "old"):
            shutil.rmtree(options.work / name, ignore_errors=True)
    return checks.report()


if __name__ == "__main__":
    sys.exit(main())
