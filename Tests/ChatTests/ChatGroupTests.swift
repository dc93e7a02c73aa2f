import ControlAPI
import Testing

@testable import Chat

@Suite("Groups in chat")
struct ChatGroupTests {
    private static let group = String(repeating: "g", count: 52)

    private static func client() -> Client {
        let group: JSON = [
            "id": .string(Self.group), "kind": "group", "name": "+ops", "members": 2, "unread": 0,
            "mentions": 0,
        ]
        return Client(conversations: [group])
    }

    private static func turn(_ who: String, by: String?, _ name: String) -> [(String, JSON)] {
        [
            ("id", .string(Self.group)), ("name", "+ops"), ("peer", .string(who)),
            ("peerName", who == Client.ada ? "ada" : "ben"),
        ]
            + (by.map { [("by", .string($0)), ("byName", .string(name))] } ?? [])
    }

    @Test("/invite, /admin: people by name, in the group that is looked at")
    func acts() {
        var client = Self.client()
        client.say("/invite @ben")
        #expect(
            client.answer("groupAct", ["id": .string(Self.group), "name": "+ops"])
                == ["group": .string(Self.group), "act": "add", "person": "@ben"])
        #expect(client.screen().contains { $0.contains("@ben is asked when they are online") })
        client.say("/admin @ben")
        #expect(client.waiting("groupAct").last?["act"] == "admin")
        client.say("/invite")
        #expect(client.screen().contains { $0.contains("usage: /invite @PERSON") })
    }

    @Test("/remove, /demote and /leave say what goes, and do it when Enter is pressed again")
    func asks() {
        for (line, method) in [
            ("/remove @ben", "groupAct"), ("/demote @ben", "groupAct"), ("/leave", "leave"),
        ] {
            var client = Self.client()
            client.say(line)
            #expect(client.waiting(method).isEmpty)
            #expect(client.screen().contains { $0.contains("press Enter again") })
            client.enter()
            #expect(client.waiting(method).count == 1, "\(line)")
        }
        var client = Self.client()
        client.say("/remove @ben")
        client.give(.keys([.control("u")]))
        client.say("/remove @noa")
        #expect(client.waiting("groupAct").isEmpty)
    }

    @Test("in a room there is nobody to remove")
    func room() {
        var client = Client()
        client.say("/remove @ben")
        #expect(client.screen().contains { $0.contains("this is not a group") })
    }

    @Test("/who and /members show who is in a group, and with which role")
    func roles() {
        var client = Self.client()
        for line in ["/who", "/members"] {
            client.say(line)
            client.answer(
                "groupInfo",
                [
                    "id": .string(Self.group), "name": "+ops",
                    "members": [
                        [
                            "person": "p", "id": .string(Client.ada), "name": "ada", "own": true,
                            "role": "owner",
                        ],
                        [
                            "person": "q", "id": .string(Client.ben), "name": "ben",
                            "role": "member", "waiting": true,
                        ],
                    ],
                ])
        }
        let rows = client.screen()
        #expect(rows.count { $0.contains("ada (you), owner") } == 2)
        #expect(rows.count { $0.contains("ben, invited") } == 2)
    }

    @Test("who comes, goes and becomes an admin is said, and by whom")
    func turns() {
        var client = Self.client()
        for (event, by, due) in [
            ("memberAdded", Client.ada, "ben was added by you"),
            ("adminAdded", Client.ada, "ben is an admin now"),
            ("memberLeft", Client.ben, "ben has left"),
            ("memberRemoved", "c", "ben was removed by noa"),
        ] {
            client.change(event, Self.turn(Client.ben, by: by, by == Client.ada ? "ada" : "noa"))
            #expect(client.screen().contains { $0.contains(due) }, "\(due)")
        }
    }

    // Shows: daemon.group-topic
    @Test("a topic that does not count is marked, and asked for again as admins change")
    func topics() {
        func topic(_ text: String, isIgnored: Bool) -> JSON {
            [
                "id": .string(text), "conversation": .string(Self.group),
                "author": .string(Client.ben), "authorName": "ben", "kind": "topic",
                "text": .string(text), "time": "1970-01-01T00:00:00.000Z", "cursor": 7,
                "late": false, "ignored": isIgnored ? true : .null,
            ]
        }
        var client = Self.client()
        client.show(topic("tea", isIgnored: false))
        client.show(topic("junk", isIgnored: true))
        #expect(client.state.shown.topic == "tea")
        let marked = ChatMessage(MessageResult(reading: topic("junk", isIgnored: true)))
        #expect(marked?.flags == ["no effect"])
        for event in ["adminRemoved", "memberRemoved"] {
            var other = Self.client()
            let asked = other.waiting("conversations").count
            other.change(event, Self.turn(Client.ben, by: Client.ada, "ada"))
            #expect(other.waiting("conversations").count == asked + 1, "\(event)")
        }
    }

    @Test("who is removed is told so, and by whom, though the group goes from the list")
    func removed() {
        var client = Self.client()
        client.change("memberRemoved", Self.turn(Client.ada, by: Client.ben, "ben"))
        client.change("left", [("id", .string(Self.group)), ("name", "+ops")])
        client.answer("conversations", ["items": [client.room(Client.ops, "ops")]])
        #expect(client.screen().contains { $0.contains("you were removed from +ops by ben") })
    }

    @Test("an invitation is said with what answers it, and /create +ops founds a group")
    func invited() {
        var client = Client()
        client.change(
            "invited",
            [
                ("id", .string(Self.group)), ("name", "+ops"), ("peer", .string(Client.ben)),
                ("peerName", "ben"),
            ])
        #expect(
            client.screen().contains { $0.contains("ben invites you to +ops; /accept +ops or") })
        client.say("/decline +ops")
        #expect(client.answer("decline", [:]) == ["person": "+ops"])
        #expect(client.screen().contains { $0.contains("the invitation to +ops is declined") })
        client.say("/create +plans")
        #expect(client.waiting("groupCreate").first == ["name": "+plans"])
        client.say("/create +later joined")
        #expect(
            client.waiting("groupCreate").last == ["name": "+later", "history": "joined"])
    }
}
