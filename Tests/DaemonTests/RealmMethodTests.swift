import ControlAPI
import Engine
import Formats
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("Realms over the control socket", .timeLimit(.minutes(5)))
struct RealmMethodTests {
    private static func invite(_ client: TestClient, _ name: String) throws -> JSON {
        try #require(try client.ask("realmInvite", ["name": .string(name)])["invite"])
    }

    @Test("a realm is made, invited to, joined under another name, renewed and left")
    func life() throws {
        let (ada, bob) = (try TestDaemon(name: "ada"), try TestDaemon(name: "bob"))
        let (one, other) = (try ada.connect(), try bob.connect())
        let made = try one.ask("realmNew", ["name": "office"])
        #expect(made["name"] == "office" && made["joined"] == true)
        let line = try Self.invite(one, "office")
        let joined = try other.ask("realmJoin", ["invite": line, "name": "work"])
        #expect(joined["name"] == "work" && joined["id"] == made["id"])
        let renewed = try one.ask("realmRotate", ["name": "office", "seconds": 600])
        #expect(renewed["invite"] != line)
        #expect(try one.list("realms").first?["oldSecretUntil"] != nil)
        try other.ask("realmJoin", .members(["invite": renewed["invite"]]))
        #expect(
            refusal { try other.ask("realmJoin", ["invite": line]) } == "oldInvite")
        #expect(
            try RealmInvitation(Self.invite(one, "office").stringValue ?? "").realm.secret
                == RealmInvitation(Self.invite(other, "work").stringValue ?? "").realm.secret)
        try one.ask("join", ["room": "office/ops"])
        let left = try one.ask("realmLeave", ["name": "office"])
        #expect(left["rooms"] == ["office/ops"])
        let known = try one.list("realms")
        #expect(known.map { $0["name"] } == ["open", "office"])
        #expect(known.map { $0["joined"] } == [true, false])
    }

    @Test("a secret that still counts is not dropped for a third one without the user's word")
    func renewedAgain() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        try client.ask("realmNew", ["name": "office"])
        let first = try Self.invite(client, "office")
        try client.ask("realmRotate", ["name": "office", "days": 1])
        let second = try Self.invite(client, "office")
        #expect(
            refusal { try client.ask("realmRotate", ["name": "office"]) } == "oldSecretCounts")
        #expect(try Self.invite(client, "office") == second && first != second)
        let third = try client.ask("realmRotate", ["name": "office", "force": true])["invite"]
        #expect(third != second)
        // Who wants the old one to count no longer wants that of the one before it, too.
        let last = try client.ask("realmRotate", ["name": "office", "days": 0])["invite"]
        #expect(last != third)
        #expect(try client.ask("realmRotate", ["name": "office"])["invite"] != last)
    }

    @Test("a realm outlives a restart, and so does the name of one that was left")
    func restart() throws {
        let folder: TestFolder
        do {
            let daemon = try TestDaemon()
            folder = daemon.directory
            let client = try daemon.connect()
            for name in ["office", "lab"] {
                try client.ask("realmNew", ["name": .string(name)])
                try client.ask("join", ["room": .string("\(name)/ops")])
                try client.ask("send", ["to": .string("\(name)/ops"), "text": "kept"])
            }
            try client.ask("realmLeave", ["name": "lab"])
            daemon.stop()
        }
        let daemon = try TestDaemon(directory: folder)
        let client = try daemon.connect()
        let rooms = try client.list("rooms")
        let named = Dictionary(
            uniqueKeysWithValues: rooms.map { ($0["name"]?.stringValue ?? "", $0) })
        #expect(named["office/ops"]?["reachable"] == true)
        #expect(named["lab/ops"]?["reachable"] == false)
        #expect(named["lab/ops"]?["realm"] == "lab" && named["lab/ops"]?["room"] == "ops")
        let history = try client.ask("history", ["to": "lab/ops"])
        #expect(history["messages"]?.arrayValue?.last?["text"] == "kept")
        #expect(
            refusal { try client.ask("send", ["to": "lab/ops", "text": "x"]) } == "notInRealm")
        try client.ask("send", ["to": "office/ops", "text": "x"])
    }

    @Test("what cannot be is refused, and says why")
    func refusals() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        for number in 1...8 { try client.ask("realmNew", ["name": .string("r\(number)")]) }
        let reasons: [(String, JSON, String)] = [
            ("realmNew", ["name": "r9"], "tooManyRealms"),
            ("realmNew", ["name": "r1"], "realmName"),
            ("realmNew", ["name": "open"], "badRealmName"),
            ("realmNew", ["name": "a_b"], "badRealmName"),
            ("realmInvite", ["name": "r"], "unknownRealm"),
            ("realmInvite", ["name": "open"], "openRealm"),
            ("realmLeave", ["name": "r10"], "unknownRealm"),
            ("realmJoin", ["invite": "stoa:realm?name=x"], "badInvite"),
            ("join", ["room": "cellar/ops"], "unknownRealm"),
            ("join", ["room": "a b"], "badRoomName"),
        ]
        for (method, params, reason) in reasons {
            #expect(refusal { try client.ask(method, params) } == reason, "\(method)")
        }
    }

    @Test("bare names mean the default realm, and the open one can be done without")
    func defaultRealm() throws {
        let daemon = try TestDaemon(defaultRealm: "office", isInOpenRealm: false)
        let client = try daemon.connect()
        #expect(refusal { try client.ask("join", ["room": "ops"]) } == "unknownRealm")
        #expect(refusal { try client.ask("join", ["room": "open/ops"]) } == "notInRealm")
        try client.ask("realmNew", ["name": "office"])
        let joined = try client.ask("join", ["room": "ops"])
        #expect(joined["name"] == "ops" && joined["realm"] == "office" && joined["room"] == "ops")
        #expect(try client.list("realms").count == 1)
    }
}
