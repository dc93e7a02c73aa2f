package import ControlAPI

/// What pages have sent and the daemon has not taken.
///
/// One at a time is under way, in the order in which they came. Each has a key of the page's, so that it may be
/// given to the daemon again without being sent twice: after a lost answer, a restart, or a page that asks again.
package struct WebOutbox: Equatable, Sendable {
    package struct Item: Equatable, Sendable {
        /// What is sent.
        package var params: SendMethod.Params
        /// The content of its file, which lives as long as this program.
        package var upload: Int64?
        /// Why the daemon will not have it; nil while it waits.
        package var failure: RPCError?
    }

    package private(set) var items: [Item] = []
    /// The key of what was given to the daemon and is not answered.
    private var sending: String?
    /// Until when the daemon is left alone, since it has too much in hand.
    package private(set) var pausedUntil: UInt64 = 0

    private static let pauseMilliseconds: UInt64 = 500

    package init() {}

    /// Takes a text; one whose key is here already is not taken twice.
    ///
    /// Returns why it is refused.
    package mutating func add(_ params: SendMethod.Params, upload: Int64?) -> RPCError? {
        guard let key = params.idempotencyKey, !key.isEmpty else {
            return .invalidParams(
                "the message has no key", reason: "missingParam", remedy: "reload the page")
        }
        guard !self.items.contains(where: { $0.params.idempotencyKey == key }) else { return nil }
        guard self.items.count < WebLimits.outboxItems else {
            return .busy("\(WebLimits.outboxItems) messages wait to be sent already")
        }
        var params = params
        // Nobody waits for it, and a wait would hold up what comes after.
        (params.wait, params.members, params.timeoutMilliseconds) = (nil, nil, nil)
        self.items.append(Item(params: params, upload: upload))
        return nil
    }

    /// What is to be given to the daemon now, which is under way from then on; nil for nothing.
    package mutating func takeNext(at now: UInt64) -> Item? {
        guard self.sending == nil, self.pausedUntil <= now,
            let item = self.items.first(where: { $0.failure == nil })
        else { return nil }
        self.sending = item.params.idempotencyKey
        return item
    }

    /// The daemon has answered what is under way.
    package mutating func answered(_ outcome: RPCResponse.Outcome, at now: UInt64) {
        guard let key = self.sending else { return }
        self.sending = nil
        guard let place = self.items.firstIndex(where: { $0.params.idempotencyKey == key }) else {
            return
        }
        guard case .failure(let error) = outcome else {
            self.items.remove(at: place)
            return
        }
        switch error.knownCode {
        case .busy, .shuttingDown, .overflow, .locked:
            self.pausedUntil = now + Self.pauseMilliseconds
        // Stored, and goes out by itself.
        case .held, .deliveryTimeout: self.items.remove(at: place)
        default: self.items[place].failure = error
        }
    }

    /// What cannot be sent here: the content of its file is gone.
    package mutating func fail(_ error: RPCError) {
        self.answered(.failure(error), at: 0)
    }

    /// The daemon is gone, and what was under way is given to the next one.
    package mutating func lost() { self.sending = nil }

    /// The user does not want it any more; what is under way goes on.
    package mutating func discard(_ key: String) {
        guard key != self.sending else { return }
        self.items.removeAll { $0.params.idempotencyKey == key }
    }

    /// Whether something waits that nobody has given to the daemon.
    package var isWaiting: Bool {
        self.sending == nil && self.items.contains { $0.failure == nil }
    }

    /// Whether an upload is still needed.
    package func needs(_ upload: Int64) -> Bool { self.items.contains { $0.upload == upload } }
}

/// What outlives the program: what is not sent, and what the page keeps.
package struct KeptPage: ControlValue {
    private struct Line: ControlValue {
        var params = SendMethod.Params()
        var hasFile: Bool?

        mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("params", &self.params, .any, "")
            visitor.field("hasFile", &self.hasFile, .any, "")
        }
    }

    private var lines: [Line] = []
    /// What pages keep.
    package var notes: [PageNote] = []

    package init() {}

    package init(_ outbox: WebOutbox, _ notes: PageNotes) {
        self.lines = outbox.items.map { item in
            var line = Line()
            line.params = item.params
            if item.upload != nil { line.hasFile = true }
            return line
        }
        self.notes = notes.notes
    }

    package var isEmpty: Bool { self.lines.isEmpty && self.notes.isEmpty }

    /// Reads what was kept; what is damaged is as if nothing had been.
    package init(stored bytes: [UInt8]) {
        let json = (try? JSON(parsing: bytes, byteLimit: bytes.count)) ?? .null
        self = Received<KeptPage>(json).value
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("lines", &self.lines, .any, "")
        visitor.field("notes", &self.notes, .any, "")
    }

    /// What was to be sent; files have to be chosen again.
    var unsent: [(params: SendMethod.Params, hasFile: Bool)] {
        self.lines.map { ($0.params, $0.hasFile == true) }
    }
}

extension WebOutbox {
    /// Takes over what an earlier program could not send any more.
    package mutating func restore(_ kept: KeptPage) {
        for line in kept.unsent {
            // The number of an upload that there is not: it fails, and says so.
            _ = self.add(line.params, upload: line.hasFile ? -1 : nil)
        }
    }
}
