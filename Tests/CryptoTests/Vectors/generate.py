#!/usr/bin/env python3
"""Writes the vectors that CryptoTests replays, from implementations that share no code with ours.

    python3 -m venv venv
    venv/bin/pip install noiseprotocol==0.3.1 dissononce==0.34.3 cryptography==50.0.2
    venv/bin/python generate.py          # writes the four Swift files beside it

Handshakes run twice, in noiseprotocol and in dissononce, and the script stops unless both give the
same bytes. Both take their primitives from cryptography (OpenSSL), ours come from libsodium.

What was checked of the two against revision 34 of the specification:
- HMAC: both call cryptography's HMAC over BLAKE2b-512. It is RFC 2104 with the 128-byte block, and
  not BLAKE2b's keyed mode; the script compares it with Python's hmac over hashlib.blake2b.
- psk: both follow section 9: MixKeyAndHash, and the ephemeral keys are mixed into the key, too.
- The exporter is an output of Split's HKDF that neither gives; it is computed here from the chaining
  key of each.
- Rekey: noiseprotocol follows section 4.2 and gives the messages after a rekey. dissononce keeps
  all 48 bytes as key and resets the nonce, so it is not asked for those.
"""

import hashlib
import hmac
import struct

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from dissononce.cipher.chachapoly import ChaChaPolyCipher
from dissononce.dh.x25519.private import PrivateKey
from dissononce.dh.x25519.x25519 import X25519DH
from dissononce.extras.dh.dangerous.dh_nogen import NoGenDH
from dissononce.hash.blake2b import Blake2bHash
from dissononce.processing.handshakepatterns.interactive.XX import XXHandshakePattern
from dissononce.processing.impl.cipherstate import CipherState
from dissononce.processing.impl.handshakestate import HandshakeState
from dissononce.processing.impl.symmetricstate import SymmetricState
from dissononce.processing.modifiers.psk import PSKPatternModifier
from noise.backends.default import noise_backend
from noise.connection import Keypair, NoiseConnection
from noise.noise_protocol import NoiseProtocol
from noise.state import CipherState as NoiseCipherState

NAME = "Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b"
RAW = serialization.Encoding.Raw, serialization.PublicFormat.Raw


def bytes_of(label, count):
    """Bytes that look random and are the same in each run."""
    return hashlib.shake_256(label.encode()).digest(count)


def hmac_blake2b(key, data):
    return hmac.new(key, data, hashlib.blake2b).digest()


def hkdf(chaining_key, material, outputs):
    temporary = hmac_blake2b(chaining_key, material)
    result, previous = [], b""
    for number in range(1, outputs + 1):
        previous = hmac_blake2b(temporary, previous + bytes([number]))
        result.append(previous)
    return result


# --- Handshakes ---------------------------------------------------------------------------------


def watch(symmetric, name):
    """A list that gets the handshake hash before each EncryptAndHash from here on."""
    seen, original = [], type(symmetric).encrypt_and_hash

    def watched(plaintext):
        seen.append(bytes(getattr(symmetric, name)))
        return original(symmetric, plaintext)

    symmetric.encrypt_and_hash = watched
    return seen


def watch_split(symmetric, name):
    """A list that gets the third output of the HKDF of Split, which neither package gives."""
    seen, original = [], type(symmetric).split

    def watched():
        seen.append(hkdf(bytes(getattr(symmetric, name)), b"", 3)[2])
        return original(symmetric)

    symmetric.split = watched
    return seen


def run_noiseprotocol(v):
    """Messages, payload hashes, final hash, exporter and both transport keys, by noiseprotocol."""
    ends = []
    for role in ("initiator", "responder"):
        end = NoiseConnection.from_name(NAME.encode())
        end.set_as_initiator() if role == "initiator" else end.set_as_responder()
        end.set_keypair_from_private_bytes(Keypair.STATIC, v[role + "Static"])
        end.set_keypair_from_private_bytes(Keypair.EPHEMERAL, v[role + "Ephemeral"])
        end.set_prologue(v["prologue"])
        end.set_psks(v["presharedKey"])
        end.start_handshake()
        ends.append(end)
    messages, hashes = [], []
    exporters = [
        watch_split(end.noise_protocol.handshake_state.symmetric_state, "ck") for end in ends]
    for number, payload in enumerate(v["payloads"]):
        writer, reader = ends[number % 2], ends[1 - number % 2]
        seen = watch(writer.noise_protocol.handshake_state.symmetric_state, "h")
        message = bytes(writer.write_message(payload))
        hashes.append(seen[-1])  # the payload is what is encrypted last
        assert bytes(reader.read_message(message)) == payload
        messages.append(message)
    one, two = (end.noise_protocol for end in ends)
    assert one.handshake_hash == two.handshake_hash
    assert one.cipher_state_encrypt.k == two.cipher_state_decrypt.k
    assert exporters[0] == exporters[1]
    return (messages, hashes, bytes(one.handshake_hash), exporters[0][0],
            one.cipher_state_encrypt.k, one.cipher_state_decrypt.k)


def run_dissononce(v):
    """The same by dissononce."""
    ends = []
    for role in ("initiator", "responder"):
        dh = NoGenDH(X25519DH(), PrivateKey(v[role + "Ephemeral"]))
        symmetric = SymmetricState(CipherState(ChaChaPolyCipher()), Blake2bHash())
        end = HandshakeState(symmetric, dh)
        static = X25519DH().generate_keypair(PrivateKey(v[role + "Static"]))
        end.initialize(
            PSKPatternModifier(0).modify(XXHandshakePattern()), role == "initiator",
            v["prologue"], s=static, psks=[v["presharedKey"]])
        ends.append(end)
    messages, hashes = [], []
    exporters = [watch_split(end.symmetricstate, "_ck") for end in ends]
    for number, payload in enumerate(v["payloads"]):
        writer, reader = ends[number % 2], ends[1 - number % 2]
        seen = watch(writer.symmetricstate, "_h")
        message, read = bytearray(), bytearray()
        ciphers = writer.write_message(payload, message)
        hashes.append(seen[-1])
        reader.read_message(bytes(message), read)
        assert bytes(read) == payload
        messages.append(bytes(message))
    first, second = ciphers
    assert exporters[0] == exporters[1]
    return (messages, hashes, bytes(ends[0].symmetricstate.get_handshake_hash()),
            exporters[0][0], first._key, second._key)


def seal(key, nonce, plaintext):
    """A transport message, with Rekey after every 2^16 messages as our stream does it."""
    cipher = NoiseCipherState(NoiseProtocol(NAME.encode(), noise_backend))
    cipher.initialize_key(key)
    for _ in range(nonce >> 16):
        cipher.rekey()
    cipher.set_nonce(nonce)
    return cipher.encrypt_with_ad(b"", plaintext)


def handshakes():
    cases = [
        ("an empty prologue and empty payloads", b"", (0, 0, 0)),
        ("a preface as prologue and identity payloads", b"stoa\x02\x02\x00", (1, 330, 330)),
        ("a prologue of a whole BLAKE2b block", bytes_of("prologue", 128), (1, 15, 16)),
        ("a payload in every message", b"\x00", (100, 1, 255)),
    ]
    result = []
    for name, prologue, sizes in cases:
        v = {"name": name, "prologue": prologue}
        for key in ("presharedKey", "initiatorStatic", "initiatorEphemeral", "responderStatic",
                    "responderEphemeral"):
            v[key] = bytes_of(name + key, 32)
        if not prologue:
            v["presharedKey"] = bytes(32)
        v["payloads"] = [bytes_of(f"{name} payload {i}", n) for i, n in enumerate(sizes)]
        run = run_noiseprotocol(v)
        assert run == run_dissononce(v), "the two implementations differ"
        (v["messages"], v["payloadHashes"], v["handshakeHash"], v["exporter"], first,
         second) = run
        v["transport"] = []
        for nonce in (0, 1, 65_535, 65_536, 131_072):
            plaintext = bytes_of(f"{name} transport {nonce}", nonce % 7 * 9)
            v["transport"].append(
                (nonce, plaintext, seal(first, nonce, plaintext), seal(second, nonce, plaintext)))
        result.append(v)
    return result


# --- Primitives ---------------------------------------------------------------------------------


def hmacs():
    result = []
    for key_count in (0, 1, 32, 64, 127, 128, 129, 200):
        key = bytes_of("hmac key %d" % key_count, key_count)
        data = bytes_of("hmac data %d" % key_count, key_count * 3 % 301)
        result.append({"key": key, "data": data, "code": hmac_blake2b(key, data)})
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.hmac import HMAC
    for v in result[1:]:  # cryptography takes no empty key here
        other = HMAC(v["key"], hashes.BLAKE2b(64))
        other.update(v["data"])
        assert other.finalize() == v["code"]
    return result


def hkdfs():
    result = []
    for count in (0, 32, 64):
        chaining_key, material = bytes_of("ck%d" % count, 64), bytes_of("ikm%d" % count, count)
        result.append({"chainingKey": chaining_key, "material": material,
                       "outputs": hkdf(chaining_key, material, 3)})
    return result


def blake2bs():
    result = []
    for count, key_count, person in ((0, 0, ""), (3, 0, "stoa entry"), (128, 0, "sixteen bytes ok"),
                                     (129, 32, "stoa entry"), (300, 64, ""), (300, 1, "p")):
        data, key = bytes_of("b2 %d" % count, count), bytes_of("b2k %d" % count, key_count)
        digest = hashlib.blake2b(data, digest_size=32, key=key, person=person.encode()).digest()
        result.append({"data": data, "key": key, "personal": person, "hash": digest})
    return result


P = 2**255 - 19


def montgomery(edwards):
    """The X25519 public key of an Ed25519 one: u = (1 + y) / (1 - y)."""
    y = int.from_bytes(edwards, "little") & (2**255 - 1)
    return ((1 + y) * pow(1 - y, P - 2, P) % P).to_bytes(32, "little")


def identities():
    result = []
    for number in range(3):
        seeds = [bytes_of(f"identity {number} {side}", 32) for side in "ab"]
        keys = [Ed25519PrivateKey.from_private_bytes(seed) for seed in seeds]
        publics = [key.public_key().public_bytes(*RAW) for key in keys]
        scalars = [hashlib.sha512(seed).digest()[:32] for seed in seeds]
        shared = [X25519PrivateKey.from_private_bytes(scalars[i]).exchange(
            X25519PublicKey.from_public_bytes(montgomery(publics[1 - i]))) for i in (0, 1)]
        assert shared[0] == shared[1]
        message = bytes_of(f"signed {number}", number * 50)
        result.append({"seed": seeds[0], "publicKey": publics[0], "message": message,
                       "signature": keys[0].sign(message), "peer": publics[1],
                       "sharedSecret": shared[0]})
    return result


D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)  # of -1


def recover_x(y):
    """The even x of a point of the curve -x^2 + y^2 = 1 + D x^2 y^2, or None."""
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    for x in (r := pow(square, (P + 3) // 8, P), r * ROOT % P):
        if x * x % P == square:
            return x if x % 2 == 0 else P - x
    return None


def add(a, b):
    product = D * a[0] * b[0] * a[1] * b[1] % P
    return ((a[0] * b[1] + a[1] * b[0]) * pow(1 + product, P - 2, P) % P,
            (a[1] * b[1] + a[0] * b[0]) * pow(1 - product, P - 2, P) % P)


def times(n, point):
    result = (0, 1)
    while n:
        result = add(result, point) if n & 1 else result
        point, n = add(point, point), n >> 1
    return result


def encoded(y, sign):
    return (y | sign << 255).to_bytes(32, "little")


def refused_keys():
    """Ed25519 public keys that may name nobody, and why."""
    order = 2**252 + 27742317777372353535851937790883648493
    y = 3
    while (x := recover_x(y)) is None or times(4, times(order, (x, y))) == (0, 1):
        y += 1
    torsion = times(order, (x, y))  # a point of order 8
    result = []
    for n in range(8):
        x, y = times(n, torsion)
        result.append({"reason": f"point {n} of the eight of small order",
                       "key": encoded(y, x & 1)})
    for y in range(P, 2**255):
        for sign in (0, 1):
            result.append({"reason": f"y is p + {y - P}, sign {sign}", "key": encoded(y, sign)})
    result.append({"reason": "x is zero with a sign", "key": encoded(1, 1)})
    y = next(y for y in range(2, 100) if recover_x(y) is None)
    result.append({"reason": "not on the curve", "key": encoded(y, 0)})
    base = 4 * pow(5, P - 2, P) % P
    x, y = add((recover_x(base), base), torsion)
    result.append({"reason": "the base point plus one of order 8", "key": encoded(y, x & 1)})
    return result


def small_order_us(refused):
    """X25519 public keys whose every product is zero."""
    us = {int.from_bytes(montgomery(v["key"]), "little") for v in refused[:8]} | {P - 1}
    us |= {u + P for u in us if u + P < 2**255}
    return [{"key": (u | high << 255).to_bytes(32, "little")} for u in sorted(us)
            for high in (0, 1)]


def hchacha20(key, nonce):
    """draft-irtf-cfrg-xchacha section 2.2."""
    state = list(struct.unpack("<16I", b"expand 32-byte k" + key + nonce))

    def quarter(a, b, c, d):
        for x, y, z, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[x] = (state[x] + state[y]) & 0xFFFFFFFF
            mixed = state[z] ^ state[x]
            state[z] = (mixed << bits | mixed >> (32 - bits)) & 0xFFFFFFFF

    for _ in range(10):
        for column in range(4):
            quarter(column, 4 + column, 8 + column, 12 + column)
        for d in range(4):
            quarter(d, 4 + (d + 1) % 4, 8 + (d + 2) % 4, 12 + (d + 3) % 4)
    return struct.pack("<8I", *state[:4], *state[12:])


def xchachas():
    result = []
    for count in (0, 1, 64, 200):
        key, nonce = bytes_of("xk%d" % count, 32), bytes_of("xn%d" % count, 24)
        plaintext, data = bytes_of("xp%d" % count, count), bytes_of("xa%d" % count, count // 2)
        sealed = ChaCha20Poly1305(hchacha20(key, nonce[:16])).encrypt(
            bytes(4) + nonce[16:], plaintext, data)
        result.append({"key": key, "nonce": nonce, "associatedData": data, "plaintext": plaintext,
                       "sealed": sealed})
    return result


def sealed_by_safe(key, nonce, kind, place, value):
    """Docs/Decisions/0054-one-key-opens-the-rest.md."""
    return nonce + ChaCha20Poly1305(hchacha20(key, nonce[:16])).encrypt(
        bytes(4) + nonce[16:], value, kind + b"\0" + place)


def safes():
    result = []
    for kind, place, count in ((b"file", b"identity.key", 32), (b"notice", bytes(8), 0)):
        key, nonce = bytes_of("sk%d" % count, 32), bytes_of("sn%d" % count, 24)
        value = bytes_of("sv%d" % count, count)
        result.append({"key": key, "nonce": nonce, "kind": kind, "place": place, "value": value,
                       "sealed": sealed_by_safe(key, nonce, kind, place, value)})
    return result


def locked_safes():
    """That of EngineTests/Backup/StoredSafeTests.swift."""
    passphrase, head = b"correct horse battery staple", b"\1" + bytes_of("safe salt", 16)
    wrapping = Argon2id(salt=head[1:], length=32, iterations=3, lanes=1,
                        memory_cost=256 * 1024).derive(passphrase)
    key, nonce = bytes_of("safe key", 32), bytes_of("safe nonce", 24)
    locked = head + sealed_by_safe(wrapping, nonce, b"safe.key", head, key)
    slot, item = bytes_of("safe slot", 16), bytes_of("safe item", 32)
    keyring = b"\2" + locked[1:] + slot + sealed_by_safe(
        item, bytes_of("safe slot nonce", 24), b"safe.keyring", b"\2" + slot, key)
    return [{"passphrase": passphrase, "key": key, "file": locked,
             "slot": slot.hex(), "item": item.hex(), "file with keyring": keyring}]


def argon2s():
    passphrase, salt = b"correct horse battery staple", bytes_of("salt", 16)
    key = Argon2id(salt=salt, length=32, iterations=3, lanes=1, memory_cost=256 * 1024).derive(
        passphrase)
    return [{"passphrase": passphrase, "salt": salt, "key": key}]


# --- Swift --------------------------------------------------------------------------------------

HEADER = "// Written by generate.py beside this file; do not edit.\n"


def literal(value, indent, label=""):
    """A Swift expression for bytes, text, numbers, lists and tuples."""
    pad = " " * indent
    if isinstance(value, bytes):
        text = value.hex()
        if indent + len(f'{label}hex("{text}"),') <= 100:
            return f'{label}hex("{text}")'
        lines = [text[i:i + 80] for i in range(0, len(text), 80)]
        inner = "\n".join(pad + "    " + line for line in lines)
        return f'{label}hex(\n{pad}    """\n{inner}\n{pad}    """)'
    if isinstance(value, str):
        return f'{label}"{value}"'
    if isinstance(value, (list, tuple)):
        items = ",\n".join(pad + "    " + literal(item, indent + 4) for item in value)
        comma = "," if len(value) > 1 else ""
        return f"{label}[\n{items}{comma}\n{pad}]"
    if isinstance(value, dict):
        fields = ",\n".join(
            pad + "    " + literal(item, indent + 4, name + ": ") for name, item in value.items())
        return f".init(\n{fields})"
    return label + str(value)


def table(type_name, doc, fields, values, element=None):
    lines = [f"/// {doc}", f"struct {type_name}: Sendable {{"]
    lines += [f"    let {name}: {kind}" for name, kind in fields]
    lines += ["", f"    static let all: [{element or type_name}] = {literal(values, 4)}", "}", ""]
    return "\n".join(lines)


def main():
    cases = handshakes()
    streams = [
        [{"nonce": n, "plaintext": p, "fromInitiator": i, "fromResponder": r}
         for n, p, i, r in case.pop("transport")] for case in cases]
    with open("HandshakeVectors.swift", "w") as file:
        file.write(HEADER + "\n" + table(
            "HandshakeVector", "A whole handshake.",
            [("name", "String"), ("prologue", "[UInt8]"), ("presharedKey", "[UInt8]"),
             ("initiatorStatic", "[UInt8]"),
             ("initiatorEphemeral", "[UInt8]"), ("responderStatic", "[UInt8]"),
             ("responderEphemeral", "[UInt8]"), ("payloads", "[[UInt8]]"),
             ("messages", "[[UInt8]]"), ("payloadHashes", "[[UInt8]]"),
             ("handshakeHash", "[UInt8]"), ("exporter", "[UInt8]")], cases))
    with open("TransportVectors.swift", "w") as file:
        file.write(HEADER + "\n" + table(
            "TransportVector",
            "One message of each direction at some place in the stream; a list for each handshake.",
            [("nonce", "UInt64"), ("plaintext", "[UInt8]"), ("fromInitiator", "[UInt8]"),
             ("fromResponder", "[UInt8]")], streams, "[TransportVector]"))
    with open("PrimitiveVectors.swift", "w") as file:
        file.write(HEADER + "\n" + "\n".join([
            table("HMACVector", "HMAC over BLAKE2b-512.",
                  [("key", "[UInt8]"), ("data", "[UInt8]"), ("code", "[UInt8]")], hmacs()),
            table("HKDFVector", "The three outputs of HKDF; the first two are also the pair.",
                  [("chainingKey", "[UInt8]"), ("material", "[UInt8]"), ("outputs", "[[UInt8]]")],
                  hkdfs()),
            table("BLAKE2bVector", "BLAKE2b-256 with key and personalisation.",
                  [("data", "[UInt8]"), ("key", "[UInt8]"), ("personal", "StaticString"),
                   ("hash", "[UInt8]")], blake2bs()),
            table("XChaChaVector", "XChaCha20-Poly1305.",
                  [("key", "[UInt8]"), ("nonce", "[UInt8]"), ("associatedData", "[UInt8]"),
                   ("plaintext", "[UInt8]"), ("sealed", "[UInt8]")], xchachas()),
            table("SafeVector", "What a safe makes of a value.",
                  [("key", "[UInt8]"), ("nonce", "[UInt8]"), ("kind", "[UInt8]"),
                   ("place", "[UInt8]"), ("value", "[UInt8]"), ("sealed", "[UInt8]")], safes()),
            table("Argon2idVector", "Argon2id with 256 MiB and three passes.",
                  [("passphrase", "[UInt8]"), ("salt", "[UInt8]"), ("key", "[UInt8]")],
                  argon2s()),
        ]))
    with open("KeyVectors.swift", "w") as file:
        file.write(HEADER + "\n" + "\n".join([
            table("IdentityVector", "An Ed25519 signature and the secret of two converted keys.",
                  [("seed", "[UInt8]"), ("publicKey", "[UInt8]"), ("message", "[UInt8]"),
                   ("signature", "[UInt8]"), ("peer", "[UInt8]"), ("sharedSecret", "[UInt8]")],
                  identities()),
            table("RefusedKeyVector", "An Ed25519 public key that may name nobody.",
                  [("reason", "String"), ("key", "[UInt8]")], refused_keys()),
            table("SmallOrderVector", "An X25519 public key whose every product is zero.",
                  [("key", "[UInt8]")], small_order_us(refused_keys())),
        ]))


if __name__ == "__main__":
    main()
