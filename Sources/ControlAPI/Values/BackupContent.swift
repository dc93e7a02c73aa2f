/// What is in a backup.
public struct BackupContent: ControlValue {
    /// Whose it is: the person's id.
    public var person = ""
    /// The name that they go by.
    public var name = ""
    /// When it was made.
    public var time = Timestamp(milliseconds: 0)
    /// How many people are known, verified or blocked in it.
    public var people: Int64 = 0
    /// How many realms it has.
    public var realms: Int64 = 0
    /// How many rooms, open and secret.
    public var rooms: Int64 = 0
    /// How many conversations with one person.
    public var directs: Int64 = 0

    /// An empty value.
    public init() {}

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("person", &self.person, .id)
        visitor.field("name", &self.name)
        visitor.field("time", &self.time)
        visitor.field("people", &self.people)
        visitor.field("realms", &self.realms)
        visitor.field("rooms", &self.rooms)
        visitor.field("directs", &self.directs)
    }

    /// Refuses a path that does not begin at the root.
    static func checkPath(_ path: String) throws(RPCError) {
        guard path.hasPrefix("/") else {
            throw .invalidParams(
                "\"\(TerminalText.line(path))\" is not a whole path", reason: "relativePath",
                remedy: "give it from the root: /...", details: [JSON.Member("param", "file")])
        }
    }
}
