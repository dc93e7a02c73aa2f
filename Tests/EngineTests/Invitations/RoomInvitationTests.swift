import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("The line that invites to a secret room") struct RoomInvitationTests {
    private static func room(
        _ name: String, in realm: RealmID = .open, _ suite: ConversationKey.Suite = .aes256GCM
    ) throws -> SecretRoom {
        SecretRoom(
            realm: realm, name: try #require(RoomName(name)), suite: suite, root: fixed32(7))
    }

    @Test("says the same room again, whatever its name, its realm and how it is sealed")
    func again() throws {
        for name in ["war-room", "büro", "東京", "x.1_2", "می\u{200c}خواهم"] {
            for realm in [RealmID.open, RealmID(fixed32(3))] {
                for suite in ConversationKey.Suite.allCases {
                    let room = try Self.room(name, in: realm, suite)
                    let line = RoomInvitation(room).line
                    #expect(try RoomInvitation(" \(line)\r\n").room == room)
                    #expect(line.utf8.allSatisfy { $0 < 0x80 && $0 > 0x20 })
                    #expect(line.utf8.count <= RoomInvitation.limitBytes)
                }
            }
        }
        let longest = try Self.room(
            String(repeating: "क", count: 64), in: RealmID(fixed32(3)), .xchacha20Poly1305)
        #expect(RoomInvitation(longest).line.utf8.count <= RoomInvitation.limitBytes)
    }

    @Test(
        "of which a character was changed, or that was cut, is refused, and no part of its root told"
    )
    func changed() throws {
        let line = Array(RoomInvitation(try Self.room("büro")).line)
        let root = String(Base32.encode(fixed32(7).bytes).prefix(8))
        for index in line.indices {
            for other: Character in ["a", "2", "=", "&", "%", " "] where other != line[index] {
                var changed = line
                changed[index] = other
                do {
                    let room = try RoomInvitation(String(changed)).room
                    Issue.record("\(String(changed)) is taken for \(room)")
                } catch { #expect(!"\(error)".contains(root)) }
            }
            #expect(throws: InvitationError.self) {
                try RoomInvitation(String(line[..<index]))
            }
        }
        #expect(throws: InvitationError.notAnInvitation(RoomInvitation.prefix)) {
            try RoomInvitation("stoa:realm?name=office")
        }
        #expect(throws: InvitationError.value("suite")) {
            try RoomInvitation(String(line).replacing("aes-256-gcm", with: "rot13"))
        }
    }
}
