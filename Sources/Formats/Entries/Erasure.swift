internal import Crypto

/// An entry that another one names, to erase or to answer it: its place in a conversation, and its id.
///
/// `Docs/Protocol/Entries.md` section 3.
package struct EntryTarget: Hashable, Sendable {
    package var log: LogName
    /// Its number there.
    package var seq: UInt64
    /// Its id; another entry at its place is not meant.
    package var id: EntryID

    package init(log: LogName, seq: UInt64, id: EntryID) {
        self.log = log
        self.seq = seq
        self.id = id
    }

    private static let namesType: UInt64 = 1
    private static let extensionType: UInt64 = 2
    static let mustKnow = [Self.namesType]

    /// Writes the fields of an `erase`.
    static func write(_ targets: [EntryTarget], to writer: inout WireWriter) {
        var list = WireWriter(capacity: 80 * targets.count)
        for target in targets { list.raw(target.encoded) }
        writer.field(Self.namesType, list.bytes)
    }

    /// Reads ``encoded``; nil for anything else.
    init?(decoding bytes: [UInt8]) {
        var reader = WireReader(bytes)
        let target = try? Self.target(&reader) { (reader) throws(WireError) in
            PeerID(try reader.bytes32("target author"))
        }
        guard let target, reader.remaining == 0 else { return nil }
        self = target
    }

    /// Author, incarnation, number and id.
    var encoded: [UInt8] {
        var writer = WireWriter(capacity: 80)
        writer.raw(self.log.author.key)
        self.writePlace(to: &writer)
        return writer.bytes
    }

    private func writePlace(to writer: inout WireWriter) {
        writer.u64(self.log.incarnation)
        writer.varint(self.seq)
        writer.raw(self.id.hash)
    }

    /// Reads the fields of an `erase`; nil where they are not as described.
    static func read(_ fields: FieldList) -> [EntryTarget]? {
        guard let value = fields.value(of: Self.namesType) else { return nil }
        return Self.list(Array(value)) { (reader) throws(WireError) in
            PeerID(try reader.bytes32("target author"))
        }
    }

    private static func list(
        _ bytes: [UInt8], _ author: (inout WireReader) throws(WireError) -> PeerID
    ) -> [EntryTarget]? {
        var reader = WireReader(bytes)
        var targets: [EntryTarget] = []
        while reader.remaining > 0 {
            guard targets.count < Limits.eraseTargets,
                let target = try? Self.target(&reader, author)
            else { return nil }
            if let last = targets.last, (target.log, target.seq) <= (last.log, last.seq) {
                return nil
            }
            targets.append(target)
        }
        return targets.isEmpty ? nil : targets
    }

    private static func target(
        _ reader: inout WireReader, _ author: (inout WireReader) throws(WireError) -> PeerID
    ) throws(WireError) -> EntryTarget {
        let name = LogName(
            author: try author(&reader), incarnation: try reader.u64("target incarnation"))
        let seq = try reader.varint("target seq")
        guard (1..<UInt64(Int64.max)).contains(seq) else { throw .value(field: "target seq") }
        return EntryTarget(log: name, seq: seq, id: EntryID(try reader.bytes32("target id")))
    }

    // MARK: In the header

    /// The extension area that names in clear those targets that a device wrote itself, so that
    /// replicas that cannot read the body obey; empty where there are none.
    package static func extensions(_ targets: [EntryTarget], by device: PeerID) -> [UInt8] {
        let own = targets.filter { $0.log.author == device }
        guard !own.isEmpty else { return [] }
        var list = WireWriter(capacity: 48 * own.count)
        for target in own { target.writePlace(to: &list) }
        var area = WireWriter(capacity: 64 + 48 * own.count)
        area.field(Self.extensionType, list.bytes)
        return area.bytes
    }

    /// The targets that a header names in clear, all of its author's device.
    package static func inExtensions(_ area: [UInt8], by device: PeerID) -> [EntryTarget] {
        var targets: [EntryTarget]?
        try? Extensions.forEach(area) { type, value in
            guard type == Self.extensionType else { return }
            targets = Self.list(value) { (_) throws(WireError) in device }
        }
        return targets ?? []
    }
}

/// Whose log an entry is in.
package struct Authorship: Hashable, Sendable {
    /// The device that signs it.
    package var device: PeerID
    /// The person whose device it is, as the log's first entry says; nil where that cannot be read.
    package var person: PersonID?

    package init(device: PeerID, person: PersonID?) {
        self.device = device
        self.person = person
    }

    /// Whether one may erase what another has written, or give it another text: the rule, for replicas
    /// with keys and without.
    ///
    /// The same person may, with any device. The same device may also where nothing says whose it is:
    /// a replica without the key of a sealed conversation cannot read that, and erases all the same.
    package func mayChange(_ author: Authorship) -> Bool {
        #if MUTANTS
            if Mutant.eraseForAnybody.isActive { return true }
        #endif
        if self.device == author.device { return true }
        return self.person != nil && self.person == author.person
    }
}

/// An entry whose payload the store has erased, since another entry said so.
package struct Erasure: Hashable, Sendable {
    package var conversation: ConversationID
    package var target: EntryTarget

    /// The log of the entry.
    package var key: LogKey { LogKey(conversation: self.conversation, name: self.target.log) }

    package init(conversation: ConversationID, target: EntryTarget) {
        self.conversation = conversation
        self.target = target
    }
}
