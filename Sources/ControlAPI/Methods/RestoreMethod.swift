/// The method `restore`.
package enum RestoreMethod: ControlMethod {
    package static let description = MethodDescription(
        "restore", "Restore your identity from a backup, as a new device; the daemon restarts.",
        result: "content", errors: [.refused, .busy, .storageFailed], isChange: true,
        details:
            "The daemon answers, closes all connections and restarts within two seconds; "
            + "status then has the restored person. If it is refused, nothing changes.",
        reasons: [
            "used": "this daemon has been in a conversation",
            "credential": "systemd provides person.key",
            "realmName": "another realm here has that name",
            "tooManyRealms": "too many realms",
            "unreadable": "the file cannot be read",
            "notBackup": "it is not a backup",
            "newer": "a later version wrote it",
            "damaged": "the file is damaged",
            "wrongPhrase": "the phrase does not open it",
            "badPhrase": "a phrase of six words has a mistake",
        ])

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
                "The backup, by its full path.")
            visitor.field(
                "phrase", &self.phrase, .bytes(ControlLimits.phraseBytes),
                "The phrase of the backup.")
        }
    }

    /// What was in it.
    package typealias Result = BackupContent

    /// Refuses a path that means another file to the daemon than to its client.
    package static func check(_ params: Params) throws(RPCError) {
        try BackupContent.checkPath(params.file)
    }
}
