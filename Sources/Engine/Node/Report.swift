/// What a person should look at, until it is over.
public struct Alert: Hashable, Sendable {
    /// What is wrong.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The own clock differs by more than a minute from those of most linked people.
        case clock
        /// The own key runs in another daemon, too.
        case identityInUse
        /// Peers turn this daemon away because its key runs in another one: nothing reaches them.
        case shutOut
        /// The store cannot be written.
        case storage
        /// The store was gone when the daemon started, and a new one was begun.
        case storeLost
        /// Something in the store is not what was written.
        case damage
        /// Copies of files are not what was stored.
        case fileDamage
        /// Others hold what was written here, since it is ahead of time by their clocks.
        case held
        /// An author has signed two histories.
        case fork
        /// The own history went on under a new incarnation.
        case newIncarnation
        /// Somebody with another key has the name of somebody whom the user knows, or one that looks so.
        case namesake
        /// Another device of the own person is linked, or writes, for the first time.
        case otherDevice
        /// A conversation has as many logs as are kept: some of strangers are not.
        case crowded
        /// Most others have no room for what the user writes.
        case refused
        /// Strangers, or fellows, have written as much as is kept of them: their largest logs are not.
        case diskShare
        /// Somebody whom the user knows was linked and is gone without a goodbye, for a while.
        case missing
        /// More is announced than can be tried, though links are missing.
        case announcements
    }

    /// What is wrong.
    public var code: Code
    /// What happened and what to do, in a sentence or two.
    public var text: String
    /// Since when, wall-clock milliseconds.
    public var since: UInt64

    /// Makes an alert.
    public init(code: Code, text: String, since: UInt64) {
        self.code = code
        self.text = text
        self.since = since
    }
}

/// A peer or stranger that was turned away, or that turned us away.
public struct Refusal: Hashable, Sendable {
    /// When last, wall-clock milliseconds.
    public var time: UInt64
    /// At which address.
    public var address: String?
    /// Which key, where it was proven.
    public var peer: PeerID?
    /// Why.
    public var reason: String
    /// How often since the first time.
    public var count: Int
    /// Counts all refusals of this start; the last one that this stands for.
    public var number: UInt64
}

/// The node as a whole.
public struct NodeStatus: Hashable, Sendable {
    /// The own key.
    public var id: PeerID
    /// Whose device this node is.
    public var person: PersonID
    /// The own name.
    public var name: String
    /// The number of linked peers.
    public var links: Int
    /// The number of joined conversations.
    public var conversations: Int
    /// How many people have written who wait to be accepted.
    public var requests: Int
    /// How many more were turned away for want of room since the start.
    public var requestsTurnedAway: Int
    /// Entries that are ahead of time.
    public var held: Int
    /// The incarnation of own logs.
    public var incarnation: UInt64
    /// How far the clocks of most linked people are ahead of the own one, in milliseconds.
    public var clockOffsetMilliseconds: Int64
    /// Whether peers turn this daemon away because its key runs in another one, so that what is sent
    /// here does not reach them.
    public var isShutOut: Bool
    /// What a person should look at.
    public var alerts: [Alert]
}

/// A peer, as `peers` lists it.
public struct PeerStatus: Hashable, Sendable {
    /// How things stand.
    public enum State: String, Hashable, Sendable {
        /// A link is open.
        case linked
        /// A dial is under way.
        case connecting
        /// There is no link.
        case away
        /// The peer was turned away or turned us away.
        case refused
    }

    /// Where the peer was learnt from.
    public enum Source: String, Hashable, Sendable {
        /// Discovery saw it.
        case discovery
        /// The configuration or `connect` names it.
        case `static`
        /// It was linked before.
        case remembered
        /// It dialled this node.
        case incoming
    }

    /// The key.
    public var id: PeerID
    /// Whose device it is; nil while that is not known here.
    public var person: PersonID?
    /// Its name and status; the name is empty where none is known.
    public var profile: Profile
    /// How things stand.
    public var state: State
    /// What they tell of themselves; nil for nothing, and where there is no link.
    public var presence: Presence?
    /// Addresses, the one in use first.
    public var addresses: [String]
    /// When something was last heard of it, wall-clock milliseconds; nil for never.
    public var lastSeen: UInt64?
    /// Where the peer was learnt from.
    public var source: Source
    /// The last round trip of a ping, in milliseconds.
    public var roundTripMilliseconds: UInt64?
    /// How far the peer's clock is from the own one, in milliseconds.
    public var clockOffsetMilliseconds: Int64?
    /// How dials have failed since the last link; nil where none has.
    public var failedDial: FailedDial?
}

/// Something that is dialled: an address, or several of one host, as `peers` lists it.
public struct TargetStatus: Hashable, Sendable {
    /// How things stand.
    public enum State: String, Hashable, Sendable {
        /// Its peer is linked.
        case linked
        /// A dial is under way.
        case connecting
        /// It will be dialled again.
        case waiting
        /// It is this node itself.
        case ownAddress
    }

    /// What it is told from others of its source by: an address, the name of a service, or a key.
    public var name: String
    /// Addresses: numeric `HOST:PORT`.
    public var addresses: [String]
    /// Where it was learnt from.
    public var source: PeerStatus.Source
    /// Who answered last, or is the only one that may answer; nil where neither is known.
    public var peer: PeerID?
    /// How things stand.
    public var state: State
    /// How dials have failed since the last link; nil where none has.
    public var failedDial: FailedDial?
}

/// A room, as `rooms` lists it.
public struct RoomStatus: Hashable, Sendable {
    /// Its id.
    public var id: ConversationID
    /// Its realm and name.
    public var room: Room
    /// Whether the user is in it.
    public var isJoined: Bool
    /// Whether the node is in its realm; otherwise only its history is here.
    public var isReachable: Bool
    /// How many are in it, as far as known here.
    public var members: Int
    /// Linked peers that say they are in it.
    public var announcedBy: [PeerID]
}

/// A conversation, as `conversations` lists it; the store adds unread and the last message.
public struct ConversationStatus: Hashable, Sendable {
    /// Its id.
    public var id: ConversationID
    /// What it is.
    public var kind: ConversationKind
    /// Who is in it: who has joined, and linked peers that say they are in it.
    public var members: [PeerID]
    /// Whether the node is in its realm; otherwise only its history is here.
    public var isReachable: Bool
    /// What the user has said of it in their list.
    public var arrangement: Arrangement
    /// How much of it is kept here.
    public var retention: Retention
    /// Whether a linked peer in it has not yet told what it has, or has more than this node: there may
    /// be more members and messages.
    public var isLearning: Bool
}

/// What a person is named for, which says among whom the name is looked for.
public enum NamePurpose: Hashable, Sendable {
    /// To see something of them: everybody, those who are trusted most before others.
    case look
    /// To write to them, to trust them, or to act on what they say: people the user knows, and those of
    /// conversations of two that have begun.
    case reach
    /// To answer their request: those who wait.
    case waiting
    /// To unblock them: those who are blocked.
    case blocked
}

/// Why a name does not say who or what is meant.
public enum NameError: Error, Hashable, Sendable {
    /// Nobody and nothing bears the name.
    case notFound(String)
    /// Several do.
    case ambiguous(String, candidates: [PeerID])
    /// Only people do whom the user neither knows nor writes with: they are reached by key.
    case stranger(String, candidates: [PeerID])
    /// Only the user does.
    case own(String)
    /// The text cannot be a name.
    case malformed(String)
    /// A key prefix is too short to be safe.
    case tooShort(String)
    /// The node neither is nor was in a realm of that name.
    case unknownRealm(String)
    /// An open and a secret room, or several secret ones, have the name.
    case severalRooms(String, [NamedConversation])
}

/// A conversation, and how it is written.
public struct NamedConversation: Hashable, Sendable {
    /// Its id.
    public var id: ConversationID
    /// How it is written.
    public var name: String
}

/// What a node is told once, when it starts.
public struct NodeConfiguration: Sendable {
    /// The name that others see, unless the profile on disk says another.
    public var name: String
    /// Static peers: numeric `HOST:PORT`, with a pinned key or without.
    public var staticPeers: [StaticPeer]
    /// The moment the software was built, wall-clock milliseconds: *now* is never before it.
    public var buildTime: UInt64
    /// The realms that it is in at the start.
    public var realms: Realms
    /// Whether there is discovery, which is to be told how to look for peers.
    public var discovers: Bool
    /// What the user wants of it, which may change while it runs.
    public var preferences: NodePreferences
    /// How many logs a conversation may have.
    public var logBounds = LogBounds()
    /// How much records may take of those whom the user does not know.
    public var recordBounds = RecordBounds()
    /// How much of the disk those may have whom the user has not chosen.
    public var diskBounds: DiskBounds
    /// How many links there may be.
    public var linkBudget = LinkBudget()

    /// Describes a configuration.
    public init(
        name: String, staticPeers: [StaticPeer], buildTime: UInt64, realms: Realms = Realms(),
        discovers: Bool = true, preferences: NodePreferences = NodePreferences(),
        diskBounds: DiskBounds = DiskBounds()
    ) {
        self.name = name
        self.staticPeers = staticPeers
        self.buildTime = buildTime
        self.realms = realms
        self.discovers = discovers
        self.preferences = preferences
        self.diskBounds = diskBounds
    }
}

/// What a user wants of a node, and may change while it runs.
public struct NodePreferences: Hashable, Sendable {
    /// Who may start direct conversations without being accepted.
    public var directFrom: DirectPolicy
    /// Whether others are told what the user has read.
    public var tellsReads: Bool
    /// Files of at most so many bytes are fetched by themselves.
    public var autoFetchBytes: UInt64
    /// Whether others are told whether the user is there.
    public var tellsPresence: Bool
    /// Whether others are told in which conversation the user writes.
    public var tellsTyping: Bool

    /// Describes what is wanted.
    public init(
        directFrom: DirectPolicy = .known, tellsReads: Bool = true, autoFetchBytes: UInt64 = 0,
        tellsPresence: Bool = true, tellsTyping: Bool = true
    ) {
        self.directFrom = directFrom
        self.tellsReads = tellsReads
        self.autoFetchBytes = autoFetchBytes
        self.tellsPresence = tellsPresence
        self.tellsTyping = tellsTyping
    }
}

/// A peer that the configuration names.
public struct StaticPeer: Hashable, Sendable {
    /// Where it is: numeric `HOST:PORT`.
    public var address: String
    /// The only key that may answer there; nil for any.
    public var key: PeerID?

    /// Describes a static peer.
    public init(address: String, key: PeerID?) {
        self.address = address
        self.key = key
    }
}
