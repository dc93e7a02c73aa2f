"""The rule of rosters once more, as equations over sets: what a roster says must solve them."""
import sys

from acts import MEMBER
from histories import need


def solves(acts, out, cap):
    by = {a.id: a for a in acts}
    past = {}
    def before(i):
        if i not in past:
            past[i] = set()
            for b in by[i].basis:
                past[i] |= before(b) | {b}
            if by[i].kind != "create":
                past[i].add(root)
        return past[i]
    root = next(a.id for a in acts if a.kind == "create")
    sys.setrecursionlimit(10000)
    for i in by:
        before(i)
    at = {}
    def when(i):
        if i not in at:
            at[i] = max([by[i].time] + [when(j) for j in by[i].basis])
        return at[i]
    owner = by[root].person
    counted = {i for i in by if out.status[i] == "counts" or out.why[i] in ("came-back", "full", "not-member")}
    def does(i):
        a = by[i]
        if a.kind != "accept":
            return a.kind, a.subject, a.rank, a.id
        w = by.get(a.subject)
        if w is None or w.id not in past[i]:
            return "none", "", 0, ""
        return ("add", w.person, 0, w.id) if w.kind == "join" else (w.kind, w.subject, w.rank, w.id)
    did = {i: does(i) for i in by}
    grants = {i for i in counted if did[i][0] == "admin"}
    rank = {}
    for g in grants:
        rank[did[g][1]] = min(did[g][2], rank.get(did[g][1], MEMBER))
    key = lambda p: (0, "") if p == owner else (rank.get(p, MEMBER), p)
    def ends(p, kinds=("remove", "demote", "leave")):
        return {i for i in counted if did[i][0] in kinds and (by[i].person if did[i][0] == "leave" else did[i][1]) == p}
    def admin(p, view):
        mine = {g for g in grants & view if did[g][1] == p}
        return p == owner or bool(mine) and all(any(behind(g, e) for g in mine) for e in ends(p) & view)
    def behind(b, e):
        return e in past[b] or by[e].kind == "leave" and any(
            by[c].kind == "cut" and by[c].person == by[e].person and by[c].subject == by[e].device
            and not by[c].stands and e not in past[c] for c in past[b])
    def latest(p, device, for_=None):
        seals = set() if for_ is None else {e for e in ends(p, ("remove", "demote"))
                                            if key(by[e].person) < key(p) and for_ in past[e]}
        said = [c for c in by if by[c].kind == "cut" and by[c].person == p and by[c].subject == device
                and all(c in past[e] for e in seals)]
        return max(said, key=lambda c: (by[c].number, not by[c].stands, c), default=None)
    def is_cut(i):
        c = latest(by[i].person, by[i].device, i) if by[i].device else None
        return c is not None and not by[c].stands and i not in past[c]
    def removed_meanwhile(i):
        return any(key(by[e].person) < key(by[i].person) and i not in past[e] and e not in past[i]
                   for e in ends(by[i].person, ("remove", "demote")))
    def links_ended(link, made, j):
        for e in counted:
            kind, subject, _, _ = did[e]
            if kind == "endlink" and subject == link or e not in past[made] and (
                    kind == "remove" or kind == "demote" and subject == by[made].person):
                yield e
        c = latest(by[made].person, by[made].device, j)
        if c is not None and not by[c].stands:
            yield c
    bring = {}
    for i in counted:
        kind, subject, _, _ = did[i]
        if kind in ("add", "admin"):
            bring.setdefault(subject, []).append((i, key(by[i].person), kind))
        if by[i].kind == "join":
            links = [m for m in past[i] & counted if did[m][0] == "link" and did[m][3] == by[i].subject]
            good = [m for m in links if all(i in past[e] for e in links_ended(by[i].subject, m, i))]
            need(good, "equations: a join has an open link")
            bring.setdefault(by[i].person, []).append((i, min(key(by[m].person) for m in good), "join"))
    bring.setdefault(owner, []).append((root, (0, ""), "create"))
    def lifted(e, p, view):
        k = key(by[e].person)
        return any(b in view and behind(b, e) and (did[e][0] == "leave" or how != "join" and by_ <= k)
                   for b, by_, how in bring.get(p, ()))
    def may(i):
        (kind, subject, r, target), p, view = did[i], by[i].person, past[i]
        if kind == "admin":
            given = {(did[g][1], did[g][2]) for g in grants & view}
            own = {s for q, s in given if q == subject}
            return p == owner and subject != owner and (r in own if own else r not in {s for _, s in given})
        if kind not in ("add", "remove", "demote", "link", "endlink") or not admin(p, view):
            return False
        if kind in ("remove", "demote") and subject in (owner, p):
            return False
        if kind == "remove":
            return key(p) < key(subject) or not admin(subject, view) and all(
                g in view or i in past[g] for g in grants if did[g][1] == subject)
        if kind == "demote":
            return key(p) < key(subject) and any(did[g][1] == subject for g in grants & view)
        if kind == "add":
            return all(key(by[e].person) >= key(p) or lifted(e, subject, view) for e in ends(subject, ("remove",)) & view)
        return kind != "endlink" or subject in view
    for i, a in by.items():
        if a.kind in ("create", "cut"):
            want = a.kind == "cut" or i == root
        elif a.kind in ("leave", "tie"):
            want = a.kind == "leave" or not is_cut(i) and not removed_meanwhile(i)
        elif a.kind == "join":
            links = [m for m in past[i] & counted if did[m][0] == "link" and did[m][3] == a.subject]
            want = not is_cut(i) and any(all(i in past[e] for e in links_ended(a.subject, m, i)) for m in links) \
                and not by[a.subject].approve and not (by[a.subject].expires and when(i) > by[a.subject].expires)
        else:
            want = not is_cut(i) and may(i) and not removed_meanwhile(i)
        need(want == (i in counted), "equations: " + a.kind)
    every = set(by)
    inside = [p for p in bring if all(lifted(e, p, every) for e in ends(p, ("remove", "leave")))]
    depth = {}
    def deep(i):
        if i not in depth:
            depth[i] = 1 + max([deep(b) for b in by[i].basis], default=-1)
        return depth[i]
    inside.sort(key=lambda p: min((k, deep(b), b) for b, k, _ in bring[p]))
    want = {p: 0 if p == owner else rank[p] if admin(p, every) else None for p in inside[:cap]}
    need(want == out.members, "equations: members")
