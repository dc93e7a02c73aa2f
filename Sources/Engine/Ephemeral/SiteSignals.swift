package import Formats

/// What is told at other sites of who is there and who writes: when the user's own is due, and what others have told.
///
/// Nothing stores it on its way, so whoever may write to a servers' subject can repeat it: what counts is younger than a
/// window and newer than the last of its author. `Docs/Protocol/Sites.md` section 12.
struct SiteSignals: Sendable {
    /// Who is told in a conversation.
    struct Audience: Sendable {
        var conversation: ConversationID
        /// Whether it is of two: these come first.
        var isDirect: Bool
        /// The devices there that have no link here now.
        var devices: Set<PeerID>
        /// When the user has written there last, by the time of that entry: what is told is later.
        var newest: UInt64 = 0
    }

    /// What is to be told now.
    struct Due: Hashable, Sendable {
        var conversation: ConversationID
        var word: SiteSignal.Word
        var time: UInt64
    }

    /// Of what somebody tells: how reachable they are, or, in a conversation, that they write.
    private struct Subject: Hashable {
        var peer: PeerID
        var conversation: ConversationID?
    }

    private struct Told {
        var presence: Presence
        var at: UInt64
    }

    private struct Heard {
        /// Nil where they write.
        var presence: Presence?
        /// By the author's clock.
        var time: UInt64
        /// Since when it holds: from when it was told, however long it was on its way.
        var at: UInt64
        var heardAt: UInt64
        var changes = TokenBucket(
            capacity: Limits.siteChangesAtOnce, fullMilliseconds: Limits.sitePresenceMilliseconds)
        var claim: FairShare<Subject>.Claim
    }

    /// Whether a program has asked what is to be told.
    private(set) var isUsed = false
    /// What was told of the user in which conversations.
    private var told: [ConversationID: Told] = [:]
    /// Where others have asked to be told again.
    private var asked: Set<ConversationID> = []
    /// Where the user writes, and when that was said; and when it was told.
    private var writes: [ConversationID: UInt64] = [:]
    private var writesTold: [ConversationID: UInt64] = [:]
    private var lastTime: UInt64 = 0

    private var heard: [Subject: Heard] = [:]
    /// Who was heard later has a greater number.
    private var lastNumber: Int64 = 0

    // MARK: What is told of the user

    /// The user writes in a conversation; true where that is to be told.
    mutating func write(in conversation: ConversationID, at now: UInt64) -> Bool {
        guard self.isUsed else { return false }
        self.writes = self.writes.filter { now < $0.value + Limits.siteTypingMilliseconds }
        self.writesTold = self.writesTold.filter { now < $0.value + Limits.siteTypingMilliseconds }
        guard self.writesTold[conversation] == nil, self.writes[conversation] == nil else {
            return false
        }
        self.writes[conversation] = now
        return true
    }

    /// What is to be told now, which counts as told from here on; and when there is more, nil for never.
    ///
    /// - Parameter presence: nil where the user keeps it private.
    mutating func takeDue(
        to audiences: [Audience], _ presence: Presence?, at now: Instant
    ) -> (due: [Due], next: UInt64?) {
        self.isUsed = true
        var due: [Due] = []
        let audiences = audiences.filter {
            !$0.devices.isEmpty && $0.devices.count <= Limits.siteAudienceDevices
        }
        for audience in audiences {
            guard let at = self.writes[audience.conversation],
                now.monotonic < at + Limits.siteTypingMilliseconds
            else { continue }
            self.writesTold[audience.conversation] = now.monotonic
            due.append(self.due(.typing, audience, at: now))
        }
        self.writes = [:]
        guard let presence else {
            (self.told, self.asked) = ([:], [])
            return (due, nil)
        }
        let chosen = Self.chosen(of: audiences)
        func moment(_ conversation: ConversationID, isDue: Bool) -> UInt64? {
            self.told[conversation].map {
                let isNews = $0.presence != presence || self.asked.contains(conversation)
                return $0.at
                    + (isNews || isDue
                        ? Limits.sitePresenceMilliseconds : Limits.sitePresenceAgainMilliseconds)
            }
        }
        // Those that are due soon go with the first that is: a machine at rest is woken once for all.
        let isDue = chosen.contains {
            moment($0.conversation, isDue: false).map { $0 <= now.monotonic } ?? true
        }
        var next: UInt64?
        for audience in chosen {
            let conversation = audience.conversation
            let before = self.told[conversation]
            guard moment(conversation, isDue: isDue).map({ $0 <= now.monotonic }) ?? true else {
                let moment = moment(conversation, isDue: false)
                next = min(next ?? .max, moment ?? .max)
                continue
            }
            due.append(
                self.due(.presence(presence, asks: before == nil), audience, at: now))
            self.told[conversation] = Told(presence: presence, at: now.monotonic)
            self.asked.remove(conversation)
            next = min(next ?? .max, now.monotonic + Limits.sitePresenceAgainMilliseconds)
        }
        // What was told a moment ago is not told again for having come back.
        let still = Set(chosen.map(\.conversation))
        self.told = self.told.filter {
            still.contains($0.key) || now.monotonic < $0.value.at + Limits.sitePresenceMilliseconds
        }
        self.asked.formIntersection(still)
        return (due, next)
    }

    /// Each has a greater time, whatever becomes of the clock.
    private mutating func due(
        _ word: SiteSignal.Word, _ audience: Audience, at now: Instant
    ) -> Due {
        self.lastTime = max(now.wall, self.lastTime + 1, audience.newest + 1)
        return Due(conversation: audience.conversation, word: word, time: self.lastTime)
    }

    /// Where the user's presence is told: to each device once, as far as that can be.
    ///
    /// Conversations of two come first, as whoever is in one may have left a room; then the largest, since it saves most.
    private static func chosen(of audiences: [Audience]) -> [Audience] {
        let told = audiences.sorted {
            guard $0.isDirect == $1.isDirect else { return $0.isDirect }
            guard $0.devices.count == $1.devices.count else {
                return $0.devices.count > $1.devices.count
            }
            return $0.conversation < $1.conversation
        }
        var reached: Set<PeerID> = []
        var chosen: [Audience] = []
        for audience in told where chosen.count < Limits.siteAudiences {
            guard audience.isDirect || !audience.devices.isSubset(of: reached) else { continue }
            if !audience.isDirect { reached.formUnion(audience.devices) }
            chosen.append(audience)
        }
        return chosen
    }

    // MARK: What others tell

    /// What somebody has told last; nil for nothing that still holds.
    func presence(of peer: PeerID) -> Presence? {
        self.heard[Subject(peer: peer)]?.presence
    }

    /// Who tells how reachable they are.
    var present: [PeerID] { self.heard.filter { $0.value.presence != nil }.map(\.key.peer) }

    /// When what somebody has told is over next; nil for nothing.
    var nextOver: UInt64? { self.heard.values.map { $0.at + Self.lasting($0) }.min() }

    private static func lasting(_ heard: Heard) -> UInt64 {
        // So long it could be repeated.
        heard.presence == nil
            ? 2 * Limits.siteWindowMilliseconds : Limits.sitePresenceLastsMilliseconds
    }

    /// Whether a signal is young enough, and newer than the last of its author; its signature need not be checked
    /// otherwise.
    func isNews(_ signal: SiteSignal, at now: Instant) -> Bool {
        let age = Int64(clamping: now.wall) - Int64(clamping: signal.time)
        guard abs(age) <= Int64(Limits.siteWindowMilliseconds) else { return false }
        guard let before = self.heard[Self.subject(of: signal)] else { return true }
        return signal.time > before.time
            && now.monotonic >= before.heardAt + Limits.siteSignalMilliseconds
    }

    private static func subject(of signal: SiteSignal) -> Subject {
        if case .typing? = signal.word {
            return Subject(peer: signal.device, conversation: signal.conversation)
        }
        return Subject(peer: signal.device)
    }

    /// What ``receive(_:_:at:)`` finds.
    struct Received {
        /// Whether it says something new.
        var isNews = false
        /// Whether the user is to be told of there, who was not to be.
        var asks = false
        /// Whose presence was forgotten for it.
        var gone: [PeerID] = []
    }

    /// Takes a signal that its author has signed.
    ///
    /// - Parameter tier: how far its author is trusted.
    mutating func receive(_ signal: SiteSignal, _ tier: Tier, at now: Instant) -> Received {
        var received = Received()
        guard let word = signal.word else { return received }
        let subject = Self.subject(of: signal)
        self.lastNumber += 1
        let before = self.heard[subject]
        // Whoever has many keys fills the share of the conversation where they write.
        let claim = FairShare.Claim(
            key: subject, tier: tier,
            source: Source(description: "site \(signal.conversation)"), author: signal.device,
            number: before?.claim.number ?? self.lastNumber)
        var heard = before ?? Heard(time: 0, at: 0, heardAt: 0, claim: claim)
        let age = now.wall - min(now.wall, signal.time)
        (heard.time, heard.claim) = (signal.time, claim)
        (heard.at, heard.heardAt) = (now.monotonic - min(now.monotonic, age), now.monotonic)
        received.isNews = true
        if case .presence(let presence, let asks) = word {
            received.isNews =
                heard.presence != presence && heard.changes.take(at: now.monotonic)
            if received.isNews { heard.presence = presence }
            received.asks = asks && self.asked.insert(signal.conversation).inserted
        }
        if before == nil, self.heard.count >= Limits.siteHeard {
            let room = FairShare.room(
                for: claim, among: self.heard.values.map(\.claim), within: Limits.siteHeard)
            guard let room else { return Received() }
            for claim in room {
                let old = self.heard.removeValue(forKey: claim.key)
                if old?.presence != nil { received.gone.append(claim.key.peer) }
            }
        }
        self.heard[subject] = heard
        return received
    }

    /// Somebody is gone, or is not to be heard, and what they told before does not come back; whether they counted as there.
    mutating func forget(_ peer: PeerID, at now: Instant) -> Bool {
        guard var heard = self.heard[Subject(peer: peer)] else { return false }
        defer { self.heard[Subject(peer: peer)] = heard }
        let wasThere = heard.presence != nil
        heard.presence = nil
        (heard.time, heard.at) = (max(heard.time, now.wall), now.monotonic)
        return wasThere
    }

    /// Ends what was not told again in time; gives who told it.
    mutating func takeOver(at now: UInt64) -> [PeerID] {
        let over = self.heard.filter { $0.value.at + Self.lasting($0.value) <= now }
        for subject in over.keys { self.heard[subject] = nil }
        return over.filter { $0.value.presence != nil }.map(\.key.peer).sorted()
    }
}

extension Limits {
    /// Who is there is told this seldom in a conversation by way of servers, however often it changes.
    package static let sitePresenceMilliseconds: UInt64 = 60_000
    /// And this seldom where it does not change.
    package static let sitePresenceAgainMilliseconds: UInt64 = 300_000
    /// Who was not heard for so long is not there: twice that, and a minute.
    package static let sitePresenceLastsMilliseconds: UInt64 = 660_000
    /// That the user writes in a conversation is told this seldom: it lasts for seven seconds.
    package static let siteTypingMilliseconds: UInt64 = 5_000
    /// How far the clock of somebody at another site may be off, as for entries.
    package static let siteWindowMilliseconds = aheadMilliseconds
    /// Of one author and one thing not more than one is looked at in this time.
    static let siteSignalMilliseconds: UInt64 = 1_000
    /// How often somebody may change at once what they tell, within a minute.
    static let siteChangesAtOnce = 4
    /// Who told something at other sites, of which it is remembered.
    static let siteHeard = 512
    /// Conversations in which the user's presence is told: what a server takes from each node every five minutes.
    static let siteAudiences = 64
    /// Devices of the largest of these: in a larger one everybody would be told of everybody all the time.
    static let siteAudienceDevices = 64
}
