/// What somebody makes of a message, in a sign: given, or taken back.
///
/// `Docs/Protocol/Entries.md` section 3. Of one person and sign the latest counts
/// (``ReactionCount``).
package struct Reaction: Hashable, Sendable {
    private static let signType: UInt64 = 1
    private static let targetType: UInt64 = 3
    private static let withdrawnType: UInt64 = 5
    static let mustKnow = [Self.signType, Self.targetType, Self.withdrawnType]

    /// An emoji, or a short word.
    package let sign: String
    package let target: EntryTarget
    /// Whether it is taken back.
    package let isWithdrawn: Bool

    /// Reacts to a message; nil where the sign has not 1 to ``Limits/signBytes`` bytes.
    package init?(_ sign: String, to target: EntryTarget, isWithdrawn: Bool = false) {
        guard (1...Limits.signBytes).contains(sign.utf8.count) else { return nil }
        self.sign = sign
        self.target = target
        self.isWithdrawn = isWithdrawn
    }

    func write(to writer: inout WireWriter) {
        writer.field(Self.signType, text: self.sign)
        writer.field(Self.targetType, self.target.encoded)
        if self.isWithdrawn { writer.field(Self.withdrawnType, []) }
    }

    init?(_ fields: FieldList) {
        guard let sign = fields.text(of: Self.signType, bytes: 1...Limits.signBytes),
            let target = EntryTarget(field: Self.targetType, of: fields)
        else { return nil }
        let withdrawn = fields.value(of: Self.withdrawnType)
        guard withdrawn?.isEmpty ?? true else { return nil }
        self.init(sign, to: target, isWithdrawn: withdrawn != nil)
    }
}
