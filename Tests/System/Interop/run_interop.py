"""Runs this peer against real binaries.

    run_interop.py --stoad PATH --stoa PATH [--only WORD] [--verbose]

Ends with a line `N passed, N failed`, and with 1 where something failed.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import scenario_clocks  # noqa: E402
import scenario_forgeries  # noqa: E402
import scenario_delivery  # noqa: E402
import scenario_discovery  # noqa: E402
import scenario_erase  # noqa: E402
import scenario_fork  # noqa: E402
import scenario_future  # noqa: E402
import scenario_group_forgeries  # noqa: E402
import scenario_groups  # noqa: E402
import scenario_history  # noqa: E402
import scenario_holes  # noqa: E402
import scenario_links  # noqa: E402
import scenario_orders  # noqa: E402
import scenario_private  # noqa: E402
import scenario_realms  # noqa: E402
import scenario_relay  # noqa: E402
from Driver.checks import Checks  # noqa: E402
from Driver.daemon import Programs  # noqa: E402
from rig import Rig  # noqa: E402

SCENARIOS = {
    "history": scenario_history.run,
    "discovery": scenario_discovery.run,
    "links": scenario_links.run,
    "forgeries": scenario_forgeries.run,
    "fork": scenario_fork.run,
    "future": scenario_future.run,
    "delivery": scenario_delivery.run,
    "erase": scenario_erase.run,
    "clocks": scenario_clocks.run,
    "holes": scenario_holes.run,
    "realms": scenario_realms.run,
    "relay": scenario_relay.run,
    "private": scenario_private.run,
    "groups": scenario_groups.run,
    "group-forgeries": scenario_group_forgeries.run,
    "orders": scenario_orders.run,
}


async def scenarios(arguments: argparse.Namespace) -> int:
    checks = Checks(arguments.verbose)
    programs = Programs(arguments.stoad.resolve(), arguments.stoa.resolve())
    for name, scenario in SCENARIOS.items():
        if arguments.only not in (None, name):
            continue
        began = time.monotonic()
        rig = Rig(programs, checks)
        try:
            await rig.start()
            await scenario(rig)
        except Exception as error:  # A scenario that breaks off is one failure of its own.
            traceback.print_exc()
            checks.that(f"scenario {name} ran to its end", False, repr(error))
            print(rig.stoad.daemon.tail(), file=sys.stderr)
        finally:
            await rig.end()
            print(f"scenario {name} took {time.monotonic() - began:.1f} s", flush=True)
    return checks.report()


def main() -> int:
    parser = argparse.ArgumentParser(description="Stoa against an independent peer.")
    parser.add_argument("--stoad", type=Path, required=True)
    parser.add_argument("--stoa", type=Path, required=True)
    parser.add_argument("--only", choices=sorted(SCENARIOS))
    parser.add_argument("--verbose", action="store_true")
    return asyncio.run(scenarios(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
