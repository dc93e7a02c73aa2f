/// The method `send`.
package enum SendMethod: ControlMethod {
    package static let description = MethodDescription(
        "send", "Send a message.", result: "sent",
        errors: [
            .notFound, .ambiguous, .storageFailed, .notMember, .deliveryTimeout, .held,
            .refused, .tooLarge, .keyReused,
        ], access: .group, isChange: true,
        details:
            "delivered counts what a member's own device confirms, read what it reports of "
            + "its user. In a room with contacts of the user, only contacts and people named "
            + "in members count; without any, every member counts, and all is refused. all "
            + "does not wait for members who have not been heard of for 30 days. If the time "
            + "runs out, the error deliveryTimeout carries the result and waitingFor; the "
            + "message stays sent: do not send it again. With the error held, others hold it "
            + "until heldUntil because it is ahead of their clocks.",
        reasons: [
            "nobodyKnown": "all, but the room has no contacts of the user",
            "notInRoom": "a named person is not a member",
            "unknownMessage": "replyTo is not in this conversation",
            "blocked": "the user has blocked the person",
            "noDescriptor": "file, but no descriptor was passed",
            "badDescriptor": "the descriptor is not a regular file",
            "badFileName": "the name is a path",
            "diskFull": "the disk is full",
            "fileQuota": "FileLimit= is reached",
            "fileTooLarge": "more than 16 GiB",
            "fileChanged": "the file changed while it was read",
            "fileFailed": "it could not be read or stored",
            "badLocation": "there is no such place",
        ],
        example: ["to": "ops", "text": "backup done", "idempotencyKey": "backup-2026-01-31"])

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
        /// Nobody is linked, and the file is larger than what servers between sites take.
        case large
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
        /// What is left of a call that this device has begun; nil for all else.
        package var call: CallResult?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("to", &self.to, .word, ConversationParams.toSummary)
            visitor.field("text", &self.text, .any, "The text, 1 to 65000 bytes of UTF-8.")
            visitor.field(
                "idempotencyKey", &self.idempotencyKey, .word,
                "Your own name for this message: sending again with it to the same conversation has no effect."
            )
            visitor.field(
                "wait", &self.wait, .any,
                "The state to wait for: sent (default), delivered or read.")
            visitor.field(
                "members", &self.members, .any,
                "The members who must have it: any (default), all, a number, or @names separated by commas."
            )
            visitor.field(
                "timeoutMilliseconds", &self.timeoutMilliseconds,
                .range(1...ControlLimits.waitMilliseconds),
                "How long to wait for delivery; 30000 by default.")
            visitor.field(
                "kind", &self.kind, .any, "The kind of message: text (default) or action.")
            visitor.field(
                "replyTo", &self.replyTo, .word,
                "The message that this one answers: its id, or at least its first 8 characters."
            )
            visitor.field(
                "location", &self.location, .any,
                "A location; the text is its name and may be empty.")
            visitor.field(
                "file", &self.file, .any,
                "A file, read from the descriptor passed with the request (SCM_RIGHTS); the text is its caption and may be empty."
            )
            visitor.field(
                "call", &self.call, .any,
                "A call that is over and that this device began; without a text.")
        }
    }

    /// The message that was sent.
    package struct Result: ControlValue {
        package var id = ""
        package var conversation = ""
        package var cursor: Int64 = 0
        package var time = Timestamp(milliseconds: 0)
        package var duplicate = false
        package var deliveredTo: [String] = []
        package var members: [InfoMethod.Member]?
        package var waits: Waits?
        package var shutOut: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id, "The message's id.")
            visitor.field("conversation", &self.conversation, .id, "The conversation's id.")
            visitor.field("cursor", &self.cursor, .any, "The message's cursor on this node.")
            visitor.field("time", &self.time, .any, "The message's time.")
            visitor.field(
                "duplicate", &self.duplicate, .any,
                "Whether an earlier call with the same idempotency key sent it.")
            visitor.field(
                "deliveredTo", &self.deliveredTo, .id,
                "The peers known to have it; with wait: read, those whose users have read it.")
            visitor.field(
                "waits", &self.waits, .any,
                "away: the person must be linked, since nobody passes on messages for one person; indirect: the same, though news of them comes through others; unaccepted: they have not accepted you; nobody: no other member is linked; large: nobody is linked, and the file is too large for the servers between sites. Left out where servers between sites take it."
            )
            visitor.field(
                "shutOut", &self.shutOut, .any,
                "True while peers refuse this daemon because another one runs with its identity key: the message reaches nobody until one of them stops."
            )
            visitor.field(
                "members", &self.members, .any,
                "Delivery to each other member, as in info, if wait was given.")
        }
    }

    /// Refuses a text that is empty or too long.
    package static func check(_ params: Params) throws(RPCError) {
        guard params.replyTo == nil || params.kind != .action else {
            throw .invalidParams(
                "an action cannot be a reply", reason: "oneOf",
                remedy: "leave \"kind\" or \"replyTo\" out",
                details: [JSON.Member("param", "replyTo")])
        }
        if let file = params.file { return try Self.check(file, params) }
        if let location = params.location {
            return try Self.check(location, params)
        }
        if params.call != nil {
            guard params.text.isEmpty, params.kind == nil, params.replyTo == nil else {
                throw .invalidParams(
                    "a call has no text, and is neither an action nor a reply", reason: "oneOf",
                    remedy: "leave \"text\", \"kind\" and \"replyTo\" out",
                    details: [JSON.Member("param", "call")])
            }
            return
        }
        try Self.check(text: params.text)
    }

    /// Refuses a text that is empty, or nothing but white space, or too long.
    static func check(text: String) throws(RPCError) {
        guard !TerminalText.isBlank(text) else {
            throw .invalidParams(
                "the text is empty", reason: "emptyText",
                remedy: "give at least one visible character",
                details: [JSON.Member("param", "text")])
        }
        guard text.utf8.count <= ControlLimits.textBytes else {
            throw .tooLarge(
                "the text", bytes: text.utf8.count, limit: ControlLimits.textBytes,
                remedy: "send it in parts, or as a file: stoa send TO --file FILE")
        }
    }

    private static func check(_ file: OutgoingFile, _ params: Params) throws(RPCError) {
        guard params.kind == nil, params.replyTo == nil, params.location == nil, params.call == nil
        else {
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
                "the caption", bytes: params.text.utf8.count,
                limit: ControlLimits.captionBytes, remedy: "send it as a separate message")
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
                "there is no such place on Earth", reason: "badLocation",
                remedy: "give a latitude from -90 to 90, a longitude from -180 to 180, and "
                    + "optionally an accuracy in metres",
                details: [JSON.Member("param", "location")])
        }
        guard params.text.utf8.count <= ControlLimits.labelBytes else {
            throw .tooLarge(
                "the name of the location", bytes: params.text.utf8.count,
                limit: ControlLimits.labelBytes, remedy: "give a shorter one")
        }
    }
}
