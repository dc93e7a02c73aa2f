internal import Crypto

/// What one peer has of the payloads of consecutive entries of a log.
package struct Payloads: Hashable, Sendable {
    /// What it has of one of them.
    package enum Item: Hashable, Sendable {
        /// It lacks the payload itself.
        case wanted
        case present([UInt8])
        /// Somebody who may has erased it.
        case erased
        /// It does not keep it any longer.
        case expired

        /// The bytes of the payload; 0 where it is not here.
        var byteCount: Int { if case .present(let payload) = self { payload.count } else { 0 } }
    }

    package var conversation: ConversationID
    /// The log's tag on this link.
    package var tag: UInt64
    /// The number of the first entry.
    package var from: UInt64
    /// What it has, entry by entry; none where the sender has no entry from there on.
    package var items: [Item]

    package init(conversation: ConversationID, tag: UInt64, from: UInt64, items: [Item]) {
        self.conversation = conversation
        self.tag = tag
        self.from = from
        self.items = items
    }
}

/// The bytes of an answer to a `payloadWant`: `Docs/Protocol/Sync.md` section 9.
extension Payloads {
    func write(to writer: inout WireWriter) {
        writer.raw(self.conversation.hash)
        writer.u64(self.tag)
        writer.varint(self.from)
        writer.varint(self.items.count)
        for item in self.items {
            writer.byte(item.state.rawValue)
            if case .present(let payload) = item { writer.sized(payload) }
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        let conversation = ConversationID(try reader.bytes32("payloads conversation"))
        let tag = try reader.u64("payloads tag")
        let from = try reader.varint("payloads from")
        let count = try reader.count("payloads count", limit: Limits.payloadItems)
        guard from > 0, from <= UInt64(Int64.max) - UInt64(count) else {
            throw .value(field: "payloads from")
        }
        var items: [Item] = []
        var bytes = 0
        for _ in 0..<count {
            let item = try Item(from: &reader)
            bytes += item.byteCount
            items.append(item)
        }
        guard bytes <= Limits.runEntryBytes else {
            throw .limit(field: "payloads", limit: Limits.runEntryBytes, got: UInt64(bytes))
        }
        self.init(conversation: conversation, tag: tag, from: from, items: items)
    }
}

extension Payloads.Item {
    package var state: PayloadState {
        switch self {
        case .wanted: .wanted
        case .present: .present
        case .erased: .erased
        case .expired: .expired
        }
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        guard let state = PayloadState(rawValue: try reader.byte("payload state")) else {
            throw .value(field: "payload state")
        }
        switch state {
        case .wanted: self = .wanted
        case .present:
            self = .present(try reader.sized("payload", limit: Limits.payloadBytes))
        case .erased: self = .erased
        case .expired: self = .expired
        }
    }

    /// What is told of an entry, by what the store has.
    package init(_ stored: StoredPayload) {
        switch (stored.state, stored.entry.payload) {
        case (.present, .present(let payload)): self = .present(payload)
        case (.erased, _): self = .erased
        case (.expired, _): self = .expired
        case (.present, .absent), (.wanted, _): self = .wanted
        }
    }
}
