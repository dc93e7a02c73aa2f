package struct BackupContent: ControlValue {
    package var person = ""
    package var name = ""
    package var time = Timestamp(milliseconds: 0)
    package var people: Int64 = 0
    package var realms: Int64 = 0
    package var rooms: Int64 = 0
    package var directs: Int64 = 0

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("person", &self.person, .id, "The id of the person.")
        visitor.field("name", &self.name, .any, "The person's name.")
        visitor.field("time", &self.time, .any, "When the backup was made.")
        visitor.field("people", &self.people, .any, "How many contacts and blocked people.")
        visitor.field("realms", &self.realms, .any, "How many realms.")
        visitor.field("rooms", &self.rooms, .any, "How many open and secret rooms.")
        visitor.field("directs", &self.directs, .any, "How many direct conversations.")
    }

    /// Refuses a path that does not begin at the root.
    static func checkPath(_ path: String) throws(RPCError) {
        guard path.hasPrefix("/") else {
            throw .invalidParams(
                "\"\(TerminalText.line(path))\" is not a full path", reason: "relativePath",
                remedy: "give it from the root: /...", details: [JSON.Member("param", "file")])
        }
    }
}
