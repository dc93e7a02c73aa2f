internal import Engine
internal import Formats

/// The requests that the node is working on, by the names that it has for them.
struct PendingRequests {
    private var pending: [RequestID: PendingRequest] = [:]
    private var last: UInt64 = 0

    /// Names a request.
    mutating func add(_ request: PendingRequest) -> RequestID {
        self.last += 1
        self.pending[RequestID(self.last)] = request
        return RequestID(self.last)
    }

    /// Takes out a request that is answered.
    mutating func remove(_ id: RequestID) -> PendingRequest? {
        self.pending.removeValue(forKey: id)
    }

    /// Takes out all, oldest first.
    mutating func removeAll() -> [PendingRequest] {
        defer { self.pending = [:] }
        return self.pending.sorted { $0.key < $1.key }.map(\.value)
    }
}
