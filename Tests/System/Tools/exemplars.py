#!/usr/bin/env python3
"""Writes Tests/EngineTests/Vectors/scripts.tsv: names of rooms in the scripts of the world, for the tests alone.

    apt install libicu72; Tests/System/Tools/exemplars.py      # writes the table anew

A line has a script, a language, and a name made of characters with which that language is written: the exemplar
characters of the Unicode CLDR, as ICU has them. Letters and marks take turns as they do in words; which ones is
random, from one seed. The last two columns say how else keyboards type the name: in capitals, and with joiners.
"""

import ctypes
import ctypes.util
import pathlib
import random
import re
import unicodedata

TARGET = pathlib.Path(__file__).parents[2] / "EngineTests/Vectors/scripts.tsv"
NAMES_EACH = 10
LANGUAGES = {
    "Adlam": "ff_Adlm", "Arabic": "ar", "Arabic (Persian)": "fa", "Arabic (Urdu)": "ur", "Armenian": "hy",
    "Bangla": "bn", "Bangla (Assamese)": "as", "Chakma": "ccp", "Cherokee": "chr", "Cyrillic": "ru",
    "Cyrillic (Kazakh)": "kk", "Cyrillic (Ukrainian)": "uk", "Devanagari": "hi", "Devanagari (Marathi)": "mr",
    "Ethiopic": "am", "Georgian": "ka", "Greek": "el", "Gujarati": "gu", "Gurmukhi": "pa", "Han": "zh",
    "Han (traditional)": "zh_Hant", "Hangul": "ko", "Hebrew": "he", "Japanese": "ja", "Kannada": "kn",
    "Khmer": "km", "Lao": "lo", "Latin": "de", "Latin (Turkish)": "tr", "Latin (Vietnamese)": "vi",
    "Latin (Yoruba)": "yo", "Malayalam": "ml", "Myanmar": "my", "Odia": "or", "Ol Chiki": "sat", "Sinhala": "si",
    "Tamil": "ta", "Telugu": "te", "Thai": "th", "Tibetan": "bo", "Tifinagh": "zgh", "Vai": "vai", "Yi": "ii",
}
# Scripts of languages that the CLDR does not have yet: of these all letters and marks.
SCRIPTS = {
    "Balinese": "Bali", "Canadian Aboriginal": "Cans", "Cham": "Cham", "Javanese": "Java", "Lisu": "Lisu",
    "Meetei Mayek": "Mtei", "Mongolian": "Mong", "NKo": "Nkoo", "Osage": "Osge", "Syriac": "Syrc", "Thaana": "Thaa",
}


def exemplars():
    found = ctypes.util.find_library("icuuc") or "libicuuc.so.72"
    suffix = "_" + re.search(r"\.so\.(\d+)", found).group(1)
    common, more = ctypes.CDLL(found), ctypes.CDLL(found.replace("icuuc", "icui18n"))
    names = {name: getattr(library, name + suffix) for library, name in (
        (more, "ulocdata_open"), (more, "ulocdata_getExemplarSet"), (common, "uset_getItemCount"),
        (common, "uset_getItem"), (common, "uset_openPattern"))}
    names["ulocdata_open"].restype = ctypes.c_void_p
    names["ulocdata_getExemplarSet"].restype = ctypes.c_void_p
    names["uset_openPattern"].restype = ctypes.c_void_p
    for script, language in LANGUAGES.items():
        status = ctypes.c_int(0)
        data = ctypes.c_void_p(names["ulocdata_open"](language.encode(), ctypes.byref(status)))
        chosen = names["ulocdata_getExemplarSet"](data, None, 0, 0, ctypes.byref(status))
        assert status.value <= 0, (language, status)
        yield script, language, characters(names, chosen)
    for script, code in SCRIPTS.items():
        status = ctypes.c_int(0)
        pattern = f"[[:sc={code}:]&[[:L:][:Mn:][:Mc:]]-[:DI:]]".encode("utf-16-le")
        chosen = names["uset_openPattern"](pattern, len(pattern) // 2, ctypes.byref(status))
        assert status.value <= 0, (code, status)
        yield script, f"und_{code}", characters(names, chosen)


def characters(names, chosen):
    """What is in a set of ICU's, of which an item is a range or a text."""
    scalars, status = [], ctypes.c_int(0)
    for item in range(names["uset_getItemCount"](ctypes.c_void_p(chosen))):
        start, end, room = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(512)
        length = names["uset_getItem"](
            ctypes.c_void_p(chosen), item, ctypes.byref(start), ctypes.byref(end), room, 256,
            ctypes.byref(status))
        if length == 0:
            scalars += [chr(one) for one in range(start.value, end.value + 1)]
        else:
            scalars += list(room.raw[: 2 * length].decode("utf-16-le"))
    return sorted(set(scalars))


def words(scalars, chance):
    letters = [one for one in scalars if unicodedata.category(one)[0] == "L"]
    marks = [one for one in scalars if unicodedata.category(one) in ("Mn", "Mc")]
    for _ in range(NAMES_EACH):
        word = ""
        for _ in range(chance.randint(2, 7)):
            word += chance.choice(letters)
            if marks and chance.random() < 0.6:
                word += chance.choice(marks)
        yield word


def joined(word, chance):
    """With a joiner behind one of its letters or marks, and one at its end, as keyboards leave them."""
    place = chance.randint(1, len(word))
    return word[:place] + chance.choice("\u200c\u200d") + word[place:] + "\u200b"


def main():
    chance = random.Random(2026)
    lines = []
    for script, language, scalars in exemplars():
        for word in words(scalars, chance):
            name = unicodedata.normalize("NFC", word)
            # The capital of the dotless i is that of the other one, too.
            capitals = name if "ı" in name else name.upper()
            lines.append("\t".join((script, language, name, capitals, joined(name, chance))))
    TARGET.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
