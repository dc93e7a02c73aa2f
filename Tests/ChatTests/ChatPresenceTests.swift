import ControlAPI
import Testing

@testable import Chat

@Suite("Whether others see that the user of the chat client is there")
struct ChatPresenceTests {
    /// A client at which nothing was typed for so long that it says so.
    private static func idle() -> Client {
        var client = Client()
        client.now += OwnPresence.idleMilliseconds
        client.give(.due)
        client.answer("presence", ["presence": "online", "shown": true])
        return client
    }

    @Test("after ten minutes without a key they are away, and with the next key there")
    func idleAndBack() {
        var client = Client()
        client.type("x")
        let due = client.now + OwnPresence.idleMilliseconds
        #expect(client.state.nextDue == due)
        client.now = due - 20
        client.give(.due)
        #expect(client.waiting("presence").isEmpty)
        client.give(.due)
        #expect(client.waiting("presence") == [[:]])
        client.answer("presence", ["presence": "online", "shown": true])
        #expect(
            client.answer("presence", ["presence": "away", "shown": true])
                == ["presence": "away", "active": false])
        // Nothing is due while nobody comes.
        #expect(client.state.nextDue == nil)
        client.type("y")
        #expect(client.waiting("presence") == [["presence": "online"]])
        client.type("z")
        #expect(client.waiting("presence").count == 1)
    }

    @Test("what they have said with another client holds")
    func saidElsewhere() {
        var client = Client()
        client.now += OwnPresence.idleMilliseconds
        client.give(.due)
        client.answer("presence", ["presence": "away", "shown": true])
        client.type("y")
        // Only that somebody is here: it is over where nobody was at the other client, and not where it was said.
        #expect(client.waiting("presence") == [["active": true]])
    }

    @Test("a client that nobody is at does not say away while they are at another one")
    func atAnotherClient() {
        var idle = Client()
        idle.now += OwnPresence.idleMilliseconds
        idle.give(.due)
        let since: Int64 = 240_000
        idle.answer(
            "presence",
            ["presence": "online", "shown": true, "activeMilliseconds": .integer(since)])
        #expect(idle.waiting("presence").isEmpty)
        // It looks again once they may have been away for ten minutes.
        #expect(idle.state.nextDue == idle.now - since + OwnPresence.idleMilliseconds)
        idle.now += OwnPresence.idleMilliseconds - since
        idle.give(.due)
        idle.answer(
            "presence",
            [
                "presence": "online", "shown": true,
                "activeMilliseconds": .integer(OwnPresence.idleMilliseconds),
            ])
        #expect(idle.waiting("presence") == [["presence": "away", "active": false]])
    }

    @Test("that somebody is at a client is told with a key, and once in five minutes at most")
    func tellingThatSomebodyIsHere() {
        var client = Client()
        client.type("x")
        #expect(client.waiting("presence").isEmpty)
        client.now += OwnPresence.tellingMilliseconds
        client.give(.due)
        #expect(client.waiting("presence").isEmpty)
        client.type("y")
        client.type("z")
        #expect(client.waiting("presence") == [["active": true]])
    }

    @Test("who says something with another client is there")
    func activeElsewhere() {
        var client = Self.idle()
        client.answer("presence", ["presence": "away", "shown": true])
        client.show(client.message("m1", "from the other window", by: Client.ada))
        #expect(client.waiting("presence") == [["presence": "online"]])
    }

    @Test("a client that has said that they are away says that they are there before it ends")
    func ending() {
        var client = Self.idle()
        client.answer("presence", ["presence": "away", "shown": true])
        client.give(.ending)
        #expect(client.waiting("presence") == [["presence": "online"]])
    }

    @Test("a client that ends leaves what the user has said, and does not connect for it")
    func endingSaid() {
        var client = Client()
        client.say("/away")
        client.answer("presence", ["presence": "away", "shown": true])
        client.give(.ending)
        #expect(client.waiting("presence").isEmpty)

        var lost = Self.idle()
        lost.asked = []
        lost.give(.lost("gone"))
        lost.now += 5_000
        lost.effects = []
        lost.give(.ending)
        #expect(lost.effects.isEmpty && lost.asked.isEmpty)
    }

    @Test("a key that is pressed while the daemon is away counts when it is back")
    func lostWhileIdle() {
        var client = Self.idle()
        client.give(.lost("gone"))
        client.type("y")
        client.asked = []
        client.give(.connected)
        #expect(client.waiting("presence") == [["presence": "online"]])
    }

    @Test("a daemon that has started again is told that they are away")
    func restarted() {
        var client = Self.idle()
        client.give(.lost("gone"))
        client.asked = []
        client.give(.connected)
        #expect(client.waiting("presence") == [["presence": "away", "active": false]])
    }

    @Test("somebody with whom one talks alone has a mark: there, away, or gone")
    func others() {
        var client = Client()
        client.give(.resized(columns: 120, rows: 24))
        client.change("joined")
        client.answer(
            "conversations",
            [
                "items": [
                    client.room(Client.ops, "ops"),
                    ["id": "d", "kind": "direct", "name": "@ben", "person": .string(Client.ben)],
                ]
            ])
        func mark() -> String? {
            client.screen().first { $0.hasPrefix(" 2 ") }?.split(separator: " ").dropFirst().first
                .map(String.init)
        }
        #expect(mark() == "○")
        for (word, sign) in [("online", "●"), ("away", "◐"), ("offline", "○")] {
            let told = RPCRequest(
                method: "presence",
                params: .named([
                    .init("subscription", 1), .init("peer", .string(Client.ben)),
                    .init("presence", .string(word)),
                ]))
            client.give(.received(.notification(told)))
            #expect(mark() == sign)
        }
        // Who says nothing of themselves is seen among the members.
        client.state.enter("d")
        client.give(.due)
        client.answer("members", ["items": [["id": .string(Client.ben), "state": "linked"]]])
        #expect(mark() == "●")
    }

    private func told(
        _ event: String, of peer: String = Client.ben, name: String = "ben", in room: String
    ) -> ChatEvent {
        .received(
            .notification(
                RPCRequest(
                    method: "presence",
                    params: .named([
                        .init("subscription", 1), .init("peer", .string(peer)),
                        .init("name", .string(name)), .init("event", .string(event)),
                        .init(
                            "presence",
                            .string(
                                ["left", "interrupted"].contains(event) ? "offline" : "online")),
                        .init("conversations", [.string(room)]),
                    ]))))
    }

    @Test(
        "who comes and goes is told in the conversation, in one line until somebody says something")
    func comings() {
        var client = Client()
        client.show(client.message("m1", "hello", cursor: 5))
        func line(_ text: String) -> Int { client.screen().count { $0.contains(text) } }
        client.give(self.told("left", in: Client.ops))
        #expect(line("ben left") == 1)
        let cyd = String(repeating: "c", count: 52)
        client.give(self.told("interrupted", of: cyd, name: "cyd", in: Client.ops))
        client.give(self.told("back", in: Client.ops))
        #expect(line("ben is back; cyd lost the connection") == 1)
        #expect(line("left") == 0)
        client.show(client.message("m2", "again", cursor: 6))
        client.give(self.told("back", of: cyd, name: "cyd", in: Client.ops))
        #expect(line("cyd is back") == 1)
        #expect(line("cyd lost the connection") == 1)
        // A state alone, and what is told of another conversation, is not shown here.
        client.give(self.told("away", in: "elsewhere"))
        #expect(line("away") == 0)
    }

    @Test("of many only some are named, and of a large room only who has said something lately")
    func manyComings() {
        var client = Client()
        client.show(client.message("m1", "hello", cursor: 5))
        for number in 0..<40 {
            let key = String(repeating: "x", count: 50) + String(10 + number)
            client.give(self.told("joined", of: key, name: "n\(number)", in: Client.ops))
        }
        #expect(client.screen().count { $0.contains("n0, n1, n2 and 37 more are here") } == 1)
        client.state.shown.memberCount = 21
        client.show(client.message("m2", "of somebody", cursor: 6))
        client.give(self.told("left", of: String(repeating: "y", count: 52), in: Client.ops))
        #expect(!client.screen().contains { $0.contains("left") })
        client.give(self.told("left", in: Client.ops))
        #expect(client.screen().contains { $0.contains("ben left") })
    }

    @Test("what comes while nobody is at the keys is not taken to be read until they are back")
    func unattended() {
        var client = Client()
        client.show(client.message("m1", "read at once", cursor: 5))
        #expect(client.answer("acknowledge", [:])?["cursor"] == 5)
        client.now += OwnPresence.readingMilliseconds
        client.effects = []
        client.show(client.message("m2", "into the empty room", cursor: 6))
        client.show(client.message("m3", "and another", cursor: 7))
        #expect(client.waiting("acknowledge").isEmpty)
        #expect(client.screen().contains { $0.contains("ops(2)") })
        client.type("x")
        #expect(client.answer("acknowledge", [:])?["cursor"] == 7)
        let rows = client.screen()
        let line = rows.firstIndex { $0.contains("─ new ─") }
        #expect(
            line != nil
                && line == rows.firstIndex { $0.contains("into the empty room") }.map { $0 - 1 })
        #expect(!rows.contains { $0.contains("ops(2)") })
    }

    @Test(
        "what comes after the machine has slept, or its clock was set back, is not taken to be read"
    )
    func slept() {
        var client = Client()
        client.wallAhead = OwnPresence.readingMilliseconds
        client.show(client.message("m1", "while it slept", cursor: 5))
        #expect(client.waiting("acknowledge").isEmpty)
        client.type("x")
        #expect(client.answer("acknowledge", [:])?["cursor"] == 5)
        client.wallAhead = 0
        client.show(client.message("m2", "by an older clock", cursor: 6))
        #expect(client.waiting("acknowledge").isEmpty)
        client.type("y")
        #expect(client.answer("acknowledge", [:])?["cursor"] == 6)
    }

    @Test("somebody alone rings where nobody is at the keys, and a mention always")
    func rings() {
        var client = Client()
        client.state.shown.kind = .direct
        client.show(client.message("m1", "hi"))
        #expect(!client.effects.contains(.ring))
        client.now += OwnPresence.readingMilliseconds
        client.show(client.message("m2", "are you there"))
        #expect(client.effects.contains(.ring))
    }

    @Test("/away and /back count once the daemon has taken them")
    func refused() {
        var client = Client()
        client.say("/away")
        #expect(client.state.ownPresence.standing == .here)
        client.refuse("presence", .busy("too much"))
        #expect(client.state.ownPresence.standing == .here)
        client.say("/away")
        client.answer("presence", ["presence": "away", "shown": true])
        client.say("/back")
        client.refuse("presence", .busy("too much"))
        #expect(client.state.ownPresence.standing == .said)
    }

    @Test("/away holds while they type, stands on the screen, and ends with /back")
    func commands() {
        var client = Client()
        client.say("/away")
        #expect(
            client.answer("presence", ["presence": "away", "shown": true])
                == ["presence": "away"])
        #expect(client.screen().contains { $0.contains("you are away: /back") })
        client.say("one more thing")
        #expect(client.waiting("presence").isEmpty)
        #expect(client.state.nextDue == nil)
        client.say("/back")
        let back = client.answer("presence", ["presence": "online", "shown": false])
        #expect(back == ["presence": "online"])
        #expect(!client.screen().contains { $0.contains("you are away: /back") })
        #expect(client.screen().contains { $0.contains("Presence=private") })
    }
}
