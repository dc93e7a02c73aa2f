"""Logs, entries, attestations, runs, fork proofs: Docs/Protocol/Entries.md §1 to §8."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Sequence

from bodies import (
    CLASS_OF,
    ERASED_EXTENSION,
    Body,
    Class,
    Erased,
    Kind,
    Said,
    Target,
    fallback,
    opening,
    read_content,
    read_payload,
    read_targets,
)
from codec import SEQ_MAXIMUM, Reader, Refused, read_fields, u8, u64, varint
from names import key
from persons import Certificate
from primitives import H, Identity, check, verify

FORMAT = 2
ZERO_32 = bytes(32)
PAYLOAD_HASH_BYTES = 32
PAYLOAD_MAXIMUM = 65_536
EXTENSIONS_MAXIMUM = 1_024
DEPS_MAXIMUM = 16
RUN_ENTRIES_MAXIMUM = 128
RUN_BYTES_MAXIMUM = 131_072
# What a payload counts at least in a run, so that leaving it out makes no run too large.
PAYLOAD_COUNTED_MINIMUM = 32

FORM_PAYLOAD_OMITTED = 1
FORM_EPOCH = 2
FORM_EXTENSIONS = 4
FORM_SAME_EPOCH = 8
FORM_NEXT_NONCE = 16
FORM_ALL = 31

# How a payload of suite 1 begins: with the suite, and a nonce whose last eight bytes are counted on.
NONCE_SUITE = 1
NONCED_START_BYTES = 25
NONCE_COUNTER_BYTES = 8


def room_id(name: str, realm: bytes = ZERO_32) -> bytes:
    """Of the open realm where no other is named."""
    return H("stoa room 2", realm + key(name).encode("utf-8"))


def hybrid_time(milliseconds: int, counter: int = 0) -> int:
    return milliseconds << 16 | counter


@dataclass(frozen=True, order=True)
class LogName:
    conversation: bytes
    author: bytes
    incarnation: int

    @property
    def packed(self) -> bytes:
        return self.conversation + self.author + u64(self.incarnation)


def payload_hash(data: bytes) -> bytes:
    return H("stoa payload", data)


@dataclass(frozen=True)
class Entry:
    """What a run carries of an entry; `payload` is None where only its hash is known."""

    class_: int
    hlc: int
    payload_length: int
    payload_hash: bytes
    payload: bytes | None
    deps: tuple[bytes, ...] = ()
    epoch: bytes = ZERO_32
    extensions: bytes = b""
    flags: int = 0

    @staticmethod
    def new(
        class_: int,
        hlc: int,
        data: bytes,
        deps: Sequence[bytes] = (),
        epoch: bytes = ZERO_32,
        extensions: bytes = b"",
    ) -> "Entry":
        ascending = tuple(sorted(deps))
        return Entry(class_, hlc, len(data), payload_hash(data), data, ascending, epoch, extensions)

    @staticmethod
    def of(
        body: Body, hlc: int, salt: bytes, deps: Sequence[bytes] = (), extensions: bytes = b""
    ) -> "Entry":
        """A body of a known kind, not sealed."""
        class_ = CLASS_OF[Kind(body.kind)]
        return Entry.new(class_, hlc, body.payload(salt), deps, extensions=extensions)

    @property
    def body(self) -> Body | None:
        """That of an unsealed payload that parses."""
        try:
            clear = self.payload is not None and self.epoch == ZERO_32
            return read_payload(self.payload) if clear and self.payload is not None else None
        except Refused:
            return None

    @property
    def content(self) -> Said:
        """What its body says; None for what says nothing by itself, or cannot be read."""
        try:
            body = self.body
            return None if body is None else read_content(self.class_, body, self.is_odd)
        except Refused:
            return None

    @property
    def shown(self) -> str | None:
        """The text of a body of class 2, or its fallback text."""
        body = self.body
        if body is None:
            return None
        try:
            content = read_content(self.class_, body, self.is_odd)
            return content if isinstance(content, str) else None
        except Refused:
            return fallback(self.class_, body)

    def targets(self, device: bytes) -> set[Target]:
        """What it wants erased, in its body or in clear; `device` wrote it."""
        out: set[Target] = set()
        if isinstance(self.content, Erased):
            out.update(self.content.targets)
        named = read_fields(self.extensions).get(ERASED_EXTENSION)
        if self.class_ == Class.CONTROL and named is not None:
            try:
                out.update(read_targets(named, device))
            except Refused:
                pass
        return out

    @property
    def is_odd(self) -> bool:
        """Whether it has an extension that is not to be ignored."""
        return any(type_ % 2 == 1 for type_ in read_fields(self.extensions))

    def counted(self, before: "Entry | None") -> int:
        """By how much its payload, nonce and epoch, left out or not, count for more or less than what is sent."""
        sent = PAYLOAD_HASH_BYTES if self.payload is None else self.payload_length
        form = self.form(before)
        named = 32 if form & FORM_SAME_EPOCH else 0
        begun = NONCED_START_BYTES if form & FORM_NEXT_NONCE else 0
        return max(self.payload_length, PAYLOAD_COUNTED_MINIMUM) - sent + named + begun

    def without_payload(self) -> "Entry":
        return replace(self, payload=None)

    def header_front(self, log: LogName, seq: int, prev: bytes | None) -> bytes:
        """All before the payload's length, which is what a seal is bound to."""
        return b"".join(
            [
                u8(FORMAT),
                u8(self.class_),
                u8(self.flags),
                log.packed,
                varint(seq),
                prev or b"",
                u64(self.hlc),
                u8(len(self.deps)),
                *self.deps,
                self.epoch,
            ]
        )

    def header(self, log: LogName, seq: int, prev: bytes | None) -> bytes:
        return b"".join(
            [
                self.header_front(log, seq, prev),
                varint(self.payload_length),
                self.payload_hash,
                varint(len(self.extensions)),
                self.extensions,
            ]
        )

    def identifier(self, log: LogName, seq: int, prev: bytes | None) -> bytes:
        return H("stoa entry", self.header(log, seq, prev))

    def form(self, before: "Entry | None") -> int:
        form = 0
        if self.payload is None:
            form |= FORM_PAYLOAD_OMITTED
        elif before is not None and follows(before.payload, self.payload):
            form |= FORM_NEXT_NONCE
        if self.epoch != ZERO_32:
            same = before is not None and before.epoch == self.epoch
            form |= FORM_SAME_EPOCH if same else FORM_EPOCH
        if self.extensions:
            form |= FORM_EXTENSIONS
        return form

    def packed(self, before: "Entry | None") -> bytes:
        """The entry inside a run; `before` is the entry before it in that run."""
        form = self.form(before)
        begun = NONCED_START_BYTES if form & FORM_NEXT_NONCE else 0
        stored = self.payload_hash if self.payload is None else self.payload[begun:]
        return b"".join(
            [
                u8(self.class_),
                u8(self.flags),
                u8(form),
                u64(self.hlc) if before is None else varint(self.hlc - before.hlc),
                u8(len(self.deps)),
                *self.deps,
                self.epoch if form & FORM_EPOCH else b"",
                varint(self.payload_length - begun),
                stored,
                varint(len(self.extensions)) + self.extensions if self.extensions else b"",
            ]
        )


def start_after(payload: bytes | None) -> bytes | None:
    """The suite and the nonce that follow those of a payload; nothing where it is not of suite 1."""
    if payload is None or len(payload) < NONCED_START_BYTES or payload[0] != NONCE_SUITE:
        return None
    fixed = NONCED_START_BYTES - NONCE_COUNTER_BYTES
    counter = int.from_bytes(payload[fixed:NONCED_START_BYTES], "big") + 1
    return payload[:fixed] + u64(counter % 2**64)


def follows(before: bytes | None, payload: bytes | None) -> bool:
    start = start_after(before)
    return start is not None and payload is not None and payload.startswith(start)


def attestation_message(log: LogName, seq: int, identifier: bytes) -> bytes:
    return b"stoa.attestation.v2\x00" + log.packed + u64(seq) + identifier


def read_entry(reader: Reader, before: Entry | None) -> Entry:
    class_ = reader.u8()
    if reader.u8() != 0:
        raise Refused("entry flags that are not 0")
    form = reader.u8()
    if form & ~FORM_ALL:
        raise Refused("unknown bits in an entry's form")
    if before is None:
        hlc = reader.u64()
    else:
        hlc = before.hlc + reader.counted(1, 2**64 - 1, "an hlc difference")
        if hlc >= 2**64:
            raise Refused("an hlc over 64 bits")
    count = reader.u8()
    if count > DEPS_MAXIMUM:
        raise Refused(f"{count} deps")
    deps = tuple(reader.take(32) for _ in range(count))
    if any(deps[i] >= deps[i + 1] for i in range(count - 1)):
        raise Refused("deps that do not ascend")
    epoch = ZERO_32
    if form & FORM_EPOCH:
        epoch = reader.take(32)
        if epoch == ZERO_32:
            raise Refused("an epoch of zeros that is said to be present")
        if before is not None and before.epoch == epoch:
            raise Refused("an epoch that stands in full though it is that of the entry before")
    if form & FORM_SAME_EPOCH:
        if epoch != ZERO_32 or before is None or before.epoch == ZERO_32:
            raise Refused("an epoch like one that is not there")
        epoch = before.epoch
    begun = b""
    if form & FORM_NEXT_NONCE:
        after = None if before is None else start_after(before.payload)
        if after is None or form & FORM_PAYLOAD_OMITTED:
            raise Refused("a nonce after one that is not there")
        begun = after
    length = len(begun) + reader.counted(0, PAYLOAD_MAXIMUM - len(begun), "a payload's length")
    data: bytes | None = None
    if form & FORM_PAYLOAD_OMITTED:
        hashed = reader.take(32)
    else:
        data = begun + reader.take(length - len(begun))
        if not begun and before is not None and follows(before.payload, data):
            raise Refused("a nonce that stands in full though it follows that of the entry before")
        hashed = payload_hash(data)
    extra = b""
    if form & FORM_EXTENSIONS:
        extra = reader.take(reader.counted(1, EXTENSIONS_MAXIMUM, "the extensions' length"))
        read_fields(extra)
    return Entry(class_, hlc, length, hashed, data, deps, epoch, extra)


@dataclass(frozen=True)
class Run:
    log: LogName
    first: int
    prev: bytes | None
    signature: bytes
    entries: tuple[Entry, ...]

    @staticmethod
    def signed(
        identity: Identity,
        log: LogName,
        first: int,
        prev: bytes | None,
        entries: Sequence[Entry],
    ) -> "Run":
        draft = Run(log, first, prev, bytes(64), tuple(entries))
        message = attestation_message(log, draft.last, draft.identifiers[-1])
        return replace(draft, signature=identity.sign(message))

    @property
    def last(self) -> int:
        return self.first + len(self.entries) - 1

    @property
    def identifiers(self) -> list[bytes]:
        out: list[bytes] = []
        prev = self.prev
        for offset, entry in enumerate(self.entries):
            prev = entry.identifier(self.log, self.first + offset, prev)
            out.append(prev)
        return out

    def verified(self) -> "Run":
        message = attestation_message(self.log, self.last, self.identifiers[-1])
        check(self.log.author, message, self.signature, "a run")
        return self

    @property
    def is_valid(self) -> bool:
        message = attestation_message(self.log, self.last, self.identifiers[-1])
        return verify(self.log.author, message, self.signature)

    def without_payloads(self) -> "Run":
        return replace(self, entries=tuple(entry.without_payload() for entry in self.entries))

    def packed(self) -> bytes:
        body = bytearray()
        before: Entry | None = None
        for entry in self.entries:
            body += entry.packed(before)
            before = entry
        return (
            self.log.packed
            + varint(self.first)
            + varint(len(self.entries))
            + (self.prev or b"")
            + self.signature
            + bytes(body)
        )


def read_run(data: bytes) -> Run:
    """The shape alone; `Run.verified` looks at the signature."""
    reader = Reader(data)
    log = LogName(reader.take(32), reader.take(32), reader.u64())
    first = reader.counted(1, SEQ_MAXIMUM, "a run's first seq")
    count = reader.counted(1, RUN_ENTRIES_MAXIMUM, "a run's count")
    if first == 1 and count != 1:
        raise Refused("more in a run than the entry that it begins a log with")
    if first + count - 1 >= SEQ_MAXIMUM:
        raise Refused("a seq that is too large")
    prev = None if first == 1 else reader.take(32)
    signature = reader.take(64)
    left = reader.left
    entries: list[Entry] = []
    for _ in range(count):
        entries.append(read_entry(reader, entries[-1] if entries else None))
    reader.end()
    size = left + sum(entry.counted(before) for before, entry in zip([None, *entries], entries))
    if size > RUN_BYTES_MAXIMUM:
        raise Refused(f"a run with {size} bytes of entries")
    return Run(log, first, prev, signature, tuple(entries))


def read_sent_run(data: bytes) -> Run:
    """A run outside of a fork proof: no control entry is without its payload."""
    run = read_run(data)
    if any(entry.payload is None and entry.class_ == Class.CONTROL for entry in run.entries):
        raise Refused("a run with a control entry's payload left out")
    return run


@dataclass(frozen=True)
class ForkProof:
    lower: Run
    upper: Run

    @staticmethod
    def of(one: Run, other: Run) -> "ForkProof":
        pair = [one.without_payloads(), other.without_payloads()]
        pair.sort(key=lambda run: run.identifiers[0])
        return ForkProof(pair[0], pair[1])

    @property
    def log(self) -> LogName:
        return self.lower.log

    @property
    def point(self) -> int:
        return self.lower.first

    def packed(self) -> bytes:
        runs = [self.lower.packed(), self.upper.packed()]
        return b"".join(varint(len(run)) + run for run in runs)

    def verified(self) -> "ForkProof":
        self.lower.verified()
        self.upper.verified()
        return self


def read_fork_proof(data: bytes) -> ForkProof:
    reader = Reader(data)
    lower = read_run(reader.take(reader.varint()))
    upper = read_run(reader.take(reader.varint()))
    reader.end()
    if lower.log != upper.log or lower.first != upper.first:
        raise Refused("a fork proof over two logs or two positions")
    if any(entry.payload is not None for entry in lower.entries + upper.entries):
        raise Refused("a fork proof with payloads")
    if lower.identifiers[0] >= upper.identifiers[0]:
        raise Refused("a fork proof whose runs stand in the wrong order or are the same")
    return ForkProof(lower, upper)


@dataclass
class OwnLog:
    """The log that this author writes; every batch is one run with one attestation."""

    identity: Identity
    name: LogName
    runs: list[Run] = field(default_factory=list)

    @property
    def seq(self) -> int:
        return self.runs[-1].last if self.runs else 0

    @property
    def head(self) -> bytes | None:
        return self.runs[-1].identifiers[-1] if self.runs else None

    @property
    def hlc(self) -> int:
        return self.runs[-1].entries[-1].hlc if self.runs else 0

    def begin(self, certificate: Certificate, hlc: int, salt: bytes) -> Run:
        """The `open` with which every log begins."""
        return self.append([Entry.of(opening(certificate), hlc, salt)])

    def append(self, entries: Sequence[Entry]) -> Run:
        run = Run.signed(self.identity, self.name, self.seq + 1, self.head, entries)
        self.runs.append(run)
        return run
