"""Runs and their entries, changed once each."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Callable

import frames
from bodies import Body, Class, Kind, opening, saying
from codec import fields
from entries import Entry, Run, hybrid_time
from forgeries import Author, LinkForgery, packed_entries
from forgeries_handshake import UNIT_POINT, Due, flipped, high_s
from frames import Frame
from persons import certificate_of
from primitives import Identity
from replica import wall_milliseconds
from vectors_entries import readable, replaced, unreadable

Make = Callable[[Author, bytes, int], list[Frame]]


def now() -> int:
    return hybrid_time(wall_milliseconds())


# After the signature.


def changed(**parts: object) -> Make:
    """A signed run whose only entry is changed."""

    def make(author: Author, known: bytes, at: int) -> list[Frame]:
        run = author.run(author.text("forged"))
        entry = replace(run.entries[0], **parts)  # type: ignore[arg-type]
        return author.live(replace(run, entries=(entry,)))

    return make


def renamed(**parts: object) -> Make:
    """The `open` of another log, with the signature of this one."""

    def make(author: Author, known: bytes, at: int) -> list[Frame]:
        log = replace(author.log, **parts)  # type: ignore[arg-type]
        return [frames.live_run(replace(author.opened, log=log).packed())]

    return make


def signature(change: Callable[[bytes], bytes]) -> Make:
    def make(author: Author, known: bytes, at: int) -> list[Frame]:
        run = author.run(author.text("forged"))
        return author.live(replace(run, signature=change(run.signature)))

    return make


def other_payload(author: Author, known: bytes, at: int) -> list[Frame]:
    run = author.run(author.text("forged"))
    entry = author.text("forgeD", hlc=run.entries[0].hlc)
    return author.live(replace(run, entries=(entry,)))


def prev_changed(author: Author, known: bytes, at: int) -> list[Frame]:
    run = author.run(author.text("forged"))
    assert run.prev is not None
    return author.live(replace(run, prev=flipped(run.prev, 0)))


def attested_below(author: Author, known: bytes, at: int) -> list[Frame]:
    log = author.own()
    first = log.append([author.text("genuine: below the attestation")])
    second = log.append([author.text("forged", hlc=log.hlc + 1)])
    return author.live(replace(first, entries=first.entries + second.entries))


# Signed as they are.


def elsewhere(author: Author, known: bytes, at: int) -> list[Frame]:
    other = Author.new(author.identity, secrets.token_bytes(32))
    return other.live(other.run(other.text("forged")))


def two_at_first(author: Author, known: bytes, at: int) -> list[Frame]:
    entries = [*author.opened.entries, author.text("forged")]
    run = Run.signed(author.identity, author.log, 1, None, entries)
    return [frames.live_run(run.packed())]


def above(author: Author, known: bytes, at: int) -> list[Frame]:
    log = author.own()
    log.append([author.text("forged: never sent")])
    return author.live(log.append([author.text("forged", hlc=log.hlc + 1)]))


def hlc_stands(author: Author, known: bytes, at: int) -> list[Frame]:
    log = author.own()
    first = log.append([author.text("genuine: before an hlc that stands")])
    return author.live(first, log.append([author.text("forged", hlc=log.hlc)]))


def ahead(author: Author, known: bytes, at: int) -> list[Frame]:
    hlc = hybrid_time(wall_milliseconds() + 3_600_000)
    return author.live(author.run(author.text("forged: an hour ahead", hlc=hlc)))


def before_its_dep(author: Author, known: bytes, at: int) -> list[Frame]:
    return author.live(author.run(author.text("genuine: before its dep", hlc=at, deps=[known])))


def after_its_dep(author: Author, known: bytes, at: int) -> list[Frame]:
    words = author.text("genuine: after its dep", hlc=max(now(), at + 1), deps=[known])
    return author.live(author.run(words))


def own_dep(author: Author, known: bytes, at: int) -> list[Frame]:
    deps = author.opened.identifiers
    return author.live(author.run(author.text("genuine: a dep in its own log", deps=deps)))


def ancient(author: Author, known: bytes, at: int) -> list[Frame]:
    return author.live(author.run(author.text("genuine: an hlc of 2", hlc=2)))


def dep_unknown(author: Author, known: bytes, at: int) -> list[Frame]:
    deps = [secrets.token_bytes(32)]
    return author.live(author.run(author.text("genuine: an unknown dep", deps=deps)))


def follows_hidden(author: Author, known: bytes, at: int) -> list[Frame]:
    log = author.own()
    hidden = log.append([Entry.new(9, now(), saying("forged").payload(bytes(16)))])
    words = author.text("genuine: after a hidden one", hlc=log.hlc + 1)
    return author.live(hidden, log.append([words]))


def left_out(author: Author, known: bytes, at: int) -> list[Frame]:
    texts = ("genuine: before what is left out", "forged: left out", "genuine: and after it")
    run = author.run(*(author.text(words, hlc=at + index) for index, words in enumerate(texts)))
    entries = list(run.entries)
    entries[1] = entries[1].without_payload()
    return author.live(replace(run, entries=tuple(entries)))


def open_left_out(author: Author, known: bytes, at: int) -> list[Frame]:
    run = author.run(author.text("forged: behind an open without payload"))
    return [frames.live_run(item.packed()) for item in (author.opened.without_payloads(), run)]


def below(author: Author, known: bytes, at: int) -> list[Frame]:
    log = author.own()
    first = log.append([author.text("genuine: first")])
    second = log.append([author.text("genuine: second", hlc=log.hlc + 1)])
    return author.live(first, second, replace(first, signature=bytes(64)))


def again(author: Author, known: bytes, at: int) -> list[Frame]:
    return author.live(author.run(author.text("genuine: three times"))) * 3


def overlapping(author: Author, known: bytes, at: int) -> list[Frame]:
    first = author.run(author.text("genuine: the known part"))
    hlc = first.entries[0].hlc + 1
    second = author.text("genuine: overlaps with what is known", hlc=hlc)
    return author.live(first, author.run(first.entries[0], second))


def sized(total: int, words: str) -> Make:
    def make(author: Author, known: bytes, at: int) -> list[Frame]:
        at = now()
        entries = [author.text(words.ljust(2_000, "."), hlc=at)]
        entries += [author.text(words + " " + "." * 64_900, hlc=at + 1)]
        left = total - sum(map(len, packed_entries(entries)))
        # Of the last entry 30 bytes are not its text.
        entries += [author.text(words.ljust(left - 30, "."), hlc=at + 2)]
        assert sum(map(len, packed_entries(entries))) == total
        return author.live(author.run(*entries))

    return make


def counted(over: int) -> Make:
    """Entries whose payloads are left out: each counts with its length, or 32."""

    def make(author: Author, known: bytes, at: int) -> list[Frame]:
        at = now()
        lengths = [65_536, 0, 60_000]
        while True:
            entries = [
                replace(
                    author.text("forged", hlc=at + index).without_payload(), payload_length=length
                )
                for index, length in enumerate(lengths)
            ]
            left = 131_072 + over - sum(map(len, packed_entries(entries)))
            left -= sum(entry.counted(None) for entry in entries)
            if left == 0:
                return author.live(author.run(*entries))
            lengths[2] += left

    return make


def many(author: Author, known: bytes, at: int) -> list[Frame]:
    words = "genuine: one of 128"
    return author.live(author.run(*(author.text(words, hlc=at + index) for index in range(128))))


def with_payload(data: bytes, class_: int = Class.CONTENT) -> Make:
    return lambda author, known, at: author.live(author.run(Entry.new(class_, now(), data)))


def of(body: Body, class_: int = Class.CONTENT, extra: bytes = b"") -> Make:
    def make(author: Author, known: bytes, at: int) -> list[Frame]:
        data = body.payload(secrets.token_bytes(16))
        return author.live(author.run(Entry.new(class_, now(), data, extensions=extra)))

    return make


def sealed_looking(suite: int, epoch: bytes) -> Make:
    def make(author: Author, known: bytes, at: int) -> list[Frame]:
        body = saying("forged").payload(bytes(16))[1:]
        data = bytes([suite]) + body.ljust(120, b"\x00")
        return author.live(author.run(Entry.new(Class.CONTENT, now(), data, (), epoch)))

    return make


def opened_by(body: Callable[[Author], Body], words: str, extra: bytes = b"") -> Make:
    """A log whose first entry says this, and then a text."""

    def make(author: Author, known: bytes, at: int) -> list[Frame]:
        other = Author.opening(author.identity, author.log, body(author), extra)
        return other.live(other.run(other.text(words)))

    return make


def first_entry(class_: int, body: Body, words: str) -> Make:
    """A log whose first entry is of this class."""

    def make(author: Author, known: bytes, at: int) -> list[Frame]:
        entry = Entry.new(class_, 1, body.payload(bytes(16)))
        other = replace(
            author, opened=Run.signed(author.identity, author.log, 1, None, [entry])
        )
        return other.live(other.run(other.text(words)))

    return make


def opened_again(author: Author, known: bytes, at: int) -> list[Frame]:
    """An `open` behind the first entry changes nobody's person, and hides nothing."""
    other = opening(certificate_of(Identity.from_seed(secrets.token_bytes(32))))
    entry = Entry.new(Class.CONTROL, now(), other.payload(bytes(16)))
    words = author.text("genuine: after a second open", hlc=entry.hlc + 1)
    return author.live(author.run(entry, words))


def person(author: Author) -> bytes:
    return certificate_of(author.identity).packed()


def run_forgeries() -> list[LinkForgery]:
    one = LinkForgery
    nobody = Identity.from_seed(b"\x44" * 32).public
    out = [
        one("run: conversation, not joined", elsewhere, Due.STAY),
        one("run: conversation, changed", renamed(conversation=bytes(32)), Due.STAY),
        one("run: author, changed", renamed(author=nobody), Due.CLOSE),
        one("run: author of small order", renamed(author=UNIT_POINT), Due.CLOSE),
        one("run: incarnation", renamed(incarnation=5), Due.CLOSE),
        one("run: from 1, with two entries", two_at_first, Due.CLOSE),
        one("run: first above the head", above, Due.STAY),
        one("run: prev", prev_changed, Due.CLOSE),
        one("run: signature, R", signature(lambda s: flipped(s, 0)), Due.CLOSE),
        one("run: signature, S", signature(lambda s: flipped(s, 40)), Due.CLOSE),
        one("run: signature, S not reduced", signature(high_s), Due.CLOSE),
        one("run: signature of zeros", signature(lambda s: bytes(64)), Due.CLOSE),
        one("run: attestation of an entry below", attested_below, Due.CLOSE),
        one("run: hlc that does not grow", hlc_stands, Due.CLOSE),
        one("run: again, changed, below the own head", below, Due.STAY),
        one("run: again", again, Due.STAY),
        one("run: overlaps with what is known", overlapping, Due.SHOW),
        one("run: 131,072 bytes of entries", sized(131_072, "genuine: a full run"), Due.SHOW),
        one("run: 131,073 bytes of entries", sized(131_073, "forged"), Due.CLOSE),
        one("run: 131,072 bytes, payloads left out", counted(0), Due.STAY),
        one("run: 131,073 bytes, payloads left out", counted(1), Due.CLOSE),
        one("run: 128 entries", many, Due.SHOW),
        one("run: a payload left out", left_out, Due.SHOW),
        one("run: the payload of the open left out", open_left_out, Due.CLOSE),
        one("entry: class", changed(class_=3), Due.CLOSE),
        one("entry: time", changed(hlc=77 << 16), Due.CLOSE),
        one("entry: dep added", changed(deps=(bytes(32),)), Due.CLOSE),
        one("entry: epoch added", changed(epoch=b"\x01" * 32), Due.CLOSE),
        one("entry: extension added", changed(extensions=fields({2: b""})), Due.CLOSE),
        one("entry: payload", other_payload, Due.CLOSE),
        one("entry: payload hash", changed(payload=None, payload_hash=bytes(32)), Due.CLOSE),
        one("entry: payload length", changed(payload=None, payload_length=5), Due.CLOSE),
        one("entry: an hour ahead", ahead, Due.STAY),
        one("entry: not after its dep", before_its_dep, Due.SHOW),
        one("entry: after its dep", after_its_dep, Due.SHOW),
        one("entry: a dep in its own log", own_dep, Due.SHOW),
        one("entry: unknown dep", dep_unknown, Due.SHOW),
        one("entry: an hlc of 2", ancient, Due.SHOW),
        one("entry: after one of unknown class", follows_hidden, Due.SHOW),
    ]
    return out + payload_forgeries() + open_forgeries() + body_forgeries()


def payload_forgeries() -> list[LinkForgery]:
    """Valid entries whose payload cannot be read."""
    one = LinkForgery
    clear, epoch = saying("forged").payload(bytes(16)), b"\x09" * 32
    return [
        one("entry: unknown suite", with_payload(b"\x09" + clear[1:]), Due.STAY),
        one("entry: suite 1 in an open room", sealed_looking(1, epoch), Due.STAY),
        one("entry: suite 2 in an open room", sealed_looking(2, epoch), Due.STAY),
        one("entry: suite 1 without an epoch", sealed_looking(1, bytes(32)), Due.STAY),
        one("entry: suite 0 with an epoch", sealed_looking(0, epoch), Due.STAY),
        one("entry: payload of no byte", with_payload(b""), Due.STAY),
        one("entry: payload without salt", with_payload(b"\x00forged"), Due.STAY),
        one("entry: payload of a salt alone", with_payload(bytes(17)), Due.STAY),
    ]


def open_forgeries() -> list[LinkForgery]:
    """Logs that begin otherwise than with a readable `open` and a certificate of their device."""
    one = LinkForgery
    forged = "forged: no person"
    other = certificate_of(Identity.from_seed(b"\x47" * 32)).packed()
    cases: dict[str, tuple[Callable[[Author], dict[int, bytes]], bool]] = {
        "another device's certificate": (lambda a: {1: other}, False),
        "no certificate": (lambda a: {}, False),
        "a byte less": (lambda a: {1: person(a)[:-1]}, False),
        "a signature changed": (lambda a: {1: flipped(person(a), -1)}, False),
        "an unknown odd field": (lambda a: {1: person(a), 3: b""}, False),
        "an unknown even field": (lambda a: {1: person(a), 6: b"x"}, True),
        "a fallback": (lambda a: {1: person(a), 2: b"forged"}, True),
        "closed logs": (lambda a: {1: person(a), 4: bytes(8) + bytes(7) + b"\x01"}, True),
        "closed logs that descend": (lambda a: {1: person(a), 4: b"\x01" * 8 + bytes(8)}, False),
        "closed logs, cut": (lambda a: {1: person(a), 4: bytes(7)}, False),
    }
    out = []
    for name, (items, is_read) in cases.items():
        words = f"genuine: opened with {name}" if is_read else forged
        make = opened_by(lambda author, items=items: Body(Kind.OPEN, items(author)), words)
        out.append(one(f"open: {name}", make, Due.SHOW if is_read else Due.STAY))

    def person_alone(author: Author) -> Body:
        return opening(certificate_of(author.identity))

    return [
        *out,
        one(
            "open: an unknown odd extension",
            opened_by(person_alone, forged, fields({3: b"x"})),
            Due.STAY,
        ),
        one(
            "open: an unknown even extension",
            opened_by(person_alone, "genuine: an open with an extension", fields({4: b"x"})),
            Due.SHOW,
        ),
        one("open: a text in its place", first_entry(2, saying(forged), forged), Due.STAY),
        one("open: an unknown class", first_entry(9, saying(forged), forged), Due.STAY),
        one("open: a second one", opened_again, Due.SHOW),
    ]


def body_forgeries() -> list[LinkForgery]:
    """Bodies of this version and of later ones."""
    one = LinkForgery
    out = []
    for name, (class_, data) in unreadable().items():
        # Where the class is that of the text, its words may not be shown either.
        payload = bytes(17) + data.replace(b"hello", b"forge")
        out.append(one(f"body: {name}", with_payload(payload, class_), Due.STAY))
    for name, body in replaced().items():
        items = {**body.fields, 2: f"genuine: in place of {name}".encode()}
        out.append(one(f"fallback: {name}", of(Body(body.kind, items)), Due.SHOW))
    for name, (class_, body) in readable().items():
        if body.kind == Kind.TEXT:
            items = {**body.fields, 1: f"genuine: read {name}".encode()}
            out.append(one(f"body: {name}", of(Body(body.kind, items), class_), Due.SHOW))
    later = {1: b"forged", 2: b"genuine: in place of an odd extension"}
    longest = b"genuine: long ".ljust(65_000, b".")
    fallback = b"genuine: a long fallback ".ljust(4_096, b".")
    return [
        *out,
        one(
            "fallback: an unknown odd extension",
            of(Body(Kind.TEXT, later), extra=fields({3: b"x"})),
            Due.SHOW,
        ),
        one(
            "body: an unknown even extension",
            of(saying("genuine: extension 4"), extra=fields({4: b"x"})),
            Due.SHOW,
        ),
        one("body: a text of 65,000 bytes", of(Body(Kind.TEXT, {1: longest})), Due.SHOW),
        one("body: a text of 65,001 bytes", of(Body(Kind.TEXT, {1: b"x" * 65_001})), Due.STAY),
        one("fallback: of 4,096 bytes", of(Body(63, {2: fallback})), Due.SHOW),
    ]


def due_texts() -> list[str]:
    """What must be in the history once all of these were sent."""
    single = [
        "genuine: overlaps with what is known",
        "genuine: before its dep",
        "genuine: after its dep",
        "genuine: a dep in its own log",
        "genuine: an unknown dep",
        "genuine: an hlc of 2",
        "genuine: after a hidden one",
        "genuine: before an hlc that stands",
        "genuine: opened with an unknown even field",
        "genuine: opened with a fallback",
        "genuine: opened with closed logs",
        "genuine: an open with an extension",
        "genuine: after a second open",
        "genuine: in place of an odd extension",
        "genuine: extension 4",
        "genuine: long ".ljust(65_000, "."),
        "genuine: a long fallback ".ljust(4_096, "."),
    ]
    single += [f"genuine: in place of {name}" for name in replaced()]
    texts = [name for name, (_, body) in readable().items() if body.kind == Kind.TEXT]
    return single + [f"genuine: read {name}" for name in texts]
