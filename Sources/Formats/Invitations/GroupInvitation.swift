package import Crypto

/// The line of a group's link: whoever has it, and is in the realm, may come, with no admin online.
///
///     stoa:group?name=ops&realm=open&group=ID&link=ID&key=SEED&check=CHECK
///
/// Ids and the seed of the link's key L are base32; a realm and a name are written as in ``RoomInvitation``. `Docs/Data.md`.
package struct GroupInvitation: Hashable, Sendable {
    /// What the group was called when it was founded: a label, until the founding is here.
    package var name: RoomName
    package var realm: RealmID
    package var group: ConversationID
    /// The act that made the link.
    package var link: ActID
    /// The seed of the key L, which signs a join.
    package var seed: Bytes32

    package init(
        name: RoomName, realm: RealmID, group: ConversationID, link: ActID, seed: Bytes32
    ) {
        self.name = name
        self.realm = realm
        self.group = group
        self.link = link
        self.seed = seed
    }

    /// What every line begins with.
    package static let prefix = "stoa:group?"
    /// The longest line has a name of 255 bytes in 765, 4 texts of 52 and what stands between.
    package static let limitBytes = 1_088

    /// The line, without a newline.
    package var line: String {
        var line = InvitationLine(Self.prefix)
        line.add("name", escaping: self.name.text)
        line.add(self.realm)
        line.add("group", self.group.hash)
        line.add("link", self.link.hash)
        line.add("key", self.seed)
        return line.checked
    }

    /// Reads a line; spaces and newlines around it do not matter.
    ///
    /// Throws what is wrong with it; the seed is never part of that.
    package init(_ text: String) throws(InvitationError) {
        var parts = try InvitationParts(of: text, behind: Self.prefix, limit: Self.limitBytes)
        guard let name = RoomName(try parts.text("name")) else { throw .value("name") }
        let realm = try parts.realm()
        let group = ConversationID(try parts.bytes("group"))
        let link = ActID(try parts.bytes("link"))
        let seed = try parts.bytes("key")
        try parts.end()
        self.init(name: name, realm: realm, group: group, link: link, seed: seed)
    }
}

extension GroupInvitation: CustomStringConvertible {
    /// Its name; the seed is never shown.
    package var description: String { "link to group \(self.name.text)" }
}

/// The realm of a room or a group, in its line.
extension InvitationLine {
    /// What stands for the id of the open realm.
    fileprivate static let openRealm = "open"

    mutating func add(_ realm: RealmID) {
        self.add("realm", realm == .open ? Self.openRealm : realm.description)
    }
}

extension InvitationParts {
    mutating func realm() throws(InvitationError) -> RealmID {
        if self.value == InvitationLine.openRealm {
            _ = try self.take("realm")
            return .open
        }
        let realm = RealmID(try self.bytes("realm"))
        guard realm != .open else { throw .value("realm") }
        return realm
    }
}
