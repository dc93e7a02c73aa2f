import ControlAPI
import Testing

@testable import Chat

@Suite("The first screen of chat")
struct ChatWelcomeTests {
    private func answerAround(_ client: inout Client, tier: String = "known") {
        client.answer(
            "rooms",
            [
                "items": [
                    ["id": "r1", "name": "ops", "joined": false, "reachable": true, "members": 3],
                    ["id": "r2", "name": "lunch", "joined": false, "reachable": true],
                    ["id": "r3", "name": "gone", "joined": false, "reachable": false],
                ]
            ])
        client.answer(
            "peers",
            [
                "items": [
                    [
                        "id": .string(Client.ben), "name": "ben", "state": "linked",
                        "tier": .string(tier),
                    ],
                    ["id": "cccccccccccccccc", "name": "cy", "state": "away"],
                ]
            ])
        client.answer(
            "requests",
            [
                "items": [
                    [
                        "person": .string(String(repeating: "d", count: 52)), "name": "dan",
                        "text": "may I?", "time": "1970-01-01T00:00:00.000Z",
                    ]
                ]
            ])
    }

    @Test("shows rooms, people and requests around, and three things to try")
    func shown() {
        var client = Client(conversations: [])
        self.answerAround(&client)
        let screen = client.screen().joined(separator: "\n")
        for text in [
            "ada @aaaaaaaaaaaa", "ops (3), lunch", "ben", "dan: \"may I?\" (/accept @dddddddddddd)",
            "/join ops", "/msg @ben hello", "/help",
        ] {
            #expect(screen.contains(text), "\(text)")
        }
        #expect(!screen.contains("gone") && !screen.contains("cy"))
    }

    @Test("offers a stranger's key, since the name alone would not reach them")
    func stranger() {
        var client = Client(conversations: [])
        self.answerAround(&client, tier: "stranger")
        #expect(client.screen().contains { $0.contains("/msg @bbbbbbbbbbbb hello") })
    }

    @Test("says what to do where nobody and nothing is around, in every width")
    func alone() {
        for columns in [20, 40, 80, 200] {
            var client = Client(columns: columns, conversations: [])
            for method in ["rooms", "peers", "requests"] { client.answer(method, ["items": []]) }
            let screen = client.screen()
            #expect(screen.joined().contains("/join ops"))
            #expect(screen.allSatisfy { CellWidth.of($0) <= columns })
        }
        var client = Client(conversations: [])
        for method in ["rooms", "peers", "requests"] { client.answer(method, ["items": []]) }
        #expect(client.screen().joined().contains("stoa doctor"))
    }

    @Test("asks for nothing while nothing changes, and then only for the list that has changed")
    func idle() {
        var client = Client(conversations: [])
        self.answerAround(&client)
        client.asked = []
        client.wait(60)
        #expect(client.asked.isEmpty)
        client.tell("list", [.init("list", "rooms")])
        client.wait(3)
        #expect(client.asked.map(\.method) == ["rooms"])
        self.answerAround(&client)
        client.wait(60)
        #expect(client.asked.isEmpty)
    }

    @Test("asks for nothing while nobody is at the keys; the next key makes up for it")
    func nobody() {
        var client = Client(conversations: [])
        self.answerAround(&client)
        client.wait(300)
        client.asked = []
        for _ in 0..<100 {
            client.tell("list", [.init("list", "peers")])
            client.wait(2)
        }
        #expect(client.asked.isEmpty)
        client.give(.keys([.control("l")]))
        #expect(client.asked.map(\.method).filter { $0 != "presence" } == ["peers"])
    }

    @Test("does not wake by itself")
    func wakes() {
        var client = Client(conversations: [])
        self.answerAround(&client)
        // Only to be away after ten minutes.
        #expect(client.state.nextDue ?? .max > client.now + 9 * 60_000)
        var settled = Client()
        settled.tell("list", [.init("list", "rooms")])
        #expect(settled.state.nextDue ?? .max > settled.now + 9 * 60_000)
    }

    @Test(
        "changes are gathered for a second, and nothing is asked for once there is a conversation")
    func bounded() {
        var client = Client(conversations: [])
        self.answerAround(&client)
        client.asked = []
        for _ in 0..<1_000 { client.change("linked", [("peer", .string(Client.ben))]) }
        #expect(client.waiting("peers").count <= 11)
        client.now += 5_000
        client.give(.due)
        for _ in 0..<2 { self.answerAround(&client) }
        client.asked = []
        client.change("linked", [("peer", .string(Client.ben))])
        client.now += 5_000
        client.give(.due)
        #expect(client.waiting("peers").count == 1)
        var settled = Client()
        settled.change("linked", [("peer", .string(Client.ben))])
        settled.now += 5_000
        settled.give(.due)
        #expect(settled.waiting("peers").isEmpty && settled.state.nextDue ?? .max > settled.now)
    }

    @Test("/join completes the rooms that others are in, and /accept the people who wait")
    func completes() {
        var client = Client()
        client.type("/join ")
        #expect(client.waiting("rooms").count == 1)
        client.type("lu")
        #expect(client.waiting("rooms").count == 1)
        self.answerAround(&client)
        client.give(.keys([.tab]))
        #expect(client.state.shown.input.text == "/join lunch")
        client.give(.keys([.control("u"), .text("/accept @da"), .tab]))
        #expect(client.state.shown.input.text == "/accept @dddddddddddd")
        client.enter()
        #expect(client.waiting("accept").first?["person"] == "@dddddddddddd")
    }

    @Test("the line of conversations at 80 columns keeps those that mention the user")
    func mentions() {
        var rooms = (10...40).map { number in
            Client().room(String(repeating: "r", count: 50) + "\(number)", "some-room-\(number)")
        }
        rooms[28] = [
            "id": .string(String(repeating: "r", count: 50) + "38"), "kind": "room",
            "name": "some-room-38", "members": 2, "unread": 3, "mentions": 1,
        ]
        var client = Client(conversations: rooms)
        client.give(.keys([.alt("1")]))
        let line = client.screen()[0]
        #expect(line.contains("1:some-room-10"))
        #expect(line.contains("29:some-room-38(3 @1)"))
        #expect(CellWidth.of(line) == 80)
    }
}
