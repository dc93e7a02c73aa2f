internal import ControlAPI

/// The place for the answer to one call of a client; answered once.
final class Reply {
    private enum Target {
        case single(RPCRequestID)
        case batch(PendingBatch, position: Int)
        /// A notification, which is never answered.
        case nobody
    }

    private let target: Target
    /// How many bytes the answer should not exceed by more than one message.
    let byteBudget: Int
    /// How many bytes the elements of a list may take, beside what stands around them.
    var listBytes: Int { max(0, self.byteBudget - 4_096) }
    /// Held weakly, so that an answer that takes long keeps no connection open.
    private weak var client: ControlConnection?
    private var isAnswered = false
    /// Whether what was asked is not yet asked of the node, so that nothing behind it may be.
    private var holdsUp = false
    /// Whether that is so until the answer.
    private var holdsToEnd = false

    private init(_ target: Target, byteBudget: Int, client: ControlConnection) {
        self.target = target
        self.byteBudget = byteBudget
        self.client = client
        client.promise(byteBudget)
    }

    convenience init(id: RPCRequestID?, byteBudget: Int, client: ControlConnection) {
        self.init(
            id.map { .single($0) } ?? .nobody, byteBudget: byteBudget, client: client)
    }

    convenience init(
        batch: PendingBatch, position: Int?, byteBudget: Int, client: ControlConnection
    ) {
        self.init(
            position.map { .batch(batch, position: $0) } ?? .nobody, byteBudget: byteBudget,
            client: client)
    }

    /// Who asked; nil when gone.
    var asker: ControlConnection? { self.client }

    /// Lets what its client asks next wait until this request has reached the node or is answered.
    ///
    /// For handlers that first read or write something else: what one connection asks takes effect in the
    /// order asked.
    ///
    /// - Parameter toEnd: whether what is asked next waits for the answer in any case.
    func holdUp(toEnd: Bool = false) {
        guard !self.isAnswered else { return }
        self.holdsToEnd = self.holdsToEnd || toEnd
        guard !self.holdsUp else { return }
        self.holdsUp = true
        self.client?.holdUp()
    }

    /// The request has reached the node, or is answered: what was asked next has its turn.
    func goOn() {
        guard self.holdsUp, !self.holdsToEnd || self.isAnswered else { return }
        self.holdsUp = false
        self.client?.goOn()
    }

    /// Gives the answer; dropped when the client is gone.
    func answer(_ result: some FieldValue) {
        self.give { id in
            RPCResponse.line(id: id, result: result)
        } inBatch: {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(result.expectedBytes)
            result.write(into: &bytes)
            return .result(.written(bytes))
        }
    }

    func fail(_ error: RPCError) {
        self.give { id in
            RPCResponse(id: id, error: error).line
        } inBatch: {
            .failure(error)
        }
    }

    private func give(
        line: (RPCRequestID) -> [UInt8], inBatch outcome: () -> RPCResponse.Outcome
    ) {
        precondition(!self.isAnswered, "each request is answered once")
        self.isAnswered = true
        self.goOn()
        guard let client = self.client else { return }
        client.redeem(self.byteBudget)
        switch self.target {
        case .single(let id): client.write(line(id))
        case .batch(let batch, let position):
            batch.reply.answer(position, with: outcome())
            batch.finish(for: client)
        case .nobody: break
        }
        client.proceed()
    }
}

/// A batch whose answers are gathered.
final class PendingBatch {
    var reply: BatchReply

    init(_ calls: [RPCCall]) { self.reply = BatchReply(to: calls) }

    /// Sends the answers once all are there.
    func finish(for client: ControlConnection) {
        guard self.reply.isComplete else { return }
        if let json = self.reply.json { client.write(json.line) }
    }
}
