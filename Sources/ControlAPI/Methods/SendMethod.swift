/// The method `send`.
package enum SendMethod: ControlMethod {
    package static let description = MethodDescription(
        "send", "Send a message.", result: "sent",
        errors: [
            .notFound, .ambiguous, .storageFailed, .notMember, .deliveryTimeout, .held,
            .refused, .tooLarge, .keyReused,
        ], access: .group, isChange: true)

    /// What `send` waits for before it answers.
    package enum Wait: String, WordValue {
        /// The message is on the own disk.
        case sent
        /// Other members have it on disk and can read it: those that `members` says.
        case delivered
        /// Their users have read it, and let others know: those that `members` says.
        case read
    }

    /// What sort of message it is.
    package enum Kind: String, WordValue {
        /// Something that somebody says.
        case text
        /// What somebody does, in words.
        case action
    }

    /// What a message waits for.
    package enum Waits: String, WordValue {
        /// To one person: they are not linked, and nobody else passes on what is for them alone.
        case away
        /// The same, and something that they wrote a moment ago came through others.
        case indirect
        /// To one person: they are linked, and have not accepted you.
        case unaccepted
        /// In a room: nobody else of it is linked.
        case nobody
    }

    /// What is sent, and to whom.
    package struct Params: ControlValue {
        /// A room, a person or a conversation id.
        package var to = ""
        /// The text, 1 to `ControlLimits.textBytes` bytes.
        package var text = ""
        /// What sort of message it is; nil for a text.
        package var kind: Kind?
        /// The message that it answers, by its id or the beginning of it; nil for none.
        package var replyTo: String?
        /// The client's own name for this message: sending again with it has no effect.
        package var idempotencyKey: String?
        /// What to wait for; nil for `sent`.
        package var wait: Wait?
        /// Who must have it where `wait` is `delivered` or `read`, as ``DeliveryMembers`` reads it; nil for `any`.
        package var members: String?
        /// How long to wait, in milliseconds.
        package var timeoutMilliseconds: Int64?
        /// Where it is about a place, whose name the text is; nil for all else.
        package var location: MessageResult.Place?
        /// The file that is sent, with what is said with it as the text; nil for all else.
        package var file: OutgoingFile?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("to", &self.to, .word, ConversationParams.toSummary)
            visitor.field("text", &self.text, .any, "The text, 1 to 65000 bytes of UTF-8.")
            visitor.field(
                "idempotencyKey", &self.idempotencyKey, .word,
                "Your own name for this message: sending it again to the same conversation has no effect."
            )
            visitor.field(
                "wait", &self.wait, .any, "What to wait for: sent (default), delivered or read.")
            visitor.field(
                "members", &self.members, .any,
                "Who must have it: any (default), all, a number, or @names with commas between."
            )
            visitor.field(
                "timeoutMilliseconds", &self.timeoutMilliseconds,
                .range(1...ControlLimits.waitMilliseconds),
                "How long to wait for a delivery; 30000 by default.")
            visitor.field(
                "kind", &self.kind, .any, "What sort of message: text (default) or action.")
            visitor.field(
                "replyTo", &self.replyTo, .word,
                "The message that a text answers: its id, or 8 or more characters of its beginning."
            )
            visitor.field(
                "location", &self.location, .any,
                "A place, whose name the text is; the text may be empty then.")
            visitor.field(
                "file", &self.file, .any,
                "A file, whose content is read from the descriptor passed with the request (SCM_RIGHTS), a regular file; the text is said with it and may be empty."
            )
        }
    }

    /// The message that was sent.
    package struct Result: ControlValue {
        package var id = ""
        package var conversation = ""
        /// The message's cursor on this node.
        package var cursor: Int64 = 0
        /// The message's time.
        package var time = Timestamp(milliseconds: 0)
        /// Whether an earlier call with the same idempotency key had sent it.
        package var duplicate = false
        /// The peers that are known to hold it; where `wait` is `read`, those whose users have read it.
        package var deliveredTo: [String] = []
        /// What has become of it at each other member, where that was waited for; nil otherwise.
        package var members: [InfoMethod.Member]?
        /// What the message waits for; nil where it waits for nothing.
        package var waits: Waits?
        /// True while peers turn this daemon away because its key runs in another one; else nil.
        package var shutOut: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("conversation", &self.conversation, .id)
            visitor.field("cursor", &self.cursor)
            visitor.field("time", &self.time)
            visitor.field("duplicate", &self.duplicate)
            visitor.field("deliveredTo", &self.deliveredTo, .id)
            visitor.field("waits", &self.waits)
            visitor.field("shutOut", &self.shutOut)
            visitor.field("members", &self.members)
        }
    }

    /// Refuses a text that is empty or too long.
    package static func check(_ params: Params) throws(RPCError) {
        guard params.replyTo == nil || params.kind != .action else {
            throw .invalidParams(
                "an action answers nothing", reason: "oneOf",
                remedy: "leave \"kind\" or \"replyTo\" out",
                details: [JSON.Member("param", "replyTo")])
        }
        if let file = params.file { return try Self.check(file, params) }
        if let location = params.location {
            return try Self.check(location, params)
        }
        try Self.check(text: params.text)
    }

    /// Refuses a text that is empty, or nothing but white space, or too long.
    static func check(text: String) throws(RPCError) {
        guard !TerminalText.isBlank(text) else {
            throw .invalidParams(
                "the text is empty", reason: "emptyText",
                remedy: "give at least one character that is seen",
                details: [JSON.Member("param", "text")])
        }
        guard text.utf8.count <= ControlLimits.textBytes else {
            throw .tooLarge(
                "the text", bytes: text.utf8.count, limit: ControlLimits.textBytes,
                remedy: "send it in parts, or put it in a file and send where that is")
        }
    }

    private static func check(_ file: OutgoingFile, _ params: Params) throws(RPCError) {
        guard params.kind == nil, params.replyTo == nil, params.location == nil else {
            throw .invalidParams(
                "a file is neither an action, a reply nor a location", reason: "oneOf",
                remedy: "leave \"kind\", \"replyTo\" and \"location\" out",
                details: [JSON.Member("param", "file")])
        }
        guard !file.name.utf8.contains(0x2F), file.name != ".", file.name != ".." else {
            throw .invalidParams(
                "a file's name cannot be a path", reason: "badFileName",
                remedy: "give its last part alone", details: [JSON.Member("param", "file")])
        }
        guard params.text.utf8.count <= ControlLimits.captionBytes else {
            throw .tooLarge(
                "what is said with the file", bytes: params.text.utf8.count,
                limit: ControlLimits.captionBytes, remedy: "send it as a message of its own")
        }
    }

    private static func check(
        _ location: MessageResult.Place, _ params: Params
    ) throws(RPCError) {
        guard params.kind == nil, params.replyTo == nil else {
            throw .invalidParams(
                "a location is neither an action nor a reply", reason: "oneOf",
                remedy: "leave \"kind\" and \"replyTo\" out",
                details: [JSON.Member("param", "location")])
        }
        guard location.latitude.magnitude <= 90, location.longitude.magnitude <= 180,
            location.accuracy.map(ControlLimits.accuracyMetres.contains) ?? true
        else {
            throw .invalidParams(
                "that is no place on the Earth", reason: "badLocation",
                remedy: "give a latitude from -90 to 90, a longitude from -180 to 180, and an "
                    + "accuracy in metres, or none",
                details: [JSON.Member("param", "location")])
        }
        guard params.text.utf8.count <= ControlLimits.labelBytes else {
            throw .tooLarge(
                "the name of the place", bytes: params.text.utf8.count,
                limit: ControlLimits.labelBytes, remedy: "give a shorter one")
        }
    }
}
