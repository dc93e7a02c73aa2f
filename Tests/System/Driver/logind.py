#!/usr/bin/env python3
"""A systemd-logind that does what a test says: on the bus of DBUS_SYSTEM_BUS_ADDRESS it takes inhibitors and sends signals.

Reads commands, a line each, and prints what happens:
    sleep | wake          PrepareForSleep
    lock UID              Lock of a session that is the user's of this number
    forge                 the same two signals, to who asked last, from a connection that is not logind's
    held NUMBER           waits until so many inhibitors are open, and says so
"""

import os
import select
import sys
import threading

import dbus
import dbus.lowlevel
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME, PATH = "org.freedesktop.login1", "/org/freedesktop/login1"
MANAGER, SESSION = NAME + ".Manager", NAME + ".Session"


class Session(dbus.service.Object):
    user = 0

    @dbus.service.signal(SESSION, signature="")
    def Lock(self) -> None:
        pass

    @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="ss", out_signature="v")
    def Get(self, interface: str, name: str) -> dbus.Struct:
        assert (interface, name) == (SESSION, "User"), (interface, name)
        path = f"{PATH}/user/_{self.user}"
        return dbus.Struct((dbus.UInt32(self.user), dbus.ObjectPath(path)), signature="uo", variant_level=1)


class Manager(dbus.service.Object):
    def __init__(self, bus: dbus.bus.BusConnection, path: str) -> None:
        super().__init__(bus, path)
        self.held: list[int] = []
        self.sender = ""

    @dbus.service.method(MANAGER, in_signature="ssss", out_signature="h", sender_keyword="sender")
    def Inhibit(self, what: str, who: str, why: str, mode: str, sender: str = "") -> dbus.types.UnixFd:
        self.sender = sender
        assert (what, mode) == ("sleep", "delay") and who and why, (what, who, why, mode)
        mine, theirs = os.pipe()
        self.held.append(mine)
        descriptor = dbus.types.UnixFd(theirs)
        os.close(theirs)
        return descriptor

    @dbus.service.signal(MANAGER, signature="b")
    def PrepareForSleep(self, comes: bool) -> None:
        pass

    def open(self) -> int:
        """How many inhibitors nobody has closed."""
        ended = select.select(self.held, [], [], 0)[0]
        self.held = [number for number in self.held if number not in ended]
        for number in ended:
            os.close(number)
        return len(self.held)


def main() -> None:
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus, other = dbus.SystemBus(private=True), dbus.SystemBus(private=True)
    session_path = PATH + "/session/_31"
    manager, session = Manager(bus, PATH), Session(bus, session_path)
    name = dbus.service.BusName(NAME, bus)
    wanted: list[int] = []
    loop = GLib.MainLoop()

    def done(line: str) -> bool:
        word, *rest = line.split()
        if word == "held":
            wanted.append(int(rest[0]))
            return False
        if word in ("sleep", "wake"):
            manager.PrepareForSleep(word == "sleep")
        elif word == "lock":
            session.user = int(rest[0])
            session.Lock()
        elif word == "forge":
            for path, interface, member in ((PATH, MANAGER, "PrepareForSleep"), (session_path, SESSION, "Lock")):
                signal = dbus.lowlevel.SignalMessage(path, interface, member)
                if member == "PrepareForSleep":
                    signal.append(True)
                signal.set_destination(manager.sender)
                other.send_message(signal)
            other.flush()
        print(word, flush=True)
        return False

    def read() -> None:
        for line in sys.stdin:
            GLib.idle_add(done, line)
        GLib.idle_add(loop.quit)

    def look() -> bool:
        if wanted and manager.open() == wanted[0]:
            print("held", wanted.pop(0), flush=True)
        return True

    GLib.timeout_add(20, look)
    print("ready", name.get_name(), flush=True)
    threading.Thread(target=read, daemon=True).start()
    loop.run()


if __name__ == "__main__":
    main()
