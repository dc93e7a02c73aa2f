/// The method `restore`.
package enum RestoreMethod: ControlMethod {
    package static let description = MethodDescription(
        "restore", "Become who made a backup, on a device of your own; the daemon starts anew.",
        result: "content", errors: [.refused, .busy, .storageFailed], isChange: true)

    /// From where, and what opens it.
    package struct Params: ControlValue {
        /// The file's path, from the root.
        package var file = ""
        /// The phrase that opens it.
        package var phrase = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "file", &self.file, .bytes(ControlLimits.pathBytes),
                "The file that backup has written, by its whole path.")
            visitor.field(
                "phrase", &self.phrase, .bytes(ControlLimits.phraseBytes),
                "The phrase that it was sealed with.")
        }
    }

    /// What was in it.
    package typealias Result = BackupContent

    /// Refuses a path that means another file to the daemon than to its client.
    package static func check(_ params: Params) throws(RPCError) {
        try BackupContent.checkPath(params.file)
    }
}
