"""What this peer holds of its conversations, in memory: Docs/Protocol/Entries.md §6, §7, §8, §10."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field, replace

from bodies import Body, Class, Kind, Opened, Target, erased_in_clear, read_targets
from codec import Refused, fields
from entries import (
    DEPS_MAXIMUM,
    ZERO_32,
    Entry,
    ForkProof,
    LogName,
    OwnLog,
    Run,
    hybrid_time,
    payload_hash,
)
from frames import State
from private import Key, Keys
from records import KINDS_MAXIMUM, PROFILE, Record
from sealing import AES, AES_SALT_BYTES, NONCE_BYTES, seal, unseal
from summaries import LogSummary, log_digest, record_digest

AHEAD_MILLISECONDS = 5 * 60 * 1_000
FOLLOWED_MILLISECONDS = 60 * 1_000


class Diverged(Exception):
    """A run that does not go on where our chain stands, so one of the two is a branch."""

    def __init__(self, run: Run) -> None:
        super().__init__(f"seq {run.first} of a log goes on from another entry")
        self.run = run


def wall_milliseconds() -> int:
    return time.time_ns() // 1_000_000


def ahead_limit() -> int:
    """The greatest time of a record that is not ahead."""
    return hybrid_time(wall_milliseconds() + AHEAD_MILLISECONDS)


def due_limit() -> int:
    """The greatest time of an entry that is shown; this peer knows nobody."""
    return hybrid_time(wall_milliseconds() + FOLLOWED_MILLISECONDS)


def cut(run: Run, first: int, prev: bytes | None) -> Run:
    """The part of `run` from `first` on; its last entry, so its attestation, stays."""
    return replace(run, first=first, prev=prev, entries=run.entries[first - run.first :])


@dataclass
class LogState:
    name: LogName
    runs: list[Run] = field(default_factory=list)
    identifiers: list[bytes] = field(default_factory=list)
    proof: ForkProof | None = None
    # Whose payloads somebody who may has erased.
    erased: set[int] = field(default_factory=set)
    # What entries are sealed with; None where they are not.
    key: Keys | None = None

    @property
    def seq(self) -> int:
        held = len(self.identifiers)
        return held if self.proof is None else min(held, self.proof.point - 1)

    def identifier(self, seq: int) -> bytes | None:
        return self.identifiers[seq - 1] if seq else None

    @property
    def summary(self) -> LogSummary:
        state = State.OPEN if self.proof is None else State.FORKED
        return LogSummary(self.name, self.seq, self.identifier(self.seq) or bytes(32), state)

    @property
    def whole(self) -> int:
        """Through where no payload is wanted."""
        for run in self.runs:
            for offset, entry in enumerate(run.entries):
                if entry.payload is None and run.first + offset not in self.erased:
                    return min(run.first + offset - 1, self.seq)
        return self.seq

    @property
    def due(self) -> int:
        """Through where no entry is ahead of time."""
        limit = due_limit()
        seqs = (seq for seq in range(self.seq, 0, -1) if self.entry(seq).hlc <= limit)
        return next(seqs, 0)

    def fill(self, seq: int, payload: bytes) -> None:
        """Takes a payload that is wanted, if it has the hash in the header."""
        wanted = self.entry(seq).payload is None and seq not in self.erased
        if wanted and payload_hash(payload) == self.entry(seq).payload_hash:
            self._put(seq, payload)

    def erase(self, seq: int) -> None:
        self.erased.add(seq)
        self._put(seq, None)

    def _put(self, seq: int, payload: bytes | None) -> None:
        for index, run in enumerate(self.runs):
            if run.first <= seq <= run.last:
                entries = list(run.entries)
                entries[seq - run.first] = replace(self.entry(seq), payload=payload)
                self.runs[index] = replace(run, entries=tuple(entries))

    def entry(self, seq: int) -> Entry:
        run = next(run for run in self.runs if run.first <= seq <= run.last)
        return run.entries[seq - run.first]

    def clear(self, seq: int) -> Entry:
        """The entry as one that is not sealed; what cannot be opened says nothing."""
        entry = self.entry(seq)
        if self.key is None or self.key.is_clear(entry):
            return entry
        root = self.key.opening(entry.epoch)
        if entry.payload is None or root is None:
            return replace(entry, payload=None, epoch=ZERO_32)
        front = entry.header_front(self.name, seq, self.identifier(seq - 1))
        try:
            body = unseal(root, entry.payload, front)
        except Refused:
            return replace(entry, payload=None, epoch=ZERO_32)
        return replace(entry, payload=body.payload(bytes(16)), epoch=ZERO_32)

    @property
    def opened(self) -> Opened | None:
        """What entry 1 says, where it is a readable `open` with a valid certificate."""
        content = self.clear(1).content if self.identifiers else None
        if not isinstance(content, Opened):
            return None
        try:
            content.certificate.verified(self.name.author)
        except Refused:
            return None
        return content

    def runs_from(self, first: int) -> list[Run]:
        """Attested runs that cover what counts of the log from `first` on.

        The last one reaches beyond a fork point that no attestation stands right before.
        """
        out: list[Run] = []
        for run in self.runs:
            if run.first > self.seq or run.last < first:
                continue
            begin = max(first, run.first)
            out.append(cut(run, begin, self.identifier(begin - 1)))
        return out

    def accept(self, run: Run) -> bool:
        """Checks and stores; False where there is nothing new in it."""
        end = run.last if self.proof is None else min(run.last, self.proof.point - 1)
        if run.first > self.seq + 1 or run.first > end or run.last < self.seq:
            return False
        run.verified()
        chain = [run.prev, *run.identifiers]
        if self.seq and chain[self.seq - run.first + 1] != self.identifier(self.seq):
            raise Diverged(run)
        if end <= self.seq:
            return False
        new = cut(run, self.seq + 1, self.identifier(self.seq))
        if self.seq and new.entries[0].hlc <= self.entry(self.seq).hlc:
            raise Refused("an hlc that does not grow from the entry before")
        self.runs.append(new)
        self.identifiers += new.identifiers
        return True

    def goes_on(self, run: Run) -> bool:
        """Whether the entry before `run` is our own one."""
        return run.prev == self.identifier(run.first - 1)

    def difference(self, run: Run) -> int | None:
        """The first seq at which `run`, which goes on from our chain, leaves it."""
        for offset, identifier in enumerate(run.identifiers):
            seq = run.first + offset
            if seq <= len(self.identifiers) and identifier != self.identifier(seq):
                return seq
        return None

    def prove(self, branch: Run, point: int) -> None:
        prev = self.identifier(point - 1)
        own = next(run for run in self.runs if run.first <= point <= run.last)
        self.keep(ForkProof.of(cut(own, point, prev), cut(branch, point, prev)))

    def keep(self, proof: ForkProof) -> bool:
        """The smallest fork point wins; of two proofs of one point the first stays."""
        if self.proof is not None and self.proof.point <= proof.point:
            return False
        self.proof = proof.verified()
        return True


@dataclass
class Conversation:
    identifier: bytes
    # None where it is recognised by its tag alone.
    name: str | None
    # None for two people, who may meet in any.
    realm: bytes | None = ZERO_32
    key: Keys | None = None
    # Of two people, whose devices take part.
    persons: frozenset[bytes] = frozenset()
    logs: dict[LogName, LogState] = field(default_factory=dict)
    # What is to be erased, with the log of who wants it, until the entry is here.
    erasures: set[tuple[LogName, Target]] = field(default_factory=set)

    def log(self, name: LogName) -> LogState:
        return self.logs.setdefault(name, LogState(name, key=self.key))

    def holds_back(self, name: LogName) -> bool:
        """Whether nothing more is taken of a log until something changes, as in a group."""
        return False

    def admits(self, person: bytes) -> bool:
        """Whether a device of that person may have part in it."""
        return person in self.persons if self.realm is None else True

    def is_shown(self, name: LogName, entry: Entry) -> bool:
        """Whether nothing but its time keeps an entry of somebody known from readers."""
        return True

    def accept(self, run: Run) -> bool:
        """Checks and stores, and erases what is to be; False where there is nothing new in it."""
        log = self.log(run.log)
        before = log.seq
        if not log.accept(run):
            return False
        for seq in range(before + 1, log.seq + 1):
            for target in log.clear(seq).targets(run.log.author):
                self.erasures.add((run.log, target))
        for eraser, target in list(self.erasures):
            aim = self.logs.get(LogName(self.identifier, target.author, target.incarnation))
            if aim is not None and len(aim.identifiers) >= target.seq:
                self.erasures.remove((eraser, target))
                if self.may_erase(self.log(eraser), aim, target):
                    aim.erase(target.seq)
        return True

    @staticmethod
    def may_erase(eraser: LogState, aim: LogState, target: Target) -> bool:
        if aim.identifier(target.seq) != target.identifier:
            return False
        if aim.entry(target.seq).class_ == Class.CONTROL:
            return False
        one, other = eraser.opened, aim.opened
        is_same = one and other and one.certificate.person_id == other.certificate.person_id
        return eraser.name.author == target.author or bool(is_same)

    @property
    def authors(self) -> set[bytes]:
        return {log.name.author for log in self.logs.values() if log.seq or log.proof}

    def entries(self) -> list[tuple[LogName, int, Entry]]:
        """In display order."""
        every = [
            (log.name, seq, log.clear(seq))
            for log in self.logs.values()
            for seq in range(1, log.seq + 1)
        ]
        every.sort(key=lambda item: (item[2].hlc, item[0].author, item[0].incarnation, item[1]))
        return every

    def texts(self) -> list[str]:
        """What a reader is shown: of logs with a person, and without what is ahead of time."""
        limit = due_limit()
        persons = {log.name for log in self.logs.values() if log.opened is not None}
        lines = [
            entry.shown
            for name, _, entry in self.entries()
            if name in persons and entry.hlc <= limit and self.is_shown(name, entry)
        ]
        return [line for line in lines if line is not None]


def sealed(
    entry: Entry, body: Body, key: Key, log: LogName, seq: int, prev: bytes | None
) -> Entry:
    """The entry with its body sealed, at its place in a log."""
    bound = replace(entry, epoch=key.epoch)
    nonce = secrets.token_bytes(AES_SALT_BYTES if key.suite == AES else NONCE_BYTES)
    data = seal(key.suite, key.root, nonce, body, bound.header_front(log, seq, prev))
    return replace(
        bound, payload=data, payload_length=len(data), payload_hash=payload_hash(data)
    )


@dataclass
class Replica:
    conversations: dict[bytes, Conversation] = field(default_factory=dict)
    kept: dict[tuple[bytes, bytes | None, int, bytes], Record] = field(default_factory=dict)

    def summaries(self, conversation: bytes) -> list[LogSummary]:
        logs = self.conversations[conversation].logs.values()
        return [log.summary for log in logs if log.seq or log.proof is not None]

    def profile(self, author: bytes) -> Record | None:
        return self.kept.get((author, None, PROFILE, b""))

    def records(self, conversation: bytes) -> list[Record]:
        """Those that count in the conversation: of its authors, and not ahead of time."""
        authors = self.conversations[conversation].authors
        limit = ahead_limit()
        return [
            record
            for record in self.kept.values()
            if record.author in authors
            and record.conversation in (None, conversation)
            and record.hlc <= limit
        ]

    def digest(self, conversation: bytes) -> tuple[bytes, bytes]:
        logs = log_digest(conversation, self.summaries(conversation))
        return logs, record_digest(conversation, self.records(conversation))

    def accept_record(self, record: Record) -> bool:
        """False where it is not news, ahead of time, or one kind too many."""
        record.verified()
        limit = ahead_limit()
        if not record.is_taken or record.hlc > limit:
            return False
        held = self.kept.get(record.slot)
        if held is not None and held.hlc <= limit and held.rank >= record.rank:
            return False
        self.kept[record.slot] = record
        # Revocations are no kinds too many.
        slots = [slot for slot in self.kept if slot[:2] == record.slot[:2] and not slot[3]]
        if len(slots) > KINDS_MAXIMUM:
            last = max(slots, key=lambda slot: slot[2])
            del self.kept[last]
            return last != record.slot
        return True

    def write(self, own: OwnLog, bodies: list[Body], salt: bytes) -> Run:
        """Appends entries, the first of which follows every head of the other logs."""
        conversation = self.conversations[own.name.conversation]
        others = [log for log in conversation.logs.values() if log.name != own.name and log.seq]
        # What is too far ahead is not followed.
        limit = hybrid_time(wall_milliseconds() + FOLLOWED_MILLISECONDS)
        heads = [
            (log.entry(log.seq).hlc, log.identifiers[log.seq - 1])
            for log in others
            if log.entry(log.seq).hlc <= limit
        ]
        heads = sorted(heads)[-DEPS_MAXIMUM:]
        hlc = max([own.hlc, *(head[0] for head in heads)])
        entries: list[Entry] = []
        prev = own.head
        for body in bodies:
            hlc = max(hybrid_time(wall_milliseconds()), hlc + 1)
            deps = [head[1] for head in heads] if not entries else []
            extra = b""
            if body.kind == Kind.ERASE:
                targets = read_targets(body.fields[1])
                extra = fields(erased_in_clear(targets, own.name.author))
            entry = Entry.of(body, hlc, salt, deps, extra)
            key = conversation.key and conversation.key.sealing(body)
            if key is not None:
                seq = own.seq + 1 + len(entries)
                prev = entries[-1].identifier(own.name, seq - 1, prev) if entries else own.head
                entry = sealed(entry, body, key, own.name, seq, prev)
            entries.append(entry)
        run = own.append(entries)
        conversation.accept(run)
        return run
