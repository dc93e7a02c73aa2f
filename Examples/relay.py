#!/usr/bin/env python3
"""Hands the messages of one conversation on to another one, each once: relay.py FROM TO

It speaks JSON-RPC with the daemon (Docs/ControlAPI.md). As a durable consumer it goes on where it left off; the
idempotency key keeps what was handed on from being so twice. When the daemon is away it comes back.
"""

import json
import os
import socket
import sys
import time

SOCKET = os.environ.get("STOA_SOCKET") or os.path.join(os.environ["XDG_RUNTIME_DIR"], "stoa", "control.sock")


class Daemon:
    """One connection, a line for each request, answer and event."""

    def __init__(self) -> None:
        self.stream = socket.socket(socket.AF_UNIX)
        self.stream.connect(SOCKET)
        self.lines = self.stream.makefile("rb")
        self.number = 0
        self.events: list[dict] = []

    def read(self) -> dict:
        line = self.lines.readline()
        if not line:
            raise ConnectionError("the daemon closed the connection")
        return json.loads(line)

    def call(self, method: str, **params: object) -> dict:
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.stream.sendall(json.dumps(request).encode() + b"\n")
        while True:
            message = self.read()
            if message.get("id") != self.number:
                self.events.append(message)
            elif "error" in message:
                error = message["error"]
                raise RuntimeError(f"{error['message']}; {error['data']['remedy']}")
            else:
                return message["result"]

    def event(self) -> dict:
        return self.events.pop(0) if self.events else self.read()


def relay(source: str, target: str) -> None:
    daemon = Daemon()
    consumer = f"relay-{target}"
    daemon.call(
        "subscribe", to=source, consumer=consumer, messages=["text", "action"], notMine=True, takeOver=True
    )
    print("ready", flush=True)
    while True:
        event = daemon.event()
        if event["method"] == "ended":
            raise SystemExit("another relay took over")
        if event["method"] == "gap":
            print(f"messages are missing: {event['params']['reason']}", file=sys.stderr)
        if event["method"] != "message":
            continue
        message = event["params"]["message"]
        text = f"{message['authorName']}: {message['text']}"[:16_000]
        daemon.call("send", to=target, text=text, idempotencyKey=f"relay-{message['id']}")
        daemon.call("acknowledge", conversation=source, consumer=consumer, cursor=message["cursor"])


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit("usage: relay.py FROM TO")
    while True:
        try:
            relay(sys.argv[1], sys.argv[2])
        except (ConnectionError, FileNotFoundError) as error:
            print(f"{error}; connecting again", file=sys.stderr)
            time.sleep(0.5)


if __name__ == "__main__":
    main()
