internal import Formats

/// The latest refusals, bounded; repeats are counted instead of listed.
struct RefusalList: Sendable {
    private(set) var entries: [Refusal] = []
    private var last: UInt64 = 0

    /// Notes a refusal and gives how often it has happened.
    mutating func add(
        address: String?, peer: PeerID?, _ reason: String, at time: UInt64
    ) -> Int {
        // A stranger's port differs each time; the host and the reason make it the same refusal.
        let host = address.map(Self.host)
        self.last += 1
        if let index = self.entries.firstIndex(where: {
            $0.address.map(Self.host) == host && $0.peer == peer && $0.reason == reason
        }) {
            var known = self.entries.remove(at: index)
            known.time = time
            known.count += 1
            known.address = address
            known.number = self.last
            self.entries.append(known)
            return known.count
        }
        if self.entries.count == Limits.refusals { self.entries.removeFirst() }
        self.entries.append(
            Refusal(
                time: time, address: address, peer: peer, reason: reason, count: 1,
                number: self.last))
        return 1
    }

    private static func host(_ address: String) -> Substring {
        address.lastIndex(of: ":").map { address[..<$0] } ?? address[...]
    }
}
