package import Crypto

/// What an entry carries: the bytes, or what is left of them.
package enum Payload: Hashable, Sendable {
    /// The payload's bytes, suite byte first.
    case present([UInt8])
    /// The payload was left out or erased; the header still commits to it.
    case absent(length: Int, hash: Bytes32)

    /// The payload's length in bytes, whether present or not.
    package var count: Int {
        switch self {
        case .present(let bytes): bytes.count
        case .absent(let length, _): length
        }
    }

    /// The hash that stands in the header.
    package var hash: Bytes32 {
        switch self {
        case .present(let bytes): BLAKE2b.hash256(bytes, personal: .payload)
        case .absent(_, let hash): hash
        }
    }

    /// The same payload without its bytes.
    package var omitted: Payload { .absent(length: self.count, hash: self.hash) }
}

/// One record in a log, without what its place in the log implies (conversation, author, incarnation,
/// seq, prev).
///
/// `Docs/Protocol/Entries.md` section 2.
package struct Entry: Hashable, Sendable {
    /// Its class; see ``EntryClass`` for those that this version knows.
    package var entryClass: UInt8
    /// The author's hybrid clock; greater than that of the entry before.
    package var time: HybridTime
    /// Entries of other logs that this one directly follows; ascending, at most ``Limits/depCount``.
    package var deps: [EntryID]
    /// The id of the key that the payload is sealed with; zeros where it is not sealed.
    package var epoch: Bytes32
    /// What the entry carries.
    package var payload: Payload
    /// Extension fields, encoded; at most ``Limits/extensionBytes``.
    package var extensions: [UInt8]

    /// Creates an entry without epoch and extensions, of any class byte.
    package init(entryClass: UInt8, time: HybridTime, deps: [EntryID], payload: Payload) {
        self.entryClass = entryClass
        self.time = time
        self.deps = deps
        self.epoch = .zero
        self.payload = payload
        self.extensions = []
    }

    /// Whether its payload may be absent: erased, expired, or never received.
    ///
    /// Of control entries it is always there, since everybody must know who may what.
    var mayLackPayload: Bool { self.entryClass != EntryClass.control.rawValue }

    /// The version of the header that this build writes and reads.
    package static let format: UInt8 = 2

    /// The header's bytes for a place in a log; what ``id(key:seq:prev:)`` hashes.
    package func header(key: LogKey, seq: UInt64, prev: EntryID?) -> [UInt8] {
        var writer = WireWriter(capacity: 256 + 32 * self.deps.count)
        self.writeHeaderStart(key: key, seq: seq, prev: prev, to: &writer)
        writer.varint(self.payload.count)
        writer.raw(self.payload.hash)
        writer.sized(self.extensions)
        return writer.bytes
    }

    /// The header's bytes before the payload's length: what a sealed payload is bound to.
    package func headerStart(key: LogKey, seq: UInt64, prev: EntryID?) -> [UInt8] {
        var writer = WireWriter(capacity: 192 + 32 * self.deps.count)
        self.writeHeaderStart(key: key, seq: seq, prev: prev, to: &writer)
        return writer.bytes
    }

    private func writeHeaderStart(
        key: LogKey, seq: UInt64, prev: EntryID?, to writer: inout WireWriter
    ) {
        precondition((seq == 1) == (prev == nil), "every entry but the first has a predecessor")
        writer.byte(Self.format)
        writer.byte(self.entryClass)
        writer.byte(0)
        writer.raw(key.conversation.hash)
        writer.raw(key.name.author.key)
        writer.u64(key.name.incarnation)
        writer.varint(seq)
        if let prev { writer.raw(prev.hash) }
        writer.u64(self.time.rawValue)
        writer.byte(UInt8(self.deps.count))
        for dep in self.deps { writer.raw(dep.hash) }
        writer.raw(self.epoch)
    }

    /// The entry's id by the beginning of its header, as ``headerStart(key:seq:prev:)`` gives it.
    package func id(headerStart: [UInt8]) -> EntryID {
        var rest = WireWriter(capacity: 48 + self.extensions.count)
        rest.varint(self.payload.count)
        rest.raw(self.payload.hash)
        rest.sized(self.extensions)
        var hasher = BLAKE2b.Hasher(personal: .entry)
        hasher.update(headerStart.span.bytes)
        hasher.update(rest.bytes.span.bytes)
        return EntryID(hasher.finalize())
    }

    /// The entry's id at a place in a log: the hash of its header.
    package func id(key: LogKey, seq: UInt64, prev: EntryID?) -> EntryID {
        EntryID(BLAKE2b.hash256(self.header(key: key, seq: seq, prev: prev), personal: .entry))
    }

}

/// The `(type ‖ length ‖ value)*` area that headers and capabilities share.
package enum Extensions {
    /// Reads the types of an area and checks its form: types strictly ascending, nothing left over.
    package static func types(of area: [UInt8]) throws(WireError) -> [UInt64] {
        var types: [UInt64] = []
        try Self.forEach(area) { type, _ in types.append(type) }
        return types
    }

    /// Whether an entry's extensions hold nothing that a reader must understand; none is defined.
    static func areUnderstood(_ area: [UInt8]) -> Bool {
        if area.isEmpty { return true }
        return (try? Self.types(of: area))?.allSatisfy { $0 % 2 == 0 } ?? false
    }

    /// Walks an area in order.
    package static func forEach(
        _ area: [UInt8], _ body: (UInt64, [UInt8]) -> Void
    ) throws(WireError) {
        var reader = WireReader(area)
        var last: UInt64?
        while reader.remaining > 0 {
            let type = try reader.varint("extension type")
            if let last, type <= last { throw .order(field: "extension type") }
            last = type
            body(type, try reader.sized("extension value", limit: area.count))
        }
    }
}
