package struct BackupContent: ControlValue {
    /// Whose it is: the person's id.
    package var person = ""
    /// The name that they go by.
    package var name = ""
    /// When it was made.
    package var time = Timestamp(milliseconds: 0)
    /// How many people are known, verified or blocked in it.
    package var people: Int64 = 0
    /// How many realms it has.
    package var realms: Int64 = 0
    /// How many rooms, open and secret.
    package var rooms: Int64 = 0
    /// How many conversations with one person.
    package var directs: Int64 = 0

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
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
