/// Requests that change something, in the order asked.
///
/// A send with a key waits until the store has said whether it was sent before, and everything asked
/// after it waits behind it: messages keep the order in which they were written.
struct RequestLine: Sendable {
    /// What the store has said about a key.
    enum Finding: Sendable {
        case earlier(EarlierSend?)
        case failed(StoreFailure)
    }

    private var waiting = Queue<(id: RequestID, what: Request)>()
    /// Whose keys are being looked up.
    private var sought: Set<RequestID> = []
    private var findings: [RequestID: Finding] = [:]

    var count: Int { self.waiting.count }
    var isEmpty: Bool { self.waiting.isEmpty }

    /// Takes a request behind all others.
    mutating func add(_ id: RequestID, _ what: Request, isSought: Bool) {
        self.waiting.append((id, what))
        if isSought { self.sought.insert(id) }
    }

    /// Takes what the store has said.
    mutating func settle(_ id: RequestID, _ finding: Finding) {
        guard self.sought.remove(id) != nil else { return }
        self.findings[id] = finding
    }

    /// Takes out the first request, with what was found for it; nil while its key is being looked up.
    mutating func next() -> (id: RequestID, what: Request, finding: Finding?)? {
        guard let first = self.waiting.first, !self.sought.contains(first.id) else { return nil }
        _ = self.waiting.removeFirst()
        return (first.id, first.what, self.findings.removeValue(forKey: first.id))
    }
}

extension Request {
    /// Whether it changes what others or the disk hold, so that the order in which it is asked matters.
    var isChange: Bool {
        switch self {
        case .connect, .reach, .presence, .typing, .openStream, .sendPacket, .closeStream,
            .callSignal, .linkDevice, .confirmDevice, .approveDevice, .syncActs:
            false
        default: true
        }
    }
}
