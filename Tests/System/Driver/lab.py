"""The hosts and the switch of Tests/System/Labs/network.sh, and what can be done to them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Iterable

from .checks import Broken
from .daemon import Daemon, Programs
from .process import STOP_SECONDS

LABS = Path(__file__).resolve().parent.parent / "Labs"
# What another address is taken from; a host begins with, and boots into, 10.77.0.I.
OTHER_ADDRESSES = [f"10.77.0.{last}" for last in range(101, 121)]


class Lab:
    """Ends with the process that made it, whatever happens to that one."""

    def __init__(self, hosts: int, avahi: list[int], seed: int | None, log: Path) -> None:
        """Without a seed the bridge is the kernel's: it damages nothing, and costs next to nothing."""
        self.hosts: dict[int, int] = {}
        self.log = log
        self.lock = threading.Lock()
        options = [] if seed is None else [f"--switch={seed}"]
        if avahi:
            options.append("--avahi=" + ",".join(map(str, avahi)))
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [LABS / "network.sh", str(hosts), *options],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
        # Each cable of a switch is acknowledged.
        unplugged, is_ready = 0 if seed is None else hosts, False
        while unplugged > 0 or not is_ready:
            words = self.line().split()
            if words[0] == "host":
                self.hosts[int(words[1])] = int(words[2])
            elif words[0] == "ok":
                unplugged -= 1
            elif words[0] == "ready":
                is_ready = True
            elif words[0] != "bridge":
                raise Broken(f"the lab did not come up: {' '.join(words)}")

    def line(self) -> str:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise Broken(f"the lab has ended:\n{self.log.read_text(errors='replace')[-2000:]}")
        return line.strip()

    def command(self, text: str) -> list[str]:
        """One command to the lab or its switch; gives what it said before its `ok`."""
        with self.lock:
            assert self.process.stdin
            self.process.stdin.write(text + "\n")
            self.process.stdin.flush()
            said: list[str] = []
            while (line := self.line()) != "ok":
                if line.startswith("error"):
                    raise Broken(f"{text}: {line}")
                said.append(line)
            return said

    def prefix(self, host: int) -> list[str]:
        """What goes before a command that runs on a host."""
        return ["nsenter", "-t", str(self.hosts[host]), "-m", "-n", "-u", "-p", "--"]

    def run(self, host: int, script: str) -> None:
        done = subprocess.run(
            [*self.prefix(host), "sh", "-ec", script], capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise Broken(f"host {host}: {script}: {done.stderr.strip()}")

    def power_off(self, host: int) -> None:
        """All processes of the host end at once, and none of them says goodbye."""
        self.command(f"pull {host}")
        os.kill(self.hosts[host], signal.SIGKILL)

    def boot(self, host: int) -> None:
        for line in self.command(f"boot {host}"):
            words = line.split()
            if words[0] == "host":
                self.hosts[host] = int(words[2])

    def renumber(self, host: int, address: str) -> None:
        self.run(
            host,
            "ip address flush dev eth0 scope global; "
            f"ip address add {address}/24 brd + dev eth0")

    def kill_avahi(self, host: int) -> None:
        self.run(
            host,
            "pid=$(cat /run/avahi-daemon/pid); kill -9 $pid; "
            "while readlink /proc/$pid/exe; do :; done; rm -f /run/avahi-daemon/pid")

    def start_avahi(self, host: int) -> None:
        """Tries again, since the bus may still count the name of the killed one as taken."""
        start = (
            "avahi-daemon --daemonize --no-chroot --no-rlimits "
            f"-f {LABS / 'avahi.conf'} >/dev/null 2>&1")
        self.run(
            host,
            f"tries=0; until {start}; do tries=$((tries + 1)); [ $tries -lt 1000 ]; sleep 0.1; done")

    def stats(self) -> dict[str, int]:
        return dict(json.loads(self.command("stats")[0]))

    def switch_seconds(self) -> float:
        """The processor time of the switch so far."""
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                name, _, rest = stat.read_text().rpartition(")")
                fields = rest.split()
                if name.endswith("(switch") and self.is_ancestor(int(fields[1])):
                    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            except OSError:
                # Some process has ended meanwhile.
                continue
        raise Broken("there is no switch")

    def is_ancestor(self, process: int) -> bool:
        while process > 1:
            if process == self.process.pid:
                return True
            stat = Path(f"/proc/{process}/stat").read_text()
            process = int(stat.rpartition(")")[2].split()[1])
        return False

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(STOP_SECONDS)


class HostDaemon(Daemon):
    """A daemon on a host of the lab."""

    def __init__(
        self, lab: Lab, host: int, programs: Programs, folder: Path, name: str, arguments: Iterable[object] = (),
    ) -> None:
        super().__init__(
            programs, folder, name, ["--name", name, "--interface", "eth0", *arguments])
        self.lab, self.host = lab, host

    def command_line(self) -> list[object]:
        # By the lab: a host that has booted again is another process.
        return [*self.lab.prefix(self.host), *super().command_line()]

    def start(self) -> None:
        super().start()
        assert self.process is not None
        # nsenter waits for the daemon, which is its only child.
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        self.pid = int(children.read_text())
