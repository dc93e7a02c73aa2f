internal import Crypto
internal import Formats

/// The open rooms that a peer says it is in.
///
/// Of those that this node is not in, which cost the peer nothing to invent, so many are remembered by
/// name and listed as the peer is trusted; of the others no more than it takes to know them again.
struct LinkRooms: Sendable {
    /// The rooms that are remembered by name.
    private(set) var named: [ConversationID: Room] = [:]
    /// Those of them that this node was not in when they came.
    private var foreign: Set<ConversationID> = []
    /// The others by realm and by a part of their ids: whoever finds a second room for a part could as
    /// well have announced that one.
    private var unnamed: [RealmID: Set<UInt64>] = [:]
    /// Rooms that were shared and that the peer has left since the link was looked at.
    private var left: Set<ConversationID> = []
    /// How often it has come back into one of these.
    private var returns = 0

    /// How many there are.
    var count: Int { self.unnamed.values.reduce(self.named.count) { $0 + $1.count } }

    /// Whether the peer has announced a room.
    func contains(_ id: ConversationID) -> Bool {
        let part = Self.part(of: id)
        return self.named[id] != nil || self.unnamed.values.contains { $0.contains(part) }
    }

    /// Takes an announcement; false where it is none, or not taken.
    ///
    /// - Parameters:
    ///   - isOwn: whether this node is in the room.
    ///   - limit: how many rooms that it is not in are remembered by name.
    @discardableResult
    mutating func add(_ room: Room, isOwn: Bool, limit: Int) -> Bool {
        let id = room.conversation
        guard !self.contains(id), self.count < Limits.roomsPerPeer else { return false }
        if isOwn {
            self.named[id] = room
        } else if self.foreign.count < limit {
            self.named[id] = room
            self.foreign.insert(id)
        } else {
            self.unnamed[room.realm, default: []].insert(Self.part(of: id))
        }
        return true
    }

    /// The peer has left a room; false where it never said that it was in it.
    mutating func remove(_ id: ConversationID) -> Bool {
        self.foreign.remove(id)
        guard self.named.removeValue(forKey: id) == nil else { return true }
        for realm in self.unnamed.keys {
            if self.unnamed[realm]?.remove(Self.part(of: id)) != nil { return true }
        }
        return false
    }

    /// Notes that the peer has left a room that was shared.
    mutating func noteLeft(_ id: ConversationID) { self.left.insert(id) }

    /// Notes that the peer comes into a room; false where it comes back too often.
    mutating func isInTime(_ id: ConversationID) -> Bool {
        if self.left.contains(id) { self.returns += 1 }
        return self.returns <= Limits.roomReturnsPerPing
    }

    /// Lets the peer come back as often again.
    mutating func pinged() {
        self.returns = 0
        self.left = []
    }

    /// Forgets all rooms of a realm that is common no longer.
    mutating func end(_ realm: RealmID) {
        self.named = self.named.filter { $0.value.realm != realm }
        self.foreign.formIntersection(self.named.keys)
        self.unnamed[realm] = nil
    }

    private static func part(of id: ConversationID) -> UInt64 {
        id.hash.withBytes { $0.unsafeLoadUnaligned(as: UInt64.self) }
    }
}
