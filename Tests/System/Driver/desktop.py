"""What a person has in front of them: a session bus with the notifier on it, and the chat client on a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

from .daemon import Daemon
from .process import STOP_SECONDS, UNTIL_SECONDS


class Bus:
    """A session bus that nothing else is on."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        # Without services, so that no other server of notifications is started.
        configuration = folder / "bus.conf"
        configuration.write_text(
            f"<busconfig><type>session</type><listen>unix:path={folder}/bus</listen>"
            '<policy context="default"><allow send_destination="*" eavesdrop="true"/>'
            '<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>')
        self.process = subprocess.Popen(
            ["dbus-daemon", f"--config-file={configuration}", "--nofork", "--print-address=1"],
            stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.address = self.process.stdout.readline().strip()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


class Notifier:
    """stoa-notify beside a daemon."""

    def __init__(self, daemon: Daemon, address: str) -> None:
        self.program = daemon.programs.stoa.parent / "stoa-notify"
        self.socket = daemon.socket
        self.environment = {**daemon.environment, "DBUS_SESSION_BUS_ADDRESS": address}
        self.log = daemon.folder / "notify.log"
        self.start()

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [self.program, "--socket", str(self.socket)], env=self.environment, stderr=log)

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(STOP_SECONDS)


class Keyboard:
    """The client on a pseudo-terminal of its own, whose echo is timed without tmux between."""

    def __init__(self, daemon: Daemon, room: str | None = None) -> None:
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.environ.update({"TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": str(daemon.folder)})
            stoa = str(daemon.programs.stoa)
            os.execv(stoa, [stoa, "--socket", str(daemon.socket), "chat", *([room] if room else [])])
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        self.output = b""

    def read(self, seconds: float) -> None:
        ready, _, _ = select.select([self.descriptor], [], [], seconds)
        if ready:
            self.output = (self.output + os.read(self.descriptor, 1 << 16))[-(1 << 18):]

    def rest(self, seconds: float) -> None:
        """Reads what is drawn meanwhile, as a terminal does."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self.read(left)

    def until(self, text: bytes, seconds: float = UNTIL_SECONDS) -> bool:
        deadline = time.monotonic() + seconds
        while text not in self.output:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self.read(left)
        return True

    def echo_seconds(self, key: str) -> float:
        self.output = b""
        begin = time.perf_counter()
        os.write(self.descriptor, key.encode())
        if not self.until(key.encode(), UNTIL_SECONDS):
            return UNTIL_SECONDS
        return time.perf_counter() - begin

    def close(self) -> None:
        os.kill(self.process, signal.SIGTERM)
        while True:
            try:
                self.read(1)
            except OSError:
                break
        os.waitpid(self.process, 0)
        os.close(self.descriptor)
