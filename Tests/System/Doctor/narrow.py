"""Large packets that a switch loses: that a large text comes all the same, and that the doctor says so."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from Driver.lab import Lab

if TYPE_CHECKING:
    from run_doctor import Ward

# The largest packet that passes, and a text of more bytes, which is due all the same within nine seconds.
MTU, TEXT = 900, "a longer letter. " * 200


def narrow(ward: Ward) -> None:
    """Of all packets from the start, then of two hosts that were linked before."""
    lab = Lab(2, [], 1, ward.folder / "narrow.log")
    try:
        for faults, sender in (("1 both", 0), ("2 both", 1), ("1 in", 0)):
            check(ward, lab, faults, sender, is_early=True)
        for faults, sender in (("1 both", 0), ("1 in", 0), ("2 in", 1)):
            check(ward, lab, faults, sender, is_early=False)
    finally:
        lab.end()


def check(ward: Ward, lab: Lab, faults: str, sender: int, is_early: bool) -> None:
    how = f"a switch that passes {MTU} bytes, port {faults}, {'from the start' if is_early else 'later'}"
    if is_early:
        lab.command(f"port {faults} mtu {MTU}")
    hosts = [ward.host(number, name, lab=lab) for number, name in ((1, "ada"), (2, "ben"))]
    for host in hosts:
        host.start()
        host.output("join", "ops")
    for host in hosts:
        ward.linked(host)
    if not is_early:
        hosts[sender].output("send", "ops", "hello", "--wait", "delivered")
        lab.command(f"port {faults} mtu {MTU}")
    begin = time.monotonic()
    code, out, errors = hosts[sender].stoa("send", "ops", TEXT, "--wait", "delivered", "--timeout", "120")
    took = time.monotonic() - begin
    ward.checks.that(f"{how}: a large text comes", code == 0, out + errors)
    print(f"MEASURED {how}: {took:.1f} s", flush=True)
    for host in hosts:
        ward.is_found(host, "packets", 1, "large packets are lost on the way to")
    lab.command(f"port {faults} mtu 0")
    for host in hosts:
        host.stop()
