"""Those of announced.py behind whom there is somebody: strangers with a key each, who listen, are in the room, and
stay linked with whoever dials them.

    answering.py ROOM SOURCE...    says `ready`; at the end of its input how many links there were
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Interop"))

from announced import FAR, KEY_PORT, KEYS, places  # noqa: E402
from peer import Peer  # noqa: E402


async def answer(room: str, sources: list[str]) -> None:
    peers: list[Peer] = []
    for address, port in places(sources):
        if address != FAR and KEY_PORT <= port < KEY_PORT + KEYS:
            peers.append(Peer())
            peers[-1].join(room)
            await peers[-1].listen(address, port)
    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(sum(len(peer.past) + len(peer.sessions) for peer in peers), flush=True)
    # Without a word, as who is cut off.
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(answer(sys.argv[1], sys.argv[2:]))
