import ControlAPI
import Letters
import TestSupport
import Testing

@testable import Daemon

@Suite("Names of rooms over the control socket", .serialized, .timeLimit(.minutes(5)))
struct RoomNameMethodTests {
    @Test("rooms in every script are joined, written to and listed, however each name is typed")
    func scripts() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        var ids: [String: String] = [:]
        for each in ScriptName.all {
            let apart = String(String.UnicodeScalarView(each.name.decomposedScalars))
            let room = try client.ask("join", ["room": .string(apart)])
            let (id, name) = (room["id"]?.stringValue ?? "", room["name"]?.stringValue ?? "")
            for typed in [each.name, each.capitals, each.joined] {
                let sent = try client.ask("send", ["to": .string(typed), "text": "x"])
                #expect(sent["conversation"]?.stringValue == id, "\(each.script): \(typed)")
            }
            #expect(name == each.name.folded, "\(each.script)")
            ids[name] = id
        }
        for list in ["rooms", "conversations"] {
            let rooms = try client.list(list)
            let listed = rooms.compactMap { $0["name"]?.stringValue }
            #expect(Set(listed) == Set(ids.keys), "\(list)")
            #expect(listed.count == ids.count, "\(list)")
        }
    }

    @Test("the spelling with joiners that the user typed is shown, and others mean the same room")
    func joiners() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        let typed = "می\u{200C}خواهم"
        let room = try client.ask("join", ["room": .string(typed)])
        #expect(room["name"]?.stringValue.map { Array($0.utf8) } == Array(typed.utf8))
        let again = try client.ask("join", ["room": "میخواهم"])
        #expect(again["id"] == room["id"])
        #expect(again["name"]?.stringValue.map { Array($0.utf8) } == Array(typed.utf8))
    }

    @Test("rooms whose names look alike are told apart in answers and lists")
    func looks() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        #expect(try client.ask("join", ["room": "scope"])["looksLike"] == nil)
        let other = try client.ask("join", ["room": "ѕсоре"])
        #expect(other["looksLike"] == ["scope"])
        for list in ["rooms", "conversations"] {
            let marks = try client.list(list).map { $0["looksLike"] }
            #expect(marks == [["ѕсоре"], ["scope"]] || marks == [["scope"], ["ѕсоре"]], "\(list)")
        }
    }

    @Test("an invitation is found in what was pasted, and of two both are named")
    func pasted() throws {
        let (one, other) = (try TestDaemon(name: "ada"), try TestDaemon(name: "bob"))
        let (ada, bob) = (try one.connect(), try other.connect())
        func invite(_ realm: String) throws -> String {
            try #require(
                ada.ask("realmNew", ["name": .string(realm)])["id"] == nil
                    ? nil : ada.ask("realmInvite", ["name": .string(realm)])["invite"]?.stringValue)
        }
        let (office, lab) = (try invite("Bürö"), try invite("ห้อง"))
        #expect(
            refusal {
                try bob.ask("realmJoin", ["invite": .string("\(office) oder \(lab)")])
            } == "severalInvites")
        let joined = try bob.ask("realmJoin", ["invite": .string("\u{FEFF}Hier: „\(office)“.")])
        #expect(joined["name"] == "bürö")
        #expect(try bob.ask("join", ["room": "BÜRÖ/ops"])["name"] == "bürö/ops")
        #expect(try bob.ask("realmJoin", ["invite": .string("‹\(lab)›")])["name"] == "ห้อง")
    }
}
