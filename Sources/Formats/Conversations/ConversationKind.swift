/// What a conversation is, and so who may be in it.
package enum ConversationKind: Hashable, Sendable {
    /// An open room: whoever is in its realm may join it.
    case room(Room)
    /// Two people, or one person's notes.
    case direct(DirectConversation)
    /// Whoever has its key, in its realm.
    case secret(SecretRoom)
    /// Whom its admins bring in. Indirect: a kind as large as a group would be copied by an allocation.
    indirect case group(Group)

    package var id: ConversationID {
        switch self {
        case .room(let room): room.conversation
        case .direct(let direct): direct.id
        case .secret(let room): room.id
        case .group(let group): group.id
        }
    }

    /// The open room that it is; nil where it is none.
    package var room: Room? {
        if case .room(let room) = self { room } else { nil }
    }

    /// The direct conversation that it is; nil where it is none.
    package var direct: DirectConversation? {
        if case .direct(let direct) = self { direct } else { nil }
    }

    /// The secret room that it is; nil where it is none.
    package var secretRoom: SecretRoom? {
        if case .secret(let room) = self { room } else { nil }
    }

    /// The group that it is; nil where it is none.
    package var group: Group? {
        if case .group(let group) = self { group } else { nil }
    }

    /// Whether entries of people say that they come and go: not where two people, or acts, decide who is in it.
    package var hasJoins: Bool {
        switch self {
        case .room, .secret: true
        case .direct, .group: false
        }
    }

    /// The realm that it belongs to; nil for two people, who may meet in any.
    package var realm: RealmID? {
        switch self {
        case .room(let room): room.realm
        case .direct: nil
        case .secret(let room): room.realm
        case .group(let group): group.realm
        }
    }

    /// How the keys of it that come and go seal; nil where none do.
    package var epochSuite: ConversationKey.Suite? {
        switch self {
        case .room, .secret: nil
        case .direct: .xchacha20Poly1305
        case .group(let group): group.suite
        }
    }

    /// What its entries are sealed with; nil in open rooms, where they are not, in groups, whose keys come and go, and
    /// where this machine cannot do what its suite needs.
    package var key: ConversationKey? {
        switch self {
        case .room, .group: nil
        case .direct(let direct): direct.key
        case .secret(let room): room.key
        }
    }
}

/// A conversation of the user, and whether the user is in it.
package struct ConversationMembership: Hashable, Sendable {
    package var kind: ConversationKind
    /// Whether the user is in it.
    package var isJoined: Bool

    package init(_ kind: ConversationKind, isJoined: Bool) {
        self.kind = kind
        self.isJoined = isJoined
    }

    /// The open room that it is; nil where it is none.
    package var room: Room? { self.kind.room }
}
