#!/usr/bin/env python3
"""Writes histories of groups with what the model says of them, for the Swift to agree with.

    cases.py --golden              the named cases of golden.py
    cases.py FIRST COUNT           random histories of these seeds

A case is `case NAME CAP`, a line for each act (`act ID KIND PERSON DEVICE SUBJECT RANK TIME EXPIRES APPROVE NUMBER STANDS
BASIS...`, `-` where there is none), then what the roster is, and `end`. Lines of one kind are in order.
"""
import random
import sys
from collections.abc import Iterable

from acts import CAP, Act
from golden import CASES
from roster import roster
from test_model import History


def lines(name: str, acts: Iterable[Act], cap: int) -> Iterable[str]:
    acts = list(acts)
    out = roster(acts, cap)
    yield f"case {name.replace(' ', '_')} {cap}"
    for a in acts:
        yield " ".join(str(word) for word in (
            "act", a.id, a.kind, a.person, a.device or "-", a.subject or "-", a.rank, a.time, a.expires,
            int(a.approve), a.number, int(a.stands), *sorted(a.basis)))
    for person, rank in sorted(out.members.items()):
        yield f"member {person} {'-' if rank is None else rank}"
    for act, status in sorted(out.status.items()):
        yield f"verdict {act} {status} {out.why[act] if status != 'waits' else ''}".rstrip()
    for word, found in (("cut", out.cut), ("taking", out.takings), ("link", out.links), ("brought", out.brought)):
        for name in sorted(found):
            yield f"{word} {name}"
    yield "end"


def main(words: list[str]) -> None:
    if words == ["--golden"]:
        cases = ((name, acts, cap) for name, acts, cap in CASES)
    else:
        first, count = map(int, words)
        cases = (history(seed) for seed in range(first, first + count))
    for case in cases:
        print("\n".join(lines(*case)))


def history(seed: int) -> tuple[str, list[Act], int]:
    rng = random.Random(seed)
    acts = list(History(rng, rng.choice((5, 15, 30))).acts.values())
    return f"seed-{seed}", acts, rng.choice((CAP, CAP, 5))


if __name__ == "__main__":
    main(sys.argv[1:])
