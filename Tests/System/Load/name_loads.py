"""The attack of name_attacks.py: whatever shows a name marks those that look like a friend's, and never the friend."""

from __future__ import annotations

import json
import secrets
import subprocess
from typing import Any

from Driver.honest import HANGS_SECONDS
from Driver.process import until
from name_attacks import Player, cast

ROOM = "bench"
PAIRS = 200


class Names:
    """All that a node says of the cast."""

    def __init__(self, pair: Any) -> None:
        self.pair, self.node = pair, pair.attacked
        self.seed = secrets.token_hex(8)
        self.friends, self.namesakes = cast(self.seed)

    def that(self, what: str, holds: bool, saw: object = "") -> None:
        self.pair.checks.that(f"names that look alike: {what}", holds, saw)

    # As JSON.

    def judge(self, what: str, found: list[dict[str, Any]], key: str, name: str) -> None:
        """Whoever is no friend has no name, or a mark; a friend has the name, and no mark."""
        by_key = {each[key]: each for each in found}
        self.that(f"{what}: all friends are there", all(each.key in by_key for each in self.friends), len(found))
        wrong = [
            each.name for each in self.friends
            if by_key[each.key][name] != each.name or "ambiguous" in by_key[each.key]]
        self.that(f"{what}: no friend is marked", not wrong, wrong)
        there = [each for each in self.namesakes if each.key in by_key]
        bare = [each.name for each in there if by_key[each.key][name] and not by_key[each.key].get("ambiguous")]
        self.that(f"{what}: each of {len(there)} is marked", not bare, bare[:5])
        if len(found) > len(self.friends):
            self.that(f"{what}: there are {PAIRS}", len(there) >= PAIRS, len(there))

    def judge_json(self) -> None:
        with self.node.control() as control:
            self.judge("peers", control.every("peers"), "id", "name")
            self.judge("members", control.every("members", to=ROOM), "id", "name")
            self.judge(
                "whois", [control.call("whois", person="@" + each.key) for each in self.everybody], "id", "name")
        self.judge("people", [each for each in self.node.json("people") if each["tier"] != "own"], "id", "name")
        history = [each for each in self.node.history(ROOM) if each["kind"] == "text"]
        self.judge("history", history, "author", "authorName")
        for word in ("friend", "namesake"):
            found = [each["message"] for each in self.node.json("search", word)]
            bare = [
                each["authorName"] for each in found if word == "namesake"
                and each["authorName"] and not each.get("ambiguous")]
            self.that(f"search for {word}s: {word}s are there", bool(found))
            self.that(f"search for {word}s: marks", not bare, bare[:5])

    @property
    def everybody(self) -> list[Player]:
        return [*self.friends, *self.namesakes]

    # As people read it.

    def judge_lines(self, what: str, lines: list[str]) -> None:
        def of(player: Player) -> list[str]:
            return [line for line in lines if player.words in line]

        shown = [each for each in self.namesakes if of(each)]
        self.that(f"{what}: {PAIRS} lines of namesakes", len(shown) >= PAIRS, len(shown))
        bare = [line for each in shown for line in of(each) if "@" + each.key[:12] not in line]
        self.that(f"{what}: each says whose it is", not bare, bare[:5])
        marked = [line for each in self.friends for line in of(each) if each.key[:8] in line or each.name not in line]
        self.that(f"{what}: none of a friend does", not marked, marked[:5])

    def judge_tables(self) -> None:
        """Lists have a column of keys for everybody; no name looks like one, or like what stands behind names."""
        for words in (("peers",), ("members", ROOM), ("people",)):
            lines = self.node.output(*words).splitlines()
            missing = [
                each.name for each in self.everybody if words != ("people",)
                and not any("@" + each.key[:12] in line for line in lines)]
            self.that(f"stoa {words[0]}: a key in each line", not missing, missing[:5])

    def run(self) -> None:
        heard = self.node.folder / "heard"
        script = 'printf "%s\\t%s\\t%s\\n" "$STOA_AUTHOR_ID" "$STOA_AUTHOR" "$STOA_TEXT" >> "$0"'
        hook = subprocess.Popen(
            [str(self.node.programs.stoa), "--socket", str(self.node.socket), "on", "message", "--in", ROOM, "--",
             "sh", "-c", script, str(heard)], env=self.node.environment)
        tail_path = self.node.folder / "tail"
        with tail_path.open("wb") as out:
            tail = subprocess.Popen(
                [str(self.node.programs.stoa), "--socket", str(self.node.socket), "tail", ROOM],
                env=self.node.environment, stdout=out)
        try:
            with self.pair.under("look_alikes", self.seed) as figures:
                self.judge_json()
                self.judge_lines("stoa history", self.node.output("history", ROOM, "--limit", "1000").splitlines())
                self.judge_tables()
                last = self.namesakes[-1].words
                until("the hook has had all", lambda: heard.exists() and last in heard.read_text(), HANGS_SECONDS)
            self.judge_lines("stoa tail", tail_path.read_text().splitlines())
            self.judge_hook([line.split("\t") for line in heard.read_text().splitlines()])
        finally:
            for process in (hook, tail):
                process.terminate()
                process.wait()
        self.that("all have come", "error" not in figures and figures["refused"] == 0, figures)
        print(f"MEASURED load, names that look alike: {json.dumps(figures)}", flush=True)

    def judge_hook(self, lines: list[list[str]]) -> None:
        by_key = {line[0]: line[1] for line in lines}
        bare = [
            by_key[each.key] for each in self.namesakes
            if each.key in by_key and by_key[each.key] and "@" + each.key[:12] not in by_key[each.key]]
        self.that("the environment of hooks: each is marked", not bare, bare[:5])
        heard = [each for each in self.namesakes if each.key in by_key]
        self.that(f"the environment of hooks: {PAIRS}", len(heard) >= PAIRS, len(heard))
        wrong = [each.name for each in self.friends if by_key.get(each.key, each.name) != each.name]
        self.that("the environment of hooks: no friend is", not wrong, wrong)


# Shows: shown.lookalikes
def look_alikes(pair: Any) -> None:
    Names(pair).run()


LOADS = (look_alikes,)
