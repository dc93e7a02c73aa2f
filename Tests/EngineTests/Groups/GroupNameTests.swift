import Testing

@testable import Engine
@testable import Formats

@Suite("The name of a group")
struct GroupNameTests {
    private static let ops = room("ops")
    private static let group = GroupNameTests.group(7)

    private static func group(_ nonce: UInt8) -> Group {
        Group(
            owner: personKeys(1, 2).publicKeys, nonce: fixed32(nonce), realm: .open, history: .all,
            suite: .xchacha20Poly1305, name: Self.ops.name)
    }

    private static func harness(_ kinds: [ConversationKind]) -> Harness {
        var harness = Harness()
        for kind in kinds {
            harness.node.begin(kind)
            harness.give(.timer(.alerts))
            harness.settle()
        }
        return harness
    }

    private static func candidates(_ text: String, _ harness: Harness) -> [String] {
        do throws(NameError) {
            _ = try harness.node.conversation(named: text)
        } catch .severalRooms(_, let found) {
            return found.map(\.name)
        } catch {}
        return []
    }

    @Test("is found with its sign, and without where nothing else has it")
    func alone() throws {
        let harness = Self.harness([.group(Self.group)])
        for text in ["+ops", "ops", "open/ops", "+open/ops", "+OPS"] {
            #expect(try harness.node.conversation(named: text) == Self.group.id, "\(text)")
        }
        #expect(harness.node.name(of: Self.group.id) == "+ops")
        #expect(!harness.node.sharesName(.group(Self.group)))
        #expect(throws: NameError.self) { try harness.node.conversation(named: "&ops") }
        #expect(throws: NameError.self) { try harness.node.conversation(named: "+other") }
        // Who means the group must not enter an open room, which tells everybody its name.
        #expect(throws: NameError.self) { try harness.node.roomToJoin(named: "ops") }
        #expect(try harness.node.roomToJoin(named: "open/ops") == Self.ops)
    }

    @Test("that others have, too, is refused without a sign, and all are listed")
    func several() throws {
        let secret = SecretRoom(
            realm: .open, name: Self.ops.name, suite: .xchacha20Poly1305, root: fixed32(7))
        var harness = Self.harness([.group(Self.group), .secret(secret)])
        harness.join(Self.ops)
        harness.settle()
        #expect(Self.candidates("ops", harness) == ["&ops", "+ops", "open/ops"])
        #expect(try harness.node.conversation(named: "+ops") == Self.group.id)
        #expect(try harness.node.conversation(named: "&ops") == secret.id)
        #expect(try harness.node.conversation(named: "open/ops") == Self.ops.conversation)
        #expect(harness.node.sharesName(.group(Self.group)))
    }

    @Test("of two groups is told by their ids")
    func two() {
        let other = Self.group(8)
        let harness = Self.harness([.group(Self.group), .group(other)])
        #expect(Self.candidates("+ops", harness) == ["+ops", "+ops"])
        #expect(throws: Never.self) {
            try harness.node.conversation(named: other.id.description)
        }
    }
}
