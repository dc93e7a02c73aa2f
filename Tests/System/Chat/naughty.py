"""Texts that others may send, of which none may do anything to a terminal but be shown."""

ESC, BEL, ST, CSI, OSC = "\x1b", "\x07", "\x1b\\", "\x9b", "\x9d"

NAUGHTY = [
    # The cursor, the screen, its modes.
    f"{ESC}[H{ESC}[2JFAKE", f"{ESC}[5;5HFAKE", f"{ESC}[10AFAKE", f"{ESC}7{ESC}8{ESC}DFAKE",
    f"{ESC}[?1049lFAKE", f"{ESC}[?25l", f"{ESC}[?1000h{ESC}[?1003h", f"{ESC}[4h{ESC}[?6h{ESC}[2;4r",
    f"{ESC}c", f"{ESC}#8", f"{ESC}[!p", f"{CSI}2J{CSI}HFAKE", f"{ESC}[1;31mred{ESC}[8mhidden",
    # The title, the clipboard, answers that would be typed.
    f"{ESC}]0;owned{BEL}", f"{ESC}]2;owned{ST}", f"{OSC}0;owned\x9c", f"{ESC}kowned{ST}",
    f"{ESC}]52;c;b3duZWQ={BEL}", f"{ESC}]52;;b3duZWQ={ST}", f"{ESC}[6n{ESC}[c{ESC}[>q",
    f"{ESC}P+q544e{ST}", f"{ESC}]10;?{BEL}", f"{ESC}_Gf=24;AAAA{ST}", f"{ESC}^pm{ST}", f"{ESC}X{ST}",
    f"{ESC}]8;;http://evil/{ST}link{ESC}]8;;{ST}", f"{ESC}Ptmux;{ESC}{ESC}]0;owned{BEL}{ST}",
    # Lines that would look like others.
    "\r11:11          ada │ FAKE", "\n11:11          ada │ FAKE", "a\n\n\n\n─── Friday ───\nFAKE",
    "\v\fFAKE", "\x85FAKE", "\u2028FAKE\u2029FAKE", "a\b\b\b\b\b\b\b\bFAKE", "x" + " " * 300 + "FAKE",
    "\t\t\t\t\t\t\t\tFAKE", "│ FAKE", "> FAKE",
    # What nobody sees, and what turns the reading direction.
    "abc\u202edcba", "\u2066\u2067\u2068abc\u2069", "\u200e\u200f\u061cabc", "a\u200bb\u2060c\ufeffd",
    "\U000e0041\U000e0042tags", "\u3164\u115f\u1160\uffa0blank", "a\u00adb\u034fc\u180ed",
    "\ufff9a\ufffab\ufffb", "\u17b4\u17b5x",
    # Marks, joiners, what has no letter, what is wide.
    "\u0301at the start", "a" + "\u0301" * 10_000 + "b", "Z" + "\u0353\u0361\u0489" * 200,
    "\u200d\u200d\u200d", "👩‍👩‍👧‍👦 👍🏿 🏳️‍🌈 🇩🇪🇩", "﷽﷽﷽﷽", "𒐫𒐫𒐫", "日" * 500, "ｆｕｌｌ", "\ufe0f\ufe0f", "⁧שלום",
    "ห์์์์์์์", "\u0e33\u0e33\u0e33", "\U0001f3fb\U0001f3fc", "\u1100\u1161\u11a8" * 50,
    # Bytes that break what is careless.
    "\x00", "\x7f", "%s%n%d", "$(reboot)`reboot`", "'; DROP TABLE messages; --", "\\", "../../etc",
    "<script>alert(1)</script>", "\uffff\ufffe", "\U0010ffff", "\ud7ff\ue000",
    # Long ones.
    "x" * 64_000, "\n" * 1_000 + "FAKE", "word " * 12_000, "\u202e" * 10_000,
]
# What would stand behind one of them, were it obeyed.
TITLES = ("owned",)
