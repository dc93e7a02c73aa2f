import ControlAPI
import Testing

@testable import Chat

@Suite("What counts as read")
struct ChatReadingTests {
    private static func texts(_ numbers: ClosedRange<Int>, _ client: Client) -> JSON {
        .array(numbers.map { client.message("m\($0)", "text \($0).", cursor: Int64($0)) })
    }

    /// A client that enters a room with so many unread messages, of which a page comes with the newest.
    private static func entered(unread: Int64, page: ClosedRange<Int>, more: Bool = false) -> Client
    {
        var client = Client(conversations: [])
        client.change("joined")
        client.answer("conversations", ["items": [client.room(Client.ops, "ops", unread: unread)]])
        client.answer("history", ["messages": Self.texts(page, client), "more": .bool(more)])
        return client
    }

    @Test("a room begins at the first unread message, and only what was on the screen is read")
    func entering() {
        var client = Self.entered(unread: 301, page: 1...400)
        let rows = client.screen()
        #expect(
            rows.contains { $0.contains("text 100.") } && !rows.contains { $0.contains("400.") })
        let line = rows.firstIndex { $0.contains("─ new ─") }
        #expect(line == rows.firstIndex { $0.contains("text 100.") }.map { $0 - 1 })
        let shown = (100...400).last { number in rows.contains { $0.contains("text \(number).") } }
        #expect(client.answer("acknowledge", [:])?["cursor"] == .integer(Int64(shown ?? 0)))
        client.give(.keys([.pageDown]))
        let next = client.screen()
        let further = (100...400).last { number in next.contains { $0.contains("text \(number).") }
        }
        #expect(client.answer("acknowledge", [:])?["cursor"] == .integer(Int64(further ?? 0)))
        #expect((further ?? 0) > (shown ?? 0))
        // The end shows the newest; those between were not seen, so that they stay unread.
        client.give(.keys([.alt(">")]))
        #expect(client.waiting("acknowledge").isEmpty)
        #expect(client.screen()[22].contains("new: Alt-U"))
        client.give(.keys([.alt("u")]))
        #expect(client.screen().contains { $0.contains("text \((further ?? 0) + 1).") })
    }

    @Test("where it is further back than one page older pages are asked for until it is there")
    func seeking() {
        var client = Self.entered(unread: 250, page: 301...400, more: true)
        #expect(client.waiting("acknowledge").isEmpty)
        let params = client.answer(
            "history", ["messages": Self.texts(100...300, client), "more": true])
        #expect(params?["before"] == "m301")
        #expect(client.screen().contains { $0.contains("text 151.") })
        #expect(!client.waiting("acknowledge").isEmpty)
    }

    @Test("with nothing unread it begins at the end, and with few of them all are read at once")
    func few() {
        for unread in [0, 3] as [Int64] {
            var client = Self.entered(unread: unread, page: 1...50)
            #expect(client.screen().contains { $0.contains("text 50.") })
            #expect(client.answer("acknowledge", [:])?["cursor"] == 50)
        }
    }

    @Test("a message that came late is not passed over, and its cursor says nothing of others")
    func late() {
        var client = Client(conversations: [])
        client.change("joined")
        client.answer("conversations", ["items": [client.room(Client.ops, "ops", unread: 60)]])
        var page = (1...99).map { client.message("m\($0)", "text \($0).", cursor: Int64($0)) }
        page.insert(client.message("late", "from before", late: true, cursor: 100), at: 41)
        client.answer("history", ["messages": .array(page), "more": false])
        #expect(client.screen().contains { $0.contains("from before") })
        let read = client.answer("acknowledge", [:])?["cursor"]?.integerValue ?? 0
        #expect(read < 99)
    }

    @Test("Alt-M goes from one message that calls the user to the next")
    func mentions() {
        var client = Client(history: [])
        for number in 1...60 {
            var members =
                client.message("m\(number)", "text \(number).", cursor: Int64(number))
                .objectValue ?? []
            if [5, 40].contains(number) { members.append(.init("mention", true)) }
            client.show(.object(members))
        }
        client.give(.keys([.alt("m")]))
        #expect(client.state.shown.aiming.selected == "m5")
        #expect(client.screen().contains { $0.contains("text 5.") })
        client.give(.keys([.alt("m")]))
        #expect(client.state.shown.aiming.selected == "m40")
    }

    @Test("/goto a date shows what was said from its midnight on, by the user's clock")
    func date() {
        var client = Client(history: [])
        client.show(client.message("m9", "now", cursor: 9))
        client.say("/goto 2026-01-02")
        let asked = client.answer(
            "history", ["messages": .array([client.message("m1", "then")]), "more": true])
        #expect(asked?["since"] == "2026-01-01T22:00:00.000Z" && asked?["oldest"] == true)
        client.answer(
            "history", ["messages": Self.texts(1...50, client), "more": true])
        #expect(client.state.shown.aiming.selected == "m1")
        client.say("/goto 2026-01-03")
        while client.answer("history", ["messages": [], "more": false]) != nil {}
        #expect(client.screen().contains { $0.contains("no messages here on 2026-01-03") })
    }
}
