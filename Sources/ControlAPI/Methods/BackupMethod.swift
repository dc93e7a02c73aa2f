/// The method `backup`.
package enum BackupMethod: ControlMethod {
    package static let description = MethodDescription(
        "backup", "Write a sealed file with your identity, contacts, rooms and realms.",
        result: "backup", errors: [.refused, .busy, .storageFailed],
        details:
            "Anyone with the file and the phrase can act as the user.",
        reasons: [
            "exists": "the file exists and is not a backup",
            "unwritable": "the file cannot be written",
            "weakPhrase": "the phrase is too easy to guess",
            "badPhrase": "a phrase of six words has a mistake",
            "cannotJudge": "libzxcvbn is not installed",
            "relativePath": "the path is not a full one",
            "noPersonKey": "this device does not hold the person's key",
        ])

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
                "The file, by its full path; an earlier backup there is replaced.")
            visitor.field(
                "phrase", &self.phrase, .any,
                "The phrase that opens it, 1 to 200 bytes; left out: six new words.")
            visitor.field(
                "prepare", &self.prepare, .any,
                "True: write nothing yet, only make a phrase and say what the backup would hold. Show or store the phrase, then call again with it, so that no earlier backup is replaced by one whose phrase got lost."
            )
        }
    }

    /// What was written.
    package struct Result: ControlValue {
        package var file = ""
        package var phrase: String?
        package var content = BackupContent()

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("file", &self.file, .any, "The file, by its full path.")
            visitor.field(
                "phrase", &self.phrase, .any,
                "The phrase, if it was made by this call; it is not stored.")
            visitor.field("content", &self.content, .any, "The content of the backup.")
        }
    }

    /// Refuses a path that means another file to the daemon than to its client, and to prepare what needs no
    /// preparing.
    package static func check(_ params: Params) throws(RPCError) {
        guard params.prepare != true || params.phrase == nil else {
            throw .invalidParams(
                "prepare makes a phrase, so none can be given", reason: "oneOf",
                remedy: "leave \"prepare\" or \"phrase\" out",
                details: [JSON.Member("param", "prepare")])
        }
        try BackupContent.checkPath(params.file)
    }
}
