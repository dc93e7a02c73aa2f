/// A JSON-RPC 2.0 error object.
///
/// `message` is one sentence fragment for people that says why; `data.reason` is a stable word for
/// programs; `data.remedy` says what to do next. Section 5.1 of the specification.
package struct RPCError: Error, Equatable, Sendable {
    /// The five codes of the specification and those of this API.
    package enum Code: Int64, CaseIterable, Sendable {
        /// The line is not JSON.
        case parse = -32700
        /// The JSON is not a request.
        case invalidRequest = -32600
        /// There is no such method.
        case methodNotFound = -32601
        /// The method cannot take these parameters.
        case invalidParams = -32602
        /// The daemon met a fault of its own.
        case internalError = -32603
        /// What was named does not exist here.
        case notFound = -32001
        /// A name matches several; `data.candidates` lists them.
        case ambiguous = -32002
        /// The disk refused.
        case storageFailed = -32003
        /// The room must be joined first.
        case notMember = -32004
        /// The message is stored but was not delivered in time; `data` has the result of `send`.
        case deliveryTimeout = -32005
        /// The request is understood and not allowed.
        case refused = -32006
        /// A text or a list exceeds a limit.
        case tooLarge = -32007
        /// The daemon has too much in hand; the same request may succeed later.
        case busy = -32008
        /// The daemon is about to end.
        case shuttingDown = -32009
        /// The client did not read what it asked for; the connection is closed.
        case overflow = -32010
        /// The idempotency key belongs to another text.
        case keyReused = -32011
        /// The message is stored and others have it, but do not show it yet, since this machine's clock
        /// is ahead of theirs; `data` has the result of `send`, `heldBy` and `heldUntil`.
        case held = -32013
        /// The node is locked by a passphrase.
        case locked = -32014

        /// The name of the case, as the OpenRPC document uses it.
        package var name: String { String(describing: self) }
    }

    /// The numeric code: one of `Code`, or another when a newer daemon sends one.
    package let code: Int64
    /// Why, as a sentence fragment for people.
    package let message: String
    /// Details; an object with at least `reason` and `remedy` in all errors made here.
    package let data: JSON?

    /// Makes an error as it was received.
    package init(code: Int64, message: String, data: JSON?) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// Makes an error with its reason, its remedy and any details, which follow those two.
    ///
    /// `details` may not repeat the names `reason` and `remedy`.
    package init(
        _ code: Code, _ message: String, reason: String, remedy: String,
        details: [JSON.Member] = []
    ) {
        self.code = code.rawValue
        self.message = message
        self.data = .object(
            [JSON.Member("reason", .string(reason)), JSON.Member("remedy", .string(remedy))]
                + details)
    }

    /// The code when it is one that this version knows.
    package var knownCode: Code? { Code(rawValue: self.code) }

    /// The stable word for programs, when there is one.
    package var reason: String? { self.data?["reason"]?.stringValue }

    /// What to do next, when the error says so.
    package var remedy: String? { self.data?["remedy"]?.stringValue }

    /// The error object as JSON.
    package var json: JSON {
        .members(["code": .integer(self.code), "message": .string(self.message), "data": self.data])
    }

    /// Reads an error object; nil when it lacks a code or a message.
    package init?(_ json: JSON) {
        guard let code = json["code"]?.integerValue, let message = json["message"]?.stringValue
        else { return nil }
        self.init(code: code, message: message, data: json["data"])
    }
}

extension RPCError {
    /// The line is not JSON; -32700 with the byte offset of the fault.
    package static func parse(_ error: JSONError) -> RPCError {
        RPCError(
            .parse, error.text, reason: error.reason.rawValue,
            remedy: "send one JSON-RPC 2.0 request per line, as UTF-8",
            details: [JSON.Member("offset", .integer(Int64(error.offset)))])
    }

    /// The JSON is no request; -32600.
    package static func invalidRequest(_ message: String, reason: String) -> RPCError {
        RPCError(
            .invalidRequest, message, reason: reason,
            remedy: "send an object such as {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\"}")
    }

    /// The line exceeds the limit; -32600, after which the daemon closes the connection.
    package static func lineTooLong(limit: Int) -> RPCError {
        RPCError(
            .invalidRequest, "the line is longer than \(limit) bytes", reason: "lineTooLong",
            remedy: "send shorter lines over a new connection",
            details: [JSON.Member("limit", .integer(Int64(limit)))])
    }

    /// There is no method of that name; -32601; the remedy names the nearest one.
    package static func methodNotFound(_ name: String) -> RPCError {
        let shown = TerminalText.line(String(name.unicodeScalars.prefix(64)))
        let nearest = NearestName.find(name, among: ControlMethods.all.map { $0.description.name })
        return RPCError(
            .methodNotFound, "there is no method \"\(shown)\"", reason: "methodNotFound",
            remedy: nearest.map { "did you mean \"\($0)\"?" }
                ?? "call rpc.discover for the list of methods")
    }

    /// The parameters do not fit the method; -32602.
    package static func invalidParams(
        _ message: String, reason: String, remedy: String, details: [JSON.Member] = []
    ) -> RPCError {
        RPCError(.invalidParams, message, reason: reason, remedy: remedy, details: details)
    }

    /// The daemon met a fault of its own, of which details belong in its log; -32603.
    package static func internalError(_ message: String) -> RPCError {
        RPCError(
            .internalError, message, reason: "internal",
            remedy: "see the daemon's log: journalctl --user -u stoad")
    }

    /// What was named does not exist here; -32001.
    package static func notFound(
        _ message: String, reason: String, remedy: String, details: [JSON.Member] = []
    ) -> RPCError {
        RPCError(.notFound, message, reason: reason, remedy: remedy, details: details)
    }

    /// A name matches several people; -32002 with `data.matches`, how many, and `data.candidates`, some
    /// of them in the given order.
    package static func ambiguous(
        _ name: String, matches: Int, candidates: [(id: String, name: String)]
    ) -> RPCError {
        RPCError(
            .ambiguous, "\"\(TerminalText.line(name))\" matches \(matches) people",
            reason: "ambiguous", remedy: "use @ and the first 8 or more characters of the key",
            details: Self.details(matches, candidates))
    }

    /// A name is only that of people whom the user neither knows nor writes with; -32006 with
    /// `data.matches` and `data.candidates` as in ``ambiguous(_:matches:candidates:)``.
    package static func stranger(
        _ name: String, matches: Int, candidates: [(id: String, name: String)]
    ) -> RPCError {
        let whose = matches == 1 ? "the key" : "the key of the one you mean"
        return RPCError(
            .refused, "nobody called \"\(TerminalText.line(name))\" is a contact of yours",
            reason: "stranger",
            remedy: "anyone can take a name: compare keys, then use @ and \(whose)",
            details: [JSON.Member("name", .string(name))] + Self.details(matches, candidates))
    }

    /// Whom a name may mean: how many, and some of them.
    private static func details(
        _ matches: Int, _ candidates: [(id: String, name: String)]
    ) -> [JSON.Member] {
        [
            JSON.Member("matches", .integer(Int64(matches))),
            JSON.Member(
                "candidates",
                .array(candidates.map { ["id": .string($0.id), "name": .string($0.name)] })),
        ]
    }

    /// The disk failed and nothing was stored; -32003.
    package static func storageFailed(_ message: String, remedy: String) -> RPCError {
        RPCError(.storageFailed, message, reason: "storageFailed", remedy: remedy)
    }

    /// The room must be joined first; -32004.
    ///
    /// - Parameter name: the room's, where the caller has not named it.
    package static func notMember(of name: String? = nil) -> RPCError {
        // A shell takes the & of a secret room for itself.
        let operand = name.map { $0.contains("&") ? "'\($0)'" : $0 }
        return RPCError(
            .notMember, "you are not in \(name ?? "that room")", reason: "notMember",
            remedy: "join it: stoa join \(operand ?? "ROOM")")
    }

    /// The message is stored and not delivered, or not read, in time; -32005; `data` holds the whole
    /// result.
    ///
    /// - Parameters:
    ///   - isRead: whether it was to be read, not only delivered.
    ///   - waiting: who was to have it, or to read it, and has not, by id and name.
    ///   - number: how many were to have it, where a number was asked for.
    package static func deliveryTimeout(
        _ result: SendMethod.Result, isRead: Bool = false,
        waitingFor waiting: [(id: String, name: String)] = [],
        number: SendMethod.UnmetNumber? = nil
    ) -> RPCError {
        let names = waiting.prefix(3).map { $0.name.isEmpty ? "@\($0.id.prefix(8))" : $0.name }
        let rest = waiting.count > names.count ? ["\(waiting.count - names.count) more"] : []
        let what = isRead ? "read" : "delivered"
        let preposition = isRead ? "by" : "to"
        let whom =
            names.isEmpty ? "" : " \(preposition) " + (names + rest).joined(separator: ", ")
        let unmet = number?.text(of: result, isRead: isRead)
        return RPCError(
            .deliveryTimeout,
            unmet?.message ?? "the message is stored but was not \(what)\(whom) in time",
            reason: "deliveryTimeout",
            remedy: unmet?.remedy ?? Self.remedy(ofUndelivered: result, isRead: isRead),
            details: (result.json.objectValue ?? []) + [
                JSON.Member("waitingFor", .array(waiting.map { .string($0.id) }))
            ])
    }

    private static func remedy(
        ofUndelivered result: SendMethod.Result, isRead: Bool
    ) -> String {
        if result.shutOut == true {
            return "peers refuse this daemon because another one runs with its identity key: "
                + "see the alert in stoa status"
        }
        if isRead, result.waits == nil {
            return
                "do not send it again: others may still read it, and not everyone reports what they read"
        }
        return result.waits == .unaccepted
            ? "do not send it again: it is delivered once they accept you"
            : "do not send it again: it goes out when a member is linked"
    }

    /// The message is stored, and held by others until its time has come; -32013; `data` holds the
    /// whole result, who holds it and until when.
    ///
    /// - Parameters:
    ///   - ahead: how far the own clock is ahead, in words; nil where that is not known.
    ///   - isOwnClockAhead: whether it is known that the own clock is the one that is wrong.
    package static func held(
        _ result: SendMethod.Result, by peers: [String], until: Timestamp, untilText: String,
        ahead: String?, isOwnClockAhead: Bool
    ) -> RPCError {
        let whose = peers.count == 1 ? "whose clock is" : "whose clocks are"
        let why = ahead.map {
            isOwnClockAhead ? ", your clock is \($0) ahead" : ", \(whose) \($0) behind yours"
        }
        let which =
            isOwnClockAhead ? "your clock right" : "right the clock that is wrong, here or there"
        return RPCError(
            .held,
            "the message is stored but held until \(untilText) by "
                + (peers.count == 1 ? "1 peer" : "\(peers.count) peers")
                + (why ?? ""),
            reason: "held",
            remedy: "do not send it again: it appears when it is due; set \(which): "
                + "timedatectl set-ntp true",
            details: (result.json.objectValue ?? []) + [
                JSON.Member("heldBy", .array(peers.map { .string($0) })),
                JSON.Member("heldUntil", .string(until.text)),
            ])
    }

    /// The request is not allowed; -32006.
    ///
    /// - Parameter param: which parameter it is about, where that is not the request as a whole.
    package static func refused(
        _ message: String, reason: String, remedy: String, param: String? = nil
    ) -> RPCError {
        RPCError(
            .refused, message, reason: reason, remedy: remedy,
            details: param.map { [JSON.Member("param", .string($0))] } ?? [])
    }

    /// Something exceeds a limit; -32007 with the limit and what was seen.
    ///
    /// - Parameter param: which parameter it is about, where that is not the request as a whole.
    package static func tooLarge(
        _ what: String, bytes: Int, limit: Int, remedy: String, param: String? = nil
    ) -> RPCError {
        RPCError(
            .tooLarge, "\(what) has \(bytes) bytes, more than \(limit)", reason: "tooLarge",
            remedy: remedy,
            details: [
                JSON.Member("bytes", .integer(Int64(bytes))),
                JSON.Member("limit", .integer(Int64(limit))),
            ] + (param.map { [JSON.Member("param", .string($0))] } ?? []))
    }

    /// A name is longer than people's names may be; -32007.
    package static func longName(_ characters: Int) -> RPCError {
        RPCError(
            .tooLarge,
            "the name has \(characters) characters, more than \(ControlLimits.nameCharacters)",
            reason: "tooLarge", remedy: "shorten it",
            details: [
                JSON.Member("characters", .integer(Int64(characters))),
                JSON.Member("limit", .integer(Int64(ControlLimits.nameCharacters))),
            ])
    }

    /// The idempotency key belongs to another text; -32011.
    package static func keyReused() -> RPCError {
        RPCError(
            .keyReused, "this key was used for a different text in this conversation",
            reason: "keyReused", remedy: "use a new key for a new message")
    }

    /// The daemon has too much in hand; -32008.
    package static func busy(_ message: String) -> RPCError {
        RPCError(.busy, message, reason: "busy", remedy: "try again in a moment")
    }

    /// The daemon can open nothing more, not even a connection; -32008.
    package static func tooManyFiles(_ cause: String) -> RPCError {
        RPCError(
            .busy, "the daemon has no file descriptor left: \(cause)", reason: "tooManyFiles",
            remedy: "end some of its clients, or raise LimitNOFILE= in its unit (ulimit -n in a "
                + "shell) and restart it")
    }

    /// The daemon is about to end; -32009.
    package static func shuttingDown() -> RPCError {
        RPCError(
            .shuttingDown, "the daemon is shutting down", reason: "shuttingDown",
            remedy: "connect again once it is back")
    }

    /// The node is locked by a passphrase; -32014.
    package static func locked() -> RPCError {
        RPCError(.locked, "the node is locked", reason: "locked", remedy: "unlock it: stoa unlock")
    }

    /// The client does not read; -32010, after which the connection is closed.
    package static func overflow(queuedBytes: Int) -> RPCError {
        RPCError(
            .overflow, "the client did not read; \(queuedBytes) bytes were waiting for it",
            reason: "overflow",
            remedy: "read faster; connect again and subscribe from the last cursor you processed",
            details: [JSON.Member("queuedBytes", .integer(Int64(queuedBytes)))])
    }
}
