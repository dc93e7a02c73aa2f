/// The result of `profile`.
public struct ProfileResult: Equatable, Sendable {
    /// The own identity.
    public var id: String
    /// The own name.
    public var name: String
    /// The own status text.
    public var status: String

    /// Makes a result.
    public init(id: String, name: String, status: String) {
        self.id = id
        self.name = name
        self.status = status
    }

    /// The result as JSON.
    public var json: JSON {
        [
            "id": .string(self.id), "name": .string(self.name), "status": .string(self.status),
        ]
    }
}
