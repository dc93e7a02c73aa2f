#!/usr/bin/env python3
"""What members of a group ask themselves about keys, with the model's answers, for the Swift to agree with.

    epoch_cases.py --write FILE    writes the questions of a few random histories
    epoch_cases.py --check FILE    compares FILE with that; each fault of the model must change an answer in it
    epoch_cases.py FIRST COUNT     prints those of these seeds

A history is `case NAME all|joined`, its acts as in cases.py, `epoch ID MAKER DEVICE BASIS...` for each key, then
questions and `end`. A question says what is known by the heads of the acts, behind `<`, and the answer, behind `=`:
`use EPOCH < HEADS = yes`, `give EPOCH PERSON DEVICE < HEADS = no`, `pick EPOCHS < HEADS = EPOCH` or `= -` where a new
key is due, `see PERSON new|shown < HEADS = shown|marked|waits`.
"""
import random
import sys
from collections.abc import Iterator

import epochs
from acts import heads
from cases import act_line
from histories import PEOPLE
from test_model import EPOCH_FAULTS, Talks

NONE = frozenset()
IN_FILE = (*range(24), 42)


class Asking(Talks):
    """A history that notes what its daemons ask."""
    def __init__(self, rng: random.Random, steps: int, joined: bool) -> None:
        self.questions: dict[tuple, None] = {}
        super().__init__(rng, steps, joined, NONE)

    def meet(self, people: str) -> None:
        if self.world.daemons:
            devices = [d for p in people for n in "12" if (d := self.world.daemons.get(p + n))]
            for giver in devices:
                known = frozenset(giver.acts)
                keys = sorted(giver.keys)
                # What is seldom: a key of which not all is known, a device that was cut.
                ahead = [n for n in keys if not self.world.epochs[n].past <= known]
                cut = [d for d in self.world.daemons.values() if (d.person, d.device) in giver.view().cut]
                for taker in [d for d in devices if d is not giver] + cut:
                    if keys:
                        number = self.rng.choice(ahead or keys)
                        self.questions["give", number, taker.person, taker.device, known] = None
                if keys:
                    self.questions["use", self.rng.choice(keys), known] = None
                    self.questions["pick", tuple(keys), known] = None
                self.questions["see", self.rng.choice(PEOPLE + "xyz"), self.rng.random() < .5, known] = None
        super().meet(people)


def answer(world: epochs.World, question: tuple, faults: frozenset = NONE) -> str:
    """What the model says, or would say with a fault."""
    kind, *what, known = question
    asked = epochs.World(world.views.acts, world.joined, faults)
    asked.views, asked.epochs = world.views, world.epochs
    daemon = epochs.Daemon(asked, "", "")
    daemon.acts = set(known)
    if kind == "use":
        daemon.keys = {what[0]: NONE}
        return "yes" if daemon.usable(what[0]) else "no"
    if kind == "give":
        daemon.keys = {what[0]: NONE}
        return "yes" if daemon.gives(what[0], epochs.Daemon(asked, what[1], what[2])) else "no"
    if kind == "pick":
        daemon.keys = dict.fromkeys(what[0], NONE)
        count = len(world.epochs)
        best = daemon.key_to_write()
        if best == count:
            world.epochs.pop()
            return "-"
        return name(best)
    author, was = what
    asked.entries = [epochs.Entry(0, author, "", 0, NONE)]
    daemon.entries, daemon.keys, daemon.shown = {0}, {0: NONE}, {0} if was else set()
    daemon.look()
    return "waits" if 0 not in daemon.shown else "marked" if daemon.marked() else "shown"


def name(epoch: int) -> str:
    return f"e{epoch:04}"


def history(seed: int, most: int = 40) -> Asking:
    rng = random.Random(seed)
    talks = Asking(rng, rng.choice((15, 30, 45)), seed % 2 == 1)
    kept = list(talks.questions)
    talks.questions = dict.fromkeys(kept if len(kept) <= most else rng.sample(kept, most))
    return talks


def lines(seed: int, talks: Asking) -> Iterator[str]:
    world = talks.world
    yield f"case seed-{seed} {'joined' if world.joined else 'all'}"
    for act in talks.acts.values():
        yield act_line(act)
    for epoch in list(world.epochs):
        yield " ".join(("epoch", name(epoch.number), epoch.maker, epoch.device, *sorted(epoch.basis)))
    for question in talks.questions:
        kind, *what, known = question
        words = {"use": lambda: [name(what[0])], "give": lambda: [name(what[0]), *what[1:]],
                 "pick": lambda: [name(n) for n in what[0]], "see": lambda: [what[0], "shown" if what[1] else "new"]}[kind]()
        basis = sorted(heads(world.views.acts[i] for i in known))
        yield " ".join((kind, *words, "<", *basis, "=", answer(world, question)))
    yield "end"


def text(histories: dict[int, Asking]) -> str:
    return "".join(line + "\n" for seed, talks in histories.items() for line in lines(seed, talks))


def missed(histories: dict[int, Asking]) -> list[str]:
    """Faults of the model that give the right answer to all these questions."""
    asked = [(t.world, q, answer(t.world, q)) for t in histories.values() for q in t.questions]
    return [fault for fault in EPOCH_FAULTS
            if not any(answer(world, q, frozenset([fault])) != right for world, q, right in asked)]


def main(words: list[str]) -> None:
    if words[0] in ("--write", "--check"):
        histories = {seed: history(seed) for seed in IN_FILE}
        if words[0] == "--write":
            with open(words[1], "w", encoding="utf-8") as file:
                file.write(text(histories))
            return
        with open(words[1], encoding="utf-8") as file:
            if file.read() != text(histories):
                sys.exit(f"{words[1]} is not what the model says: run epoch_cases.py --write {words[1]}")
        if faults := missed(histories):
            sys.exit("no question catches these faults: " + ", ".join(faults))
        print(f"{sum(len(t.questions) for t in histories.values())} questions about keys; "
              f"{len(EPOCH_FAULTS)} faults, each caught by one")
    else:
        first, count = map(int, words)
        for seed in range(first, first + count):
            sys.stdout.write(text({seed: history(seed)}))


if __name__ == "__main__":
    main(sys.argv[1:])
