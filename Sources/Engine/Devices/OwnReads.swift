internal import Formats

/// What the user has read on other devices, as their marks in the notes say.
struct OwnReads: Sendable {
    /// Through which entry of a log, by the log's tag.
    private var elsewhere: [UInt64: UInt64] = [:]
    /// Conversations in which something is read elsewhere that may be unread here.
    private(set) var due: Set<ConversationID> = []

    var isEmpty: Bool { self.elsewhere.isEmpty }

    /// Takes a mark of another device of the user.
    mutating func take(_ mark: Mark) {
        for row in mark.rows where row.read > self.elsewhere[row.tag] ?? 0 {
            self.elsewhere[row.tag] = row.read
        }
    }

    /// Through which entry a log was read elsewhere; 0 where nothing is said of it.
    func read(of key: LogKey) -> UInt64 { self.elsewhere[Mark.tag(of: key)] ?? 0 }

    /// Something may be read here by what is said elsewhere.
    mutating func look(in conversation: ConversationID) { self.due.insert(conversation) }

    mutating func takeDue() -> [ConversationID] {
        defer { self.due = [] }
        return self.due.sorted()
    }
}
