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
        var link: LinkID
        var isKnown: Bool
    }

    /// Who writes, and when that was heard last.
    private var heard: [Place: Heard] = [:]
    /// When others were told last that the own user writes.
    private var told: [ConversationID: UInt64] = [:]

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
    /// - Parameter isKnown: whether the user knows them: then a stranger gives way where there is no room.
    mutating func receive(
        _ place: Place, on link: LinkID, at now: UInt64, isKnown: Bool
    ) -> (isNews: Bool, ended: Place?) {
        if self.heard[place] != nil {
            self.heard[place]?.at = now
            self.heard[place]?.isKnown = isKnown
            return (false, nil)
        }
        var ended: Place?
        if self.heard.count >= Limits.typists {
            ended = isKnown ? self.oldestStranger : nil
            guard let ended else { return (false, nil) }
            self.heard[ended] = nil
        }
        self.heard[place] = Heard(at: now, link: link, isKnown: isKnown)
        return (true, ended)
    }

    /// The stranger who was not heard for longest; nil where there is none.
    private var oldestStranger: Place? {
        self.heard.filter { !$0.value.isKnown }
            .min { ($0.value.at, $0.key) < ($1.value.at, $1.key) }?.key
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
