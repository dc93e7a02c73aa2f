/// The method `profile`.
public enum ProfileMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "profile", "Show or change your name, status and picture.", result: "profile",
        errors: [.refused, .tooLarge, .storageFailed], isChange: true)

    /// What to change; without any it only shows.
    public struct Params: ControlValue {
        /// The new name.
        public var name: String?
        /// The new status text; empty to have none.
        public var status: String?
        /// Whether to take the picture that is passed with the request, or to have none from here on; nil
        /// to leave it.
        public var picture: Bool?

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name, .word, "The new name, at most 64 bytes.")
            visitor.field("status", &self.status, .any, "The new status text; empty for none.")
            visitor.field(
                "picture", &self.picture, .any,
                "True to take the picture whose descriptor is passed with the request (SCM_RIGHTS): a PNG, JPEG or WebP of at most 256 KiB. False to have none."
            )
        }
    }

    /// The own profile.
    public struct Result: ControlValue {
        /// The own identity.
        public var id = ""
        /// The own name.
        public var name = ""
        /// The own status text.
        public var status = ""
        /// The own picture; nil for none.
        public var picture: PictureResult?

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("name", &self.name)
            visitor.field("status", &self.status)
            visitor.field("picture", &self.picture)
        }
    }

    /// Refuses a name or a status that is too long.
    public static func check(_ params: Params) throws(RPCError) {
        for (what, text, limit) in [
            ("the name", params.name, ControlLimits.nameBytes),
            ("the status", params.status, ControlLimits.wordBytes),
        ] {
            let bytes = text?.utf8.count ?? 0
            guard bytes <= limit else {
                throw .tooLarge(what, bytes: bytes, limit: limit, remedy: "shorten it")
            }
        }
    }
}
