/// The method `backup`.
package enum BackupMethod: ControlMethod {
    package static let description = MethodDescription(
        "backup", "Write who you are, whom you know and where you are to a sealed file.",
        result: "backup", errors: [.refused, .busy, .storageFailed])

    /// Where to, and sealed by what.
    package struct Params: ControlValue {
        /// The file's path, from the root.
        package var file = ""
        /// The phrase that opens it; nil for one that is made now.
        package var phrase: String?
        /// Whether nothing is to be written yet: a phrase is made, to be told before it counts.
        package var prepare: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "file", &self.file, .bytes(ControlLimits.pathBytes),
                "The file, by its whole path; an earlier backup there is replaced.")
            visitor.field(
                "phrase", &self.phrase, .any,
                "The phrase that opens it, 1 to 200 bytes; six words are made where none is given.")
            visitor.field(
                "prepare", &self.prepare, .any,
                "True to write nothing yet: to make a phrase and say what would be written. Show or keep the phrase, then call again with it: so no earlier backup is replaced by one whose phrase got lost."
            )
        }
    }

    /// What was written.
    package struct Result: ControlValue {
        package var file = ""
        /// The phrase where it was made now: it is kept nowhere.
        package var phrase: String?
        package var content = BackupContent()

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("file", &self.file)
            visitor.field("phrase", &self.phrase)
            visitor.field("content", &self.content)
        }
    }

    /// Refuses a path that means another file to the daemon than to its client, and to prepare what needs no
    /// preparing.
    package static func check(_ params: Params) throws(RPCError) {
        guard params.prepare != true || params.phrase == nil else {
            throw .invalidParams(
                "with a phrase nothing is to be prepared", reason: "oneOf",
                remedy: "leave \"prepare\" or \"phrase\" out",
                details: [JSON.Member("param", "prepare")])
        }
        try BackupContent.checkPath(params.file)
    }
}
