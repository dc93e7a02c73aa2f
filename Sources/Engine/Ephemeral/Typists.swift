internal import Formats

/// Who writes in which conversation at this moment, and when others were told so of the own user.
///
/// `Docs/Protocol/Ephemeral.md` section 3.
struct Typists: Sendable {
    /// Somebody in a conversation.
    struct Place: Hashable, Comparable, Sendable {
        var conversation: ConversationID
        var peer: PeerID

        static func < (left: Place, right: Place) -> Bool {
            (left.conversation, left.peer) < (right.conversation, right.peer)
        }
    }

    private struct Heard {
        var at: UInt64
        /// Nil where it came by way of servers.
        var link: LinkID?
        var claim: FairShare<Place>.Claim
    }

    /// Who writes, and when that was heard last.
    private var heard: [Place: Heard] = [:]
    /// When others were told last that the own user writes.
    private var told: [ConversationID: UInt64] = [:]
    /// Who began to write later has a greater number.
    private var lastNumber: Int64 = 0

    /// Whether nobody writes.
    var isEmpty: Bool { self.heard.isEmpty }

    /// Who writes, in order.
    var all: [Place] { self.heard.keys.sorted() }

    /// Whether others are to be told now that the own user writes; they are told from here on.
    mutating func tell(in conversation: ConversationID, at now: UInt64) -> Bool {
        self.told = self.told.filter { now < $0.value + Limits.typingMilliseconds }
        guard self.told[conversation] == nil else { return false }
        self.told[conversation] = now
        return true
    }

    /// Takes that somebody writes: gives whether that is news, and whose place was taken for it.
    ///
    /// - Parameters:
    ///   - tier: how far they are trusted.
    ///   - source: from where it comes.
    mutating func receive(
        _ place: Place, on link: LinkID?, at now: UInt64, _ tier: Tier, from source: Source
    ) -> (isNews: Bool, ended: Place?) {
        self.lastNumber += 1
        let claim = FairShare.Claim(
            key: place, tier: tier, source: source, author: place.peer,
            number: self.heard[place]?.claim.number ?? self.lastNumber)
        let isNews = self.heard[place] == nil
        var ended: Place?
        if isNews, self.heard.count >= Limits.typists {
            let gone = FairShare.room(
                for: claim, among: self.heard.values.map(\.claim), within: Limits.typists)
            guard let gone else { return (false, nil) }
            ended = gone.first?.key
            for claim in gone { self.heard[claim.key] = nil }
        }
        self.heard[place] = Heard(at: now, link: link, claim: claim)
        return (isNews, ended)
    }

    /// Somebody has sent what they wrote; true where that ends it.
    mutating func end(_ place: Place) -> Bool { self.heard.removeValue(forKey: place) != nil }

    /// Ends all that came on a link, or in one of its conversations; gives who wrote.
    mutating func end(on link: LinkID, in conversation: ConversationID? = nil) -> [Place] {
        let ended = self.heard.filter { place, heard in
            heard.link == link && (conversation == nil || conversation == place.conversation)
        }.keys.sorted()
        for place in ended { self.heard[place] = nil }
        return ended
    }

    /// Ends what was not heard again in time; gives who wrote.
    mutating func takeOver(at now: UInt64) -> [Place] {
        let over = self.heard.filter { $0.value.at + Limits.typingLastsMilliseconds <= now }
            .keys.sorted()
        for place in over { self.heard[place] = nil }
        return over
    }

    /// When the next one is over; nil for none.
    var nextOver: UInt64? {
        self.heard.values.map { $0.at + Limits.typingLastsMilliseconds }.min()
    }
}
