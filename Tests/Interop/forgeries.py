"""Every part of what a peer sends, changed once, and what the pages say must follow."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from enum import Enum
from typing import Callable, Sequence

import frames
from codec import extensions, text, u16, varint
from entries import (
    Entry,
    EntryKind,
    ForkProof,
    LogName,
    OwnLog,
    Run,
    hybrid_time,
    payload,
)
from frames import ClockRow, Frame, RecordRow, Type
from link import Opening
from noise_link import INITIATOR, RESPONDER, Hello, handshake_message, preface
from primitives import GROUP_ORDER, Identity
from records import PROFILE, Record, profile
from replica import wall_milliseconds
from vectors import vectors


class Due(Enum):
    """What the other side must do."""

    CLOSE = "the link closes, goaway 4 where there is one yet"
    STAY = "the link stays, nothing of it is shown"
    SHOW = "the link stays, and it is shown"
    HIDE = "nothing of it is shown; whether the link stays is not said"


# The handshake, from the initiator's side.


@dataclass(frozen=True)
class HandshakeForgery:
    name: str
    change: Callable[[Opening], None]
    accepted: bool = False
    # False where this side, not the other, finds the fault and closes.
    listed: bool = True


def with_hello(
    change: Callable[[Hello, bytes, bytes, Opening], bytes],
) -> Callable[[Opening], None]:
    def apply(opening: Opening) -> None:
        opening.change_hello = lambda hello, h, static: change(hello, h, static, opening)

    return apply


def flipped(data: bytes, index: int) -> bytes:
    out = bytearray(data)
    out[index] ^= 1
    return bytes(out)


def resigned(
    hello: Hello, opening: Opening, message: Callable[[bytes, bytes], bytes]
) -> Callable[[bytes, bytes], bytes]:
    def make(h: bytes, static: bytes) -> bytes:
        return replace(hello, signature=opening.identity.sign(message(h, static))).packed()

    return make


def capabilities(raw: bytes) -> Callable[[Opening], None]:
    def change(hello: Hello, h: bytes, static: bytes, opening: Opening) -> bytes:
        bare = replace(hello, capabilities={}).packed()
        return bare[:-1] + varint(len(raw)) + raw

    return with_hello(change)


def set_preface(raw: bytes) -> Callable[[Opening], None]:
    def apply(opening: Opening) -> None:
        opening.preface = raw

    return apply


def message_1(change: Callable[[bytes], bytes]) -> Callable[[Opening], None]:
    def apply(opening: Opening) -> None:
        opening.change_message_1 = change

    return apply


def message_3(change: Callable[[bytes], bytes]) -> Callable[[Opening], None]:
    def apply(opening: Opening) -> None:
        opening.change_message_3 = change

    return apply


def high_s(signature: bytes) -> bytes:
    scalar = int.from_bytes(signature[32:], "little") + GROUP_ORDER
    return signature[:32] + scalar.to_bytes(32, "little")


UNIT_POINT = b"\x01" + bytes(31)


def handshake_forgeries() -> list[HandshakeForgery]:
    one = HandshakeForgery
    sign = handshake_message
    out = [
        one("preface: flags set", set_preface(preface(flags=0xFFFF)), True),
        one("preface: highest above", set_preface(preface(1, 9)), True),
        one("preface: lowest 0", set_preface(preface(0, 1)), True),
        one("message 1: all zero", message_1(lambda m: bytes(32))),
        one("message 1: the point of order 1", message_1(lambda m: UNIT_POINT)),
        one("message 1: a payload", message_1(lambda m: m + b"x")),
        one("message 1: cut", message_1(lambda m: m[:-1])),
        one("message 1: empty", message_1(lambda m: b"")),
        one("message 1: another key", message_1(lambda m: flipped(m, 5)), listed=False),
        one("message 3: cut", message_3(lambda m: m[:-1])),
        one("message 3: longer", message_3(lambda m: m + b"\x00")),
        one("message 3: empty", message_3(lambda m: b"")),
    ]
    for index in (0, 31, 32, 47, 48, 49, 81, 145, -17, -16, -1):
        out.append(one(f"message 3: byte {index}", message_3(lambda m, i=index: flipped(m, i))))
    hellos: dict[str, Callable[[Hello, bytes, bytes, Opening], bytes]] = {
        "version": lambda hello, h, s, o: replace(hello, version=2).packed(),
        "identity": lambda hello, h, s, o: replace(
            hello, identity=Identity.from_seed(secrets.token_bytes(32)).public
        ).packed(),
        "identity of small order": lambda hello, h, s, o: replace(
            hello, identity=UNIT_POINT, signature=UNIT_POINT + bytes(32)
        ).packed(),
        "signature, R": lambda hello, h, s, o: replace(
            hello, signature=flipped(hello.signature, 0)
        ).packed(),
        "signature, S": lambda hello, h, s, o: replace(
            hello, signature=flipped(hello.signature, 32)
        ).packed(),
        "signature, S not reduced": lambda hello, h, s, o: replace(
            hello, signature=high_s(hello.signature)
        ).packed(),
        "signed for the other role": lambda hello, h, s, o: resigned(
            hello, o, lambda a, b: sign(RESPONDER, a, b)
        )(h, s),
        "signed for another hash": lambda hello, h, s, o: resigned(
            hello, o, lambda a, b: sign(INITIATOR, flipped(a, 0), b)
        )(h, s),
        "signed for another static key": lambda hello, h, s, o: resigned(
            hello, o, lambda a, b: sign(INITIATOR, a, flipped(b, 0))
        )(h, s),
        "signed in another context": lambda hello, h, s, o: resigned(
            hello, o, lambda a, b: sign(INITIATOR, a, b).replace(b".v1", b".v2")
        )(h, s),
        "dial 0": lambda hello, h, s, o: replace(hello, dial=0).packed(),
        "a byte more": lambda hello, h, s, o: hello.packed() + b"\x00",
        "a byte less": lambda hello, h, s, o: hello.packed()[:-1],
    }
    for name, change in hellos.items():
        out.append(one(f"payload 3: {name}", with_hello(change)))
    sets = {
        "capabilities: unknown odd": (extensions({3: b"x"}), False),
        "capabilities: types descend": (b"\x04\x00\x02\x02\x00\x01", False),
        "capabilities: a type twice": (b"\x04\x00\x04\x00", False),
        "capabilities: port of one byte": (extensions({2: b"x"}), False),
        "capabilities: port 0": (extensions({2: u16(0)}), False),
        "capabilities: port of three bytes": (extensions({2: b"xyz"}), False),
        "capabilities: cut": (b"\x04\x05x", False),
        "capabilities: over 1024": (extensions({4: bytes(1_022)}), False),
        "capabilities: unknown even": (extensions({4: b"x", 2: u16(9), 600: b""}), True),
        "capabilities: 1024": (extensions({4: bytes(1_021)}), True),
    }
    for name, (raw, accepted) in sets.items():
        out.append(one(f"payload 3: {name}", capabilities(raw), accepted))
    return out


def responder_forgeries() -> list[HandshakeForgery]:
    """Message 2 and what stands before it; the dialler must send no message 3."""
    one = HandshakeForgery
    sign = handshake_message

    def answer(raw: bytes) -> Callable[[Opening], None]:
        def apply(opening: Opening) -> None:
            opening.answer = raw

        return apply

    def message_2(change: Callable[[bytes], bytes]) -> Callable[[Opening], None]:
        def apply(opening: Opening) -> None:
            opening.change_message_2 = change

        return apply

    out = [
        one("answer: version 2", answer(b"\x02")),
        one("answer: no version", answer(b"\x00\x02\x02")),
        one("message 2: e of zeros", message_2(lambda m: bytes(32) + m[32:])),
        one("message 2: cut", message_2(lambda m: m[:-1])),
        one("message 2: longer", message_2(lambda m: m + b"\x00")),
    ]
    for index in (0, 32, 79, 80, 81, 113, -1):
        out.append(one(f"message 2: byte {index}", message_2(lambda m, i=index: flipped(m, i))))
    hellos: dict[str, Callable[[Hello, bytes, bytes, Opening], bytes]] = {
        "version": lambda hello, h, s, o: replace(hello, version=2).packed(),
        "identity": lambda hello, h, s, o: replace(
            hello, identity=Identity.from_seed(secrets.token_bytes(32)).public
        ).packed(),
        "signature": lambda hello, h, s, o: replace(
            hello, signature=flipped(hello.signature, 3)
        ).packed(),
        "signed for the other role": lambda hello, h, s, o: resigned(
            hello, o, lambda a, b: sign(INITIATOR, a, b)
        )(h, s),
        "dial 1": lambda hello, h, s, o: replace(hello, dial=1).packed(),
        "a byte more": lambda hello, h, s, o: hello.packed() + b"\x00",
    }
    for name, change in hellos.items():
        out.append(one(f"payload 2: {name}", with_hello(change)))
    out.append(one("payload 2: capabilities: unknown odd", capabilities(extensions({3: b"x"}))))
    return out


# Frames and what is in them, on a link that stands and shares the room.


@dataclass(frozen=True)
class Author:
    """A forger's own identity and log."""

    identity: Identity
    log: LogName

    @staticmethod
    def new(identity: Identity, conversation: bytes) -> "Author":
        return Author(identity, LogName(conversation, identity.public, secrets.randbits(64)))

    def text(self, words: str, hlc: int | None = None, **rest: object) -> Entry:
        at = hybrid_time(wall_milliseconds()) if hlc is None else hlc
        data = payload(words.encode(), secrets.token_bytes(16))
        return Entry.new(EntryKind.TEXT, at, data, **rest)  # type: ignore[arg-type]

    def run(self, *entries: Entry) -> Run:
        return Run.signed(self.identity, self.log, 1, None, entries)


@dataclass(frozen=True)
class LinkForgery:
    """`frames(author, known id, its hlc)`: what to send, in order."""

    name: str
    frames: Callable[[Author, bytes, int], list[Frame]]
    due: Due


def packed_entries(entries: Sequence[Entry]) -> list[bytes]:
    """Each entry as it stands in a run of these."""
    before: list[int | None] = [None, *(entry.hlc for entry in entries)]
    return [entry.packed(hlc) for entry, hlc in zip(entries, before)]


def live(run: Run) -> list[Frame]:
    return [frames.live_run(run.packed())]


def frame_forgeries() -> list[LinkForgery]:
    """The refusals of the golden vectors, each as it would arrive."""
    out: list[LinkForgery] = []
    for name, data in vectors().items():
        kind, _, rest = name.partition(".")
        if kind != "refuse":
            continue
        decoder = rest.partition(".")[0]
        if decoder in ("frame", "fragment"):
            continue
        bodies = {
            "run": [(Type.LIVE_RUN, data), (Type.SYNC_RUN, data)],
            "record": [(Type.RECORDS, b"\x01" + varint(len(data)) + data)],
            "forkProof": [(Type.FORK_PROOF, data)],
            "text": [(Type.ROOMS, b"\x01" + data)],
            "varint": [(Type.WANT, bytes(40) + data + varint(200))],
        }
        for frame_kind, body in bodies[decoder]:
            frame = Frame(frame_kind, body)
            out.append(
                LinkForgery(f"{frame_kind.name}: {rest}", lambda a, k, t, f=frame: [f], Due.CLOSE)
            )
    return out


def plaintext_forgeries() -> dict[str, tuple[list[bytes], Due]]:
    """Whole plaintexts: frames and fragments that must not be taken."""
    out: dict[str, tuple[list[bytes], Due]] = {}
    for name, data in vectors().items():
        if name.startswith(("refuse.frame.", "refuse.fragment.")) and len(data) <= 16_384:
            out[name.removeprefix("refuse.")] = ([data], Due.CLOSE)
    ping = frames.ping(1, 1).packed()
    part, rest = (frame.packed() for frame in frames.fragments(Frame(0x2A, bytes(20_000))))
    out["fragment: a frame of its channel between"] = (
        [part, frames.digest(bytes(32), bytes(32)).packed()],
        Due.CLOSE,
    )
    out["fragment: a ping between"] = ([part, ping, rest], Due.STAY)
    announced = varint(Type.SYNC_RUN) + varint(400_000)
    out["fragment: a frame over 300,000 bytes"] = (
        [Frame(Type.SYNC_FRAGMENT, b"\x00" + announced.ljust(16_380, b"\x00")).packed()] * 20,
        Due.CLOSE,
    )
    # What comes behind a refused frame must not cost us the goaway.
    out["a refused frame, and a lot behind it"] = (
        [Frame(0x7F, b"").packed()] + [Frame(0x7E, bytes(16_000)).packed()] * 12,
        Due.CLOSE,
    )
    for kind in (0x12, 0x7E):
        parts = frames.fragments(Frame(kind, bytes(20_000)))
        out[f"fragment: unknown even type {kind:x}"] = (
            [part.packed() for part in parts],
            Due.STAY,
        )
    for kind, what in ((Type.LIVE_RUN, "another channel"), (Type.SYNC_FRAGMENT, "a fragment")):
        whole = Frame(kind, bytes(20_000)).packed()
        out[f"fragment: of {what}"] = (
            [
                Frame(Type.SYNC_FRAGMENT, b"\x00" + whole[:16_380]).packed(),
                Frame(Type.SYNC_FRAGMENT, b"\x01" + whole[16_380:]).packed(),
            ],
            Due.CLOSE,
        )
    out["two pings in a plaintext"] = ([ping + ping], Due.STAY)
    for kind in (0x00, 0x08, 0x12, 0x2A, 0x7E, 0x4000):
        out[f"unknown even type {kind:x}"] = ([Frame(kind, b"skip me").packed()], Due.STAY)
    for kind in (0x07, 0x13, 0x29, 0x7F, 0x4001):
        out[f"unknown odd type {kind:x}"] = ([Frame(kind, b"refuse").packed()], Due.CLOSE)
    out["credit: over what was spent"] = ([frames.credit(1, 327_681).packed()], Due.CLOSE)
    out["credit: 2^64 - 1"] = ([frames.credit(2, 2**64 - 1).packed()], Due.CLOSE)
    out["ping: a clock far ahead"] = ([frames.ping(1, 2**64 - 1).packed()], Due.STAY)
    out["roomsLeft: of no room"] = ([frames.rooms_left([bytes(32)]).packed()], Due.STAY)
    return out


def run_forgeries() -> list[LinkForgery]:
    one = LinkForgery

    def changed(**parts: object) -> Callable[[Author, bytes, int], list[Frame]]:
        """A signed run whose only entry is changed after the signature."""

        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            run = author.run(author.text("forged"))
            entry = replace(run.entries[0], **parts)  # type: ignore[arg-type]
            return live(replace(run, entries=(entry,)))

        return make

    def renamed(**parts: object) -> Callable[[Author, bytes, int], list[Frame]]:
        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            run = author.run(author.text("forged"))
            return live(replace(run, log=replace(run.log, **parts)))  # type: ignore[arg-type]

        return make

    def with_payload(data: bytes, kind: int = EntryKind.TEXT) -> Callable[..., list[Frame]]:
        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            hlc = hybrid_time(wall_milliseconds())
            return live(author.run(Entry.new(kind, hlc, data)))

        return make

    def other_payload(author: Author, known: bytes, at: int) -> list[Frame]:
        run = author.run(author.text("forged"))
        entry = author.text("forgeD", hlc=run.entries[0].hlc)
        return live(replace(run, entries=(entry,)))

    def signature(change: Callable[[bytes], bytes]) -> Callable[..., list[Frame]]:
        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            run = author.run(author.text("forged"))
            return live(replace(run, signature=change(run.signature)))

        return make

    def elsewhere(author: Author, known: bytes, at: int) -> list[Frame]:
        log = replace(author.log, conversation=secrets.token_bytes(32))
        return live(Author(author.identity, log).run(author.text("forged")))

    def own(author: Author) -> OwnLog:
        return OwnLog(author.identity, author.log)

    def above(author: Author, known: bytes, at: int) -> list[Frame]:
        log = own(author)
        log.append([author.text("forged: never sent")])
        return live(log.append([author.text("forged", hlc=log.hlc + 1)]))

    def hlc_stands(author: Author, known: bytes, at: int) -> list[Frame]:
        log = own(author)
        first = log.append([author.text("genuine: before an hlc that stands")])
        return live(first) + live(log.append([author.text("forged", hlc=log.hlc)]))

    def prev_changed(author: Author, known: bytes, at: int) -> list[Frame]:
        log = own(author)
        first = log.append([author.text("genuine: before a changed prev")])
        second = log.append([author.text("forged", hlc=log.hlc + 1)])
        assert second.prev is not None
        return live(first) + live(replace(second, prev=flipped(second.prev, 0)))

    def attested_below(author: Author, known: bytes, at: int) -> list[Frame]:
        log = own(author)
        first = log.append([author.text("genuine: below the attestation")])
        second = log.append([author.text("forged", hlc=log.hlc + 1)])
        return live(replace(first, entries=first.entries + second.entries))

    def ahead(author: Author, known: bytes, at: int) -> list[Frame]:
        hlc = hybrid_time(wall_milliseconds() + 3_600_000)
        return live(author.run(author.text("forged: an hour ahead", hlc=hlc)))

    def before_its_dep(author: Author, known: bytes, at: int) -> list[Frame]:
        return live(author.run(author.text("forged: before its dep", hlc=at, deps=[known])))

    def after_its_dep(author: Author, known: bytes, at: int) -> list[Frame]:
        hlc = max(hybrid_time(wall_milliseconds()), at + 1)
        return live(author.run(author.text("genuine: after its dep", hlc=hlc, deps=[known])))

    def ancient(author: Author, known: bytes, at: int) -> list[Frame]:
        return live(author.run(author.text("genuine: an hlc of 1", hlc=1)))

    def dep_unknown(author: Author, known: bytes, at: int) -> list[Frame]:
        deps = [secrets.token_bytes(32)]
        return live(author.run(author.text("genuine: an unknown dep", deps=deps)))

    def extended(kind: int, words: str) -> Callable[..., list[Frame]]:
        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            extra = extensions({kind: b"x"})
            return live(author.run(author.text(words, extensions=extra)))

        return make

    def follows_hidden(author: Author, known: bytes, at: int) -> list[Frame]:
        log = own(author)
        hidden = Entry.new(9, hybrid_time(wall_milliseconds()), payload(b"forged", bytes(16)))
        log.append([hidden])
        second = log.append([author.text("genuine: after a hidden one", hlc=log.hlc + 1)])
        return live(log.runs[0]) + live(second)

    def last_left_out(author: Author, known: bytes, at: int) -> list[Frame]:
        words = [author.text("forged", hlc=at + index) for index in (1, 2)]
        run = author.run(*words)
        return live(replace(run, entries=(words[0], words[1].without_payload())))

    def below(author: Author, known: bytes, at: int) -> list[Frame]:
        log = own(author)
        first = log.append([author.text("genuine: first")])
        second = log.append([author.text("genuine: second", hlc=log.hlc + 1)])
        forged = replace(first, signature=bytes(64))
        return live(first) + live(second) + live(forged)

    def again(author: Author, known: bytes, at: int) -> list[Frame]:
        return live(author.run(author.text("genuine: three times"))) * 3

    def overlapping(author: Author, known: bytes, at: int) -> list[Frame]:
        first = author.run(author.text("genuine: the known part"))
        hlc = first.entries[0].hlc + 1
        second = author.text("genuine: overlaps with what is known", hlc=hlc)
        return live(first) + live(author.run(first.entries[0], second))

    def sized(total: int, words: str) -> Callable[..., list[Frame]]:
        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            now = hybrid_time(wall_milliseconds())
            entries = [author.text(words.ljust(1_000, "."), hlc=now)]
            entries += [author.text(words + " " + "." * 65_000, hlc=now + 1)]
            left = total - sum(map(len, packed_entries(entries)))
            # Of the last entry 25 bytes are not its content.
            entries += [author.text(words.ljust(left - 25, "."), hlc=now + 2)]
            assert sum(map(len, packed_entries(entries))) == total
            return live(author.run(*entries))

        return make

    def many(author: Author, known: bytes, at: int) -> list[Frame]:
        now = hybrid_time(wall_milliseconds())
        words = "genuine: one of 128"
        return live(author.run(*(author.text(words, hlc=now + index) for index in range(128))))

    def longest(author: Author, known: bytes, at: int) -> list[Frame]:
        return live(author.run(author.text("genuine: long ".ljust(65_519, "."))))

    return [
        one("run: conversation, not joined", elsewhere, Due.STAY),
        one("run: conversation, changed", renamed(conversation=bytes(32)), Due.STAY),
        one(
            "run: author, changed",
            renamed(author=Identity.from_seed(b"\x44" * 32).public),
            Due.CLOSE,
        ),
        one("run: author of small order", renamed(author=UNIT_POINT), Due.CLOSE),
        one("run: incarnation", renamed(incarnation=5), Due.CLOSE),
        one("run: first above the head", above, Due.STAY),
        one("run: prev", prev_changed, Due.CLOSE),
        one("run: signature, R", signature(lambda s: flipped(s, 0)), Due.CLOSE),
        one("run: signature, S", signature(lambda s: flipped(s, 40)), Due.CLOSE),
        one("run: signature, S not reduced", signature(high_s), Due.CLOSE),
        one("run: signature of zeros", signature(lambda s: bytes(64)), Due.CLOSE),
        one("run: attestation of an entry below", attested_below, Due.CLOSE),
        one("run: hlc that does not grow", hlc_stands, Due.CLOSE),
        one("entry: kind", changed(kind=3), Due.CLOSE),
        one("entry: time", changed(hlc=77 << 16), Due.CLOSE),
        one("entry: dep added", changed(deps=(bytes(32),)), Due.CLOSE),
        one("entry: epoch added", changed(epoch=b"\x01" * 32), Due.CLOSE),
        one("entry: extension added", changed(extensions=extensions({2: b""})), Due.CLOSE),
        one("entry: payload", other_payload, Due.CLOSE),
        one("entry: payload hash", changed(payload=None, payload_hash=bytes(32)), Due.CLOSE),
        one("entry: payload length", changed(payload=None, payload_length=5), Due.CLOSE),
        one("entry: payload left out", changed(payload=None), Due.CLOSE),
        one("run: the last payload left out", last_left_out, Due.CLOSE),
        one("run: again, changed, below the own head", below, Due.STAY),
        one("run: again", again, Due.STAY),
        one("run: overlaps with what is known", overlapping, Due.SHOW),
        one("run: 131,072 bytes of entries", sized(131_072, "genuine: a full run"), Due.SHOW),
        one("run: 131,073 bytes of entries", sized(131_073, "forged"), Due.CLOSE),
        one("run: 128 entries", many, Due.SHOW),
        one("entry: a text of 65,519 bytes", longest, Due.SHOW),
        one("entry: unknown kind", with_payload(payload(b"forged", bytes(16)), 9), Due.STAY),
        one("entry: kind 0", with_payload(payload(b"forged", bytes(16)), 0), Due.STAY),
        one("entry: unknown suite", with_payload(b"\x01" + bytes(16) + b"forged"), Due.STAY),
        one("entry: payload of no byte", with_payload(b""), Due.STAY),
        one("entry: payload without salt", with_payload(b"\x00forged"), Due.STAY),
        one("entry: empty text", with_payload(payload(b"", bytes(16))), Due.STAY),
        one(
            "entry: text not UTF-8",
            with_payload(payload(b"forged\xff", bytes(16))),
            Due.STAY,
        ),
        one("entry: unknown odd extension", extended(3, "forged: extension 3"), Due.STAY),
        one("entry: unknown even extension", extended(4, "genuine: extension 4"), Due.SHOW),
        one("entry: an hour ahead", ahead, Due.STAY),
        one("entry: not after its dep", before_its_dep, Due.STAY),
        one("entry: after its dep", after_its_dep, Due.SHOW),
        one("entry: unknown dep", dep_unknown, Due.SHOW),
        one("entry: an hlc of 1", ancient, Due.SHOW),
        one("entry: after one of unknown kind", follows_hidden, Due.SHOW),
    ]


def record_forgeries() -> list[LinkForgery]:
    one = LinkForgery

    def sent(record: Record) -> list[Frame]:
        return [frames.records([record.packed()])]

    def good(author: Author, ahead: int = 0) -> Record:
        hlc = hybrid_time(wall_milliseconds() + ahead)
        return profile(author.identity, "forged", "", hlc)

    def changed(**parts: object) -> Callable[..., list[Frame]]:
        return lambda author, known, at: sent(replace(good(author), **parts))  # type: ignore[arg-type]

    def valued(value: bytes, kind: int = PROFILE) -> Callable[..., list[Frame]]:
        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            hlc = hybrid_time(wall_milliseconds())
            record = Record(kind, author.identity.public, None, hlc, value)
            return sent(record.signed(author.identity))

        return make

    def scoped(author: Author, known: bytes, at: int) -> list[Frame]:
        hlc = hybrid_time(wall_milliseconds())
        value = text("forged", 64) + b"\x00"
        record = Record(PROFILE, author.identity.public, author.log.conversation, hlc, value)
        return sent(record.signed(author.identity))

    def by_nobody(author: Author, known: bytes, at: int) -> list[Frame]:
        nobody = Identity.from_seed(secrets.token_bytes(32))
        record = profile(nobody, "forged", "", hybrid_time(wall_milliseconds()))
        return sent(replace(record, hlc=record.hlc + 1))

    other = Identity.from_seed(b"\x45" * 32).public
    return [
        one("record: kind", changed(kind=2), Due.CLOSE),
        one("record: author", changed(author=other), Due.CLOSE),
        one("record: scope", changed(conversation=bytes(32)), Due.CLOSE),
        one("record: hlc", changed(hlc=5), Due.CLOSE),
        one("record: value", changed(value=text("Eve", 64) + b"\x00"), Due.CLOSE),
        one("record: signature", changed(signature=bytes(64)), Due.CLOSE),
        one("record: unknown kind", valued(b"later", 9), Due.STAY),
        one("record: name over 64 bytes", valued(varint(65) + b"a" * 65 + b"\x00"), Due.STAY),
        one("record: a byte more", valued(text("forged", 64) + b"\x00x"), Due.STAY),
        one("record: a profile with a scope", scoped, Due.STAY),
        one("record: of somebody unknown here, changed", by_nobody, Due.CLOSE),
        one("record: an hour ahead", lambda a, k, t: sent(good(a, 3_600_000)), Due.STAY),
    ]


def sync_forgeries(conversation: bytes) -> list[LinkForgery]:
    one = LinkForgery
    tag = secrets.token_bytes(8)

    def row(seq: int, state: int) -> Callable[..., list[Frame]]:
        head = secrets.token_bytes(8) if seq else None
        rows = [ClockRow(tag, seq, head, state)]
        return lambda a, k, t: [frames.clock(conversation, False, rows)]

    def proof(change: Callable[[ForkProof], ForkProof]) -> Callable[..., list[Frame]]:
        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            pair = [author.run(author.text(words)) for words in ("forged 1", "forged 2")]
            return [frames.fork_proof(change(ForkProof.of(*pair)).packed())]

        return make

    def unsigned(which: str) -> Callable[[ForkProof], ForkProof]:
        def change(good: ForkProof) -> ForkProof:
            run = getattr(good, which)
            bad = replace(run, signature=flipped(run.signature, 7))
            return replace(good, **{which: bad})

        return change

    def other_bases(author: Author, known: bytes, at: int) -> list[Frame]:
        """Two runs that begin at the same seq of two branches prove a fork there, too."""
        runs = []
        for words in ("forged 1", "forged 2"):
            log = OwnLog(author.identity, author.log)
            log.append([author.text(words, hlc=1)])
            runs.append(log.append([author.text(words, hlc=2)]))
        return [frames.fork_proof(ForkProof.of(*runs).packed())]

    def large_proof(total: int) -> Callable[..., list[Frame]]:
        """`total` bytes of entries in one of its runs."""

        def make(author: Author, known: bytes, at: int) -> list[Frame]:
            deps = sorted(secrets.token_bytes(32) for _ in range(16))

            def entry(index: int, size: int) -> Entry:
                extra = varint(4) + varint(size) + bytes(size)
                return author.text("forged", hlc=at + index, deps=deps, extensions=extra)

            entries = [entry(index, 500).without_payload() for index in range(127)]
            left = total - sum(map(len, packed_entries(entries)))
            # Of the last entry 555 bytes are not the value of its extension.
            entries.append(entry(127, left - 555).without_payload())
            assert sum(map(len, packed_entries(entries))) == total
            pair = author.run(*entries), author.run(author.text("forged"))
            return [frames.fork_proof(ForkProof.of(*pair).packed())]

        return make

    def rows(count: int) -> Callable[..., list[Frame]]:
        items = [ClockRow(index.to_bytes(8, "big"), 0, None, 0) for index in range(count)]
        return lambda a, k, t: [frames.clock(conversation, False, items)]

    def record_rows(count: int) -> Callable[..., list[Frame]]:
        items = [RecordRow(index.to_bytes(8, "big"), 1, 0) for index in range(count)]
        return lambda a, k, t: [frames.record_clock(conversation, items)]

    def always(*given: Frame) -> Callable[..., list[Frame]]:
        return lambda a, k, t: list(given)

    nowhere = bytes(32)
    no_names = [text(name, 64) for name in ("", "-a", "A", "a b", "\u00c4")]
    return [
        one("clock: 8,192 rows", rows(8_192), Due.STAY),
        one("clock: 8,193 rows", rows(8_193), Due.CLOSE),
        one("recordClock: 8,192 rows", record_rows(8_192), Due.STAY),
        one("recordClock: 8,193 rows", record_rows(8_193), Due.CLOSE),
        one(
            "rooms: texts that are no names",
            always(Frame(Type.ROOMS, varint(len(no_names)) + b"".join(no_names))),
            Due.STAY,
        ),
        one("forkProof: on two bases", other_bases, Due.STAY),
        one("forkProof: 135,168 bytes of entries", large_proof(135_168), Due.STAY),
        one("forkProof: 135,169 bytes of entries", large_proof(135_169), Due.CLOSE),
        one(
            "clock: of a room that is not shared",
            always(frames.clock(nowhere, True, [ClockRow(tag, 7, tag, 0)])),
            Due.STAY,
        ),
        one(
            "recordClock: of a room that is not shared",
            always(frames.record_clock(nowhere, [])),
            Due.STAY,
        ),
        one(
            "unavailable: of what was not asked for",
            always(frames.unavailable(nowhere, tag, 1), frames.unavailable(conversation, tag, 1)),
            Due.STAY,
        ),
        one("clock: a row for what nobody has", row(7, 0), Due.STAY),
        one("clock: a row of 2^63 - 1", row(2**63 - 1, 0), Due.STAY),
        # The pages give a seq 64 bits; an implementation may count in one less.
        one("clock: a row of 2^64 - 1", row(2**64 - 1, 0), Due.HIDE),
        one("clock: forked before its first", row(0, 1), Due.STAY),
        one("clock: refused", row(3, 2), Due.STAY),
        one("forkProof: lower signature", proof(unsigned("lower")), Due.CLOSE),
        one("forkProof: upper signature", proof(unsigned("upper")), Due.CLOSE),
        one("forkProof: good", proof(lambda good: good), Due.STAY),
        one(
            "digest: of a room that is not shared",
            always(frames.digest(nowhere, bytes(32))),
            Due.STAY,
        ),
    ]
