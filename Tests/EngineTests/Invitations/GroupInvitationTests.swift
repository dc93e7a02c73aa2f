import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("The line of a group's link")
struct GroupInvitationTests {
    private static func invitation(_ name: String, _ realm: RealmID) throws -> GroupInvitation {
        GroupInvitation(
            name: try #require(RoomName(name)), realm: realm,
            group: ConversationID(fixed32(1)), link: ActID(fixed32(2)), seed: fixed32(3))
    }

    @Test("leads to the group that it was made for, in every realm and under every name")
    func coding() throws {
        let longest = String(repeating: "\u{10428}", count: 63) + "\u{307e}"
        for name in ["ops", "caf\u{e9}", longest] {
            for realm in [RealmID.open, RealmID(fixed32(9))] {
                let invitation = try Self.invitation(name, realm)
                #expect(invitation.line.utf8.count <= GroupInvitation.limitBytes)
                #expect(try GroupInvitation("  \(invitation.line)\n") == invitation)
            }
        }
    }

    @Test("is refused when it was cut, changed, or is another's")
    func refusals() throws {
        let line = try Self.invitation("ops", .open).line
        for index in line.indices {
            #expect(throws: InvitationError.self) { try GroupInvitation(String(line[..<index])) }
            var changed = line
            changed.replaceSubrange(index...index, with: line[index] == "a" ? "b" : "a")
            #expect(throws: InvitationError.self, "at \(index)") { try GroupInvitation(changed) }
        }
        #expect(throws: InvitationError.notAnInvitation(GroupInvitation.prefix)) {
            try GroupInvitation("stoa:room?name=ops&realm=open")
        }
        #expect(throws: InvitationError.notAnInvitation(RoomInvitation.prefix)) {
            try RoomInvitation(line)
        }
        #expect(throws: InvitationError.missing("link")) {
            try GroupInvitation(
                "stoa:group?name=ops&realm=open&group=\(Base32.encode(fixed32(1).bytes))")
        }
    }

    @Test("shows no secret where it is written into a log")
    func description() throws {
        let invitation = try Self.invitation("ops", .open)
        #expect("\(invitation)" == "link to group ops")
        #expect(!"\(EpochKey(id: fixed32(1), key: fixed32(3)))".contains("0303"))
    }
}
