/// The result of `leave`.
public struct LeaveResult: Equatable, Sendable {
    /// The conversation's id.
    public var id: String
    /// The room's name.
    public var name: String

    /// Makes a result.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    /// The result as JSON.
    public var json: JSON { ["id": .string(self.id), "name": .string(self.name)] }
}
