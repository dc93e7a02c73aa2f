"""What this peer holds of its conversations, in memory: Docs/Protocol/Entries.md §4, §6, §7."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from codec import Refused
from entries import (
    DEPS_MAXIMUM,
    Entry,
    EntryKind,
    ForkProof,
    LogName,
    OwnLog,
    Run,
    hybrid_time,
    payload,
)
from frames import State
from primitives import Identity
from records import Record
from summaries import LogSummary, digest_value

AHEAD_MILLISECONDS = 5 * 60 * 1_000


class Diverged(Exception):
    """A run that does not go on where our chain stands, so one of the two is a branch."""

    def __init__(self, run: Run) -> None:
        super().__init__(f"seq {run.first} of a log goes on from another entry")
        self.run = run


def wall_milliseconds() -> int:
    return time.time_ns() // 1_000_000


def cut(run: Run, first: int, prev: bytes | None) -> Run:
    """The part of `run` from `first` on; its last entry, so its attestation, stays."""
    return replace(run, first=first, prev=prev, entries=run.entries[first - run.first :])


@dataclass
class LogState:
    name: LogName
    runs: list[Run] = field(default_factory=list)
    identifiers: list[bytes] = field(default_factory=list)
    proof: ForkProof | None = None

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

    def entry(self, seq: int) -> Entry:
        run = next(run for run in self.runs if run.first <= seq <= run.last)
        return run.entries[seq - run.first]

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
    name: str
    logs: dict[LogName, LogState] = field(default_factory=dict)

    def log(self, name: LogName) -> LogState:
        return self.logs.setdefault(name, LogState(name))

    @property
    def authors(self) -> set[bytes]:
        return {log.name.author for log in self.logs.values() if log.seq or log.proof}

    def entries(self) -> list[tuple[LogName, int, Entry]]:
        """In display order."""
        every = [
            (log.name, seq, log.entry(seq))
            for log in self.logs.values()
            for seq in range(1, log.seq + 1)
        ]
        every.sort(key=lambda item: (item[2].hlc, item[0].author, item[0].incarnation, item[1]))
        return every

    def texts(self) -> list[str]:
        return [
            (entry.content or b"").decode("utf-8")
            for _, _, entry in self.entries()
            if entry.kind == EntryKind.TEXT
        ]


@dataclass
class Replica:
    conversations: dict[bytes, Conversation] = field(default_factory=dict)
    profiles: dict[bytes, Record] = field(default_factory=dict)

    def summaries(self, conversation: bytes) -> list[LogSummary]:
        logs = self.conversations[conversation].logs.values()
        return [log.summary for log in logs if log.seq or log.proof is not None]

    def records(self, conversation: bytes) -> list[Record]:
        authors = self.conversations[conversation].authors
        return [self.profiles[author] for author in sorted(authors & self.profiles.keys())]

    def digest(self, conversation: bytes) -> bytes:
        return digest_value(conversation, self.summaries(conversation), self.records(conversation))

    def accept_record(self, record: Record) -> bool:
        record.verified()
        if not record.is_understood:
            return False
        if record.hlc >> 16 > wall_milliseconds() + AHEAD_MILLISECONDS:
            return False
        held = self.profiles.get(record.author)
        if held is not None and held.rank >= record.rank:
            return False
        self.profiles[record.author] = record
        return True

    def write(
        self, identity: Identity, own: OwnLog, items: list[tuple[int, bytes]], salt: bytes
    ) -> Run:
        """Appends entries that follow every head of the other logs."""
        conversation = self.conversations[own.name.conversation]
        others = [log for log in conversation.logs.values() if log.name != own.name and log.seq]
        # What is held (too far ahead) is not followed.
        limit = hybrid_time(wall_milliseconds() + AHEAD_MILLISECONDS)
        heads = [
            (log.entry(log.seq).hlc, log.identifiers[log.seq - 1])
            for log in others
            if log.entry(log.seq).hlc <= limit
        ]
        heads = sorted(heads)[-DEPS_MAXIMUM:]
        hlc = max([own.hlc, *(head[0] for head in heads)])
        entries: list[Entry] = []
        for kind, content in items:
            hlc = max(hybrid_time(wall_milliseconds()), hlc + 1)
            deps = [head[1] for head in heads] if not entries else []
            entries.append(Entry.new(kind, hlc, payload(content, salt), deps))
        run = own.append(entries)
        conversation.log(own.name).accept(run)
        return run
