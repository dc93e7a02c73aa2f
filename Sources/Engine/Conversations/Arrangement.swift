/// What the user has said of a conversation in their list; it concerns this node alone.
///
/// The numbers are those of the store.
public struct Arrangement: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Takes bits as they were stored.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Nothing of it is to ask for attention.
    public static let muted = Arrangement(rawValue: 1)
    /// It is put away.
    public static let archived = Arrangement(rawValue: 2)
}
