"""stoad keeps what it has through a restart and a crash, and hands on what others wrote."""

from __future__ import annotations

import signal
import time

from frames import Reason
from rig import ROOM, SECONDS, Rig
from stoad import Stoad


async def run(rig: Rig) -> None:
    checks, stoad = rig.checks, rig.stoad
    await stoad.run("join", ROOM)
    control = await rig.subscribed()
    author = rig.peer("Author")
    room = author.join(ROOM)
    session = await rig.dial(author)
    for index in range(200):
        author.say(room, f"line {index}")
    await control.message(lambda item: item["text"] == "line 199")
    await stoad.run("send", ROOM, "from stoad")
    await author.until(lambda: room.texts()[-1] == "from stoad", SECONDS, "stoad's message")
    await rig.same_digest(author, session, room)
    own = author.own[room.identifier].name
    await author.close()

    for how, due in ((signal.SIGTERM, Reason.SHUTDOWN), (signal.SIGKILL, None)):
        witness = rig.peer("Witness")
        watched = await rig.dial(witness)
        await witness.heard_back(watched)
        await stoad.stop(how)
        await rig.eventually(
            witness, f"{how.name} ends the link", lambda watched=watched: watched.ended is not None
        )
        checks.same(f"goaway at {how.name}", watched.ended and watched.ended.reason, due)
        await stoad.start()
        reader = rig.peer("Reader")
        held = reader.join(ROOM, say_so=False)
        link = await rig.dial(reader)
        await rig.same_digest(reader, link, held)
        checks.same(f"after {how.name}: the same history", held.texts(), room.texts())
        log = held.log(own)
        checks.same(f"after {how.name}: the absent author's log", log.seq, 202)
        checks.that(f"after {how.name}: its attestations", all(run.is_valid for run in log.runs))
        # The log goes on where it stood.
        before = next(log for log in held.logs.values() if log.name.author == link.link.remote)
        seq = before.seq
        await stoad.run("send", ROOM, f"after {how.name}")
        await reader.until(lambda before=before, seq=seq: before.seq > seq, SECONDS, "it goes on")
        await rig.same_digest(author, await rig.dial(author), room)
        await author.close()
        checks.same(f"after {how.name}: what is new", room.texts()[-1], f"after {how.name}")
        await reader.close()

    # From one stoad to another, the author absent, and from there to a third.
    second = Stoad(stoad.daemon.programs, "Second")
    try:
        await second.start()
        await second.run("join", ROOM)
        listening = await second.control()
        await listening.call("subscribe", **{"to": ROOM, "from": 0})
        await second.run("connect", f"{stoad.key}@127.0.0.1:{stoad.port}")
        for words in ("after SIGKILL", "line 199"):
            await listening.message(lambda item, words=words: item["text"] == words, SECONDS)
        listening.close()
        third = rig.peer("Third")
        end = third.join(ROOM, say_so=False)
        link = await third.dial("127.0.0.1", second.port)
        await rig.same_digest(third, link, end)
        checks.same("through two stoads", end.texts(), room.texts())
        begun = time.monotonic()
        await rig.eventually(
            third,
            "the absent author's profile",
            lambda: third.replica.profile(author.identity.public) is not None,
        )
        # More than a ping interval means that a digest has had to repair it.
        print(f"MEASURED an absent author's profile, through two stoads: {time.monotonic() - begun:.1f} s")
    finally:
        await second.end()
