package import Crypto

/// Which acts of a group the sender has: `Docs/Protocol/Groups.md` section 3.
package struct ActHeads: Hashable, Sendable {
    package var group: ConversationID
    /// Of the whole set; see ``ActID/digest(of:in:)``.
    package var digest: Bytes32
    /// The acts that no other of the set follows; ascending, at most ``Limits/actBasis``.
    package var heads: [ActID]

    package init(group: ConversationID, digest: Bytes32, heads: [ActID]) {
        self.group = group
        self.digest = digest
        self.heads = heads
    }
}

/// A request for acts: all that these follow, and the sender does not have.
package struct ActWant: Hashable, Sendable {
    package var group: ConversationID
    /// Ascending, 1 to ``Limits/actBasis``.
    package var wanted: [ActID]
    /// The sender's own heads; ascending, at most ``Limits/actBasis``.
    package var heads: [ActID]

    package init(group: ConversationID, wanted: [ActID], heads: [ActID]) {
        self.group = group
        self.wanted = wanted
        self.heads = heads
    }
}

extension ActID {
    /// Stands for a set of acts: equal where two have the same.
    package static func digest(
        of acts: some Sequence<ActID>, in group: ConversationID
    ) -> Bytes32 {
        var hasher = BLAKE2b.Hasher(personal: .actSet)
        hasher.update(group.hash)
        for act in acts.sorted() { hasher.update(act.hash) }
        return hasher.finalize()
    }
}

/// The bodies of the frames of groups.
enum GroupFrames {
    static func read(
        _ kind: Frame.Kind, from reader: inout WireReader
    ) throws(WireError) -> Frame {
        switch kind {
        case .actHeads: try Self.heads(from: &reader)
        case .actWant: try Self.want(from: &reader)
        case .acts: try Self.acts(from: &reader)
        case .epochKeys: try Self.keys(from: &reader)
        case .sealedKeys: try Self.sealedKeys(from: &reader)
        default: preconditionFailure("no other frame is of groups")
        }
    }

    static func write(_ heads: ActHeads, to writer: inout WireWriter) {
        writer.raw(heads.group.hash)
        writer.raw(heads.digest)
        Self.write(heads.heads, to: &writer)
    }

    private static func heads(from reader: inout WireReader) throws(WireError) -> Frame {
        let group = ConversationID(try reader.bytes32("actHeads group"))
        let digest = try reader.bytes32("actHeads digest")
        return .actHeads(
            ActHeads(group: group, digest: digest, heads: try Self.ids(from: &reader, least: 0)))
    }

    static func write(_ want: ActWant, to writer: inout WireWriter) {
        writer.raw(want.group.hash)
        Self.write(want.wanted, to: &writer)
        Self.write(want.heads, to: &writer)
    }

    private static func want(from reader: inout WireReader) throws(WireError) -> Frame {
        let group = ConversationID(try reader.bytes32("actWant group"))
        let wanted = try Self.ids(from: &reader, least: 1)
        return .actWant(
            ActWant(group: group, wanted: wanted, heads: try Self.ids(from: &reader, least: 0)))
    }

    static func write(_ group: ConversationID, _ acts: [Act], to writer: inout WireWriter) {
        writer.raw(group.hash)
        writer.varint(acts.count)
        for act in acts { writer.sized(act.encoded) }
    }

    private static func acts(from reader: inout WireReader) throws(WireError) -> Frame {
        let group = ConversationID(try reader.bytes32("acts group"))
        var acts: [Act] = []
        var bytes = 0
        for _ in 0..<(try Self.count(from: &reader)) {
            let encoded = try reader.sized("act", limit: Limits.actBytes)
            bytes += encoded.count
            let act = try Act(decoding: encoded)
            guard act.group == group else { throw .value(field: "acts group") }
            acts.append(act)
        }
        guard bytes <= Limits.actsFrameBytes else {
            throw .limit(field: "acts", limit: Limits.actsFrameBytes, got: UInt64(bytes))
        }
        return .acts(group, acts)
    }

    static func write(_ group: ConversationID, _ keys: [EpochKey], to writer: inout WireWriter) {
        writer.raw(group.hash)
        writer.varint(keys.count)
        for key in keys {
            writer.raw(key.id)
            writer.raw(key.key)
        }
    }

    private static func keys(from reader: inout WireReader) throws(WireError) -> Frame {
        let group = ConversationID(try reader.bytes32("epochKeys group"))
        var keys: [EpochKey] = []
        for _ in 0..<(try Self.count(from: &reader)) {
            let id = try reader.bytes32("epoch id")
            if let last = keys.last, id <= last.id { throw .order(field: "epoch ids") }
            keys.append(EpochKey(id: id, key: try reader.bytes32("epoch key")))
        }
        return .epochKeys(group, keys)
    }

    static func write(_ group: ConversationID, _ keys: [SealedKey], to writer: inout WireWriter) {
        writer.raw(group.hash)
        writer.varint(keys.count)
        for key in keys { key.write(to: &writer) }
    }

    private static func sealedKeys(from reader: inout WireReader) throws(WireError) -> Frame {
        let group = ConversationID(try reader.bytes32("sealedKeys group"))
        var keys: [SealedKey] = []
        for _ in 0..<(try Self.count(from: &reader)) { keys.append(try SealedKey(from: &reader)) }
        return .sealedKeys(group, keys)
    }

    private static func count(from reader: inout WireReader) throws(WireError) -> Int {
        let count = try reader.count("group items", limit: Limits.groupFrameItems)
        guard count > 0 else { throw .value(field: "group items") }
        return count
    }

    private static func write(_ ids: [ActID], to writer: inout WireWriter) {
        writer.varint(ids.count)
        for id in ids { writer.raw(id.hash) }
    }

    private static func ids(
        from reader: inout WireReader, least: Int
    ) throws(WireError) -> [ActID] {
        let count = try reader.count("acts count", limit: Limits.actBasis)
        guard count >= least else { throw .value(field: "acts count") }
        var ids: [ActID] = []
        for _ in 0..<count {
            let id = ActID(try reader.bytes32("act id"))
            if let last = ids.last, id <= last { throw .order(field: "act ids") }
            ids.append(id)
        }
        return ids
    }
}
