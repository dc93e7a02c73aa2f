"""Random histories of groups: members who are together or apart, and some who sign whatever they like."""
import random

from acts import Act, heads, reach

PEOPLE = "oabcdefg"


class Broken(Exception):
    """A property that does not hold, by its name."""


def need(holds, name):
    if not holds:
        raise Broken(name)


class History:
    """Acts of a group whose members are now together, now apart; some sign with whatever basis they like."""
    def __init__(self, rng, steps):
        self.rng, self.acts, self.salt, self.clock = rng, {}, 0, 0
        self.known = {p: set() for p in PEOPLE}
        root = self.sign("o", "create", basis=frozenset())
        for p in PEOPLE[1:4]:
            self.sign("o", "admin", p, rank=rng.choice((1, 2, 3)) if rng.random() < .2 else "_abc".index(p))
        for p in PEOPLE[4:6]:
            self.sign("o", "add", p)
        if rng.random() < .5:
            self.sign("o", "link", approve=rng.random() < .3, expires=rng.choice((0, 0, 30)))
        self.meet(PEOPLE)
        self.insiders = set(rng.sample(PEOPLE[1:], rng.choice((0, 1, 1, 2))))
        for _ in range(steps):
            self.step()

    def sign(self, person, kind, subject="", basis=None, device=None, **more):
        if basis is None:
            basis = heads(self.acts[i] for i in self.known[person])
        if device is None:
            device = "" if kind == "cut" else person + self.rng.choice("112")
        self.salt += 1
        self.clock += 1
        act = Act(kind, person, device, subject, basis, time=more.pop("time", self.clock), salt=self.salt, **more)
        self.acts[act.id] = act
        self.known.setdefault(person, set()).add(act.id)
        return act

    def meet(self, people):
        both = set().union(*(self.known[p] for p in people))
        for p in people:
            self.known[p] = set(both)

    def some_basis(self, acts):
        """What somebody may claim to have seen: any acts at all."""
        acts = sorted(acts)
        picked = self.rng.sample(acts, min(len(acts), self.rng.choice((1, 1, 2, 3))))
        got = {a.id for a in reach(self.acts.values(), picked)}
        return heads(self.acts[i] for i in got)

    def any_act(self, p, basis=None):
        """Something that p signs, allowed or not."""
        rng = self.rng
        kind = rng.choice(("add", "add", "remove", "remove", "remove", "demote", "admin", "link", "endlink", "join",
                           "leave", "accept", "cut", "tie"))
        if kind in ("demote", "admin") and rng.random() < .5:
            p = p if basis is not None else "o"
        seen = sorted({a.id for a in reach(self.acts.values(), basis)} if basis is not None else self.known[p])
        of = lambda *kinds: [i for i in seen if self.acts[i].kind in kinds]
        other = rng.choice(PEOPLE)
        if kind == "admin":
            return self.sign(p, kind, other, basis, rank=rng.choice((1, 2, 3, 4, 5)))
        if kind == "link":
            return self.sign(p, kind, basis=basis, approve=rng.random() < .2,
                             expires=rng.choice((0, 0, self.clock + 3)))
        if kind in ("endlink", "join"):
            links = of("link")
            if not links:
                return self.sign(p, "tie", basis=basis)
            return self.sign(p, kind, rng.choice(links), basis)
        if kind == "accept":
            late = of("add", "remove", "join", "link", "demote", "admin")
            return self.sign(p, kind, rng.choice(late), basis) if late else self.sign(p, "tie", basis=basis)
        if kind == "cut":
            n = 1 + max([a.number for a in self.acts.values() if a.kind == "cut" and a.person == p], default=0)
            return self.sign(p, kind, p + rng.choice("12"), basis, number=rng.choice((n, n, n, 1)),
                             stands=rng.random() < .3)
        return self.sign(p, kind, "" if kind in ("leave", "tie") else other, basis)

    def step(self):
        rng, roll = self.rng, self.rng.random()
        if roll < .35:
            self.meet(rng.sample(PEOPLE, rng.choice((2, 2, 3, 4))))
        elif roll < .55 and self.insiders:
            p = rng.choice(sorted(self.insiders))
            self.any_act(p, self.some_basis(self.acts))
        elif roll < .62:                                            # somebody new comes by a link, told by whoever
            self.arrive(rng.choice("xyzdefg"), rng.choice(PEOPLE))
        else:
            p = rng.choice("oaabbcccdefg")
            if self.known[p]:                                       # the owner has two devices, of which one may be behind
                self.any_act(p, self.some_basis(self.known[p]) if p == "o" and rng.random() < .25 else None)


    def arrive(self, p, sponsor):
        """Somebody comes by a link, perhaps one made a moment ago, perhaps somebody who was removed."""
        rng = self.rng
        if rng.random() < .4:
            sponsor = rng.choice("oab")
            self.sign(sponsor, "link", approve=rng.random() < .2, expires=rng.choice((0, 0, self.clock + 3)))
        self.known.setdefault(p, set()).update(self.known[sponsor])
        links = [i for i in self.known[p] if self.acts[i].kind == "link"]
        if links:
            newest = max(links, key=lambda i: (self.acts[i].time, i))
            link = newest if rng.random() < .5 else rng.choice(sorted(links))
            lies = {"time": self.acts[link].time} if rng.random() < .3 else {}      # says to be from before its basis
            self.sign(p, "join", link, **lies)
            self.known[sponsor] |= self.known[p]
