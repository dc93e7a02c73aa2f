package import Crypto
package import Formats

/// How much a line of the log matters; the numbers are syslog's.
package enum LogLevel: Int, Hashable, Sendable, Comparable {
    /// Something is broken and a person must act.
    case error = 3
    /// Something is wrong that may pass.
    case warning = 4
    /// Normal but worth knowing.
    case notice = 5
    /// What happens.
    case info = 6
    /// For developers.
    case debug = 7

    /// Orders by number: the more it matters the smaller.
    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// A message as people see it.
package struct Message: Hashable, Sendable {
    /// Its place in the order of arrival.
    package var cursor: Cursor
    package var id: EntryID
    package var conversation: ConversationID
    package var content: Content
    /// When, by its author's clock.
    package var time: HybridTime
    /// Whether it arrived long after newer ones had been shown.
    package var isLate: Bool
    /// Whether it stands at or behind a proven fork point.
    package var isDisputed: Bool
    /// Its position in its log.
    package var place: LogPosition
    /// When it was given the text that it has; nil where that is its first one.
    package var edited: HybridTime?
    /// What people make of it, each a message of its own.
    package var reactions: [Message] = []

    package var author: PeerID { self.place.log.author }

    /// Reads what the store gave back; nil for an entry that people do not see.
    ///
    /// It has the text of its edit, where there is one.
    package init?(_ entry: StoredEntry, by keyring: Keyring) {
        guard entry.isSeen, let content = keyring.read(entry.envelope).content else { return nil }
        self.init(
            cursor: entry.cursor, id: entry.id, conversation: entry.key.conversation,
            place: LogPosition(log: entry.key.name, seq: entry.seq), content: content,
            time: entry.time, isLate: entry.isLate, isDisputed: entry.isDisputed)
        for reference in entry.references {
            guard let message = Message(reference, by: keyring) else { continue }
            if case .edit(let text, _) = message.content, let edited = content.edited(text) {
                self.content = edited
                self.edited = message.time
            } else if case .reaction = message.content {
                self.reactions.append(message)
            }
        }
    }

    /// Whether it stands before another one in display order.
    func isShown(before other: Message) -> Bool {
        (self.time, self.author, self.id) < (other.time, other.author, other.id)
    }

    package init(
        cursor: Cursor, id: EntryID, conversation: ConversationID, place: LogPosition,
        content: Content, time: HybridTime, isLate: Bool, isDisputed: Bool
    ) {
        self.cursor = cursor
        self.id = id
        self.conversation = conversation
        self.place = place
        self.content = content
        self.time = time
        self.isLate = isLate
        self.isDisputed = isDisputed
    }
}

/// Why a request could not be done.
package enum RequestError: Error, Hashable, Sendable {
    /// There is no such conversation.
    case unknownConversation
    /// The user is not in the room.
    case notMember
    /// A text is empty, or larger than its limit in bytes.
    case size(limit: Int)
    /// A packet of a stream is empty, or larger than its limit in bytes.
    case packetSize(Int, limit: Int)
    /// A name looks like a key, like what is said of people, or as if there were none.
    case misleadingName
    /// As many people are known as may be.
    case tooManyPeople
    /// The keys of a person never came here, so that nothing can be written to them yet.
    case keysUnknown(PeerID)
    /// What was typed is not the code of the two people: one of the two has other keys than the other
    /// one thinks, or it was mistyped.
    case codesDiffer(PeerID)
    /// The user has blocked them.
    case blocked(PeerID)
    /// Nobody of that key waits to be accepted.
    case noRequest(PeerID)
    /// A direct conversation is not left.
    case directStays
    /// This machine cannot seal what is written there.
    case cannotSeal
    /// What was to be done in a group would not count.
    case refusedAct(Roster.Reason)
    /// The link of a group, or its line, brings nobody in.
    case link(JoinObstacle)
    /// A group has as many open links as it may.
    case tooManyLinks
    /// The user comes into as many groups by links as may be, and is in none of them yet.
    case tooManyJoins
    /// Nothing can be written in the group.
    case group(GroupObstacle)
    /// The node is not in the room's realm, so that nobody else could be reached there.
    case notInRealm
    /// The node already is in as many rooms as it may.
    case tooManyRooms
    /// Another text was sent under the same key in this conversation.
    case keyReused
    /// Too much waits for the disk.
    case busy
    /// The store failed; nothing was sent.
    case storage(StoreFailure)
    /// The message is sent and safe, but not delivered in time.
    case deliveryTimeout(
        SentMessage, isRead: Bool, deliveredTo: [PeerID], waitingFor: [PeerID])
    /// Nothing was sent: all members whom the user knows are to have it, and none is known.
    case nobodyKnown
    /// Nothing was sent: these are to have it, and are not members.
    case notInRoom([PeerID])
    /// The message is sent and safe, but some who have it hold it, since it is ahead of time by their
    /// clocks.
    case held(HeldMessage)
    /// The address that was to be connected has not become a link; it is dialled on.
    case notConnected(DialFailure)
    /// As many addresses as may be are dialled already, all of them by request.
    case tooManyTargets
    /// The streams of the conversation have sent as much as they may; the packet fits in so many
    /// milliseconds.
    case tooFast(milliseconds: UInt64)
    /// There is no such stream.
    case unknownStream
    /// As many streams are open as may be.
    case tooManyStreams
    /// What is for one member goes over a link with them, and there is none.
    case notLinked(PeerID)
    /// Nobody is called in a room that everyone may enter.
    case callInOpenRoom
    /// A device was not linked or revoked.
    case device(DeviceFailure)
}

/// A message that others have and do not show yet.
package struct HeldMessage: Hashable, Sendable {
    package var message: SentMessage
    /// Who shows it.
    package var deliveredTo: [PeerID]
    /// Who holds it.
    package var heldBy: [PeerID]
    /// Until when by a clock that is right, in milliseconds since 1970.
    package var until: UInt64
    /// How far the own clock is ahead of those of who holds it, in words; nil where that is not known
    /// or no minute.
    package var ahead: String?
    /// Whether most of several linked people's clocks say so, too: of two nobody knows which is wrong.
    package var isOwnClockAhead: Bool
}

/// The answer to a ``Request``.
package enum Answer: Hashable, Sendable {
    /// The room is joined, and so on disk.
    case joined(ConversationID)
    /// The room is left.
    case left(ConversationID)
    /// The message is on disk; `isDuplicate` where its key had been used before.
    case sent(SentMessage, isDuplicate: Bool, deliveredTo: [PeerID])
    /// The erasure is on disk.
    case erased(EntryID)
    /// So many payloads were given up, here or still wanted; all that were older.
    case expired(ConversationID, count: Int)
    /// The address is being dialled.
    case connecting
    /// There is a link with that peer, at the address that was to be connected.
    case connected(PeerID)
    /// What has become of having linked peers dial this node, and of packets to some of them; none where
    /// nobody could be asked.
    case reach([DialBackReport], [PacketReport])
    /// The profile is on disk.
    case profile(Profile)
    /// It is on disk what the user has said of somebody.
    case standing(PeerID, Standing)
    /// It is on disk that somebody was turned down.
    case declined(PeerID)
    /// It is on disk what was done in a group.
    case acted(ConversationID, ActID)
    /// Linked members have told of their acts; these members have not, or are not linked.
    case synced(unasked: [PersonID])
    /// It is on disk that the user comes into a group by a link; no member has let them in yet.
    case waitsToJoin(ConversationID, JoinObstacle)
    /// It is on disk that a group was turned down.
    case declinedGroup(ConversationID)
    /// It is on disk what the user has said of a conversation, for how long it is kept, or what was read.
    case arranged(ConversationID)
    /// The people of a backup are taken on.
    case restored
    /// It is noted whether the user is there.
    case presence(Presence)
    /// So many peers were told that the user writes: none where that is private or they know.
    case typing(told: Int)
    /// A stream is open, under this number.
    case streamOpened(UInt64)
    /// A packet has gone to so many peers.
    case packetSent(number: UInt64, told: Int)
    case streamClosed
    /// A piece of what arranges a call has gone to so many devices.
    case callSignalled(told: Int)
    /// What the user is to type on the other device, which is this one.
    case deviceCode(String, PeerID)
    /// The peer that shows the code may become another device, and what is to be typed there.
    case deviceCheck(String, PeerID)
    /// The other device's user has approved: the bytes of a ``HandOver`` that is meant for this device.
    case handedOver([UInt8])
    /// It is on disk that a device is the user's no longer.
    case revoked(PeerID)
    /// What became of what sites have brought; what is taken is on disk.
    case imported([SiteVerdict])
    /// What of the user is to be told at other sites now, and when there is more; nil for never.
    case siteSignals([SiteTold], next: UInt64?)
    /// It is on disk what a device of the user is called.
    case renamed(PeerID)
    /// Nothing has changed.
    case failed(RequestError)
}

/// What the shell must do, in order.
package enum Action: Hashable, Sendable {
    /// Open a TCP stream to an address and shake hands; answered by ``Event/linkOpened(_:_:address:dial:)`` or
    /// ``Event/dialFailed(_:_:)``.
    ///
    /// A narrow one asks both ends to send small packets only: ``Limits/smallSegmentBytes``.
    case dial(DialID, address: String, expecting: PeerID?, isNarrow: Bool = false)
    /// Give up a dial that has not ended; no event follows.
    case abandon(DialID)
    /// Look again where a discovered service is: none of its addresses answered.
    case refresh(service: String)
    /// Look for services in this way from now on.
    case search(PeerSearch)
    /// Queue a frame on a link.
    case send(LinkID, EncodedFrame)
    /// Shake hands by these secrets from here on, and dial with them in this order.
    case hold([RealmSecret])
    /// Keep a realm that the user has joined on another device; followed by ``Event/realms(_:)`` once it is done.
    case join(Realm)
    /// Say goodbye with a reason and close a link; no event follows.
    case close(LinkID, GoawayReason, String)
    /// Write a batch; answered by ``Event/committed(_:)`` or ``Event/commitFailed(_:)``.
    indirect case commit(Batch)
    /// Read runs of a log, one behind the other: one, and more while a whole one of the largest size
    /// still fits into what is left of so many bytes of frames.
    ///
    /// Answered by ``Event/runsRead(_:_:)`` or ``Event/readFailed(_:_:)``.
    case readRuns(ReadID, LogKey, from: UInt64, through: UInt64, byteLimit: Int)
    /// Read what is stored of the payloads of consecutive entries of a log, at most
    /// ``Limits/payloadItems`` of ``Limits/runEntryBytes`` bytes, but one in any case.
    ///
    /// Answered by ``Event/payloadsRead(_:_:)`` or ``Event/readFailed(_:_:)``.
    case readPayloads(ReadID, LogKey, from: UInt64, through: UInt64)
    /// Read the proof that ends a log; answered by ``Event/proofRead(_:_:)`` or
    /// ``Event/readFailed(_:_:)``.
    case readProof(ReadID, LogKey)
    /// Look up what was sent under an idempotency key of a conversation; answered by ``Event/lookedUp(_:_:)`` or ``Event/lookUpFailed(_:_:)``.
    case lookUp(RequestID, ConversationID, key: String)
    /// Wake the node at a monotonic moment in milliseconds; replaces the same timer.
    case arm(Timer, at: UInt64)
    /// Do not wake the node for this timer.
    case disarm(Timer)
    case answer(RequestID, Answer)
    /// Put together what a device is handed that the user has approved; answered by ``Event/handOver(_:_:)``.
    case handOver(LinkID, PeerID, deviceAddress: Bytes32)
    /// Do something about the bytes of files; answered by ``Event/transfer(_:)``.
    case transfer(FileTask)
    /// Show changes to whoever follows, in order of their cursors.
    case show([Change])
    /// Tell whoever follows what is kept nowhere.
    case signal([Signal])
    /// Something may be to be told at other sites: ask by ``Request/siteSignals(_:)``.
    case siteSignals
    /// Tell whoever follows that a list is another one.
    case changed(ChangedList)
    /// Write a line to the log, with what it is about; never holds message text.
    case log(LogLevel, String, LogSubject = LogSubject())
    /// Ask the system what it has counted of the packets of links; answered by ``Event/packetsCounted(_:)``.
    case countPackets([LinkID])
    /// Ask the system what is on its way on links; answered by ``Event/flightsSeen(_:)``.
    case seeFlights([LinkID])
    /// Somebody is missed: look at this machine and its network, and say by ``Event/examined(_:)`` what is
    /// wrong there.
    case examine
}
