"""The names of rooms: Docs/Protocol/Entries.md §1."""

from __future__ import annotations

import unicodedata


def is_room_name(name: str) -> bool:
    if not 1 <= len(name.encode("utf-8")) <= 64 or name[0] in "-_.":
        return False
    return all(
        scalar in "-_." or unicodedata.category(scalar) in ("Ll", "Lo", "Nd") for scalar in name
    )
