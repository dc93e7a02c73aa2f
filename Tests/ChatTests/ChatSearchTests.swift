import ControlAPI
import Testing

@testable import Chat

@Suite("What /search finds in the chat client")
struct ChatSearchTests {
    private static func hit(_ client: Client, _ id: String, _ text: String) -> JSON {
        ["message": client.message(id, text), "excerpt": [["text": .string(text), "match": true]]]
    }

    /// A client that has found two messages which are not loaded, the newer one first.
    private static func found() -> Client {
        var client = Client()
        for number in 1...40 { client.show(client.message("n\(number)", "new \(number)")) }
        client.say("/search needle")
        client.answer(
            "search",
            [
                "hits": [
                    self.hit(client, "old2", "needle 2"), self.hit(client, "old1", "needle 1"),
                ],
                "more": false,
            ])
        return client
    }

    private static func page(_ client: Client) -> JSON {
        let messages = (1...30).map { client.message("p\($0)", "then \($0)") }
        return [
            "messages": .array(
                Array(messages[..<15]) + [client.message("old1", "needle 1")] + messages[15...]),
            "more": true,
        ]
    }

    @Test("is numbered from the newest on, which stands at the bottom")
    func numbered() {
        let rows = Self.found().screen().filter { $0.contains("[needle") }
        #expect(rows.count == 2)
        #expect(rows.first?.contains("2  1970") == false)
        #expect(rows.first?.contains("│ 2  ") == true && rows.last?.contains("│ 1  ") == true)
    }

    @Test(
        "says where not all was looked at",
        arguments: [
            (
                ["hits": [], "complete": false, "unread": "2026-01-02T03:04:05.000Z"],
                "--until 2026-01-02T03:04:05.000Z"
            ),
            (["hits": [], "complete": false], "still being indexed"),
            (["hits": [], "complete": true], nil),
        ] as [(JSON, String?)])
    func unread(result: JSON, said: String?) {
        var client = Client()
        client.say("/search needle")
        client.answer("search", result)
        let screen = client.screen().joined(separator: "\n")
        #expect(screen.contains("nothing found"))
        let isSaid = ["--until", "indexed"].contains { screen.contains($0) }
        #expect(isSaid == (said != nil) && said.map { screen.contains($0) } ?? true)
    }

    @Test("is shown amid what was said then, chosen, and End goes back to the newest")
    func goTo() {
        var client = Self.found()
        client.say("/goto 2")
        #expect(client.waiting("history").map { $0["around"] } == ["old1"])
        client.answer("history", Self.page(client))
        let rows = client.screen()
        let place = rows.firstIndex { $0.contains("│ needle 1") }
        #expect(place.map { (6...18).contains($0) } == true)
        #expect(client.state.shown.aiming.selected == "old1")
        #expect(!rows.contains { $0.contains("new 40") })
        client.give(.keys([.end]))
        #expect(client.waiting("history").map { $0["around"] ?? "newest" }.last == "newest")
        // What was asked for behind that page comes too late.
        while client.waiting("history").count > 1 {
            client.answer("history", ["messages": [client.message("p31", "then 31")]])
            #expect(!client.screen().contains { $0.contains("then 31") })
        }
        client.answer("history", ["messages": [client.message("n40", "new 40")], "more": true])
        #expect(client.screen().contains { $0.contains("new 40") })
    }

    @Test("is left for the newest by what the client says, which stays")
    func noted() {
        var client = Self.found()
        client.say("/goto 2")
        client.answer("history", Self.page(client))
        client.asked = []
        client.say("/goto 9")
        let asked = client.waiting("history")
        #expect(asked.count == 1)
        #expect(["around", "before", "after"].allSatisfy { asked.first?[$0] == nil })
        client.answer("history", ["messages": [client.message("n40", "new 40")], "more": true])
        let rows = client.screen()
        #expect(rows.contains { $0.contains("new 40") })
        #expect(rows.contains { $0.contains("numbers from 1 to 2") })
        #expect(!rows.contains { $0.contains("│ then") })
    }

    @Test("is not chosen any longer after End, so that /reply is about somebody else's message")
    func notChosen() {
        var client = Self.found()
        client.say("/goto 2")
        client.answer("history", Self.page(client))
        client.asked = []
        client.give(.keys([.end]))
        #expect(client.state.shown.aiming.selected == nil)
        let newest = [
            client.message("n40", "new 40"), client.message("n41", "mine", by: Client.ada),
        ]
        client.answer("history", ["messages": .array(newest), "more": true])
        client.say("/reply yes")
        #expect(client.waiting("send").map { $0["replyTo"] } == ["n40"])
    }

    @Test("is not shown any longer in a conversation that was left before it came")
    func left() {
        var client = Self.found()
        client.change("joined")
        client.answer(
            "conversations",
            ["items": [client.room(Client.ops, "ops"), client.room("d", "dev")]])
        client.say("/goto 2")
        client.state.enter("d")
        client.answer("history", Self.page(client))
        client.state.enter(Client.ops)
        let rows = client.screen()
        #expect(rows.contains { $0.contains("new 40") })
        #expect(!rows.contains { $0.contains("│ then") })
    }

    @Test("is asked for again after the connection was lost, and not where it was taken back")
    func lost() {
        var client = Self.found()
        client.say("/goto")
        client.give(.lost("gone"))
        client.asked = []
        client.give(.connected)
        #expect(client.waiting("history").map { $0["around"] } == ["old2"])
        client.refuse(
            "history",
            .notFound("there is no such message", reason: "noMessage", remedy: "look again"))
        #expect(client.waiting("history").isEmpty)
        #expect(client.state.notice?.contains("no such message") == true)
        client.say("/goto 2")
        client.answer("history", ["messages": [], "more": false])
        #expect(client.waiting("history").isEmpty)
        #expect(client.screen().contains { $0.contains("new 40") })
    }

    @Test("has no other numbers than those that were shown", arguments: ["0", "3", "x", "-1"])
    func numbers(number: String) {
        var client = Self.found()
        client.say("/goto \(number)")
        #expect(client.waiting("history").isEmpty)
        #expect(client.screen().contains { $0.contains("numbers from 1 to 2") })
    }

    @Test("is nothing before something was searched")
    func nothing() {
        var client = Client()
        client.say("/goto")
        #expect(client.screen().contains { $0.contains("/search WORDS") })
    }
}
