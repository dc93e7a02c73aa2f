/// One room in the result of `rooms`.
public struct RoomResult: Equatable, Sendable {
    /// The conversation's id.
    public var id: String
    /// The room's name.
    public var name: String
    /// Whether this node is a member.
    public var joined: Bool
    /// How many members are known here.
    public var members: Int
    /// The linked peers that say they are in it.
    public var announcedBy: [String]

    /// Makes a room.
    public init(id: String, name: String, joined: Bool, members: Int, announcedBy: [String]) {
        self.id = id
        self.name = name
        self.joined = joined
        self.members = members
        self.announcedBy = announcedBy
    }

    /// The room as JSON.
    public var json: JSON {
        [
            "id": .string(self.id), "name": .string(self.name), "joined": .bool(self.joined),
            "members": .integer(Int64(self.members)), "announcedBy": .strings(self.announcedBy),
        ]
    }
}
