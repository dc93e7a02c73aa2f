"""The modules of calls by themselves: in a page, but with no daemon, device or other person."""

from __future__ import annotations

import json

from playwright.sync_api import Page

from Driver.checks import Checks

# Addresses that a browser may be told to ask, if the link's is 44.1.1.1; and such as it may not.
NEAR = (
    "10.0.0.1 172.16.0.1 172.31.9.9 192.168.1.1 169.254.1.1 fd00::1 FE80::1 a-b.local 44.1.1.1".split()
)
FAR = "8.8.8.8 172.32.0.1 127.0.0.1 ::1 2001:db8::1 ::ffff:8.8.8.8 10.example.com fd.example.com 44.1.1.2".split()
# The calls of a page by themselves: in a conversation of two and in a secret room, with a clock that a test sets.
MADE = """async () => {
    const { Calls } = await import("/calls.js");
    const [CALL, OTHER] = ["01".repeat(8), "02".repeat(8)];
    let now = 0;
    const bytes = (text) => text.match(/../g).map((pair) => parseInt(pair, 16));
    const event = (peer, conversation, signal) => ({
        peer, conversation, name: peer, address: "10.1.1.1", data: btoa(String.fromCharCode(...signal)),
    });
    const make = () => {
        const two = { id: "two", kind: "direct", person: "b", muted: true };
        const calls = new Calls({
            me: { id: "me", device: "a" },
            conversations: new Map([["two", two], ["room", { id: "room", kind: "secret", muted: true }]]),
            people: [], peers: [], members: new Map([["room", []]]),
            link: { call: async () => ({ told: 1 }) },
        }, {
            roomsChanged() {}, title: () => "", picture: () => "", settings: () => ({}), setSetting: async () => {},
        });
        calls.tabs.close();
        calls.tabs = { postMessage() {} };
        const handle = calls.machine.handle.bind(calls.machine);
        calls.machine.handle = (what) => handle(what, now);
        calls.draw = () => {};
        return calls;
    };
"""


class Alone:
    def __init__(self, page: Page, checks: Checks) -> None:
        self.page, self.checks = page, checks

    def run(self) -> None:
        self.bounds()
        self.strangers()
        self.rings()
        self.left()
        self.devices()

    # Shows: calls.bounds
    def bounds(self) -> None:
        """The bounds of what others send."""
        found = self.page.evaluate("""async () => {
            const wire = await import("/callwire.js");
            const parts = new wire.Parts();
            const part = { kind: "offer", call: "00", number: 1, n: 0, of: 2, part: new Uint8Array(9) };
            const late = (parts.take("a", part, 0), parts.take("a", { ...part, n: 1 }, 6000));
            for (let sender = 0; sender < 100; sender += 1) parts.take(`s${sender}`, part, 0);
            const bomb = new Blob([new Uint8Array(1 << 24)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
            const whole = new Uint8Array(await new Response(bomb).arrayBuffer());
            const inflated = await wire.inflate([whole]).then(() => "all", (error) => error.message);
            const line = "a=candidate:1 1 udp 2 x-y.local 999 typ host generation 0";
            return {
                late: late === undefined,
                senders: parts.senders.size,
                inflated,
                short: [[], [6], [1, 2], new Array(9).fill(6), [99, ...new Array(8)]].map((bytes) =>
                    wire.decode(new Uint8Array(bytes)) === undefined),
                address: wire.reachable(line, "10.1.1.1"),
                hidden: wire.reachable(line, "fe80::1%eth0") === line,
                others: wire.reachable("a=candidate:1 1 udp 2 10.0.0.1 9 typ relay raddr 1 rport 1", "10.1.1.1"),
                kept: HOSTS.filter((host) => wire.reachable(`a=candidate:1 1 udp 2 ${host} 9 typ host`, "44.1.1.1")),
                split: ["\\n", "\\r", "\\r\\n"].map((end) =>
                    wire.reachable(`v=0${end}a=candidate:1 1 udp 2 8.8.8.8 9 typ host${end}s=-`, "10.1.1.1")),
            };
        }""".replace("HOSTS", json.dumps(NEAR + FAR)))
        self.checks.that("parts that come late are dropped", found["late"])
        self.checks.that("few senders are remembered", found["senders"] <= 16, found["senders"])
        self.checks.same("inflating stops", found["inflated"], "the description is too long")
        self.checks.same("what is none is none", found["short"], [True] * 5)
        self.checks.that("a hidden address becomes the link's", "2 10.1.1.1 999 typ host" in found["address"], found)
        self.checks.that("not one that a browser cannot use", found["hidden"])
        self.checks.same("only addresses of hosts stay", found["others"], "")
        self.checks.same("only addresses of this network and of the link stay", found["kept"], NEAR)
        self.checks.same("however lines end", found["split"], ["v=0\r\ns=-"] * 3)

    # Shows: calls.members
    def strangers(self) -> None:
        """What members of the conversation who are not in a call can do to it."""
        found = self.page.evaluate(MADE + """
            const calls = make();
            const machine = calls.machine;
            calls.give({ type: "start", call: CALL, conversation: "room", isRoom: true, video: false });
            calls.give({ type: "media" });
            for (let sender = 0; sender < 20; sender += 1) {
                await calls.event(event(`s${sender}`, "room", [6, ...bytes(CALL), 1, 0, 2, 9]));
            }
            const senders = calls.parts.senders.size;
            await calls.event(event("s1", "room", [4, ...bytes(CALL), 1]));
            const alone = machine.phase;
            await calls.event(event("z", "room", [2, ...bytes(CALL)]));
            await calls.event(event("z", "room", [6, ...bytes(CALL), 1, 0, 2, 9]));
            const member = calls.parts.senders.size;
            await calls.event(event("s1", "room", [4, ...bytes(CALL), 1]));
            return [senders, alone, member, machine.phase, machine.peers.size];
        }""")
        self.checks.same("who is not in a call neither fills nor ends it", found, [0, "in", 1, "in", 1])

    def rings(self) -> None:
        """What a caller can do to whoever is rung."""
        found = self.page.evaluate(MADE + """
            const ring = (calls, call) => calls.event(event("b", "two", [1, ...bytes(call), 1]));
            const answers = async (word, call) => {
                const calls = make();
                calls.opened("two", word);
                await ring(calls, call);
                return [calls.machine.phase, calls.machine.video];
            };
            const quiet = make();
            await ring(quiet, CALL);
            quiet.decline();
            const phases = [];
            for (const later of [1000, 29000, 31000]) {
                now = later;
                await ring(quiet, OTHER);
                phases.push(quiet.machine.phase);
            }
            await quiet.event(event("b", "two", [5, ...bytes(OTHER)]));
            await ring(quiet, "03".repeat(8));
            phases.push(quiet.machine.phase);
            quiet.start("two", false);
            await ring(quiet, "00".repeat(8));
            phases.push(quiet.machine.phase);
            return {
                any: await answers("answer", CALL),
                same: await answers(`answer=${CALL}`, CALL),
                other: await answers(`answer=${CALL}`, OTHER),
                phases,
            };
        }""")
        self.checks.same("an answer from elsewhere has voice", found["any"], ["joining", False])
        self.checks.same("and is for one call", [found["same"][0], found["other"][0]], ["joining", "ringing"])
        self.checks.same(
            "after a ring its caller is quiet, but may be called",
            found["phases"],
            ["idle", "idle", "ringing", "idle", "joining"],
        )

    def left(self) -> None:
        """Whoever has not heard that the other one left says that it is still there, and hears it again."""
        found = self.page.evaluate(MADE + """
            const calls = make();
            const sent = [];
            calls.do_send = ({ to, kind, call }) => sent.push([to, kind, call]);
            calls.do_media = () => {};
            const here = (call) => calls.event(event("b", "two", [3, ...bytes(call)]));
            await calls.event(event("b", "two", [1, ...bytes(CALL), 1]));
            calls.answer(false);
            calls.give({ type: "media" });
            await here(CALL);
            sent.length = 0;
            await here(CALL);
            calls.hangUp();
            await here(CALL);
            // Of a call that was never here, as in another tab, it says nothing.
            await here(OTHER);
            return sent;
        }""")
        leave = ["b", "leave", "01" * 8]
        self.checks.same("one who is in says nothing, one who left says so", found, [leave, leave])

    def devices(self) -> None:
        """No track stays on after a call, whatever was pressed while the browser asked."""
        found = self.page.evaluate(MADE + """
            const waiting = [], tracks = [];
            const give = async (kinds) => {
                await new Promise((resolve) => waiting.push(resolve));
                const made = kinds.map((kind) => ({ kind, isOn: true, stop() { this.isOn = false; } }));
                tracks.push(...made);
                return { getTracks: () => made };
            };
            const devices = navigator.mediaDevices;
            devices.getUserMedia = (wanted) => give(Object.keys(wanted));
            devices.getDisplayMedia = () => give(["video"]);
            const allow = async () => {
                await settle();
                while (waiting.length) {
                    waiting.shift()();
                    await settle();
                }
            };
            const settle = () => new Promise((resolve) => setTimeout(resolve, 20));
            const on = () => tracks.filter((track) => track.isOn).length;
            const counts = [];
            const ring = (calls, call) => calls.event(event("b", "two", [1, ...bytes(call), 1]));

            const calls = make();
            calls.media.see = () => {};
            calls.devices();
            await allow();
            counts.push(on());
            await ring(calls, CALL);
            while (!document.querySelector("dialog[open]")) await settle();
            document.querySelector("dialog[open]").close();
            await settle();
            counts.push(on());
            calls.answer(false);
            await allow();
            counts.push(on());
            calls.hangUp();
            counts.push(on());

            calls.start("room", true);
            await settle();
            calls.hangUp();
            calls.start("room", true);
            await allow();
            counts.push(on());
            calls.media.camera();
            await settle();
            calls.media.camera();
            calls.media.camera();
            calls.media.share();
            calls.media.share();
            await allow();
            counts.push(on());
            calls.media.share();
            calls.media.share();
            calls.hangUp();
            await allow();
            counts.push(on());
            delete devices.getUserMedia;
            delete devices.getDisplayMedia;
            return counts;
        }""")
        self.checks.same("devices that are on", found, [1, 0, 1, 0, 2, 3, 0])
