import ControlAPI
import Crypto
import Formats
import TestSupport
import Testing

@testable import Daemon

@Suite("Links of groups over the control socket", .serialized, .timeLimit(.minutes(5)))
struct GroupLinkMethodTests {
    private static func reason(_ body: () throws -> JSON) -> String? {
        do {
            _ = try body()
            return nil
        } catch TestClientError.rpc(let error) {
            return error.reason
        } catch { return nil }
    }

    @Test("one is made, shown again and ended, and each mistake says what to do")
    func link() throws {
        let (ada, bob) = (try TestDaemon(name: "ada"), try TestDaemon(name: "bob"))
        let (one, other) = (try ada.connect(), try bob.connect())
        try one.ask("groupCreate", ["name": "ops"])
        let made = try one.ask("groupLink", ["group": "+ops"])
        let line = try #require(made["invite"]?.stringValue)
        #expect(line.hasPrefix("stoa:group?name=ops&realm=open&") && made["approve"] == nil)
        #expect(try one.ask("groupLink", ["group": "+ops"])["invite"]?.stringValue == line)
        let another = try one.ask("groupLink", ["group": "+ops", "days": 1])
        #expect(another["invite"] != made["invite"])
        let approved = try one.ask("groupLink", ["group": "+ops", "approve": true])
        #expect(approved["approve"] == true && approved["act"] != made["act"])
        let links = try one.ask("groupInfo", ["group": "+ops"])["links"]?.arrayValue ?? []
        #expect(links.count == 3 && links.allSatisfy { $0["own"] == true })

        // Nobody is linked: the newcomer is told so, sees it, and can give it up.
        let waits = try other.ask("join", .members(["invite": .string("Come: <\(line)>.")]))
        #expect(waits["waiting"] == "member" && waits["name"] == "+ops" && waits["kind"] == "group")
        let joins = try other.ask("requests")["joins"]?.arrayValue ?? []
        #expect(joins.count == 1 && joins[0]["name"] == "+ops")
        try other.ask("decline", ["person": "+ops"])
        #expect(try other.ask("requests")["joins"] == nil)

        let act = try #require(another["act"]?.stringValue)
        let ended = try one.ask(
            "groupLink", ["group": "+ops", "end": true, "act": .string(String(act.prefix(8)))])
        #expect(ended["ended"] == 1 && ended["invite"] == nil)
        #expect(try one.ask("groupLink", ["group": "+ops", "end": true])["ended"] == 2)
        let reason = Self.reason { try one.ask("groupLink", ["group": "+ops", "end": true]) }
        #expect(reason == "noLink")
    }

    @Test("one of a realm that the user is not in, or that was changed, is refused with its reason")
    func refused() throws {
        let daemon = try TestDaemon(name: "ada")
        defer { withExtendedLifetime(daemon) {} }
        let client = try daemon.connect()
        var line = GroupInvitation(
            name: try #require(RoomName("ops")), realm: RealmID(Bytes32(repeating: 7)),
            group: ConversationID(Bytes32(repeating: 1)), link: ActID(Bytes32(repeating: 2)),
            seed: Bytes32(repeating: 3))
        func reason(_ line: String) -> String? {
            Self.reason { try client.ask("join", .members(["invite": .string(line)])) }
        }
        #expect(reason(line.line) == "notInRealm")
        line.realm = .open
        #expect(reason(line.line.replacing("name=ops", with: "name=opt")) == "badInvite")
        #expect(reason(line.line) == nil)
    }
}

extension Bytes32 {
    fileprivate init(repeating byte: UInt8) {
        self = Bytes32([UInt8](repeating: byte, count: 32)) ?? .zero
    }
}
