"""A third node passes on the newest run of an absent author and leaves: what is missing shows until it is here."""

from __future__ import annotations

import frames
from rig import ROOM, SECONDS, Rig


async def run(rig: Rig) -> None:
    checks, stoad = rig.checks, rig.stoad
    await stoad.run("join", ROOM)
    control = await rig.subscribed()
    await control.call("subscribe", to=ROOM, kinds=["missing"])
    author = rig.peer("Author")
    room = author.join(ROOM)
    session = await rig.dial(author)
    author.say(room, "the first")
    await control.message(lambda item: item["text"] == "the first")
    await rig.same_digest(author, session, room)
    await author.close()
    status = (await stoad.json("status"))[0]
    checks.that("nothing is missing at first", "incomplete" not in status, status)

    # The author goes on alone: three messages that nobody brings, and a fourth that a third node passes on.
    for number in range(3):
        author.say(room, f"unheard {number}")
    newest = author.say(room, "the newest")
    third = rig.peer("Third")
    third.join(ROOM, say_so=False)
    link = await rig.dial(third)
    await third.heard_back(link)
    link.link.send(frames.live_run(newest.packed()))
    await third.heard_back(link)
    await third.close()

    event = await control.notification("missing", lambda event: bool(event["missing"]), SECONDS)
    checks.same("an event says of how many authors", len(event["missing"]), 1)
    missing = event["missing"][0]
    checks.same("whose", missing["authorName"], "Author")
    checks.same("how many", missing["count"], 4)
    checks.same("and that nobody here has them", missing["holders"], [])
    status = (await stoad.json("status"))[0]
    checks.same("status says the same", [each["missing"] for each in status["incomplete"]], [[missing]])
    text = await stoad.run("status")
    checks.that(
        "status says it in words",
        "agora: 4 messages by Author are missing; nobody here has them" in text,
        text,
    )
    clock = (await stoad.json("status", "--clock", ROOM))[0]
    checks.same("the clock says it", clock["missing"], [missing])
    logs = {log["authorName"]: log for log in clock["items"]}
    checks.same("and how much is here", logs["Author"]["here"], 3)
    checks.same("nobody is linked", (clock["linked"], logs["Author"]["members"]), ([], []))
    tail = await stoad.json("tail", ROOM, "--kind", "missing", "--limit", "1")
    checks.same("tail says it at once", tail[0]["missing"], [missing])

    # The author is back, and what was missing comes.
    session = await rig.dial(author)
    await control.message(lambda item: item["text"] == "the newest")
    await control.notification("missing", lambda event: not event["missing"], SECONDS)
    checks.that("an event says that all is here", True)
    await rig.same_digest(author, session, room)
    status = (await stoad.json("status"))[0]
    checks.that("status misses nothing", "incomplete" not in status, status)
    clock = (await stoad.json("status", "--clock", ROOM))[0]
    checks.that("nor does the clock", "missing" not in clock, clock)
    logs = {log["authorName"]: log for log in clock["items"]}
    checks.same("all is here", logs["Author"]["here"], 7)
    checks.same("and at its author", [each["entries"] for each in logs["Author"]["members"]], [7])
    table = await stoad.run("status", "--clock", ROOM)
    checks.same("people read it as a table", table.split("\n")[0].split(), ["AUTHOR", "HERE", "Author"])
    history = await stoad.json("history", ROOM)
    info = (await stoad.json("info", history[-1]["id"]))[0]
    checks.same("info says the number of a message", (info["number"], history[-1]["text"]), (7, "the newest"))
    checks.same(
        "and what it follows",
        [(each["authorName"], each["number"]) for each in info["follows"]],
        [("Author", 6), ("Stoa", 2)],
    )
    text = await stoad.run("info", history[-1]["id"])
    checks.that("in words, too", "Author 6, Stoa 2" in text, text)
