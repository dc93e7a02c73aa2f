"""Bodies that stoad does not write yet, calls and what one's devices tell each other: Docs/Protocol/Entries.md §3, §13."""

from __future__ import annotations

from dataclasses import dataclass

from bodies import FALLBACK, Body, fallback
from codec import VARINT_MAXIMUM, Reader, Refused, u8, varint

OWN, CALL = 7, 39
PEOPLE_MAXIMUM = 64
ITEM_MAXIMUM = 512
VALUE_MAXIMUM = 4_096
REPLACED_MAXIMUM = 64


def hashes(body: Body, type_: int, most: int) -> tuple[bytes, ...]:
    data = body.fields.get(type_)
    if data is None:
        return ()
    out = tuple(data[at : at + 32] for at in range(0, len(data), 32))
    if not 1 <= len(out) <= most or len(out[-1]) != 32:
        raise Refused("a list of another length")
    if any(one >= other for one, other in zip(out, out[1:], strict=False)):
        raise Refused("a list that does not ascend")
    return out


def _known(body: Body, kind: int, odd: set[int], due: set[int]) -> None:
    found = {type_ for type_ in body.fields if type_ % 2 == 1}
    if body.kind != kind or found - odd or due - found:
        raise Refused("fields that are missing or unknown")


@dataclass(frozen=True)
class Call:
    outcome: int
    seconds: int
    people: tuple[bytes, ...]
    fallback: str

    def body(self) -> Body:
        found = {1: u8(self.outcome), FALLBACK: self.fallback.encode(), 3: varint(self.seconds)}
        return Body(CALL, {**found, 5: b"".join(sorted(self.people))})


def read_call(body: Body) -> Call:
    _known(body, CALL, {1, 3, 5}, {1, 3, 5})
    outcome = body.fields[1]
    if len(outcome) != 1 or not 1 <= outcome[0] <= 5:
        raise Refused("a call of another outcome")
    reader = Reader(body.fields[3])
    seconds = reader.counted(0, VARINT_MAXIMUM, "seconds")
    reader.end()
    words = fallback(2, body)
    if words is None:
        raise Refused("a call without a fallback text")
    return Call(outcome[0], seconds, hashes(body, 5, PEOPLE_MAXIMUM), words)


@dataclass(frozen=True)
class Own:
    set: int
    item: bytes
    is_in: bool = True
    value: bytes = b""
    replaced: tuple[bytes, ...] = ()

    def body(self) -> Body:
        found = {1: u8(self.set), 3: self.item}
        if not self.is_in:
            found[5] = b""
        if self.value:
            found[6] = self.value
        if self.replaced:
            found[7] = b"".join(sorted(self.replaced))
        return Body(OWN, found)


def read_own(body: Body) -> Own:
    _known(body, OWN, {1, 3, 5, 7}, {1, 3})
    number, item = body.fields[1], body.fields[3]
    if len(number) != 1 or not 1 <= len(item) <= ITEM_MAXIMUM or body.fields.get(5):
        raise Refused("a change that says something else")
    if 6 in body.fields and not 1 <= len(body.fields[6]) <= VALUE_MAXIMUM:
        raise Refused("a value of another length")
    replaced = hashes(body, 7, REPLACED_MAXIMUM)
    return Own(number[0], item, 5 not in body.fields, body.fields.get(6, b""), replaced)
