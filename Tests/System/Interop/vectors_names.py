"""The golden vectors of `names-2.txt`: what is typed, and which room it means."""

from __future__ import annotations

import unicodedata

from entries import room_id
from names import is_room_name, key, spelled

Lines = dict[str, bytes]

TYPED = {
    "arabic": "محادثة",
    "armenian": "ԵՎՐՈՊԱ",
    "bangla": "বাংলা",
    "burmese": "မြန်မာ",
    "cafe": "Cafe\u0301",
    "catalan": "Col·lectiu",
    "cherokee": "ꮳꮃꭹ",
    "devanagari": "हिन्दी",
    "dotless": "ışık",
    "four": "\U00020000" * 63,
    "fullwidth": "ＯＰＳ",
    "georgian": "ᲗᲑᲘᲚᲘᲡᲘ",
    "greek": "ὈΔΌΣ",
    "hangul": unicodedata.normalize("NFD", "한국"),
    "hebrew": "עִבְרִית",
    "istanbul": "İstanbul",
    "joinerBehindAscii": "a\u200db",
    "joinerLost": "\u200c2\u200c-\u200dß\u200c\u200c",
    "kana": "サーバー・ルーム",
    "khmer": "ខ្មែរ",
    "long": "ห้อง" * 16,
    "persian": "می\u200cخواهم",
    "roman": "Ⅻ",
    "sharpS": "Große_STRASSE",
    "sinhala": "ශ්\u200dරී",
    "tamil": "தமிழ்",
    "thai": "ห้อง",
    "tibetan": "བོད་ཡིག",
    "twelfth": "x½²",
    "vietnamese": "Tie\u0302\u0301ng.Vie\u0323\u0302t",
    "ypogegrammeni": "ᾼ\u0301",
}

REFUSED = {
    "accentApart": "e\u0301",
    "bidi": "a\u202e",
    "blank": "a b",
    "capital": "Ops",
    "circled": "a\u20dd",
    "emoji": "🏛",
    "filler": "\u3164",
    "finalSigma": "οδος",
    "hangulApart": "\u1112\u1161\u11ab",
    "joinerAlone": "\u200d",
    "joinerBehindAscii": "a\u200c",
    "joinerBehindDigit": "٢\u200c",
    "joinerTwice": "ක්\u200d\u200d",
    "longBytes": "\U00020000" * 64,
    "longCharacters": "a" * 65,
    "mark": "\u0301a",
    "markBehindHyphen": "a-\u0338",
    "punctuation": "-a",
    "selector": "a\ufe0f",
    "sharpS": "straße",
    "slash": "a/b",
    "softHyphen": "a\u00ad",
    "space": "a\u3000",
    "symbol": "a+b",
    "unassigned": "\u0378",
}


def names_vectors() -> Lines:
    lines: Lines = {}
    for label, typed in TYPED.items():
        text = spelled(typed)
        assert is_room_name(text), label
        lines[f"name.typed.{label}"] = typed.encode()
        lines[f"name.text.{label}"] = text.encode()
        lines[f"name.key.{label}"] = key(text).encode()
        lines[f"name.id.{label}"] = room_id(text)
    for label, text in REFUSED.items():
        assert not is_room_name(text), label
        lines[f"refuse.name.{label}"] = text.encode()
    return lines
