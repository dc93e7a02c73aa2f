"""stoad's clock is an hour ahead of everybody else's: nothing is delivered that others hold."""

from __future__ import annotations

import asyncio
import json

import replica
from rig import ROOM, SECONDS, Rig

HOUR = 3_600_000


async def run(rig: Rig) -> None:
    checks = rig.checks
    await rig.stoad.run("join", ROOM)
    right = replica.wall_milliseconds
    behind = rig.peer("Behind")
    # What this peer holds goes by its clock, too.
    behind.clock = replica.wall_milliseconds = lambda: right() - HOUR
    try:
        room = behind.join(ROOM)
        session = await rig.dial(behind)
        await behind.heard_back(session)
        await told_held(rig)
    finally:
        behind.clock = replica.wall_milliseconds = right
    # The clock is set right: what was held is shown, and its author is told.
    for log in room.logs.values():
        session.send_delta(log)
    await behind.heard_back(session)
    control = await rig.control()
    codes = [alert["code"] for alert in (await control.call("status"))["alerts"]]
    checks.that("the alert about what is held is over", "held" not in codes, codes)
    code, out, errors = await send(rig, "now in time")
    checks.same("and what is sent is delivered", (code, out), (0, "sent, delivered to 1 peer\n"))


async def send(rig: Rig, text: str) -> tuple[int, str, str]:
    return await asyncio.to_thread(
        rig.stoad.daemon.stoa, "send", ROOM, text, "--wait", "delivered", "--timeout", str(SECONDS)
    )


async def told_held(rig: Rig) -> None:
    checks = rig.checks
    code, out, errors = await send(rig, "an hour early")
    checks.same("what others hold is not delivered", (code, out), (75, ""))
    checks.that("but held, as long as they say", "held until 20" in errors, errors)
    checks.that("and why", "by 1 peer, whose clock is 60 minutes behind yours" in errors, errors)
    code, out, errors = await asyncio.to_thread(
        rig.stoad.daemon.stoa, "--json", "send", ROOM, "again", "--wait", "delivered"
    )
    data = json.loads(out)["error"]["data"]
    checks.same("programs are told who holds it", len(data["heldBy"]), 1)
    checks.that("until when", data["heldUntil"] < data["time"], data)
    checks.same("and who does not", data["deliveredTo"], [])
    control = await rig.control()
    alerts = {
        alert["code"]: alert["text"] for alert in (await control.call("status"))["alerts"]
    }
    checks.same("alerts say both", sorted(alerts), ["clock", "held"])
    checks.that("what others do not see", f"in {ROOM} are visible to others only" in alerts["held"], alerts)
    status = await rig.stoad.run("status")
    checks.that("status says how the clock is", "most linked people's are 3" in status, status)
