"""The attacks of file_attacks.py, and how long a friend's file or text takes beside them."""

from __future__ import annotations

import json
import secrets
import subprocess
import time
from typing import Any

from file_attacks import TEXTS, withheld_text
from Driver.honest import HANGS_SECONDS
from Driver.process import until
from room_loads import texts
from systems import FIRST_PORT

FILE_BYTES = 8 << 20


def befriend(pair: Any) -> None:
    """The attacked node knows the honest one."""
    pair.system.call(0, "addPerson", person=pair.system.call(1, "status")["id"])


def sent_file(pair: Any) -> str:
    """The honest node sends a file; gives the message's id once the other one has that."""
    path = pair.options.work / "sent"
    path.write_bytes(secrets.token_bytes(FILE_BYTES))
    said = subprocess.run(
        [pair.options.tools.programs.stoa, "--socket", pair.system.socket(1), "--json", "send", "bench",
         "--file", path], check=True, capture_output=True).stdout
    found = str(json.loads(said.splitlines()[-1])["id"])
    until(
        "the message is there",
        lambda: found in json.dumps(pair.system.call(0, "history", to="bench", limit=20)))
    return found


# Shows: file.slow
def dripping_holders(pair: Any) -> None:
    """Strangers say that they have a file, and drip it: it comes from who has sent it."""
    name, that = "dripping holders", pair.checks.that
    befriend(pair)
    with pair.under("dripping_holders") as figures:
        found = sent_file(pair)
        began = time.monotonic()
        pair.system.call(0, "fetch", id=found)

        def is_done() -> bool:
            return any(each["id"] == found and each["state"] == "done" for each in pair.system.every(0, "transfers"))

        until("the file is there", is_done, HANGS_SECONDS)
        seconds = time.monotonic() - began
    that(f"{name}: no error", "error" not in figures, figures)
    that(f"{name}: the file is there", True)
    print(f"MEASURED load, {name}: {FILE_BYTES >> 20} MiB in {seconds:.1f} s; {figures}", flush=True)


# Shows: file.slow
def withheld_payloads(pair: Any) -> None:
    """Strangers bring texts without what they say, and give it to nobody: it comes from a friend who has it."""
    name, that = "withheld payloads", pair.checks.that
    befriend(pair)
    pair.meter.close()
    began = int(time.time() * 1_000) - 3_000
    pair.system.nodes[0].stop()
    with pair.under("given_texts", FIRST_PORT + 1, began):
        until("the friend has them", lambda: withheld_text(TEXTS - 1) in texts(pair, 1))
    pair.system.nodes[1].stop()
    pair.system.start(0)
    with pair.under("withheld_payloads", began) as figures:
        that(f"{name}: they are withheld", withheld_text(0) not in texts(pair, 0))
        pair.system.start(1)
        pair.system.await_links(1)
        linked = time.monotonic()
        until(
            "the texts are there",
            lambda: all(withheld_text(number) in texts(pair, 0) for number in range(TEXTS)), HANGS_SECONDS)
        seconds = time.monotonic() - linked
    that(f"{name}: no error", "error" not in figures, figures)
    that(f"{name}: the texts are there", True)
    print(f"MEASURED load, {name}: {TEXTS} texts in {seconds:.1f} s; {figures}", flush=True)
    pair.remeter()


LOADS = (dripping_holders, withheld_payloads)
