"""The kernel's tables of neighbours, which all network namespaces of a machine share."""

from __future__ import annotations

from pathlib import Path

# Entries for every two hosts, in either IP version, and as many again.
PER_PAIR = 2
FIRST = 1_024


class NeighbourTables:
    """Large enough for so many hosts while it is entered; as before afterwards."""

    def __init__(self, hosts: int) -> None:
        self.needed = FIRST + PER_PAIR * hosts * hosts
        self.before: dict[Path, str] = {}

    def __enter__(self) -> NeighbourTables:
        for version in ("ipv4", "ipv6"):
            # The largest first: the kernel wants them in order.
            for number, share in ((3, 4), (2, 2), (1, 1)):
                path = Path(f"/proc/sys/net/{version}/neigh/default/gc_thresh{number}")
                before = path.read_text().strip()
                if int(before) < share * self.needed:
                    path.write_text(str(share * self.needed))
                    self.before[path] = before
        return self

    def __exit__(self, *_: object) -> None:
        for path, before in reversed(self.before.items()):
            path.write_text(before)
