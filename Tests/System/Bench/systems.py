"""The two systems under test, Stoa and the floor, started the same way: one folder per node, one
control socket, one TCP port on loopback."""

import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

from Driver.checks import Broken
from Driver.daemon import Daemon
from Driver.process import Program, until

ROOM = "bench"
FIRST_PORT = 7001
# A daemon is at rest ten seconds after its last work, and of many one is long busy with what all tell it.
REST_SECONDS = 40


def measured(command, seconds):
    """What a program measures that prints it as one line of JSON."""
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=seconds)
    if done.returncode != 0:
        raise Broken(f"{command[2]} ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


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
                if words := node.tail():
                    print(f"--- log of {node.name}\n{words}", file=sys.stderr)
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
        ready = measured([self.tools.load, self.kind, "ready", self.socket(index)], 300)
        return ready["at"] - node.started

    def remove_last(self):
        node = self.nodes.pop()
        node.stop()
        shutil.rmtree(node.folder)

    def disk_bytes(self, node):
        """What a node that is stopped leaves on disk, with all of it in the database itself."""
        node.stop()
        data = node.folder / "data"
        for database in data.glob("*.db"):
            connection = sqlite3.connect(database)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.close()
        return sum(path.stat().st_size for path in data.rglob("*") if path.is_file())


class Stoa(System):
    kind = "stoa"

    def add(self, peers=(0,), **settings):
        """Starts a node; every one but the first has the first as its peer, or those given."""
        node = self.make(peers, **settings)
        self.start(len(self.nodes) - 1)
        return node

    def make(self, peers=(0,), wrapper=(), options=(), environment=None):
        """A node that is not started."""
        index = len(self.nodes)
        # Each its own name, as people have: names that are alike are marked in each line.
        arguments = [
            "--listen", f"127.0.0.1:{self.first_port + index}", "--name", f"node{index}"]
        for peer in peers if index > 0 else ():
            arguments += ["--peer", f"127.0.0.1:{self.first_port + peer}"]
        node = Daemon(
            self.tools.programs, self.folder, f"node{index}",
            [*arguments, *self.options, *options], control=self.socket(index),
            wrapper=[*self.wrapper, *wrapper], environment=environment)
        self.nodes.append(node)
        return node

    def launch(self, index):
        """Starts the process without waiting for it."""
        node = self.nodes[index]
        node.launch(node.command_line(), node.environment)

    def start(self, index):
        """Seconds until it is ready."""
        self.launch(index)
        return self.await_ready(self.nodes[index], index)

    def call(self, index, method, **params):
        return self.nodes[index].call(method, **params)

    def resting_bytes(self, index):
        """What a daemon has in memory once it is at rest, and has given back what work left.

        That is seen by a fall of its memory; where there is none, by what it has when one was long due.
        """
        began = self.nodes[index].memory_bytes()
        end = time.monotonic() + REST_SECONDS
        while self.nodes[index].memory_bytes() > began * 0.8 and time.monotonic() < end:
            time.sleep(0.5)
        return self.nodes[index].memory_bytes()

    def every(self, index, method):
        with self.nodes[index].control() as control:
            return control.every(method)

    def await_links(self, count):
        """Until the first node is linked to `count` others."""
        # Many nodes that all discover each other are busy with each other first.
        until(
            f"{count} links", lambda: self.call(0, "status")["links"] >= count, 120 + 2 * count)

    def await_members(self, count, room=ROOM):
        def are_members(index):
            rooms = self.every(index, "conversations")
            return any(each["name"] == room and each["members"] == count for each in rooms)
        for index in range(count):
            until(f"{count} members in {room}", lambda: are_members(index), 120 + 2 * count)

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
        node = Program(self.folder, f"node{index}")
        self.nodes.append(node)
        (node.folder / "data").mkdir(mode=0o700, parents=True)
        self.start(index)
        return node

    def start(self, index):
        node = self.nodes[index]
        self.socket(index).unlink(missing_ok=True)
        arguments = [
            self.tools.floor, "reader" if index else "author", self.socket(index),
            node.folder / "data" / "floor.db", self.first_port]
        node.launch(arguments + (["chained"] if index and self.chained else []))
        until("the floor listens", self.socket(index).exists)

    def together(self, count):
        for _ in range(count):
            self.add()
