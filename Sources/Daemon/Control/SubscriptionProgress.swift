internal import Engine
internal import Formats
internal import Storage

/// How far a subscriber is, and whether what comes next comes from the node or from the store.
///
/// A subscriber that keeps up is given changes as they are shown. One that does not, or that starts
/// in the past, reads the store in pages until a page reaches what was shown last; so every change
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
    /// What is given.
    let kinds: Set<Change.Kind>
    /// Everything up to here was given or does not belong to what is followed.
    private(set) var position: Cursor
    private var phase: Phase

    /// Starts behind a cursor; `newest` is the newest one shown.
    init(
        conversation: ConversationID?, kinds: Set<Change.Kind> = [.message],
        after position: Cursor, newest: Cursor
    ) {
        self.conversation = conversation
        self.kinds = kinds
        self.position = position
        self.phase = position < newest ? .behind : .live
    }

    /// Whether changes are given as they are shown.
    var isLive: Bool { self.phase == .live }

    /// Up to where it has read, where streams are to be read behind that.
    var streamsReadThrough: Cursor? {
        self.isLive || !self.kinds.contains(.stream) ? nil : self.position
    }

    /// Whether the store is to be asked for what is said of messages, and for streams, too.
    var wantsBeside: Bool { !self.kinds.isDisjoint(with: [.edited, .reaction, .stream]) }

    /// Whether it is given reactions, each with how many people have given it.
    var wantsReactions: Bool { self.kinds.contains(.reaction) }

    /// Whether the store is to be asked for notices, too.
    var wantsNotices: Bool { self.kinds != [.message] }

    /// Takes a change that is shown now, and says whether to give it.
    mutating func show(_ change: Change, hasRoom: Bool) -> Bool {
        switch self.phase {
        case .live:
            guard change.cursor > self.position else { return false }
            guard self.follows(change) else {
                self.position = change.cursor
                return false
            }
            // How many people have given a reaction the store alone knows.
            guard hasRoom, change.kind != .reaction else {
                self.phase = .behind
                return false
            }
            self.position = change.cursor
            return true
        case .behind:
            return false
        case .reading(let newest):
            self.phase = .reading(newest: max(newest, change.cursor))
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
    mutating func read(_ arrivals: Arrivals, by keyring: Keyring) -> [Change] {
        guard case .reading(let newest) = self.phase else {
            preconditionFailure("a page comes after it was asked for")
        }
        precondition(arrivals.through >= self.position, "a page does not go back")
        var changes = arrivals.entries.compactMap { Message($0, by: keyring).map(Change.message) }
        if !arrivals.notices.isEmpty {
            changes += arrivals.notices.map { .notice($0.cursor, $0.notice) }
            changes.sort { $0.cursor < $1.cursor }
        }
        self.position = arrivals.through
        self.phase = arrivals.hasMore || newest > self.position ? .behind : .live
        return changes.filter(self.follows)
    }

    /// Gives up what cannot be read, and goes on after `newest`; returns the cursors left out.
    mutating func skip(to newest: Cursor) -> (from: Cursor, to: Cursor) {
        let from = self.position
        self.position = max(from, newest)
        self.phase = .live
        return (from, self.position)
    }

    private func follows(_ change: Change) -> Bool {
        self.kinds.contains(change.kind)
            && (self.conversation == nil || self.conversation == change.conversation
                || change.isGap)
    }
}
