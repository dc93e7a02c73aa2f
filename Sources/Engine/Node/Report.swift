package import Formats

/// What a person should look at, until it is over.
package struct Alert: Hashable, Sendable {
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The own clock differs by more than a minute from those of most linked people.
        case clock
        /// The own clock says a time that has certainly passed.
        case wrongClock
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
        /// What is written does not reach other sites, or the servers between them drop it.
        case sites
    }

    package var code: Code
    /// What happened and what to do, in a sentence or two.
    package var text: String
    /// Since when, wall-clock milliseconds.
    package var since: UInt64

    package init(code: Code, text: String, since: UInt64) {
        self.code = code
        self.text = text
        self.since = since
    }
}

/// A peer or stranger that was turned away, or that turned us away.
package struct Refusal: Hashable, Sendable {
    /// When last, wall-clock milliseconds.
    package var time: UInt64
    package var address: String?
    /// Which key, where it was proven.
    package var peer: PeerID?
    package var reason: String
    /// How often since the first time.
    package var count: Int
    /// Counts all refusals of this start; the last one that this stands for.
    package var number: UInt64
}

/// The node as a whole.
package struct NodeStatus: Hashable, Sendable {
    /// The own key.
    package var id: PeerID
    /// Whose device this node is.
    package var person: PersonID
    package var name: String
    /// The number of linked peers.
    package var links: Int
    /// The number of joined conversations.
    package var conversations: Int
    /// How many people have written who wait to be accepted.
    package var requests: Int
    /// How many more were turned away for want of room since the start.
    package var requestsTurnedAway: Int
    /// Entries that are ahead of time.
    package var held: Int
    /// The incarnation of own logs.
    package var incarnation: UInt64
    /// How far the clocks of most linked people are ahead of the own one, in milliseconds.
    package var clockOffsetMilliseconds: Int64
    /// Whether peers turn this daemon away because its key runs in another one, so that what is sent
    /// here does not reach them.
    package var isShutOut: Bool
    /// What a person should look at.
    package var alerts: [Alert]
}

/// A peer, as `peers` lists it.
package struct PeerStatus: Hashable, Sendable {
    package enum State: String, Hashable, Sendable {
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
    package enum Source: String, Hashable, Sendable {
        /// Discovery saw it.
        case discovery
        /// The configuration or `connect` names it.
        case `static`
        /// It was linked before.
        case remembered
        /// It dialled this node.
        case incoming
        /// Its own record says where it is, which a member of a common realm has passed on.
        case record
    }

    package var id: PeerID
    /// Whose device it is; nil while that is not known here.
    package var person: PersonID?
    /// Its name and status; the name is empty where none is known.
    package var profile: Profile
    package var state: State
    /// What they tell of themselves; nil for nothing, and where there is no link.
    package var presence: Presence?
    /// Addresses, the one in use first.
    package var addresses: [String]
    /// When something was last heard of it, wall-clock milliseconds; nil for never.
    package var lastSeen: UInt64?
    /// Where the peer was learnt from.
    package var source: Source
    /// The last round trip of a ping, in milliseconds.
    package var roundTripMilliseconds: UInt64?
    /// How far the peer's clock is from the own one, in milliseconds.
    package var clockOffsetMilliseconds: Int64?
    /// How dials have failed since the last link; nil where none has.
    package var failedDial: FailedDial?
}

/// Something that is dialled: an address, or several of one host, as `peers` lists it.
package struct TargetStatus: Hashable, Sendable {
    package enum State: String, Hashable, Sendable {
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
    package var name: String
    /// Addresses: numeric `HOST:PORT`.
    package var addresses: [String]
    /// Where it was learnt from.
    package var source: PeerStatus.Source
    /// Who answered last, or is the only one that may answer; nil where neither is known.
    package var peer: PeerID?
    package var state: State
    /// How dials have failed since the last link; nil where none has.
    package var failedDial: FailedDial?
}

/// A room, as `rooms` lists it.
package struct RoomStatus: Hashable, Sendable {
    package var id: ConversationID
    /// Its realm and name.
    package var room: Room
    /// Whether the user is in it.
    package var isJoined: Bool
    /// Whether the node is in its realm; otherwise only its history is here.
    package var isReachable: Bool
    /// How many people are in it, as far as known here.
    package var members: Int
    /// Linked peers that say they are in it.
    package var announcedBy: [PeerID]
}

/// A conversation, as `conversations` lists it; the store adds unread and the last message.
package struct ConversationStatus: Hashable, Sendable {
    package var id: ConversationID
    package var kind: ConversationKind
    /// Devices in it: that have joined, and linked peers that say they are in it.
    package var members: [PeerID]
    /// How many people these are.
    package var people: Int
    /// Whether the node is in its realm; otherwise only its history is here.
    package var isReachable: Bool
    /// What the user has said of it in their list.
    package var arrangement: Arrangement
    /// How much of it is kept here.
    package var retention: Retention
    /// Whether a linked peer in it has not yet told what it has, or has more than this node: there may
    /// be more members and messages.
    package var isLearning: Bool
}

/// What a person is named for, which says among whom the name is looked for.
package enum NamePurpose: Hashable, Sendable {
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
package enum NameError: Error, Hashable, Sendable {
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
package struct NamedConversation: Hashable, Sendable {
    package var id: ConversationID
    /// How it is written.
    package var name: String
}

/// What a node is told once, when it starts.
package struct NodeConfiguration: Sendable {
    /// The name that others see, unless the profile on disk says another.
    package var name: String
    /// Static peers: numeric `HOST:PORT`, with a pinned key or without.
    package var staticPeers: [StaticPeer]
    /// The moment the software was built, wall-clock milliseconds: *now* is never before it.
    package var buildTime: UInt64
    /// The realms that it is in at the start.
    package var realms: Realms
    /// Whether there is discovery, which is to be told how to look for peers.
    package var discovers: Bool
    /// What the user wants of it, which may change while it runs.
    package var preferences: NodePreferences
    /// How many logs a conversation may have.
    package var logBounds = LogBounds()
    /// How much records may take of those whom the user does not know.
    package var recordBounds = RecordBounds()
    /// How much of the disk those may have whom the user has not chosen.
    package var diskBounds: DiskBounds
    /// How many links there may be.
    package var linkBudget = LinkBudget()

    package init(
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
package struct NodePreferences: Hashable, Sendable {
    /// Who may start direct conversations without being accepted.
    package var directFrom: DirectPolicy
    /// Whether others are told what the user has read.
    package var tellsReads: Bool
    /// Files of at most so many bytes are fetched by themselves.
    package var autoFetchBytes: UInt64
    /// Whether others are told whether the user is there.
    package var tellsPresence: Bool
    /// Whether others are told in which conversation the user writes.
    package var tellsTyping: Bool
    /// For how long data of durable streams is kept that not everybody has received.
    package var streamsKeepMilliseconds: UInt64

    package init(
        directFrom: DirectPolicy = .known, tellsReads: Bool = true, autoFetchBytes: UInt64 = 0,
        tellsPresence: Bool = true, tellsTyping: Bool = true,
        streamsKeepDays: UInt64 = Limits.streamsKeepDays
    ) {
        self.streamsKeepMilliseconds = streamsKeepDays * Limits.dayMilliseconds
        self.directFrom = directFrom
        self.tellsReads = tellsReads
        self.autoFetchBytes = autoFetchBytes
        self.tellsPresence = tellsPresence
        self.tellsTyping = tellsTyping
    }
}

/// A peer that the configuration names.
package struct StaticPeer: Hashable, Sendable {
    /// Where it is: numeric `HOST:PORT`.
    package var address: String
    /// The only key that may answer there; nil for any.
    package var key: PeerID?

    package init(address: String, key: PeerID?) {
        self.address = address
        self.key = key
    }
}
