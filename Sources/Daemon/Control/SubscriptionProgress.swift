internal import Engine
internal import Storage

/// How far a subscriber is, and whether what comes next comes from the node or from the store.
///
/// A subscriber that keeps up is given messages as they are shown. One that does not, or that starts
/// in the past, reads the store in pages until a page reaches what was shown last; so every message
/// comes once, in the order of cursors, and none has to be kept in memory for it.
struct SubscriptionProgress: Hashable, Sendable {
    private enum Phase: Hashable, Sendable {
        /// Everything up to `position` was given and nothing newer has been shown.
        case live
        /// The store has to be read from `position` on.
        case behind
        /// A page was asked for; the newest cursor shown since then is noted.
        case reading(newest: Cursor)
    }

    /// The only conversation that is followed; nil for all.
    let conversation: ConversationID?
    /// Everything up to here was given or does not belong to what is followed.
    private(set) var position: Cursor
    private var phase: Phase

    /// Starts behind a cursor; `newest` is the newest one shown.
    init(conversation: ConversationID?, after position: Cursor, newest: Cursor) {
        self.conversation = conversation
        self.position = position
        self.phase = position < newest ? .behind : .live
    }

    /// Whether messages are given as they are shown.
    var isLive: Bool { self.phase == .live }

    /// Takes a message that is shown now, and says whether to give it.
    mutating func show(_ message: Message, hasRoom: Bool) -> Bool {
        switch self.phase {
        case .live:
            guard message.cursor > self.position else { return false }
            guard self.follows(message.conversation) else {
                self.position = message.cursor
                return false
            }
            guard hasRoom else {
                self.phase = .behind
                return false
            }
            self.position = message.cursor
            return true
        case .behind:
            return false
        case .reading(let newest):
            self.phase = .reading(newest: max(newest, message.cursor))
            return false
        }
    }

    /// The cursor to read the store from, when that is due; answer with ``read(_:)`` or ``skip(to:)``.
    mutating func startReading(hasRoom: Bool) -> Cursor? {
        guard self.phase == .behind, hasRoom else { return nil }
        self.phase = .reading(newest: self.position)
        return self.position
    }

    /// Takes the page that was asked for, and says what to give.
    mutating func read(_ arrivals: Arrivals) -> [Message] {
        guard case .reading(let newest) = self.phase else {
            preconditionFailure("a page comes after it was asked for")
        }
        precondition(arrivals.through >= self.position, "a page does not go back")
        let messages = arrivals.entries.compactMap { Message($0) }
        self.position = arrivals.through
        self.phase = arrivals.hasMore || newest > self.position ? .behind : .live
        return messages
    }

    /// Gives up what cannot be read, and goes on after `newest`; returns the cursors left out.
    mutating func skip(to newest: Cursor) -> (from: Cursor, to: Cursor) {
        let from = self.position
        self.position = max(from, newest)
        self.phase = .live
        return (from, self.position)
    }

    private func follows(_ conversation: ConversationID) -> Bool {
        self.conversation == nil || self.conversation == conversation
    }
}
