internal import Formats

/// The logs of which payloads are wanted, with short numbers to queue them by.
struct WantedLogs: Sendable {
    private struct Wanted: Sendable {
        var seqs: SeqRanges
        var number: UInt32
    }

    private var wanted: [LogKey: Wanted] = [:]
    /// The logs of numbers that are given.
    private var keys: [UInt32: LogKey] = [:]
    /// Numbers of conversations, in the order in which they were given.
    private var conversations: [ConversationID: Set<UInt32>] = [:]
    /// Numbers that were given and are free again.
    private var free: [UInt32] = []

    var isEmpty: Bool { self.wanted.isEmpty }

    /// How many stretches are wanted of all logs.
    var stretches: Int { self.wanted.values.reduce(0) { $0 + $1.seqs.all.count } }

    /// What is wanted of a log; nil for nothing.
    func seqs(of key: LogKey) -> SeqRanges? { self.wanted[key]?.seqs }

    /// The number of a log; nil where nothing is wanted of it.
    func number(of key: LogKey) -> UInt32? { self.wanted[key]?.number }

    /// The log of a number; nil where it is free.
    func key(_ number: UInt32) -> LogKey? { self.keys[number] }

    /// The numbers of the logs of a conversation, ascending.
    func numbers(in conversation: ConversationID) -> [UInt32] {
        (self.conversations[conversation] ?? []).sorted()
    }

    /// Wants entries of a log.
    mutating func insert(_ seqs: ClosedRange<UInt64>, of key: LogKey) {
        if self.wanted[key] == nil {
            // No machine holds as many logs as there are numbers.
            let number = self.free.popLast() ?? UInt32(self.keys.count)
            self.wanted[key] = Wanted(seqs: SeqRanges(), number: number)
            self.keys[number] = key
            self.conversations[key.conversation, default: []].insert(number)
        }
        self.wanted[key]?.seqs.insert(seqs)
    }

    /// Wants entries of a log no longer; gives whether nothing is left of it.
    mutating func remove(_ seqs: ClosedRange<UInt64>, of key: LogKey) -> Bool {
        guard let number = self.wanted[key]?.number else { return false }
        self.wanted[key]?.seqs.remove(seqs)
        guard self.wanted[key]?.seqs.isEmpty == true else { return false }
        self.wanted[key] = nil
        self.keys[number] = nil
        self.free.append(number)
        self.conversations[key.conversation]?.remove(number)
        if self.conversations[key.conversation]?.isEmpty == true {
            self.conversations[key.conversation] = nil
        }
        return true
    }
}
