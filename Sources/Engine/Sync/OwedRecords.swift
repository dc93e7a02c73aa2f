internal import Formats

/// The records that a peer is owed, over all conversations that are shared with it: each once, and sent as it then
/// stands.
///
/// Strangers may have some ten thousand of them be here, and take none on any of their links. So few are
/// remembered, and of the rest only where there are more: once those have gone a digest is sent again, and the
/// peer says what it still lacks.
struct OwedRecords: Sendable {
    /// Those of people whom the user knows, which go first, and all others.
    private var ofKnown = Turns<RecordKey>()
    private var others = Turns<RecordKey>()
    /// Conversations of which more is owed than is remembered.
    private var cut: Set<ConversationID> = []

    var isEmpty: Bool { self.ofKnown.isEmpty && self.others.isEmpty }

    var count: Int { self.ofKnown.count + self.others.count }

    /// Owes a record of a conversation, where there is room for it.
    mutating func owe(_ key: RecordKey, of conversation: ConversationID, isOfKnown: Bool) {
        let isCut =
            isOfKnown ? !Self.add(key, to: &self.ofKnown) : !Self.add(key, to: &self.others)
        if isCut { self.cut.insert(conversation) }
    }

    private static func add(_ key: RecordKey, to turns: inout Turns<RecordKey>) -> Bool {
        guard !turns.contains(key) else { return true }
        guard turns.count < Limits.owedRecords else { return false }
        turns.add(key)
        return true
    }

    /// Takes as many as fit a frame.
    mutating func next() -> [RecordKey] {
        var keys: [RecordKey] = []
        while keys.count < Limits.recordsPerFrame,
            let key = self.ofKnown.next() ?? self.others.next()
        {
            keys.append(key)
        }
        return keys
    }

    /// Takes the conversations of which more is owed, once all that is remembered has gone.
    mutating func takeCut() -> Set<ConversationID> {
        guard self.isEmpty, !self.cut.isEmpty else { return [] }
        defer { self.cut = [] }
        return self.cut
    }
}
