"""The golden vectors of `private-2.txt`: conversations of few, phrases, invitations, a backup."""

from __future__ import annotations

from codec import text, u8, u64, varint
from private import (
    SUITES,
    Key,
    code,
    direct,
    made_phrase,
    normal_phrase,
    phrase_key,
    room_invitation,
    root_of,
    secret_room,
    words,
)
from realms import OPEN, invitation
from sealing import AES, XCHACHA, key_id
from secret_stream import seal_stream
from story import (
    ADA_CERTIFICATE,
    ADA_PERSON,
    BEA,
    BEA_CERTIFICATE,
    BEA_PERSON,
    CIRCLE,
    MILLISECONDS,
    records_of,
)
from vectors_groups import acts_of

Lines = dict[str, bytes]

FIRST_WORDS = (0, 1_111, 2_222, 4_444, 7_775)
# The accents stand apart from their letters, as some keyboards put them, and some spaces are others.
CHOSEN = "\u2003Zwo\u0308lf  Ko\u0308nige\u00a0sa\u030angen Ε\u0301να\u3000ΤΡΑΓΟΥΔΙ \u1112\u1161\u11ab\n"
ROOM = "war-room"
HALL = "caf\u00e9"
PICTURE = b"\x89PNG\r\n\x1a\n" + b"ada"
SALT = b"\x5a" * 16
HEADER = b"\x5b" * 24


def sealed_backup(phrase: str, content: bytes) -> bytes:
    front = b"stoa backup 1\n" + SALT
    return front + seal_stream(phrase_key(phrase, SALT), HEADER, content, front)


def backup_content(room: str) -> bytes:
    """What is known in the story, seen by ada."""

    def listed(*items: bytes) -> bytes:
        return varint(len(items)) + b"".join(items)

    def short(data: bytes) -> bytes:
        return varint(len(data)) + data

    keys = BEA_CERTIFICATE.person + BEA_CERTIFICATE.address
    agora = text("agora", 64)
    verified = 2
    addresses = listed(text("192.0.2.1:4100", 64), text("[2001:db8::1]:4100", 64))
    return b"".join(
        [
            u8(2),
            u64(MILLISECONDS),
            ADA_PERSON.identity.seed + ADA_PERSON.address,
            listed(text(invitation("circle", CIRCLE), 4_096)),
            text("Ada", 64) + text("in the stoa", 256),
            listed(BEA.public + u8(verified)),
            listed(BEA.public + u64(MILLISECONDS + 1) + short(keys) + addresses),
            listed(short(records_of()["bea"].packed())),
            listed(bytes(32) + agora, CIRCLE.realm + agora),
            listed(text(room, 4_096)),
            listed(BEA.public + keys),
            short(PICTURE),
            listed(short(acts_of()["create"].packed())),
        ]
    )


def private_vectors() -> Lines:
    lines: Lines = {}

    def keep(name: str, key: Key) -> None:
        lines[f"{name}.id"] = key.identifier
        lines[f"{name}.root"] = key.root
        lines[f"{name}.keyID"] = key_id(key.root, key.identifier)

    both = direct(ADA_PERSON, BEA_CERTIFICATE)
    assert both == direct(BEA_PERSON, ADA_CERTIFICATE)
    keep("direct", both)
    keep("direct.notes", direct(ADA_PERSON, ADA_CERTIFICATE))
    digits, spoken = code(ADA_CERTIFICATE.person_id, BEA_CERTIFICATE.person_id)
    lines["verify.digits"], lines["verify.words"] = digits.encode(), spoken.encode()

    first = [words()[place] for place in FIRST_WORDS]
    for name, suite in SUITES.items():
        lines[f"phrase.{name}"] = made_phrase(first, suite).encode()
    made = made_phrase(first, XCHACHA)
    room = secret_room(root_of(made, ROOM, OPEN.realm, XCHACHA), XCHACHA)
    keep("secret", room)
    lines["phrase.typed"], lines["phrase.chosen"] = CHOSEN.encode(), normal_phrase(CHOSEN).encode()
    hall = secret_room(root_of(normal_phrase(CHOSEN), HALL, CIRCLE.realm, AES), AES)
    keep("secret.circle", hall)
    line = room_invitation(ROOM, OPEN.realm, room)
    lines["invitation.room"] = line.encode()
    lines["invitation.room.circle"] = room_invitation(HALL, CIRCLE.realm, hall).encode()

    content = backup_content(line)
    lines["backup.content"] = content
    lines["backup.file"] = sealed_backup(made, content)
    return lines
