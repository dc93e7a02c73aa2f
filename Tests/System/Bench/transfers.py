"""Workloads E and X: one large file, and packets of streams, each beside a chat."""

import base64
import json
import mmap
import os
import pathlib
import shutil
import subprocess
import threading
import time

from Driver.checks import Broken
from Driver.control import Control, Refusal
from Driver.process import until
from systems import ROOM, Stoa, measured
from report import ALONE, Row
from workloads import LATENCY_MESSAGES, MEBIBYTE, Workload

FILE_BYTES = 512 * MEBIBYTE
# Ports of the others, away from those of the daemons.
FLOOR_PORT, SSH_PORT, RSYNC_PORT = 7601, 7602, 7603
STREAMS = 10
# So long each sends as many packets as one may, in so many bytes as go with that.
STREAM_SECONDS = 20
PACKETS_A_SECOND = 64
PACKET_BYTES = 450


def touch_memory():
    """Has the system give so much memory once as a transfer takes of it.

    A virtual machine that has given free memory back to its host waits for each page at the first touch:
    of what writes twice as much as another that would be measured twice.
    """
    with mmap.mmap(-1, 8 * FILE_BYTES) as memory:
        for place in range(0, len(memory), mmap.PAGESIZE):
            memory[place] = 1


def source(work):
    """Random bytes, made once and in the page cache each time."""
    touch_memory()
    path = work / "large.bin"
    if not path.exists():
        with open(path, "wb") as out:
            for _ in range(FILE_BYTES // MEBIBYTE):
                out.write(os.urandom(MEBIBYTE))
    with open(path, "rb") as file:
        while file.read(MEBIBYTE):
            pass
    return path


def same(one, other):
    if subprocess.run(["cmp", "-s", one, other], check=False).returncode != 0:
        raise Broken(f"{other} is another file")


def peak(node, mark=False):
    """The most memory that a node has had since it was marked, in MiB."""
    process = pathlib.Path(f"/proc/{node.pid}")
    if mark:
        (process / "clear_refs").write_text("5")
    for line in (process / "status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1_024
    raise Broken(f"{node.name} has no memory")


class Live:
    """Messages one at a time from the first node to the second, while a block runs."""

    def __init__(self, system, room):
        self.process = subprocess.Popen(
            system.load_command("live", 1_000_000, 0, 1, room=room),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.found = {}

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                out, _ = self.process.communicate("", timeout=60)
                if self.process.returncode != 0:
                    raise Broken("the live messages did not come")
                self.found = json.loads(out)
        finally:
            self.process.kill()
            self.process.wait()


class Server:
    """A program that serves while a block runs, and is ready once its port answers."""

    def __init__(self, command, port):
        self.port = port
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def listens(self):
        if self.process.poll() is not None:
            raise Broken(f"{self.process.args[0]} ended with {self.process.returncode}")
        wanted = f":{self.port:04X} "
        lines = pathlib.Path("/proc/self/net/tcp").read_text().splitlines()
        return any(wanted in line and line.split()[3] == "0A" for line in lines)

    def __enter__(self):
        until(f"port {self.port}", self.listens)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def timed(command):
    start = time.monotonic()
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Broken(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return time.monotonic() - start


class File(Workload):
    """One file from one node to another, against what one would use instead."""

    name = "E"

    @property
    def variants(self):
        return {
            "stoa": lambda tools, work: self.measure(tools, work, is_sealed=False),
            "other": self.floor,
            "sealed": lambda tools, work: self.measure(tools, work, is_sealed=True),
            "scp": self.scp,
            "rsync": self.rsync,
        }

    def measure(self, tools, work, is_sealed):
        path = source(work)
        with Stoa(tools, work) as system:
            # As in S: a second link between two nodes is another matter.
            system.options = ["--discovery", "off"]
            for _ in range(2):
                system.add()
            room = ROOM
            if is_sealed:
                made = system.call(0, "createConversation", room=ROOM)
                room = made["conversation"]["name"]
                system.call(1, "join", invite=made["invite"])
            else:
                for index in range(2):
                    system.call(index, "join", room=room)
            system.await_links(1)
            system.await_members(2, room)
            quiet = system.load("latency", LATENCY_MESSAGES, 0, 1, room=room)

            def stoa(index, *arguments):
                return [tools.programs.stoa, "--socket", system.socket(index), *arguments]

            sending = timed(stoa(0, "send", room, "--file", path))
            newest = lambda: system.call(1, "history", to=room, limit=1)["messages"][-1]
            until("the message", lambda: "file" in newest())
            identifier = newest()["id"]
            before = [peak(node, mark=True) for node in system.nodes]
            out = system.folder / "fetched"
            touch_memory()
            seconds = timed(stoa(1, "fetch", identifier, "-o", out))
            most = max(peak(node) - least for node, least in zip(system.nodes, before))
            same(path, out)
            out.unlink()
            # Once more, with a chat beside it.
            again = timed(stoa(0, "send", room, "--file", self.other(path, work)))
            until("the message", lambda: newest().get("id") != identifier and "file" in newest())
            identifier = newest()["id"]
            touch_memory()
            with Live(system, room) as live:
                timed(stoa(1, "fetch", identifier, "-o", out))
            return {
                "rate": FILE_BYTES / 1e6 / seconds, "whole": FILE_BYTES / 1e6 / (seconds + sending),
                "memory": most, "sending": [sending, again],
                "beside": live.found["p99"] * 1e6, "quiet": quiet["p99"] * 1e6}

    @staticmethod
    def other(path, work):
        """As many bytes, of which the first differ."""
        other = work / "large-other.bin"
        if not other.exists():
            shutil.copyfile(path, other)
            with open(other, "r+b") as file:
                file.write(os.urandom(4_096))
        return other

    @staticmethod
    def floor(tools, work):
        path, out = source(work), work / "taken.bin"
        with Server([tools.filefloor, "serve", path, FLOOR_PORT], FLOOR_PORT):
            found = measured([tools.filefloor, "take", out, FLOOR_PORT], 600)
        same(path, out)
        out.unlink()
        return {"rate": FILE_BYTES / 1e6 / found["seconds"]}

    @staticmethod
    def scp(tools, work):
        path, folder, out = source(work), work / "ssh", work / "copied.bin"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        for name in ("host", "user"):
            timed(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name])
        shutil.copyfile(folder / "user.pub", folder / "authorized")
        os.makedirs("/run/sshd", exist_ok=True)
        (folder / "sshd.conf").write_text(
            f"ListenAddress 127.0.0.1:{SSH_PORT}\nHostKey {folder}/host\n"
            f"AuthorizedKeysFile {folder}/authorized\nPermitRootLogin yes\nUsePAM no\n"
            "StrictModes no\nPidFile none\nSubsystem sftp internal-sftp\n")
        with Server(["/usr/sbin/sshd", "-D", "-f", folder / "sshd.conf"], SSH_PORT):
            seconds = timed([
                "scp", "-q", "-P", SSH_PORT, "-i", folder / "user", "-o", "StrictHostKeyChecking=no",
                "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", path, f"127.0.0.1:{out}"])
        same(path, out)
        out.unlink()
        return {"rate": FILE_BYTES / 1e6 / seconds}

    @staticmethod
    def rsync(tools, work):
        path, out = source(work), work / "rsync"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        settings = work / "rsyncd.conf"
        settings.write_text(
            f"use chroot = no\nuid = root\ngid = root\n[to]\npath = {out}\nread only = no\n")
        command = [
            "rsync", "--daemon", "--no-detach", "--address=127.0.0.1", f"--port={RSYNC_PORT}",
            f"--config={settings}"]
        with Server(command, RSYNC_PORT):
            seconds = timed(["rsync", "-W", path, f"rsync://127.0.0.1:{RSYNC_PORT}/to/large.bin"])
        same(path, out / "large.bin")
        shutil.rmtree(out)
        return {"rate": FILE_BYTES / 1e6 / seconds}

    def rows(self, samples):
        def line(name, text, unit, stoa="stoa", other="other", **rest):
            found = samples.get(name, {})
            return Row(self.name, text, unit, found.get(stoa, []), found.get(other, []), **rest)

        out = []
        for variant, what in (("stoa", "open room"), ("sealed", "secret room")):
            text = f"one file of 512 MiB, fetched and saved, {what}"
            beside = samples.get("beside", {}).get(variant, [])
            quiet = samples.get("quiet", {}).get(variant, [])
            out += [
                line("rate", text, "MB/s", variant, must=0.8, is_rate=True),
                line(
                    "rate", "the same", "MB/s", variant, "scp", against="scp", must=1, is_rate=True),
                line("rate", "the same", "MB/s", variant, "rsync", against="rsync daemon", is_rate=True),
                line("whole", "sent, fetched and saved", "MB/s", variant, is_rate=True),
                Row(
                    self.name, "most memory that either daemon takes for it", "MiB",
                    samples.get("memory", {}).get(variant, []), [0.0], against="before it", must=16,
                    is_difference=True),
                Row(
                    self.name, "a live message beside it, p99", "µs", beside, quiet,
                    against="without it", must=4),
            ]
        return out


class Streams:
    """Ephemeral streams from the first node to the second, one in each of some rooms, in a thread."""

    def __init__(self, system, rooms):
        self.sender, self.receiver = (Control(system.socket(index)) for index in range(2))
        self.received = [
            self.receiver.call("openStream", to=room, name="beat", receive=True)["stream"]
            for room in rooms]
        self.opened = [
            self.sender.call("openStream", to=room, name="beat")["stream"] for room in rooms]
        self.sent = [0 for _ in rooms]
        self.is_over = threading.Event()
        self.failed = []
        self.threads = [
            threading.Thread(target=self.guard, args=[work], daemon=True)
            for work in (self.send, self.receive)]

    def guard(self, work):
        try:
            work()
        except (Broken, Refusal, OSError) as error:
            self.failed.append(error)

    def send(self):
        data = base64.b64encode(bytes(PACKET_BYTES)).decode()
        due = time.monotonic()
        while not self.is_over.wait(max(0, due - time.monotonic())):
            due += 1 / PACKETS_A_SECOND
            numbers = [self.sender.post("sendStream", stream=each, data=data) for each in self.opened]
            for index, number in enumerate(numbers):
                try:
                    self.sender.answer(number)
                    self.sent[index] += 1
                except Refusal as refusal:
                    if refusal.data.get("reason") != "tooFast":
                        raise
        for each in self.opened:
            self.sender.call("closeStream", stream=each)

    def receive(self):
        """Until all have ended; what was given and what was told as missed is all that was sent."""
        found = dict.fromkeys(self.received, 0)
        total = {}
        while len(total) < len(found):
            event = self.receiver.next()
            params = event.get("params", {})
            if event.get("method") == "streamError":
                found[params["stream"]] += params["missed"]
            elif params.get("end"):
                total[params["stream"]] = params["number"]
            elif not params.get("late"):
                found[params["stream"]] += 1
        for index, each in enumerate(self.received):
            if not self.sent[index] == total[each] == found[each]:
                raise Broken(
                    f"of {self.sent[index]} packets {found[each]} were given or told as missed, "
                    f"and the end says {total[each]}")

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, kind, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join(60)
        if kind is None and any(thread.is_alive() for thread in self.threads):
            raise Broken("the streams do not end")
        self.sender.close()
        self.receiver.close()
        if kind is None and self.failed:
            raise Broken(str(self.failed[0]))


class Packets(Workload):
    """A chat beside ten streams that send as much as they may, each in a room of its own."""

    name = "X"

    @property
    def variants(self):
        return {
            "stoa": lambda tools, work: self.measure(tools, work, STREAMS),
            "other": lambda tools, work: self.measure(tools, work, 0),
        }

    @staticmethod
    def measure(tools, work, count):
        with Stoa(tools, work) as system:
            system.options = ["--discovery", "off"]
            system.together(2)
            rooms = [f"stream{number}" for number in range(count)]
            for room in rooms:
                for index in range(2):
                    system.call(index, "join", room=room)
                system.await_members(2, room)
            with Streams(system, rooms) as streams, Live(system, ROOM) as live:
                time.sleep(STREAM_SECONDS)
            found = {"p50": live.found["p50"] * 1e6, "p99": live.found["p99"] * 1e6}
            if count:
                found["packets"] = sum(streams.sent) / STREAM_SECONDS / count
            return found

    def rows(self, samples):
        text = f"one message at a time beside {STREAMS} streams of {PACKETS_A_SECOND} packets a second, "
        return [
            self.row(samples, "p99", text + "p99", "µs", against="without them", must=2),
            self.row(samples, "p50", text + "p50", "µs", against="without them"),
            self.row(
                samples, "packets", "packets a second of each, all of them given or told as missed",
                "packets", against=ALONE),
        ]


ALL = [File(), Packets()]
