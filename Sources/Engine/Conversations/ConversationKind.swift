/// What a conversation is, and so who may be in it.
public enum ConversationKind: Hashable, Sendable {
    /// An open room: whoever is in its realm may join it.
    case room(Room)
    /// Two people, or one person's notes.
    case direct(DirectConversation)
    /// Whoever has its key, in its realm.
    case secret(SecretRoom)

    /// The conversation's id.
    public var id: ConversationID {
        switch self {
        case .room(let room): room.conversation
        case .direct(let direct): direct.id
        case .secret(let room): room.id
        }
    }

    /// The open room that it is; nil where it is none.
    public var room: Room? {
        if case .room(let room) = self { room } else { nil }
    }

    /// The direct conversation that it is; nil where it is none.
    public var direct: DirectConversation? {
        if case .direct(let direct) = self { direct } else { nil }
    }

    /// The secret room that it is; nil where it is none.
    public var secretRoom: SecretRoom? {
        if case .secret(let room) = self { room } else { nil }
    }

    /// The realm that it belongs to; nil for two people, who may meet in any.
    public var realm: RealmID? {
        switch self {
        case .room(let room): room.realm
        case .direct: nil
        case .secret(let room): room.realm
        }
    }

    /// What its entries are sealed with; nil in open rooms, where they are not, and where this machine
    /// cannot do what its suite needs.
    public var key: ConversationKey? {
        switch self {
        case .room: nil
        case .direct(let direct): direct.key
        case .secret(let room): room.key
        }
    }
}

/// A conversation of the user, and whether the user is in it.
public struct ConversationMembership: Hashable, Sendable {
    /// What it is.
    public var kind: ConversationKind
    /// Whether the user is in it.
    public var isJoined: Bool

    /// Creates a membership.
    public init(_ kind: ConversationKind, isJoined: Bool) {
        self.kind = kind
        self.isJoined = isJoined
    }

    /// The open room that it is; nil where it is none.
    public var room: Room? { self.kind.room }
}
