/// What a replica has of an entry's payload.
///
/// `Docs/Protocol/Entries.md` section 9. Of an entry whose payload is absent everything else is
/// there: its id, its place in the chain, the payload's length and hash. The numbers are those of
/// the wire.
package enum PayloadState: UInt8, Hashable, Sendable, CaseIterable {
    /// It is not here, and asked for.
    case wanted = 0
    case present = 1
    /// Somebody who may has erased it.
    case erased = 2
    /// This replica does not keep it any longer.
    case expired = 3
}
