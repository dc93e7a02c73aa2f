internal import Crypto

/// That an entry says something of a message, and stands with it: the store finds it from there.
///
/// `Docs/Protocol/Entries.md` section 11.
package indirect enum Reference: Hashable, Sendable {
    /// It gives the message another text.
    case edit(EntryTarget)
    /// It is what somebody makes of the message.
    case reaction(EntryTarget)

    /// What an entry refers to; nil where it stands for itself.
    package init?(_ content: Content) {
        switch content {
        case .edit(_, let target): self = .edit(target)
        case .reaction(let reaction): self = .reaction(reaction.target)
        default: return nil
        }
    }

    /// What an entry says of a message; the numbers are those of the store.
    package enum Kind: Int64, Hashable, Sendable {
        /// It gives the message another text.
        case edit = 1
        /// It is what somebody makes of the message.
        case reaction = 2

        /// Whether it counts, by whose logs the two entries are in: anybody may react, and only who
        /// has written a message gives it another text.
        package func counts(from author: Authorship, for target: Authorship) -> Bool {
            switch self {
            case .edit: author.mayChange(target)
            case .reaction: true
            }
        }
    }

    package var kind: Kind {
        switch self {
        case .edit: .edit
        case .reaction: .reaction
        }
    }

    package var target: EntryTarget {
        switch self {
        case .edit(let target), .reaction(let target): target
        }
    }
}

#if MUTANTS
    extension Reference {
        /// Whether of what comes before its message only the first is kept.
        package static var isBoundEarly: Bool { Mutant.boundEarlyReferences.isActive }
    }
#endif

extension LogKey {
    /// Eight bytes that stand for it where many are kept: nobody finds another one with the same.
    package var digest: Int64 {
        var writer = WireWriter(capacity: 72)
        writer.raw(self.conversation.hash)
        writer.raw(self.name.author.key)
        writer.u64(self.name.incarnation)
        return BLAKE2b.hash256(writer.bytes, personal: .target).withBytes { bytes in
            // Any eight bytes are an Int64, and the load checks its bounds.
            Int64(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: Int64.self))
        }
    }
}

extension EntryTarget {
    /// Reads a field that holds one target; nil where there is none, or not one.
    init?(field type: UInt64, of fields: FieldList) {
        guard let value = fields.value(of: type), let target = EntryTarget(decoding: Array(value))
        else { return nil }
        self = target
    }
}
