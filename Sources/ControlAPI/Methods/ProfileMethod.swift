/// The method `profile`.
package enum ProfileMethod: ControlMethod {
    package static let description = MethodDescription(
        "profile", "Show or change your name, status and picture.", result: "profile",
        errors: [.refused, .tooLarge, .storageFailed], isChange: true,
        reasons: [
            "noDescriptor": "picture, but no descriptor was passed",
            "badDescriptor": "the descriptor is not a regular file",
            "notPicture": "its first bytes are not those of a picture",
            "misleadingName":
                "the name could be taken for a key or a mark, or contains @ or control characters",
        ],
        example: ["name": "Ada", "status": "in the lab"])

    /// What to change; without any it only shows.
    package struct Params: ControlValue {
        package var name: String?
        /// The new status text; empty to have none.
        package var status: String?
        /// Whether to take the picture that is passed with the request, or to have none from here on; nil
        /// to leave it.
        package var picture: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name, .word, "The new name, at most 64 characters.")
            visitor.field("status", &self.status, .any, "The new status text; empty to remove it.")
            visitor.field(
                "picture", &self.picture, .any,
                "True: read the picture from the descriptor passed with the request (SCM_RIGHTS), a PNG, JPEG or WebP of at most 256 KiB. False: remove it."
            )
        }
    }

    package struct Result: ControlValue {
        package var id = ""
        package var name = ""
        package var status = ""
        package var picture: PictureResult?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id, "This node's identity.")
            visitor.field("name", &self.name, .any, "The user's name.")
            visitor.field("status", &self.status, .any, "The user's status text.")
            visitor.field(
                "picture", &self.picture, .any, "The user's picture; left out if there is none.")
        }
    }

    /// Refuses a name or a status that is too long.
    package static func check(_ params: Params) throws(RPCError) {
        let characters = params.name?.unicodeScalars.count ?? 0
        guard characters <= ControlLimits.nameCharacters else {
            throw .longName(characters)
        }
        let bytes = params.status?.utf8.count ?? 0
        guard bytes <= ControlLimits.wordBytes else {
            throw .tooLarge(
                "the status", bytes: bytes, limit: ControlLimits.wordBytes, remedy: "shorten it")
        }
    }
}
