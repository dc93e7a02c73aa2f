internal import Crypto

/// The line by which a realm is handed on, and kept in its file.
///
///     stoa:realm?name=office&id=ID&secret=SECRET&check=CHECK
///     stoa:realm?name=office&id=ID&secret=SECRET&previous=SECRET&until=MILLISECONDS&check=CHECK
///
/// Ids and secrets are base32; a name is escaped as in ``RoomInvitation``. There is one line for a realm: the order of the parts is this.
/// `Docs/Data.md`.
package struct RealmInvitation: Hashable, Sendable {
    /// The realm, under the name that it has where the line was made.
    package var realm: Realm

    /// Invites to a realm.
    package init(_ realm: Realm) { self.realm = realm }

    /// What every line begins with.
    package static let prefix = "stoa:realm?"
    /// The longest line has 128 bytes of name in 384, 3 texts of 52, a number of 20 and what stands between.
    package static let limitBytes = 1_024

    /// The line, without a newline.
    package var line: String {
        var line = InvitationLine(Self.prefix)
        line.add("name", escaping: self.realm.name.text)
        line.add("id", self.realm.id.description)
        line.add("secret", self.realm.secret)
        if let previous = self.realm.previous {
            line.add("previous", previous.secret)
            line.add("until", "\(previous.until)")
        }
        return line.checked
    }

    /// Reads a line; spaces and newlines around it do not matter.
    ///
    /// Throws what is wrong with it; secrets are never part of that.
    package init(_ text: String) throws(InvitationError) {
        var parts = try InvitationParts(of: text, behind: Self.prefix, limit: Self.limitBytes)
        guard let name = RealmName(try parts.text("name")), name != .open else {
            throw .value("name")
        }
        let id = try parts.bytes("id")
        let secret = try parts.bytes("secret")
        var previous: Realm.Previous?
        if parts.next == "previous" {
            let bytes = try parts.bytes("previous")
            let until = try parts.take("until")
            guard let number = UInt64(until), "\(number)" == until else { throw .value("until") }
            previous = Realm.Previous(secret: bytes, until: number)
        }
        guard id != .zero else { throw .value("id") }
        guard secret != .zero, previous?.secret != .zero, previous?.secret != secret else {
            throw .value("secret")
        }
        try parts.end()
        self.realm = Realm(id: RealmID(id), name: name, secret: secret, previous: previous)
    }
}
