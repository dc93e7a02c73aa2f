/// Idempotency keys of sends that are not yet on disk, or only just: they close the gap between a
/// look-up and a commit.
struct RecentKeys: Sendable {
    private var pending: [String: [RequestID]] = [:]
    private var done: [String: SentMessage] = [:]
    private var order: [String] = []
    private static let kept = 1_024

    /// Joins a send under way with the same key; false when there is none.
    mutating func join(_ key: String, _ request: RequestID) -> Bool {
        guard self.pending[key] != nil else { return false }
        self.pending[key]?.append(request)
        return true
    }

    func recent(_ key: String) -> SentMessage? { self.done[key] }

    mutating func begin(_ key: String) { self.pending[key] = [] }

    /// Ends a send; gives the requests that had joined it.
    mutating func finish(_ key: String, _ message: SentMessage?) -> [RequestID] {
        if let message {
            self.done[key] = message
            self.order.append(key)
            if self.order.count > 2 * Self.kept {
                for old in self.order.prefix(Self.kept) { self.done[old] = nil }
                self.order.removeFirst(Self.kept)
            }
        }
        return self.pending.removeValue(forKey: key) ?? []
    }
}
