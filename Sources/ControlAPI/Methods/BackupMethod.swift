/// The method `backup`.
public enum BackupMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "backup", "Write who you are, whom you know and where you are to a sealed file.",
        result: "backup", errors: [.refused, .busy, .storageFailed])

    /// Where to, and sealed by what.
    public struct Params: ControlValue {
        /// The file's path, from the root.
        public var file = ""
        /// The phrase that opens it; nil for one that is made now.
        public var phrase: String?
        /// Whether nothing is to be written yet: a phrase is made, to be told before it counts.
        public var prepare: Bool?

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
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
    public struct Result: ControlValue {
        /// The file.
        public var file = ""
        /// The phrase where it was made now: it is kept nowhere.
        public var phrase: String?
        /// What is in it.
        public var content = BackupContent()

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("file", &self.file)
            visitor.field("phrase", &self.phrase)
            visitor.field("content", &self.content)
        }
    }

    /// Refuses a path that means another file to the daemon than to its client, and to prepare what needs no
    /// preparing.
    public static func check(_ params: Params) throws(RPCError) {
        guard params.prepare != true || params.phrase == nil else {
            throw .invalidParams(
                "with a phrase nothing is to be prepared", reason: "oneOf",
                remedy: "leave \"prepare\" or \"phrase\" out",
                details: [JSON.Member("param", "prepare")])
        }
        try BackupContent.checkPath(params.file)
    }
}
