package import Formats

/// The realms that a node is in, and how their rooms are written: `ops` in the default realm,
/// `office/ops` in another.
package struct Realms: Hashable, Sendable {
    /// The realms with a secret, by name.
    package private(set) var secret: [Realm]
    /// Whether the node is in the open realm, too.
    package var isInOpen: Bool
    /// The realm of a room whose name stands alone.
    package var defaultName: RealmName
    /// What realms were called that were left: the history of their rooms stays.
    package var left: [RealmID: RealmName]
    /// Those that an administrator installed, which the user cannot change.
    package var installed: Set<RealmID>

    /// A node that is in these realms.
    package init(
        _ secret: [Realm] = [], isInOpen: Bool = true, defaultName: RealmName = .open,
        left: [RealmID: RealmName] = [:], installed: Set<RealmID> = []
    ) {
        self.secret = secret.sorted { $0.name < $1.name }
        self.isInOpen = isInOpen
        self.defaultName = defaultName
        self.left = left
        self.installed = installed
    }

    // MARK: Secrets

    /// All secrets that count at a moment of the wall clock: of each realm the newest first, those of
    /// the default realm before others, that of the open realm last.
    package func secrets(at wall: UInt64) -> [RealmSecret] {
        let first = self.secret.filter { $0.name == self.defaultName }
        let others = self.secret.filter { $0.name != self.defaultName }
        return (first + others).flatMap { $0.secrets(at: wall) } + (self.isInOpen ? [.open] : [])
    }

    /// When the next earlier secret ends, wall-clock milliseconds; nil where none is left.
    func nextEnd(after wall: UInt64) -> UInt64? {
        self.secret.compactMap { $0.previous?.until }.filter { $0 > wall }.min()
    }

    /// Whether the node is in a realm.
    package func contains(_ id: RealmID) -> Bool {
        id == .open ? self.isInOpen : self.secret.contains { $0.id == id }
    }

    /// The realm with a secret of that name; nil where the node is in none.
    package func realm(named name: RealmName) -> Realm? { self.secret.first { $0.name == name } }

    /// The realm with that id and a secret; nil where the node is not in it.
    package func realm(_ id: RealmID) -> Realm? { self.secret.first { $0.id == id } }

    /// What subscribers are told of how these realms differ from those before them.
    func notices(since earlier: Realms, at wall: UInt64) -> [Notice] {
        let known = (earlier.secret + self.secret).map(\.id) + [.open]
        var events: [Notice.Event] = []
        for id in Set(known).sorted() {
            switch (earlier.contains(id), self.contains(id)) {
            case (false, true): events.append(.realmJoined(id))
            case (true, false): events.append(.realmLeft(id))
            case (true, true) where earlier.realm(id)?.secret != self.realm(id)?.secret:
                events.append(.realmRenewed(id))
            case (true, true), (false, false): break
            }
        }
        return events.map { Notice($0, at: wall) }
    }

    // MARK: Names

    /// What a realm is called here; the first eight characters of its id where it has no name.
    package func name(of id: RealmID) -> String {
        if id == .open { return RealmName.open.text }
        if let realm = self.realm(id) { return realm.name.text }
        // A realm that was joined since may bear the name of one that was left.
        if let name = self.left[id], self.realm(named: name) == nil { return name.text }
        return String(id.description.prefix(8))
    }

    /// How a room is written.
    package func text(of room: Room) -> String {
        let realm = self.name(of: room.realm)
        let isDefault = RealmName(realm) == self.defaultName
        return isDefault ? room.name.text : "\(realm)/\(room.name.text)"
    }

    /// The room that a person means by `ops`, `office/ops` or `open/ops`.
    ///
    /// Also one of a realm that was left. Throws ``NameError`` where it cannot be the name of a room,
    /// or names a realm that is not known.
    package func room(typed text: String) throws(NameError) -> Room {
        let slash = text.utf8.firstIndex(of: UInt8(ascii: "/"))
        let word = slash.map { text[text.utf8.index(after: $0)...] } ?? text[...]
        guard let name = RoomName(typed: String(word)) else { throw .malformed(text) }
        guard let slash else { return Room(name, in: try self.id(of: self.defaultName)) }
        guard let realm = RealmName(typed: String(text[..<slash])) else { throw .malformed(text) }
        return Room(name, in: try self.id(of: realm))
    }

    private func id(of name: RealmName) throws(NameError) -> RealmID {
        if name == .open { return .open }
        if let realm = self.realm(named: name) { return realm.id }
        let left = self.left.filter { $0.value == name }.keys.min()
        guard let left else { throw .unknownRealm(name.text) }
        return left
    }
}
