internal import Crypto
package import Formats

/// What subscribers are told of that is no entry: the node notes it, and the store gives it a place
/// in the order of arrival.
///
/// It concerns this node alone and goes to no peer. Notices are kept for a while only
/// (``Limits/notices``).
package struct Notice: Hashable, Sendable {
    package enum Event: Hashable, Sendable {
        /// The user is in a conversation from here on.
        case joined(ConversationID)
        /// The user is in a conversation no longer.
        case left(ConversationID)
        /// The node is in a realm from here on.
        case realmJoined(RealmID)
        /// The node is in a realm no longer.
        case realmLeft(RealmID)
        /// A realm has another secret.
        case realmRenewed(RealmID)
        /// Somebody whom the user does not know has written to them.
        case requested(PeerID, String)
        /// The user has said something of a conversation in their list.
        case arranged(ConversationID, Arrangement)
        /// A message that was shown is taken back: it is on this disk no longer.
        case erased(ConversationID, EntryID, by: PeerID)
        /// Somebody has an own message, and all before it in its log.
        case delivered(ConversationID, EntryID, to: PeerID)
        /// Somebody has read an own message, and all before it in its log.
        case read(ConversationID, EntryID, by: PeerID)
        /// The user has read a conversation; so many messages are unread, and so many of these are about
        /// them.
        case seen(ConversationID, unread: UInt32, mentions: UInt32)
        /// Somebody whom the user knows is linked from here on.
        case linked(PeerID)
        /// Somebody whom the user knows is not linked now: since they have left, since their link was lost, or for
        /// another reason.
        case unlinked(PeerID, Coming.Event?)
        /// The user says something else of somebody.
        case stood(PeerID, Standing)
        /// Somebody whom the user knows, or the user, has another name, status or picture.
        case profiled(PeerID)
        /// Somebody who waited was let in by the user, or turned down.
        case decided(PeerID, isAccepted: Bool)
        /// Somebody invites the user to a group.
        case invited(PeerID, to: ConversationID)
        /// The user has accepted or declined an invitation to a group.
        case answered(ConversationID, isAccepted: Bool)
        /// Somebody came into a group that the user is in, is out of it, or has another role there.
        case turned(ConversationID, RosterTurn)
        /// A setting of the user's has another value, in the words of the shell.
        case set(String, String)
        /// An alert stands from here on, or says something else.
        case raised(Alert.Code, about: PeerID?, String)
        /// An alert is over.
        case cleared(Alert.Code)
        /// Older notices of a kind were forgotten, since there were too many; the last of them had this place.
        case forgotten(Change.Kind)
    }

    /// When, wall-clock milliseconds.
    package var time: UInt64
    package var event: Event
    /// Of whom it tells: known people (and the user), fellows or strangers, each of whom takes no place of the others.
    package var tier: Tier

    /// Makes a notice; the text of an alert is cut to ``Limits/noticeTextBytes``.
    ///
    /// - Parameter tier: how far those are trusted of whom it tells.
    package init(_ event: Event, of tier: Tier = .known, at time: UInt64) {
        self.time = time
        self.tier = Self.groups.first { tier <= $0 } ?? .known
        if case .raised(let code, let peer, let text) = event {
            self.event = .raised(code, about: peer, text.cut(toBytes: Limits.noticeTextBytes))
        } else if case .requested(let peer, let text) = event {
            self.event = .requested(peer, text.cut(toBytes: Limits.noticeTextBytes))
        } else if case .set(let name, let value) = event {
            self.event = .set(
                name.cut(toBytes: Limits.noticeTextBytes),
                value.cut(toBytes: Limits.noticeTextBytes))
        } else {
            self.event = event
        }
    }

    /// What sort of change it is.
    package var kind: Change.Kind {
        switch self.event {
        case .joined, .left, .arranged, .seen, .realmJoined, .realmLeft, .realmRenewed:
            .conversation
        case .raised, .cleared: .alert
        case .requested, .decided, .invited, .answered: .request
        case .turned: .roster
        case .stood, .profiled: .person
        case .set: .setting
        case .erased: .erased
        case .delivered, .read: .delivery
        case .linked, .unlinked: .peer
        case .forgotten(let kind): kind
        }
    }

    /// Whom it is about, where it takes the place of the one of its number that came before: how far
    /// somebody is, or whether they are here, is of interest only as it is now.
    package var subject: PeerID? {
        switch self.event {
        case .delivered(_, _, let peer), .read(_, _, let peer), .linked(let peer),
            .unlinked(let peer, _), .stood(let peer, _), .profiled(let peer):
            peer
        default: nil
        }
    }

    /// Whether it takes the place of an earlier one of its number, conversation and subject.
    package var isLatestOnly: Bool {
        switch self.event {
        case .delivered, .read, .seen, .linked, .unlinked, .stood, .profiled: true
        default: false
        }
    }

    /// The conversation that it belongs to; nil for none.
    package var conversation: ConversationID? {
        switch self.event {
        case .joined(let conversation), .left(let conversation), .arranged(let conversation, _),
            .erased(let conversation, _, _), .delivered(let conversation, _, _),
            .read(let conversation, _, _), .seen(let conversation, _, _),
            .turned(let conversation, _):
            conversation
        case .linked, .unlinked, .realmJoined, .realmLeft, .realmRenewed, .raised, .cleared,
            .requested, .stood, .profiled, .decided, .invited, .answered, .set, .forgotten:
            nil
        }
    }

    /// Whether it says that others are missing.
    package var isGap: Bool { if case .forgotten = self.event { true } else { false } }
}

/// A notice at its place in the order of arrival.
package struct StoredNotice: Hashable, Sendable {
    /// Its place.
    package var cursor: Cursor
    package var notice: Notice

    /// Places a notice.
    package init(cursor: Cursor, notice: Notice) {
        self.cursor = cursor
        self.notice = notice
    }
}

extension String {
    /// As much of its beginning as fits into so many bytes of UTF-8, with no character cut.
    func cut(toBytes limit: Int) -> String {
        guard self.utf8.count > limit else { return self }
        var end = self.startIndex
        var bytes = 0
        for index in self.indices {
            bytes += self[index].utf8.count
            guard bytes <= limit else { break }
            end = self.index(after: index)
        }
        return String(self[..<end])
    }
}

/// How a notice lies on disk: a number, the conversation, and the rest as bytes. `Docs/Data.md`.
extension Notice {
    /// The number of those that tell of a request.
    package static let requestedNumber: UInt8 = 8
    /// The number of those that say that others are missing.
    package static let forgottenNumber: UInt8 = 15
    /// Numbers have these added where fellows or strangers are told of.
    private static let tierNumber = 32
    /// The tiers that have places of their own, in the order of their numbers from the last.
    private static let groups: [Tier] = [.stranger, .fellow, .known]

    /// The number of its event, as it lies on disk.
    package var number: UInt8 {
        let group = Self.groups.count - 1 - (Self.groups.firstIndex(of: self.tier) ?? 2)
        return self.eventNumber + UInt8(group * Self.tierNumber)
    }

    /// The numbers of all notices that share places with this one: those of its kind and tier.
    package var numbersOfKind: [UInt8] {
        let numbers: [UInt8] =
            switch self.kind {
            case .conversation: [1, 2, 3, 4, 5, 10, 13]
            case .alert: [6, 7]
            case .request: [Self.requestedNumber, 22, 24, 25]
            case .roster: [26]
            case .person: [20, 21]
            case .setting: [23]
            case .erased: [9]
            case .delivery: [11, 12]
            case .peer: [14]
            case .message, .edited, .reaction, .stream: []
            }
        return numbers.map { $0 + (self.number - self.eventNumber) }
    }

    private var eventNumber: UInt8 {
        switch self.event {
        case .joined: 1
        case .left: 2
        case .realmJoined: 3
        case .realmLeft: 4
        case .realmRenewed: 5
        case .raised: 6
        case .cleared: 7
        case .requested: Self.requestedNumber
        case .erased: 9
        case .arranged: 10
        case .delivered: 11
        case .read: 12
        case .seen: 13
        case .linked, .unlinked: 14
        case .stood: 20
        case .profiled: 21
        case .decided: 22
        case .set: 23
        case .invited: 24
        case .answered: 25
        case .turned: 26
        case .forgotten: Self.forgottenNumber
        }
    }

    /// All but its number and its conversation.
    package var body: [UInt8] {
        var writer = WireWriter()
        writer.u64(self.time)
        switch self.event {
        case .joined, .left: break
        case .arranged(_, let arrangement): writer.byte(arrangement.rawValue)
        case .realmJoined(let realm), .realmLeft(let realm), .realmRenewed(let realm):
            writer.raw(realm.hash)
        case .raised(let code, let peer, let text):
            writer.text(code.rawValue)
            writer.byte(peer == nil ? 0 : 1)
            if let peer { writer.raw(peer.key) }
            writer.text(text)
        case .cleared(let code): writer.text(code.rawValue)
        case .requested(let peer, let text):
            writer.raw(peer.key)
            writer.text(text)
        case .erased(_, let id, let peer), .delivered(_, let id, let peer),
            .read(_, let id, let peer):
            writer.raw(id.hash)
            writer.raw(peer.key)
        case .seen(_, let unread, let mentions):
            writer.varint(UInt64(unread))
            writer.varint(UInt64(mentions))
        case .linked(let peer):
            writer.raw(peer.key)
            writer.byte(1)
        case .unlinked(let peer, let reason):
            writer.raw(peer.key)
            writer.byte(reason == .left ? 2 : reason == .interrupted ? 3 : 0)
        case .stood(let peer, let standing):
            writer.raw(peer.key)
            writer.byte(standing.rawValue)
        case .profiled(let peer): writer.raw(peer.key)
        case .decided(let peer, let isAccepted):
            writer.raw(peer.key)
            writer.byte(isAccepted ? 1 : 0)
        case .invited(let peer, let group):
            writer.raw(peer.key)
            writer.raw(group.hash)
        case .answered(let group, let isAccepted):
            writer.raw(group.hash)
            writer.byte(isAccepted ? 1 : 0)
        case .turned(_, let turn):
            writer.byte(turn.event.rawValue)
            writer.raw(turn.person.hash)
            writer.byte(turn.by == nil ? 0 : 1)
            if let by = turn.by { writer.raw(by.hash) }
        case .set(let name, let value):
            writer.text(name)
            writer.text(value)
        case .forgotten(let kind):
            writer.byte(UInt8(Self.forgettable.firstIndex(of: kind) ?? 0))
        }
        return writer.bytes
    }

    /// The kinds of which notices are kept, in the order of their numbers.
    fileprivate static let forgettable: [Change.Kind] = [
        .conversation, .alert, .request, .erased, .delivery, .peer, .person, .setting,
        .roster,
    ]

    /// Reads what the store gives back; nil for what this version does not know.
    package init?(number: Int64, conversation: ConversationID?, body: [UInt8]) {
        do throws(WireError) {
            var reader = WireReader(body)
            let time = try reader.u64("time")
            let group = Int(number) / Self.tierNumber
            guard (0..<Self.groups.count).contains(group),
                let event = try Event(number % Int64(Self.tierNumber), conversation, &reader)
            else { return nil }
            try reader.finish("notice")
            self.init(event, of: Self.groups[Self.groups.count - 1 - group], at: time)
        } catch { return nil }
    }
}

extension Notice.Event {
    fileprivate init?(
        _ number: Int64, _ conversation: ConversationID?, _ reader: inout WireReader
    ) throws(WireError) {
        switch (number, conversation) {
        case (1, let conversation?): self = .joined(conversation)
        case (2, let conversation?): self = .left(conversation)
        case (3, nil): self = .realmJoined(RealmID(try reader.bytes32("realm")))
        case (4, nil): self = .realmLeft(RealmID(try reader.bytes32("realm")))
        case (5, nil): self = .realmRenewed(RealmID(try reader.bytes32("realm")))
        case (6, nil):
            let code = Alert.Code(rawValue: try reader.text("code", limit: 64))
            let isAboutPeer = try reader.byte("isAboutPeer") != 0
            let peer = isAboutPeer ? PeerID(try reader.bytes32("peer")) : nil
            let text = try reader.text("text", limit: Limits.noticeTextBytes)
            guard let code else { return nil }
            self = .raised(code, about: peer, text)
        case (7, nil):
            guard let code = Alert.Code(rawValue: try reader.text("code", limit: 64)) else {
                return nil
            }
            self = .cleared(code)
        case (Int64(Notice.requestedNumber), nil):
            let peer = PeerID(try reader.bytes32("peer"))
            self = .requested(peer, try reader.text("text", limit: Limits.noticeTextBytes))
        case (10, let conversation?):
            let arrangement = Arrangement(rawValue: try reader.byte("arrangement"))
            self = .arranged(conversation, arrangement)
        case (9, let conversation?):
            let id = EntryID(try reader.bytes32("message"))
            self = .erased(conversation, id, by: PeerID(try reader.bytes32("author")))
        case (11, let conversation?):
            let id = EntryID(try reader.bytes32("message"))
            self = .delivered(conversation, id, to: PeerID(try reader.bytes32("member")))
        case (12, let conversation?):
            let id = EntryID(try reader.bytes32("message"))
            self = .read(conversation, id, by: PeerID(try reader.bytes32("member")))
        case (13, let conversation?):
            let unread = UInt32(clamping: try reader.varint("unread"))
            self = .seen(
                conversation, unread: unread,
                mentions: UInt32(clamping: try reader.varint("mentions")))
        case (14, nil):
            let peer = PeerID(try reader.bytes32("peer"))
            switch try reader.byte("how") {
            case 0: self = .unlinked(peer, nil)
            case 2: self = .unlinked(peer, .left)
            case 3: self = .unlinked(peer, .interrupted)
            default: self = .linked(peer)
            }
        case (20, nil):
            let peer = PeerID(try reader.bytes32("peer"))
            guard let standing = Standing(rawValue: try reader.byte("standing")) else { return nil }
            self = .stood(peer, standing)
        case (21, nil): self = .profiled(PeerID(try reader.bytes32("peer")))
        case (22, nil):
            let peer = PeerID(try reader.bytes32("peer"))
            self = .decided(peer, isAccepted: try reader.byte("isAccepted") != 0)
        case (23, nil):
            let name = try reader.text("name", limit: Limits.noticeTextBytes)
            self = .set(name, try reader.text("value", limit: Limits.noticeTextBytes))
        case (24, nil):
            let peer = PeerID(try reader.bytes32("peer"))
            self = .invited(peer, to: ConversationID(try reader.bytes32("group")))
        case (25, nil):
            let group = ConversationID(try reader.bytes32("group"))
            self = .answered(group, isAccepted: try reader.byte("isAccepted") != 0)
        case (26, let conversation?):
            guard let turn = try RosterTurn(&reader) else { return nil }
            self = .turned(conversation, turn)
        case (Int64(Notice.forgottenNumber), nil):
            let kind = Int(try reader.byte("kind"))
            guard kind < Notice.forgettable.count else { return nil }
            self = .forgotten(Notice.forgettable[kind])
        default: return nil
        }
    }
}

extension RosterTurn {
    fileprivate init?(_ reader: inout WireReader) throws(WireError) {
        guard let event = Event(rawValue: try reader.byte("event")) else { return nil }
        let person = PersonID(try reader.bytes32("person"))
        let isByAnyone = try reader.byte("isByAnyone") != 0
        self.init(event, person, by: isByAnyone ? PersonID(try reader.bytes32("by")) : nil)
    }
}
