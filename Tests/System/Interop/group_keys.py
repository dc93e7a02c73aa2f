"""Keys of groups and what carries them: Docs/Protocol/Groups.md §3 to §5."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Iterable, Sequence

import frames
from bodies import Body, Kind
from codec import Reader, Refused, fields, varint
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from frames import Frame, Type
from primitives import H, K, Identity, check, x25519_public
from sealing import NONCE_BYTES, TAG_BYTES, xchacha20_poly1305
from signed_acts import ACT_MAXIMUM, Act, read_act

BASIS_MAXIMUM = 60
ITEMS_MAXIMUM = 64
HEADS_MAXIMUM = 64
ACTS_BYTES = 65_536
SEALED_CONTEXT = b"stoa.sealedkey.v1\x00"
SEALED_BYTES = 64 + TAG_BYTES


def people_digest(people: Iterable[bytes]) -> bytes:
    return H("stoa people", b"".join(sorted(people)))


def epoch_id(key: bytes, group: bytes, device: bytes, basis: bytes, people: bytes) -> bytes:
    return H("stoa epoch id", key + group + device + H("stoa epoch body", fields({3: basis, 5: people})))


def announcing(
    key: bytes, group: bytes, device: bytes, basis: Iterable[bytes], people: Iterable[bytes]
) -> Body:
    """What the maker of a key writes into its log."""
    heads, digest = b"".join(sorted(basis)), people_digest(people)
    return Body(Kind.EPOCH, {1: epoch_id(key, group, device, heads, digest), 3: heads, 5: digest})


def act_set(group: bytes, acts: Iterable[bytes]) -> bytes:
    return H("stoa act set", group + b"".join(sorted(acts)))


def _ids(reader: Reader, least: int) -> list[bytes]:
    out = [reader.take(32) for _ in range(reader.counted(least, HEADS_MAXIMUM, "acts"))]
    if any(one >= other for one, other in zip(out, out[1:], strict=False)):
        raise Refused("ids of acts that do not ascend")
    return out


def _listed(items: Sequence[bytes]) -> bytes:
    return varint(len(items)) + b"".join(items)


def act_heads(group: bytes, digest: bytes, heads: Sequence[bytes]) -> Frame:
    return Frame(Type.ACT_HEADS, group + digest + _listed(heads))


def read_act_heads(body: bytes) -> tuple[bytes, bytes, list[bytes]]:
    reader = Reader(body)
    out = reader.take(32), reader.take(32), _ids(reader, 0)
    reader.end()
    return out


def act_want(group: bytes, wanted: Sequence[bytes], heads: Sequence[bytes]) -> Frame:
    return Frame(Type.ACT_WANT, group + _listed(wanted) + _listed(heads))


def read_act_want(body: bytes) -> tuple[bytes, list[bytes], list[bytes]]:
    reader = Reader(body)
    out = reader.take(32), _ids(reader, 1), _ids(reader, 0)
    reader.end()
    return out


def acts(group: bytes, made: Sequence[Act]) -> Frame:
    packed = [varint(len(act.packed())) + act.packed() for act in made]
    return Frame(Type.ACTS, group + _listed(packed))


def read_acts(body: bytes) -> tuple[bytes, list[Act]]:
    reader = Reader(body)
    group, size, out = reader.take(32), 0, []
    for _ in range(reader.counted(1, ITEMS_MAXIMUM, "acts")):
        data = reader.take(reader.counted(0, ACT_MAXIMUM, "an act's length"))
        size += len(data)
        act = read_act(data)
        if act.group != group:
            raise Refused("an act of another group")
        out.append(act)
    reader.end()
    if size > ACTS_BYTES:
        raise Refused(f"acts of {size} bytes")
    return group, out


def epoch_keys(group: bytes, keys: Sequence[tuple[bytes, bytes]]) -> Frame:
    """Pairs of id and key."""
    return Frame(Type.EPOCH_KEYS, group + _listed([id_ + key for id_, key in sorted(keys)]))


def read_epoch_keys(body: bytes) -> tuple[bytes, list[tuple[bytes, bytes]]]:
    reader = Reader(body)
    group = reader.take(32)
    count = reader.counted(1, ITEMS_MAXIMUM, "keys")
    out = [(reader.take(32), reader.take(32)) for _ in range(count)]
    reader.end()
    if any(one[0] >= other[0] for one, other in zip(out, out[1:], strict=False)):
        raise Refused("keys that do not ascend")
    return group, out


@dataclass(frozen=True)
class SealedKey:
    epoch: bytes
    device: bytes
    giver: bytes
    sealed: bytes
    signature: bytes = b""

    def said(self, group: bytes) -> bytes:
        return SEALED_CONTEXT + group + self.epoch + self.device + self.giver

    def packed(self) -> bytes:
        return self.epoch + self.device + self.giver + self.sealed + self.signature

    def verified(self, group: bytes) -> "SealedKey":
        check(self.giver, self.said(group) + self.sealed, self.signature, "a sealed key")
        return self

    def opened(self, group: bytes, address: bytes) -> bytes:
        """By the secret of E."""
        own, fresh = X25519PrivateKey.from_private_bytes(address), self.sealed[:32]
        try:
            shared = own.exchange(X25519PublicKey.from_public_bytes(fresh))
        except ValueError as error:
            raise Refused("a key of small order") from error
        key = K(shared, "stoa sealed key", fresh + x25519_public(address))
        cipher, nonce = xchacha20_poly1305(key, bytes(NONCE_BYTES))
        try:
            return cipher.decrypt(nonce, self.sealed[32:], self.said(group))
        except InvalidTag as error:
            raise Refused("a sealed key for another device") from error


def seal_key(
    epoch: bytes, key: bytes, group: bytes, to: bytes, address: bytes, by: Identity, fresh: bytes
) -> SealedKey:
    """`address` is the device's E, `fresh` a secret that is used once."""
    shared = X25519PrivateKey.from_private_bytes(fresh).exchange(
        X25519PublicKey.from_public_bytes(address)
    )
    public = x25519_public(fresh)
    draft = SealedKey(epoch, to, by.public, b"")
    cipher, nonce = xchacha20_poly1305(K(shared, "stoa sealed key", public + address), bytes(NONCE_BYTES))
    sealed = public + cipher.encrypt(nonce, key, draft.said(group))
    return replace(draft, sealed=sealed, signature=by.sign(draft.said(group) + sealed))


def sealed_keys(group: bytes, keys: Sequence[SealedKey]) -> Frame:
    return Frame(Type.SEALED_KEYS, group + _listed([key.packed() for key in keys]))


def read_sealed_keys(body: bytes) -> tuple[bytes, list[SealedKey]]:
    reader = Reader(body)
    group = reader.take(32)
    count = reader.counted(1, ITEMS_MAXIMUM, "keys")
    out = [
        SealedKey(*(reader.take(length) for length in (32, 32, 32, SEALED_BYTES, 64)))
        for _ in range(count)
    ]
    reader.end()
    return group, out


BODIES = {
    frames.Type.ACT_HEADS: read_act_heads,
    frames.Type.ACT_WANT: read_act_want,
    frames.Type.ACTS: read_acts,
    frames.Type.EPOCH_KEYS: read_epoch_keys,
    frames.Type.SEALED_KEYS: read_sealed_keys,
}
