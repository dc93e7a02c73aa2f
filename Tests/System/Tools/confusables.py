#!/usr/bin/env python3
"""Writes Sources/CConfusables/table.h and allowed.h: what each character is taken for, and which may be in
identifiers, by Unicode TR 39.

    apt install libicu72; Tests/System/Tools/confusables.py      # writes the tables anew

The table comes from ICU's uspoof_getSkeletonUTF8, one character at a time. A character that is taken
for itself, or for what is canonically equivalent to it, has no line; Hangul syllables, which are
composed by rule, have none either. What may be in identifiers (IdentifierStatus) is ICU's recommended set and its
inclusions; beside each run of them stands their script, to which a mark and its letter both belong. The program does not link ICU: Docs/Decisions/0020 says why.
"""

import ctypes
import ctypes.util
import pathlib
import re
import unicodedata

FOLDER = pathlib.Path(__file__).parents[3] / "Sources/CConfusables"
TARGET = FOLDER / "table.h"
INHERITED = 1


def functions():
    """ICU's libraries and the number that its functions end with."""
    found = ctypes.util.find_library("icuuc") or "libicuuc.so.72"
    version = re.search(r"\.so\.(\d+)", found).group(1)
    return ctypes.CDLL(found), ctypes.CDLL(found.replace("icuuc", "icui18n")), "_" + version


def skeletons():
    common, spoof, suffix = functions()
    status = ctypes.c_int(0)
    opened = getattr(spoof, "uspoof_open" + suffix)
    opened.restype = ctypes.c_void_p
    checker = ctypes.c_void_p(opened(ctypes.byref(status)))
    assert status.value <= 0, status
    skeleton = getattr(spoof, "uspoof_getSkeletonUTF8" + suffix)
    is_defined = getattr(common, "u_isdefined" + suffix)
    room = ctypes.create_string_buffer(256)
    for scalar in range(0x110000):
        is_surrogate, is_hangul = 0xD800 <= scalar < 0xE000, 0xAC00 <= scalar < 0xD7A4
        if is_surrogate or is_hangul or not is_defined(scalar):
            continue
        text = chr(scalar)
        status.value = 0
        length = skeleton(
            checker, 0, text.encode(), len(text.encode()), room, len(room), ctypes.byref(status))
        assert status.value <= 0, (scalar, status)
        taken = room.raw[:length].decode()
        if unicodedata.normalize("NFD", taken) != unicodedata.normalize("NFD", text):
            yield scalar, taken


def allowed():
    """The runs of characters that may be in identifiers: first, last, script."""
    common, spoof, suffix = functions()
    status = ctypes.c_int(0)
    sets = []
    for name in ("uspoof_getRecommendedSet", "uspoof_getInclusionSet"):
        get = getattr(spoof, name + suffix)
        get.restype = ctypes.c_void_p
        sets.append(ctypes.c_void_p(get(ctypes.byref(status))))
    assert status.value <= 0, status
    contains = getattr(common, "uset_contains" + suffix)
    contains.argtypes, contains.restype = [ctypes.c_void_p, ctypes.c_int], ctypes.c_int8
    runs = []
    for scalar in range(0x110000):
        if any(contains(one, scalar) for one in sets):
            script = script_of(common, suffix, scalar)
            if runs and runs[-1][1:] == [scalar - 1, script]:
                runs[-1][1] = scalar
            else:
                runs.append([scalar, scalar, script])
    return runs


def script_of(common, suffix, scalar):
    """ICU's number of a character's script; of a mark of several scripts the first of them."""
    status = ctypes.c_int(0)
    found = getattr(common, "uscript_getScript" + suffix)(scalar, ctypes.byref(status))
    if found == INHERITED:
        numbers = (ctypes.c_int * 64)()
        getattr(common, "uscript_getScriptExtensions" + suffix)(
            scalar, numbers, len(numbers), ctypes.byref(status))
        found = numbers[0]
    assert status.value <= 0 and 0 <= found < 255, (scalar, status, found)
    return found


def packed(items, separator):
    """The items on lines of at most 100 characters."""
    lines, line = [], "   "
    for item in items:
        if len(line) + 1 + len(item) + len(separator) > 100:
            lines.append(line)
            line = "   "
        line += " " + item + separator
    return "\n".join(lines + [line])


def main():
    pairs = list(skeletons())
    pool, offsets = b"", {}
    for _, taken in pairs:
        if taken not in offsets:
            offsets[taken] = len(pool)
            pool += taken.encode() + b"\0"
    assert len(pool) < 1 << 16
    scalars = packed([f"{scalar:#x}" for scalar, _ in pairs], ",")
    places = packed([f"{offsets[taken]}" for _, taken in pairs], ",")
    octets = packed([f"{octet}" for octet in pool], ",")
    TARGET.write_text(
        "/* Written by Tests/System/Tools/confusables.py; do not edit. */\n"
        "#include <stdint.h>\n\n"
        f"/* Characters that are taken for others, ascending. */\n"
        f"static const uint32_t scalars[{len(pairs)}] = {{\n{scalars}\n}};\n\n"
        "/* Where in the texts each of them has what it is taken for. */\n"
        f"static const uint16_t places[{len(pairs)}] = {{\n{places}\n}};\n\n"
        "/* UTF-8; each text ends with zero. */\n"
        f"static const unsigned char texts[{len(pool)}] = {{\n{octets}\n}};\n")
    write_allowed(allowed())


def write_allowed(runs):
    lines = packed([f"{{{first:#x}, {last:#x}, {script}}}" for first, last, script in runs], ",")
    (FOLDER / "allowed.h").write_text(
        "/* Written by Tests/System/Tools/confusables.py; do not edit. */\n"
        "#include <stdint.h>\n\n"
        "/* Characters that may be in identifiers, in ascending runs, with ICU's number of their script. */\n"
        "static const struct { uint32_t first, last; uint8_t script; } allowed[] = {\n"
        f"{lines}\n}};\n")


if __name__ == "__main__":
    main()
