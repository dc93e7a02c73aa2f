"""Networks that have nothing but a loopback interface, so that no test reaches any other."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

from .process import until

NEW_NETWORK = 0x4000_0000


def raise_loopback(wrapper: list[str] | None = None) -> None:
    subprocess.run([*(wrapper or []), "ip", "link", "set", "lo", "up"], check=True)


def enter_own_network() -> None:
    """Leaves the machine's network for a new one."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_NETWORK) != 0:
        raise OSError(ctypes.get_errno(), "a network of its own")
    raise_loopback()


def demand_own_network(command: str) -> None:
    """Ends this program on any other network, naming the command that makes one."""
    # Not /sys, which may show another namespace: this file is that of the reading process.
    lines = Path("/proc/self/net/dev").read_text().splitlines()[2:]
    names = {line.split(":")[0].strip() for line in lines}
    if names != {"lo"}:
        sys.exit(
            f"this network has {', '.join(sorted(names))}; this runs only where there is nothing "
            f"but lo: {command}")
    raise_loopback()


class OwnNetwork:
    """One more such network, which commands enter by `wrapper`."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            ["unshare", "--net", "sleep", "3600"], stdin=subprocess.DEVNULL)
        path = f"/proc/{self.process.pid}/ns/net"
        until("a network of its own", lambda: os.readlink(path) != os.readlink("/proc/self/ns/net"))
        self.wrapper = ["nsenter", f"--net={path}"]
        raise_loopback(self.wrapper)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
