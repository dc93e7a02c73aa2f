"""The two systems under test, Stoa and the floor, started the same way: one folder per node, one
control socket, one TCP port on loopback."""

import json
import os
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOM = "bench"
FIRST_PORT = 7001


class Failure(Exception):
    """A run that did not do what is measured, so that its time means nothing."""


def measured(command, seconds):
    """What a program measures that prints it as one line of JSON."""
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=seconds)
    if done.returncode != 0:
        raise Failure(f"{command[2]} ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


class Control:
    """One connection to a control socket of Stoa."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(str(path))
        self.lines = self.socket.makefile("rb")

    def call(self, method, **params):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        answer = json.loads(self.lines.readline())
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']}")
        return answer["result"]

    def close(self):
        self.lines.close()
        self.socket.close()


def until(what, condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise Failure(f"after {seconds} seconds not yet: {what}")
        time.sleep(0.01)


class Node:
    """One process with its folder; `socket` is where clients connect."""

    def __init__(self, folder, name):
        self.folder = folder / name
        self.name = name
        self.process = None
        self.command = []
        self.started = 0.0
        # Where it dials; none is the first node.
        self.peers = []
        # What goes before the command line and behind it, and what its environment has besides.
        self.wrapper = []
        self.options = []
        self.environment = {}

    @property
    def data(self):
        return self.folder / "data"

    def start(self, arguments, environment=None):
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.command = [str(argument) for argument in arguments]
        with open(self.folder / "log", "ab") as log:
            self.started = time.monotonic()
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)

    def resident_bytes(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise Failure(f"{self.name} has no memory to count")

    def wake_ups(self):
        """How often its threads have gone to sleep and come back."""
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/status")
        return sum(int(task.read_text().split("\nvoluntary_ctxt_switches:")[1].split()[0])
                   for task in tasks)

    def processor_seconds(self):
        """What all its threads have used so far, which other load hardly changes."""
        threads = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(thread.read_text().split()[0]) for thread in threads) * 1e-9

    def stop(self, signal="terminate"):
        if self.process is None:
            return
        getattr(self.process, signal)()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None


class System:
    """Some nodes of one kind in a folder that goes away with them; a context manager."""

    kind = ""

    def __init__(self, tools, work, first_port=FIRST_PORT):
        self.tools = tools
        self.first_port = first_port
        # Short, because the path of a Unix socket has at most 107 bytes.
        self.sockets = pathlib.Path(tempfile.mkdtemp(prefix="stoa-bench."))
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{self.kind}.", dir=work))
        self.nodes = []
        # What every node's command line begins and ends with.
        self.wrapper = []
        self.options = []

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.close(error)

    def close(self, error=None):
        """Ends and forgets all; after an error it shows what the nodes have logged."""
        if error is not None:
            ended = [
                f"{node.name} with {node.process.returncode}" for node in self.nodes
                if node.process is not None and node.process.poll() is not None]
            if ended:
                print(f"ended by themselves: {', '.join(ended)}", file=sys.stderr)
            # Of many nodes the first ones will do.
            for node in self.nodes[:3]:
                log = node.folder / "log"
                if log.exists() and log.stat().st_size:
                    print(f"--- log of {node.name}\n" + log.read_text()[-2000:], file=sys.stderr)
        for node in self.nodes:
            node.stop()
            self.tools.note(node, self)
        self.nodes = []
        shutil.rmtree(self.folder)
        shutil.rmtree(self.sockets)

    def socket(self, index):
        return self.sockets / str(index)

    def processor_seconds(self):
        return sum(node.processor_seconds() for node in self.nodes)

    def load_command(self, mode, count, *indexes, room=ROOM, anchors=()):
        sockets = [self.socket(index) for index in indexes]
        return [str(part) for part in (
            self.tools.load, self.kind, mode, count, room, *sockets, *anchors)]

    def load(self, mode, count, *indexes, room=ROOM, anchors=(), seconds=600):
        """Runs the load generator and gives what it measured."""
        command = self.load_command(mode, count, *indexes, room=room, anchors=anchors)
        return measured(command, seconds)

    def await_ready(self, node, index):
        """Seconds from the start of the process until it answers a client."""
        ready = measured([self.tools.load, self.kind, "ready", self.socket(index)], 90)
        return ready["at"] - node.started

    def remove_last(self):
        node = self.nodes.pop()
        node.stop()
        shutil.rmtree(node.folder)

    def disk_bytes(self, node):
        """What a node that is stopped leaves on disk, with all of it in the database itself."""
        node.stop()
        for database in node.data.glob("*.db"):
            connection = sqlite3.connect(database)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.close()
        return sum(path.stat().st_size for path in node.data.rglob("*") if path.is_file())


class Stoa(System):
    kind = "stoa"

    def add(self, peers=(0,), **settings):
        """Starts a node; every one but the first has the first as its peer, or those given."""
        index = len(self.nodes)
        node = Node(self.folder, f"node{index}")
        node.peers = list(peers) if index > 0 else []
        for name, value in settings.items():
            setattr(node, name, value)
        self.nodes.append(node)
        self.start(index)
        return node

    def command(self, index):
        node = self.nodes[index]
        arguments = [
            *self.wrapper, *node.wrapper, self.tools.stoad, "--data-dir", node.data, "--socket",
            self.socket(index), "--listen", f"127.0.0.1:{self.first_port + index}"]
        for peer in node.peers:
            arguments += ["--peer", f"127.0.0.1:{self.first_port + peer}"]
        return arguments + self.options + node.options

    def launch(self, index):
        """Starts the process without waiting for it."""
        node = self.nodes[index]
        node.start(
            self.command(index),
            {"PATH": os.environ["PATH"], "HOME": str(node.folder),
             "XDG_RUNTIME_DIR": str(self.sockets), **node.environment})

    def start(self, index):
        """Seconds until it is ready."""
        self.launch(index)
        return self.await_ready(self.nodes[index], index)

    def call(self, index, method, **params):
        control = Control(self.socket(index))
        try:
            return control.call(method, **params)
        finally:
            control.close()

    def await_links(self, count):
        """Until the first node is linked to `count` others."""
        # Many nodes that all discover each other are busy with each other first.
        until(
            f"{count} links", lambda: self.call(0, "status")["links"] >= count, 30 + 2 * count)

    def await_members(self, count, room=ROOM):
        def are_members(index):
            rooms = self.call(index, "conversations")
            return any(
                each["name"] == room and len(each["members"]) == count for each in rooms)
        for index in range(count):
            until(f"{count} members in {room}", lambda: are_members(index), 30 + 2 * count)

    def together(self, count, room=ROOM):
        """`count` nodes that are linked to the first one and share the room."""
        for index in range(len(self.nodes), count):
            self.add()
            self.call(index, "join", room=room)
        self.await_links(count - 1)
        self.await_members(count, room)


class Floor(System):
    kind = "floor"

    def __init__(self, tools, work, chained=False, first_port=FIRST_PORT):
        super().__init__(tools, work, first_port)
        self.chained = chained

    def add(self):
        index = len(self.nodes)
        node = Node(self.folder, f"node{index}")
        self.nodes.append(node)
        node.data.mkdir(mode=0o700, parents=True)
        self.start(index)
        return node

    def start(self, index):
        node = self.nodes[index]
        self.socket(index).unlink(missing_ok=True)
        arguments = [
            self.tools.floor, "reader" if index else "author", self.socket(index),
            node.data / "floor.db", self.first_port]
        node.start(arguments + (["chained"] if index and self.chained else []))
        until("the floor listens", self.socket(index).exists)

    def together(self, count):
        for _ in range(count):
            self.add()
