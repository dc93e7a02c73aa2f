#!/usr/bin/env python3
"""Histories of groups with what the model says of them, for the Swift to agree with.

    cases.py --write FILE          writes the named cases of golden.py and a few random histories
    cases.py --check FILE          compares FILE with that; each fault of the model must change an answer in it
    cases.py FIRST COUNT           prints random histories of these seeds

A case is `case NAME CAP`, a line for each act (`act ID KIND PERSON DEVICE SUBJECT RANK TIME EXPIRES APPROVE NUMBER STANDS
BASIS...`, `-` where there is none), then what the roster is, and `end`. Lines of one kind are in order.
"""
import random
import sys
from collections.abc import Iterable, Iterator

from acts import CAP, Act
from golden import CASES
from histories import History
from roster import roster
from test_model import ROSTER_FAULTS

Case = tuple[str, list[Act], int]
IN_FILE = 40


def act_line(a: Act) -> str:
    return " ".join(str(word) for word in (
        "act", a.id, a.kind, a.person, a.device or "-", a.subject or "-", a.rank, a.time, a.expires,
        int(a.approve), a.number, int(a.stands), *sorted(a.basis)))


def lines(name: str, acts: Iterable[Act], cap: int) -> Iterator[str]:
    acts = list(acts)
    out = roster(acts, cap)
    yield f"case {name.replace(' ', '_')} {cap}"
    for act in acts:
        yield act_line(act)
    for person, rank in sorted(out.members.items()):
        yield f"member {person} {'-' if rank is None else rank}"
    for one, status in sorted(out.status.items()):
        yield f"verdict {one} {status} {out.why[one] if status != 'waits' else ''}".rstrip()
    for word, found in (("cut", {" ".join(c) for c in out.cut}), ("taking", out.takings), ("link", out.links), ("brought", out.brought)):
        for one in sorted(found):
            yield f"{word} {one}"
    yield "end"


def history(seed: int, steps: tuple[int, ...] = (5, 15, 30, 60)) -> Case:
    """Some histories have lost acts, so that others wait for them."""
    rng = random.Random(seed)
    acts = list(History(rng, rng.choice(steps)).acts.values())
    if rng.random() < .2:
        acts = rng.sample(acts, len(acts) - rng.choice((1, 2, 5)))
    return f"seed-{seed}", acts, rng.choice((CAP, CAP, 5))


def filed() -> list[Case]:
    return CASES + [history(seed, (5, 15)) for seed in range(IN_FILE)]


def text(cases: Iterable[Case]) -> str:
    return "".join(line + "\n" for case in cases for line in lines(*case))


def missed(cases: list[Case]) -> list[str]:
    """Faults of the model that give the right answer in all these cases."""
    right = [roster(acts, cap).result() for _, acts, cap in cases]

    def caught(fault: str) -> bool:
        for (_, acts, cap), result in zip(cases, right):
            try:
                if roster(acts, cap, frozenset([fault])).result() != result:
                    return True
            except KeyError:                        # a fault that the model itself trips over
                return True
        return False
    return [fault for fault in ROSTER_FAULTS if not caught(fault)]


def main(words: list[str]) -> None:
    if words[0] == "--write":
        with open(words[1], "w", encoding="utf-8") as file:
            file.write(text(filed()))
    elif words[0] == "--check":
        cases = filed()
        with open(words[1], encoding="utf-8") as file:
            if file.read() != text(cases):
                sys.exit(f"{words[1]} is not what the model says: run cases.py --write {words[1]}")
        if faults := missed(cases):
            sys.exit("no case catches these faults: " + ", ".join(faults))
        print(f"{len(cases)} cases of groups; {len(ROSTER_FAULTS)} faults, each caught by one")
    else:
        first, count = map(int, words)
        for seed in range(first, first + count):
            sys.stdout.write(text([history(seed)]))


if __name__ == "__main__":
    main(sys.argv[1:])
