/// The method `restore`.
public enum RestoreMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "restore", "Become who made a backup, on a device of your own; the daemon starts anew.",
        result: "content", errors: [.refused, .busy, .storageFailed], isChange: true)

    /// From where, and what opens it.
    public struct Params: ControlValue {
        /// The file's path, from the root.
        public var file = ""
        /// The phrase that opens it.
        public var phrase = ""

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "file", &self.file, .bytes(ControlLimits.pathBytes),
                "The file that backup has written, by its whole path.")
            visitor.field(
                "phrase", &self.phrase, .bytes(ControlLimits.phraseBytes),
                "The phrase that it was sealed with.")
        }
    }

    /// What was in it.
    public typealias Result = BackupContent

    /// Refuses a path that means another file to the daemon than to its client.
    public static func check(_ params: Params) throws(RPCError) {
        try BackupContent.checkPath(params.file)
    }
}
