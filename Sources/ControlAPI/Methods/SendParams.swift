/// The parameters of `send`.
public struct SendParams: Equatable, Sendable {
    /// What `send` waits for before it answers.
    public enum Wait: String, CaseIterable, Sendable {
        /// The message is on the own disk.
        case sent
        /// At least one other member holds it on disk.
        case delivered
    }

    /// A room, `@name`, `@` and a key prefix, or a conversation id.
    public let to: String
    /// The text, 1 to `ControlLimits.textBytes` bytes.
    public let text: String
    /// The client's own name for this message: the same key again sends nothing again.
    public let idempotencyKey: String?
    /// What to wait for.
    public let wait: Wait
    /// How long to wait, in milliseconds.
    public let timeoutMilliseconds: Int64

    /// Makes parameters for a request.
    public init(
        to: String, text: String, idempotencyKey: String? = nil, wait: Wait = .sent,
        timeoutMilliseconds: Int64 = ControlLimits.waitMillisecondsDefault
    ) {
        self.to = to
        self.text = text
        self.idempotencyKey = idempotencyKey
        self.wait = wait
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// Reads parameters; throws `invalidParams`, or `tooLarge` for the text.
    public init(_ params: Params) throws(RPCError) {
        let arguments = try Arguments(params, for: Methods.send)
        let text = arguments.requiredString("text")
        guard !text.isEmpty else {
            throw .invalidParams(
                "the text is empty", reason: "emptyText", remedy: "give at least one character",
                details: [JSON.Member("param", "text")])
        }
        guard text.utf8.count <= ControlLimits.textBytes else {
            throw .tooLarge(
                "the text", bytes: text.utf8.count, limit: ControlLimits.textBytes,
                remedy: "send it in parts, or put it in a file and send its place")
        }
        self.init(
            to: arguments.requiredString("to"), text: text,
            idempotencyKey: arguments.string("idempotencyKey"),
            wait: arguments.string("wait").flatMap(Wait.init) ?? .sent,
            timeoutMilliseconds: arguments.integer("timeoutMilliseconds")
                ?? ControlLimits.waitMillisecondsDefault)
    }

    /// The parameters by name; what has its default is left out.
    public var params: Params {
        .named([
            "to": .string(self.to), "text": .string(self.text),
            "idempotencyKey": self.idempotencyKey.map { .string($0) },
            "wait": self.wait == .sent ? nil : .string(self.wait.rawValue),
            "timeoutMilliseconds": self.wait == .sent ? nil : .integer(self.timeoutMilliseconds),
        ])
    }
}
