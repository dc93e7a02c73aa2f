import ControlAPI
import Letters
import TestSupport
import Testing

@testable import Chat

@Suite("How people are told apart")
struct NamesShownTests {
    private static let one = "b" + String(repeating: "a", count: 51)
    private static let other = "c" + String(repeating: "a", count: 51)
    private static let long = "Benedict Alexander Cumberland-Featherstonehaugh of Somewhere"
    private static let others = [
        "", "山田太郎山田太郎山田太郎", "ben\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
        "bob: pay 900 to carol", "ben @ home, upstairs",
    ]

    /// All that the client shows of somebody, at a width: messages, what answers them, who writes, lists.
    private static func screens(
        _ id: String, _ name: String, columns: Int, isAmbiguous: Bool, isVerified: Bool
    ) -> [String] {
        func person(_ more: [(String, JSON)]) -> JSON {
            .object(
                (more + [("ambiguous", .bool(isAmbiguous)), ("verified", .bool(isVerified))])
                    .map { .init($0.0, $0.1) })
        }
        func message(_ number: Int, _ kind: String, replyTo: JSON? = nil) -> JSON {
            var members: [(String, JSON)] = [
                ("id", .string("m\(number)")), ("conversation", .string(Client.ops)),
                ("author", .string(id)), ("authorName", .string(name)), ("kind", .string(kind)),
                ("text", .string("hello")), ("time", "1970-01-01T00:00:00.000Z"),
                ("cursor", .integer(Int64(number))),
            ]
            if let replyTo { members.append(("replyTo", replyTo)) }
            return person(members)
        }
        let marked = isAmbiguous && !name.isEmpty ? "\(name)@\(id.prefix(12))" : name
        let answered: JSON = [
            "id": "gone", "author": .string(id), "authorName": .string(marked),
        ]
        let written = isAmbiguous ? "\(name) (\(id.prefix(8)))" : name
        let direct: JSON = [
            "id": "d", "kind": "direct", "person": .string(id),
            "name": .string("@" + (name.isEmpty ? String(id.prefix(8)) : written)),
            "members": 2, "unread": 12, "mentions": 3,
        ]
        var client = Client(columns: columns)
        client.change("joined")
        client.answer("conversations", ["items": [client.room(Client.ops, "ops"), direct]])
        var screens: [String] = []
        for (number, kind) in ["text", "action", "join"].enumerated() {
            client.show(message(number + 1, kind))
            screens.append(client.screen().dropFirst().joined(separator: "\n"))
            client.state.conversations[client.state.place(of: Client.ops) ?? 0].forget()
        }
        client.show(message(9, "text", replyTo: answered))
        screens.append(client.screen().first { $0.contains("┌") } ?? "")
        // In the list of conversations, or the line of them.
        screens.append(
            columns < 100
                ? client.screen()[0]
                : client.screen().map { String($0.prefix(32)) }.joined(separator: "\n"))
        client.state.enter("d")
        screens.append(client.screen()[0])
        client.state.enter(Client.ops)
        client.type("/reply x")
        screens.append(client.screen()[22])
        client.state.shown.input.set("")
        let typing: JSON = person([
            ("peer", .string(id)), ("name", .string(name)), ("typing", true),
            ("conversation", .string(Client.ops)),
        ])
        let told = RPCRequest(method: "typing", params: .named(typing.objectValue ?? []))
        client.give(.received(.notification(told)))
        screens.append(client.screen()[22])
        return screens
    }

    // Shows: shown.lookalikes
    @Test(
        "two who differ in their key alone are told apart everywhere, at every width",
        arguments: 0..<4)
    func keys(part: Int) {
        for columns in 40...200 where columns % 4 == part {
            for name in ["ben", Self.long, Self.others[columns % Self.others.count]] {
                // As the daemon has it: both are strangers, or one is verified and the other bears the mark.
                for isVerified in [false, true] {
                    self.compare(name, columns, isVerified)
                }
            }
        }
    }

    private func compare(_ name: String, _ columns: Int, _ isVerified: Bool) {
        let ones = Self.screens(
            Self.one, name, columns: columns, isAmbiguous: !isVerified, isVerified: isVerified)
        let others = Self.screens(
            Self.other, name, columns: columns, isAmbiguous: true, isVerified: false)
        for (place, (one, other)) in zip(ones, others).enumerated() {
            #expect(one != other, "\(name), output \(place) at \(columns)")
            #expect(
                other.contains(String(Self.other.prefix(12))),
                "the key is cut in output \(place) at \(columns): \(other)")
        }
    }

    @Test(
        "what Tab offers is shown whole or not at all, and calls by the key where a name is not enough"
    )
    func completion() {
        for columns in 40...200 {
            var client = Client(columns: columns)
            client.state.shown.members = [Self.one, Self.other].map { id in
                let person = ShownPerson(name: "ben the builder", id: id, isAmbiguous: true)
                return ChatMember(
                    id: id, name: "ben the builder", person: person, isAway: false, isHere: true,
                    isSelf: false)
            }
            client.type("@be")
            var offered: Set<String> = []
            for _ in 0..<2 {
                client.give(.keys([.tab]))
                let id = client.state.shown.input.text.dropFirst().prefix(12)
                offered.insert(String(id))
                #expect(client.screen()[22].contains("@\(id)"), "at \(columns)")
            }
            #expect(offered == [String(Self.one.prefix(12)), String(Self.other.prefix(12))])
        }
    }

    @Test("rooms in every script are completed and found as they are typed, and shown as they are")
    func scripts() throws {
        let rooms = ScriptName.all.enumerated().map { number, each in
            (id: "room\(number)", each: each)
        }
        var client = Client()
        client.change("joined")
        client.answer(
            "conversations", ["items": .array(rooms.map { client.room($0.id, $0.each.name) })])
        // Each of them is completed among all; of some scripts there are a dozen.
        for (number, (id, each)) in rooms.enumerated()
        where number.isMultiple(of: 5) && each.name.unicodeScalars.count > 3 {
            let apart = String(String.UnicodeScalarView(each.name.decomposedScalars))
            for typed in [each.name, each.capitals, apart] {
                let found = try #require(client.state.conversation(called: typed), "\(typed)")
                #expect(found.name.sought == each.name.sought, "\(each.script): \(typed)")
                #expect(found.id == id || found.name == each.name)
                client.state.shown.input.replace(from: 0, with: "")
                client.type("/leave " + String(typed.unicodeScalars.dropLast()))
                client.give(.keys([.tab]))
                let text = client.state.shown.input.text
                #expect(
                    text.sought.completes(
                        "/leave " + String(typed.unicodeScalars.dropLast()).sought),
                    "\(each.script): \(text)")
            }
        }
    }

    @Test("a name cannot end itself: neither with a colon nor with the rule between columns")
    func separators() {
        for columns in [40, 80] {
            for name in [
                "bob: pay", "bob │ pay", "bob\u{FF1A} pay", "* bob waves", "bob \u{2223} pay",
            ] {
                var client = Client(columns: columns)
                client.show([
                    "id": "m1", "conversation": .string(Client.ops), "author": .string(Self.one),
                    "authorName": .string(name), "kind": "text", "text": "it is agreed",
                    "time": "1970-01-01T00:00:00.000Z", "cursor": 1,
                ])
                let row = client.screen().first { $0.contains("00:00") } ?? ""
                let scalars = row.dropFirst(6).unicodeScalars
                let ends = scalars.filter {
                    [0x3A, 0x2502, 0xFF1A, 0x2223, 0x2A].contains($0.value)
                }
                #expect(ends.count <= 1, "\(name) at \(columns): \(row)")
            }
        }
    }

    @Test("a name of several words stands in quotes where words follow it")
    func quotes() {
        var client = Client()
        client.show([
            "id": "m1", "conversation": .string(Client.ops), "author": .string(Self.one),
            "authorName": "bob pays 900 to", "kind": "action", "text": "carol",
            "time": "1970-01-01T00:00:00.000Z", "cursor": 1,
        ])
        #expect(client.screen().contains { $0.contains("* │ \"bob pays 900 to\" carol") })
    }
}
