/// The incarnation of own logs, which begins anew where their continuity is not proven.
struct OwnHistory: Hashable, Sendable {
    let incarnation: UInt64
    /// Whether it is on disk.
    var isStored: Bool
}
