package import Formats

/// Names a link for as long as it lives; given by the shell, never reused.
package struct LinkID: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: LinkID, right: LinkID) -> Bool { left.rawValue < right.rawValue }
}

/// Names one attempt to reach an address; given by the node, never reused.
///
/// It is also the dial counter of the handshake.
package struct DialID: Hashable, Comparable, Sendable {
    /// The number, from 1.
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: DialID, right: DialID) -> Bool { left.rawValue < right.rawValue }
}

/// Names one read of a run from the store.
package struct ReadID: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: ReadID, right: ReadID) -> Bool { left.rawValue < right.rawValue }
}

/// Names a request from the control socket; given by the shell, never reused.
package struct RequestID: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: RequestID, right: RequestID) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// A service that discovery has seen: a peer, maybe.
package struct Service: Hashable, Sendable {
    /// The instance name, random per start of the peer's daemon.
    package var name: String
    /// Where it may be reached, best first: numeric `HOST:PORT`.
    package var addresses: [String]
    /// Whether none of the addresses is in a network that this machine is in: such a service is reported and
    /// never dialled, since anybody may announce any host.
    package var isForeign: Bool

    package init(name: String, addresses: [String], isForeign: Bool = false) {
        self.name = name
        self.addresses = addresses
        self.isForeign = isForeign
    }
}

/// What a user asks for that changes something.
///
/// What is as large as an act is indirect: each request is copied and kept at the size of the largest.
package enum Request: Hashable, Sendable {
    /// Join a room, or create it by being the first.
    case join(Room)
    /// Leave a room; its history stays.
    case leave(ConversationID)
    /// Send a text to a conversation, once per key.
    case send(Outgoing)
    /// Have payloads erased of entries that the own person has written; at most
    /// ``Limits/ownEraseTargets``.
    case erase(ConversationID, [EntryTarget])
    /// Give up the payloads of a conversation whose entries are beyond a bound, but for those of class 1;
    /// none that is older than a time is wanted until this node stops or another time is asked for.
    case expire(ConversationID, RetentionBound)
    /// Dial an address now and keep it as a static peer for this start.
    ///
    /// With a deadline, a monotonic moment, it is answered once there is a link, the dial has failed,
    /// or the time is over; without one at once.
    case connect(address: String, expecting: PeerID?, by: UInt64?)
    /// Find out whether others reach this node at a port, by having linked peers dial it; those on these
    /// hosts are not asked, since they are on this machine.
    ///
    /// Then some links are tried for lost packets.
    case reach(port: UInt16, besides: Set<Source>)
    /// Set the own profile; nil leaves a part as it is.
    case profile(name: String?, status: String?, picture: PictureChange = .keep)
    /// Let somebody be known, blocked, or neither from here on.
    case stand(PeerID, Standing)
    /// Know somebody no longer, and where they were; who is blocked stays so.
    case forget(PeerID)
    /// Take somebody for who they say, since they read this code aloud: in digits or in words.
    case verify(PeerID, code: String)
    /// Begin the direct conversation with somebody, where it has not begun.
    case beginDirect(PeerID)
    /// Enter a secret room, or make it by being the first.
    case joinSecret(SecretRoom)
    /// Found a group of that name in a realm.
    case groupCreate(RoomName, RealmID, Group.History)
    /// Come into a group by the line of a link.
    indirect case joinGroup(GroupInvitation)
    /// Do this in a group; where somebody is to be removed the node says how far their logs are here, and of a link with
    /// which key. What was done since then is undone, though it is known here.
    indirect case groupAct(ConversationID, ActKind, since: UInt64? = nil)
    /// Ask linked members of groups for their acts, but a person or a device: what is done next follows them.
    case syncActs([ConversationID], besides: PersonID?, device: PeerID? = nil)
    /// Enter a group into which somebody has brought the user.
    case acceptGroup(ConversationID)
    /// Turn down a group into which somebody has brought the user.
    case declineGroup(ConversationID)
    /// Enter a group again of which a backup has the founding.
    indirect case restoreGroup(Act)
    /// Let somebody in who has written and waits.
    case accept(PeerID)
    /// Turn somebody down who has written and waits.
    case decline(PeerID)
    /// Take what the user says of a conversation in their list.
    case arrange(ConversationID, ArrangementChange)
    /// Note that the user has read a conversation up to a cursor; it never moves back.
    case read(ConversationID, through: Cursor)
    /// Keep so much of what is said in a conversation here.
    case retain(ConversationID, Retention)
    /// Take on the people of a backup, and the own name.
    case restore(Contacts)
    /// Note whether the user is there, and tell others, where that is not kept private.
    case presence(Presence)
    /// Tell others that the user writes in a conversation, where that is not kept private.
    case typing(ConversationID)
    /// Open an ephemeral stream in a conversation, for all of its members or one.
    case openStream(ConversationID, StreamName, isOrdered: Bool, member: PeerID? = nil)
    /// Send a packet of one, at most ``Limits/streamPacketBytes``.
    case sendPacket(stream: UInt64, [UInt8])
    /// End one.
    case closeStream(UInt64)
    /// Send a piece of what arranges a call to a member: to each of their devices, or to the one named.
    case callSignal(ConversationID, PeerID, isDevice: Bool, [UInt8])
    /// Become another device of the person whose device a linked peer is; answered by what to type there.
    case linkDevice(PeerID)
    /// These are the digits that the other device shows; answered by what it hands over.
    case confirmDevice(check: String)
    /// Let the peer that shows this code become another device of the user.
    case approveDevice(code: String)
    /// Revoke a device of the user; in groups, undo what it did since a moment, even if it is known here.
    case revokeDevice(PeerID, since: UInt64? = nil)
    /// Take what sites have brought, in its order; nil for what could not be opened.
    case importItems([SiteItem?])
    /// Give what of the user is to be told at other sites, in the conversations that go there.
    case siteSignals([ConversationID: SitePlace])
    /// Call a device of the user so, on all of them; empty to have no name.
    case renameDevice(PeerID, String)
}

/// A message that a user wants sent.
package struct Outgoing: Hashable, Sendable {
    package var conversation: ConversationID
    /// What, of class 2: a text, a reply, an action or an edit has 1 to ``Limits/textBytes`` bytes.
    package var content: Content
    /// The time of the message that it answers, as the user sees it: it is later, as far as clocks may differ.
    package var answers: HybridTime?
    /// Makes a repeated send harmless: the same key gives the first message again.
    package var idempotencyKey: String?
    /// Wait for delivery; nil answers once the message is on disk.
    package var wait: DeliveryWait?

    package init(
        conversation: ConversationID, text: String, idempotencyKey: String? = nil,
        wait: DeliveryWait? = nil
    ) {
        self.init(
            conversation: conversation, content: .text(text), idempotencyKey: idempotencyKey,
            wait: wait)
    }

    package init(
        conversation: ConversationID, content: Content, answers: HybridTime? = nil,
        idempotencyKey: String? = nil, wait: DeliveryWait? = nil
    ) {
        self.conversation = conversation
        self.content = content
        self.answers = answers
        self.idempotencyKey = idempotencyKey
        self.wait = wait
    }
}

/// What the store remembers of a message sent with an idempotency key.
package struct SentMessage: Hashable, Sendable {
    package var id: EntryID
    package var conversation: ConversationID
    /// Its place in the order of arrival; nil while it is held because the own clock runs ahead.
    package var cursor: Cursor?
    package var time: HybridTime

    package init(id: EntryID, conversation: ConversationID, cursor: Cursor?, time: HybridTime) {
        self.id = id
        self.conversation = conversation
        self.cursor = cursor
        self.time = time
    }
}

/// A moment that the node asked to be woken at.
package enum Timer: Hashable, Sendable {
    /// Ping a link, or give it up.
    case ping(LinkID)
    /// A probed link has not answered in time.
    case probe(PeerID)
    /// Try a target's next address.
    case stagger(TargetID)
    /// Dial a target again.
    case redial(TargetID)
    /// The search for peers has its turn.
    case search
    /// Another service is to be dialled, where a conversation is looked for.
    case seek
    /// A peer without a place has said in which conversations it is.
    case trial(LinkID)
    /// The time that a user has given a connect is over.
    case connect(RequestID)
    /// Peers that were asked to dial back have had their time.
    case dialBacks
    /// Pings go on the links that are tried for lost packets, or their packets are counted.
    case packets
    /// Send gathered clock deltas.
    case delta
    /// Ask for what the author did not push, and give up wants that are not served.
    case fetch
    /// Ask for payloads, and give up those that are not sent.
    case payloads
    /// Held entries are due.
    case release
    /// A wait for delivery ends.
    case delivery
    /// What members have is written, or others are told what was read.
    case marks
    /// What is missing here is looked at.
    case holes
    /// What streams brought may be old, or was received.
    case streams
    /// Links that were silent since the network changed are given up.
    case networkCheck
    /// Links from which a sign is due since something was sent on them.
    case pulse
    /// Try the store again after a failure.
    case storage
    /// The earlier secret of a realm ends.
    case secrets
    /// What is known of addresses is passed on, or the own ones may be told again.
    case addresses
    /// Subscribers may be told of alerts again.
    case alerts
    /// Parts of files are asked for again, or others told of what has come.
    case transfers
    /// Others are told whether the user is there, or somebody writes no longer.
    case signals
    /// The time is over in which a device could be linked.
    case devices
    /// The time is over in which members could answer somebody who comes into a group by a link.
    case groups
}

/// What happens to a node; each is given to ``Node/handle(_:at:)`` once, in order.
package enum Event: Sendable {
    /// The shell is ready to act; comes first and once.
    case started
    /// A handshake is done. `dial` is nil for a link that was accepted.
    case linkOpened(LinkID, LinkInfo, address: String, dial: DialID?)
    /// A link has ended by itself or by the peer; not sent after the node's own ``Action/close(_:_:_:)``.
    case linkClosed(LinkID, SessionFailure?)
    /// A frame came in on an open link.
    case received(LinkID, ReceivedFrame)
    /// A dial ended without a link, and why.
    case dialFailed(DialID, DialFailure)
    /// A stranger's handshake ended without a link.
    case incomingFailed(address: String, SessionFailure)
    /// The last batch is on disk.
    indirect case committed(BatchOutcome)
    /// The last batch was not written, none of it.
    case commitFailed(StoreFailure)
    /// Runs that were asked for, one behind the other; none where the store has none there.
    case runsRead(ReadID, [Run])
    /// What is stored of the payloads that were asked for, entry by entry; none where the store has
    /// none there.
    case payloadsRead(ReadID, [StoredPayload])
    /// The proof that was asked for; nil where the store has none.
    case proofRead(ReadID, ForkProof?)
    /// What was asked for could not be read.
    case readFailed(ReadID, StoreFailure)
    /// The answer to ``Action/lookUp(_:_:key:)``.
    case lookedUp(RequestID, EarlierSend?)
    /// A look-up could not be made.
    case lookUpFailed(RequestID, StoreFailure)
    /// A timer is due.
    case timer(Timer)
    /// Discovery sees so many services now, whether or not it knows where they are.
    case seen(services: Int)
    /// Discovery sees a service, or sees it changed.
    case found(Service)
    /// Discovery no longer sees a service; links are not affected.
    case lost(name: String)
    /// The machine's interfaces or addresses have changed: what did not answer may answer now.
    case networkChanged
    /// Where this machine listens, as devices of its realms are told, nil where they are told nothing; and all addresses
    /// that it has.
    case reachable(Reach?, own: Set<ReachableAddress>)
    /// Somebody, or the network, has set this machine's clock.
    case clockSet
    /// A user asks for something.
    case request(RequestID, Request)
    /// The user has changed what they want of the node.
    case preferences(NodePreferences)
    /// A setting of the user's, by its name, has another value: subscribers are told.
    case set(String, String)
    /// The user has joined, left or renewed realms: these are the ones from here on.
    case realms(Realms)
    /// What became of files, or what is wanted of them.
    case transfer(FileEvent)
    /// The answer to ``Action/examine``: what was found that may keep people from here, each in a sentence
    /// without its point, what matters most first; empty where all is well.
    case examined([String])
    /// The answer to ``Action/countPackets(_:)``; without those of which the system says nothing.
    case packetsCounted([LinkID: PacketCounts])
    /// The answer to ``Action/seeFlights(_:)``; without those of which the system says nothing.
    case flightsSeen([LinkID: Flight])
    /// The answer to ``Action/handOver(_:_:deviceAddress:)``: the bytes of a ``HandOver``.
    case handOver(LinkID, [UInt8])
    /// The device holds its person's key P from here on, or no longer, as these keys do.
    indirect case personKeys(PersonKeys)
    /// What is damaged in the store's file, whoever met it; nil where a whole reading found nothing.
    case damage(String?)
    /// What keeps messages from other sites; nil where nothing does.
    case sites(String?)
    /// The store was opened only to read it: why, and what to do.
    case unwritable(String)
}
