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
    /// The longest line has a name of 64 bytes in 192, 2 texts of 52 and what stands between.
    package static let limitBytes = 512
    /// What stands for the id of the open realm.
    private static let openRealm = "open"

    /// The line, without a newline.
    package var line: String {
        var line = InvitationLine(Self.prefix)
        line.add("name", Self.escaped(self.room.name.text))
        let isOpen = self.room.realm == .open
        line.add("realm", isOpen ? Self.openRealm : self.room.realm.description)
        line.add("suite", self.room.suite.name)
        line.add("root", self.room.root)
        return line.checked
    }

    /// Reads a line; spaces and newlines around it do not matter.
    ///
    /// Throws what is wrong with it; the root is never part of that.
    package init(_ text: String) throws(InvitationError) {
        var parts = try InvitationParts(of: text, behind: Self.prefix, limit: Self.limitBytes)
        let escaped = try parts.take("name")
        guard let plain = Self.unescaped(escaped), let name = RoomName(plain),
            Self.escaped(plain) == escaped
        else { throw .value("name") }
        let realm: RealmID
        let open = parts.value == Self.openRealm
        if open {
            _ = try parts.take("realm")
            realm = .open
        } else {
            realm = RealmID(try parts.bytes("realm"))
            guard realm != .open else { throw .value("realm") }
        }
        guard let suite = ConversationKey.Suite(named: try parts.take("suite")) else {
            throw .value("suite")
        }
        let root = try parts.bytes("root")
        try parts.end()
        self.room = SecretRoom(realm: realm, name: name, suite: suite, root: root)
    }

    private static func escaped(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return text
    }

    private static func unescaped(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
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
