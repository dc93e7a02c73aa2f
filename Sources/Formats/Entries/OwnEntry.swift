internal import Crypto

/// What one of the user's devices tells the others, in the user's notes: an entry of kind 7.
///
/// `Docs/Protocol/Entries.md` section 13. Something is in a set while an entry says so that no later one replaces; an
/// entry replaces only those that it names, so nothing that its device had not seen is ever lost.
package struct OwnEntry: Hashable, Sendable {
    /// Which set, or which single values.
    package let set: UInt8
    /// What of the set, 1 to ``Limits/ownItemBytes`` bytes.
    package let item: [UInt8]
    /// Whether the item is in the set from here on.
    package let isIn: Bool
    /// What is said of it, at most ``Limits/ownValueBytes``.
    package let value: [UInt8]
    /// The entries about the same item that this one replaces; ascending, at most ``Limits/ownReplaced``.
    package let replaced: [EntryID]

    private static let setType: UInt64 = 1
    private static let itemType: UInt64 = 3
    private static let outType: UInt64 = 5
    private static let valueType: UInt64 = 6
    private static let replacedType: UInt64 = 7

    /// Describes a change; nil where a value is beyond its limit.
    package init?(
        set: UInt8, item: [UInt8], isIn: Bool = true, value: [UInt8] = [],
        replacing replaced: some Sequence<EntryID> = []
    ) {
        let replaced = Set(replaced).sorted()
        guard (1...Limits.ownItemBytes).contains(item.count), value.count <= Limits.ownValueBytes,
            replaced.count <= Limits.ownReplaced
        else { return nil }
        self.set = set
        self.item = item
        self.isIn = isIn
        self.value = value
        self.replaced = replaced
    }

    /// The types of fields of which a reader must know what they mean.
    static let mustKnow = [setType, itemType, outType, replacedType]

    /// Writes its fields.
    func write(to writer: inout WireWriter) {
        writer.field(Self.setType, [self.set])
        writer.field(Self.itemType, self.item)
        if !self.isIn { writer.field(Self.outType, []) }
        if !self.value.isEmpty { writer.field(Self.valueType, self.value) }
        if !self.replaced.isEmpty {
            writer.field(Self.replacedType, self.replaced.flatMap { $0.hash.bytes })
        }
    }

    /// Reads its fields; nil where one is not as described.
    init?(_ fields: FieldList) {
        guard let set = fields.value(of: Self.setType), set.count == 1, let set = set.first,
            let item = fields.value(of: Self.itemType),
            fields.value(of: Self.outType).map({ $0.isEmpty }) ?? true,
            fields.value(of: Self.valueType).map({ !$0.isEmpty }) ?? true,
            let replaced = fields.ascending(Self.replacedType, most: Limits.ownReplaced)
        else { return nil }
        self.init(
            set: set, item: Array(item), isIn: fields.value(of: Self.outType) == nil,
            value: Array(fields.value(of: Self.valueType) ?? []),
            replacing: replaced.map { EntryID($0) })
    }
}

extension FieldList {
    /// The hashes of a field, ascending; none where there is no field, nil where it is not as described.
    func ascending(_ type: UInt64, most: Int) -> [Bytes32]? {
        guard let value = self.value(of: type) else { return [] }
        guard !value.isEmpty, value.count % 32 == 0, value.count / 32 <= most else { return nil }
        var reader = WireReader(Array(value))
        var hashes: [Bytes32] = []
        while let hash = try? reader.bytes32("hash") {
            if let last = hashes.last, hash <= last { return nil }
            hashes.append(hash)
        }
        return hashes
    }
}
