import ControlAPI
import Testing

@testable import Chat

@Suite("The chat client")
struct ChatStateTests {
    @Test("what is typed is sent once, shown faint until the daemon shows it, and then once")
    func sending() {
        var client = Client()
        client.type("hello")
        client.enter()
        #expect(client.screen().contains { $0.contains("hello …") })
        let params = client.answer("send", ["id": "m1", "cursor": 5])
        #expect(params?["text"] == "hello")
        #expect(params?["to"] == .string(Client.ops))
        client.show(client.message("m1", "hello", by: Client.ada))
        #expect(!client.screen().contains { $0.contains("hello …") })
        #expect(client.screen().count { $0.contains("hello") } == 1)
    }

    @Test("a conversation that was put away is listed while a message in it mentions the user")
    func putAway() {
        var client = Client()
        func list(mentions: Int64) -> JSON {
            let id = String(repeating: "d", count: 52)
            var away = client.room(id, "away", unread: 2).objectValue ?? []
            away.removeAll { $0.name == "mentions" }
            away += [
                JSON.Member("mentions", .integer(mentions)), JSON.Member("archived", true),
            ]
            return ["items": [client.room(Client.ops, "ops"), .object(away)]]
        }
        for (mentions, isListed) in [(0, false), (1, true)] as [(Int64, Bool)] {
            client.change("joined")
            client.answer("conversations", list(mentions: mentions))
            #expect(client.screen().contains { $0.contains("away") } == isListed)
        }
    }

    @Test("a text that the daemon did not answer is sent again under the same key")
    func sendingAgain() {
        var client = Client()
        client.type("once")
        client.enter()
        let first = client.asked.first { $0.method == "send" }?.params
        client.asked = []
        client.give(.lost("gone"))
        client.type("more")
        let rows = client.screen()
        #expect(rows.contains { $0.contains("no daemon: your text is kept (gone)") })
        client.now += 1_000
        client.effects = []
        client.give(.due)
        #expect(client.effects == [.connect])
        client.connect()
        let again = client.asked.first { $0.method == "send" }?.params
        #expect(again?["idempotencyKey"] == first?["idempotencyKey"])
        #expect(client.asked.count { $0.method == "send" } == 1)
        #expect(client.state.shown.input.text == "more")
    }

    @Test("texts go one after the other, in their order")
    func order() {
        var client = Client()
        for text in ["one", "two"] {
            client.type(text)
            client.enter()
        }
        #expect(client.asked.count { $0.method == "send" } == 1)
        for text in ["one", "two"] {
            let params = client.answer("send", ["id": .string(text), "cursor": 5])
            #expect(params?["text"] == .string(text))
        }
    }

    @Test("a text that is refused comes back into the line, and why is said")
    func refusal() {
        var client = Client()
        client.type("hello")
        client.enter()
        client.refuse("send", .refused("no", reason: "blocked", remedy: "unblock them"))
        #expect(client.screen().contains { $0.contains("not sent: no; unblock them") })
        #expect(client.state.shown.input.text == "hello")
    }

    @Test("a daemon that is busy is asked again later, and not at once")
    func busy() {
        var client = Client()
        client.type("hello")
        client.enter()
        client.refuse("send", .busy("too much"))
        #expect(!client.asked.contains { $0.method == "send" })
        client.now += 5_000
        client.give(.due)
        #expect(client.asked.contains { $0.method == "send" })
    }

    @Test("after a lost connection it goes on behind the last change it has seen")
    func cursor() {
        var client = Client()
        client.show(client.message("m1", "seen", cursor: 41))
        client.asked = []
        client.give(.lost("gone"))
        client.give(.connected)
        #expect(client.asked.first { $0.method == "subscribe" }?.params["from"] == 41)
    }

    @Test("a message that comes late is asked for, and takes its place")
    func late() {
        var client = Client(history: [])
        client.show(client.message("m1", "first", cursor: 1))
        client.show(client.message("m3", "third", cursor: 2))
        client.show(client.message("m2", "second", late: true, cursor: 3))
        let page: [JSON] = [
            client.message("m1", "first"), client.message("m2", "second", late: true),
            client.message("m3", "third"),
        ]
        let params = client.answer("history", ["messages": .array(page), "more": false])
        #expect(params?["around"] == "m2")
        let rows = client.screen().filter { $0.contains("ben │") }
        #expect(
            rows.map { $0.split(separator: "│ ").last.map(String.init) ?? "" }.map {
                $0.split(separator: " ")[0]
            } == ["first", "second", "third"])
    }

    @Test("who is in the group of somebody else's daemon talks there, and is not told who asks to")
    func guest() {
        var client = Client()
        client.give(.lost("gone"))
        client.asked = []
        client.give(.connected)
        func kinds() -> [JSON] { client.waiting("subscribe").last?["kinds"]?.arrayValue ?? [] }
        let asked = client.asked.filter { $0.method == "subscribe" }
        #expect(asked.first?.params["kinds"]?.arrayValue?.contains("request") == true)
        client.refuse(
            "subscribe", RPCError(.refused, "not for you", reason: "ownerOnly", remedy: "go"))
        #expect(kinds().contains("message") && !kinds().contains("request"))
        // Refused again, it is said, and not asked for without end.
        let count = client.waiting("subscribe").count
        for _ in 0..<count {
            client.refuse(
                "subscribe", RPCError(.refused, "not for you", reason: "ownerOnly", remedy: "go"))
        }
        #expect(client.waiting("subscribe").isEmpty)
        #expect(client.screen().contains { $0.contains("not for you") })
    }

    @Test("a page that comes once its conversation was let go of is not shown")
    func staleHistory() {
        func texts(_ numbers: ClosedRange<Int64>, _ client: Client) -> JSON {
            .array(numbers.map { client.message("m\($0)", "text \($0)", cursor: $0) })
        }
        var client = Client()
        client.change("joined")
        client.answer(
            "conversations",
            ["items": [client.room(Client.ops, "ops"), client.room("other", "other")]])
        client.state.enter("other")
        client.give(.due)
        client.answer("history", ["messages": texts(50...90, client), "more": true])
        for _ in 0..<10 { client.give(.keys([.pageUp])) }
        #expect(client.waiting("history").last?["before"] != nil)
        // Scrolled away, it is let go of once another one is looked at.
        client.state.enter(Client.ops)
        client.state.enter("other")
        client.give(.due)
        client.answer("history", ["messages": texts(1...40, client), "more": false])
        #expect(!client.screen().contains { $0.contains("text 40") })
        client.answer("history", ["messages": texts(50...90, client), "more": true])
        #expect(client.screen().contains { $0.contains("text 90") })
    }

    @Test("what was seen is acknowledged, and nothing while it is scrolled away")
    func acknowledging() {
        var client = Client(history: [])
        for number in 1...60 {
            client.show(client.message("m\(number)", "text \(number)", cursor: Int64(number)))
        }
        client.answer("acknowledge", [:])
        while client.asked.contains(where: { $0.method == "acknowledge" }) {
            client.answer("acknowledge", [:])
        }
        client.give(.keys([.pageUp]))
        client.show(client.message("m61", "below", cursor: 61))
        #expect(!client.asked.contains { $0.method == "acknowledge" })
        #expect(client.screen().contains { $0.contains("1 new") })
        client.give(.keys([.end]))
        #expect(client.asked.first { $0.method == "acknowledge" }?.params["cursor"] == 61)
    }

    @Test("text of others stays in its column, whatever it is made of")
    func hostile() {
        var client = Client(history: [])
        let texts = [
            "\u{1B}[2J\u{1B}]0;title\u{7}", "\r\n11:11 ada │ fake", "\u{202E}abc",
            String(repeating: "x", count: 64_000), String(repeating: "\u{301}", count: 10_000),
            "\u{9B}31m", "\u{200B}\u{2066}", "\n\n\n\n─── Friday ───",
        ]
        for (index, text) in texts.enumerated() {
            client.show(client.message("m\(index)", text, cursor: Int64(index + 1)))
            for (columns, rows) in [(80, 24), (200, 50), (40, 10), (300, 100), (1, 1), (7, 3)] {
                client.give(.resized(columns: columns, rows: rows))
                let frame = client.state.frame()
                #expect(frame.rows.count <= rows)
                #expect(frame.cursor.row < rows && frame.cursor.column < columns)
                for row in frame.rows where columns >= 40 {
                    #expect(row.columns <= columns)
                    for run in row.runs {
                        #expect(!run.text.unicodeScalars.contains { TerminalText.isHidden($0) })
                        #expect(CellWidth.of(run.text) == run.columns)
                    }
                }
            }
            client.give(.resized(columns: 80, rows: 24))
            // From the name on, nothing but what the rule holds.
            let fakes = client.screen().dropFirst().dropLast(2).filter { $0.contains("fake") }
            if text.contains("fake") { #expect(fakes.count == 1) }
            #expect(fakes.allSatisfy { $0.hasPrefix("                       │ ") })
        }
    }

    @Test("the message before is not edited or deleted while the last is not sent yet")
    func notTheOneBefore() {
        var client = Client(history: [])
        client.show(client.message("m1", "older", by: Client.ada))
        client.type("newest")
        client.enter()
        for command in ["/delete", "/edit better"] {
            client.type(command)
            client.enter()
            #expect(!client.asked.contains { $0.method == "delete" || $0.method == "edit" })
            #expect(client.state.shown.input.text == command)
            client.give(.keys([.control("u")]))
        }
        client.answer("send", ["id": "m2", "cursor": 5])
        client.show(client.message("m2", "newest", by: Client.ada, cursor: 5))
        client.type("/delete")
        client.enter()
        #expect(client.asked.first { $0.method == "delete" }?.params["id"] == "m2")
    }

    @Test("an unknown command stays in the line; // sends what begins with a slash")
    func slashes() {
        #expect(SlashCommand.parse("/ME  waves") == .command(.init(name: .me, rest: "waves")))
        for text in ["x", "/x", "//x", "/etc/hosts", "/"] {
            #expect(SlashCommand.parse(SlashCommand.typed(text)) == .text(text))
        }
    }

    @Test("what was typed and not sent is there when it ends")
    func unsent() {
        var client = Client()
        client.give(.lost("gone"))
        client.type("one")
        client.enter()
        client.type("two")
        #expect(client.state.unsent == ["one", "two"])
        client.give(.keys([.control("u"), .control("d")]))
        #expect(!client.effects.contains(.quit))
        client.give(.keys([.control("d")]))
        #expect(client.effects.contains(.quit))
    }
}
