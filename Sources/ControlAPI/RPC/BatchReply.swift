/// Gathers the responses to one batch, in whatever order they come.
///
/// Make it from the calls of `Incoming.batch`, answer each request by its position in that array,
/// and send `json` once `isComplete`. Invalid elements are answered from the start; notifications
/// are never answered. JSON-RPC 2.0 section 6.
package struct BatchReply: Equatable, Sendable {
    private enum Slot: Equatable, Sendable {
        case silent
        case waiting(RPCRequestID)
        case answered(RPCResponse)
    }

    private var slots: [Slot]
    private var waiting: Int

    /// Begins a reply to these calls.
    package init(to calls: [RPCCall]) {
        self.slots = calls.map { call in
            switch call {
            case .request(let id, _): .waiting(id)
            case .notification: .silent
            case .invalid(let error): .answered(RPCResponse(error: error))
            }
        }
        self.waiting = self.slots.count {
            if case .waiting = $0 { true } else { false }
        }
    }

    /// Whether every request of the batch is answered.
    package var isComplete: Bool { self.waiting == 0 }

    /// Notes the outcome of the request at this position of the batch.
    ///
    /// Traps when that element is no request or was answered before: each gets one answer.
    package mutating func answer(_ position: Int, with outcome: RPCResponse.Outcome) {
        guard case .waiting(let id) = self.slots[position] else {
            preconditionFailure("each request of a batch is answered once")
        }
        self.slots[position] = .answered(RPCResponse(id: id, outcome: outcome))
        self.waiting -= 1
    }

    /// The array of responses in the order of their requests, or nil when nothing is to be sent.
    ///
    /// It is nil when the batch held notifications only. Call once `isComplete`; traps before.
    package var json: JSON? {
        precondition(self.isComplete, "a batch is answered as a whole")
        let responses: [JSON] = self.slots.compactMap {
            if case .answered(let response) = $0 { response.json } else { nil }
        }
        return responses.isEmpty ? nil : .array(responses)
    }
}
