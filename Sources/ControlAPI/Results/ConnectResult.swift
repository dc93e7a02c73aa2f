/// The result of `connect`.
public struct ConnectResult: Equatable, Sendable {
    /// The address that is dialled.
    public var address: String

    /// Makes a result.
    public init(address: String) { self.address = address }

    /// The result as JSON.
    public var json: JSON { ["address": .string(self.address)] }
}
