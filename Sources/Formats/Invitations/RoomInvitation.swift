internal import Crypto

/// The line by which a secret room is handed on: whoever has it, and is in the realm, is in the room.
///
///     stoa:room?name=war-room&realm=open&suite=xchacha20-poly1305&root=ROOT&check=CHECK
///     stoa:room?name=war-room&realm=ID&suite=aes-256-gcm&root=ROOT&check=CHECK
///
/// The id of the realm and the root are base32; of the name all bytes but letters and digits of ASCII and
/// `-_.` are written as `%C3`. There is one line for a room: the order of the parts is this.
/// `Docs/Data.md`.
package struct RoomInvitation: Hashable, Sendable {
    package var room: SecretRoom

    /// Invites to a room.
    package init(_ room: SecretRoom) { self.room = room }

    /// What every line begins with.
    package static let prefix = "stoa:room?"
    /// The longest line has a name of 255 bytes in 765, 2 texts of 52 and what stands between.
    package static let limitBytes = 1_024

    /// The line, without a newline.
    package var line: String {
        var line = InvitationLine(Self.prefix)
        line.add("name", escaping: self.room.name.text)
        line.add(self.room.realm)
        line.add("suite", self.room.suite.name)
        line.add("root", self.room.root)
        return line.checked
    }

    /// Reads a line; spaces and newlines around it do not matter.
    ///
    /// Throws what is wrong with it; the root is never part of that.
    package init(_ text: String) throws(InvitationError) {
        var parts = try InvitationParts(of: text, behind: Self.prefix, limit: Self.limitBytes)
        guard let name = RoomName(try parts.text("name")) else { throw .value("name") }
        let realm = try parts.realm()
        guard let suite = ConversationKey.Suite(named: try parts.take("suite")) else {
            throw .value("suite")
        }
        let root = try parts.bytes("root")
        try parts.end()
        self.room = SecretRoom(realm: realm, name: name, suite: suite, root: root)
    }
}

extension ConversationKey.Suite {
    /// How people write it.
    package var name: String {
        switch self {
        case .xchacha20Poly1305: "xchacha20-poly1305"
        case .aes256GCM: "aes-256-gcm"
        }
    }

    /// The suite of a name; nil where there is none.
    package init?(named name: String) {
        guard let suite = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = suite
    }
}
