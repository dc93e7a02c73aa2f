/// What a parameter may hold.
public enum ParamType: Equatable, Sendable {
    /// A string that is not empty and holds at most so many bytes of UTF-8.
    case string(maxBytes: Int)
    /// A string of any content and length; the method checks it itself.
    case text
    /// A whole number in this range.
    case integer(ClosedRange<Int64>)
    /// One of these words.
    case word([String])
    /// An RFC 3339 time.
    case time
    /// A 32-byte identifier as 52 characters of lower-case base32.
    case identifier
}

/// One parameter of a method, in its position.
public struct ParamDescription: Equatable, Sendable {
    /// The name.
    public let name: String
    /// What it may hold.
    public let type: ParamType
    /// Whether a call without it is refused; required parameters need not come first.
    public let isRequired: Bool
    /// One sentence for people.
    public let summary: String

    init(_ name: String, _ type: ParamType, required: Bool = false, _ summary: String) {
        self.name = name
        self.type = type
        self.isRequired = required
        self.summary = summary
    }
}

/// One method of the control API, as data.
public struct MethodDescription: Equatable, Sendable {
    /// The name, which is that of the CLI command where there is one.
    public let name: String
    /// One sentence for people.
    public let summary: String
    /// The parameters in the order of their positions.
    public let params: [ParamDescription]
    /// The name of the result for documentation.
    public let resultName: String
    /// The JSON Schema of the result.
    public let resultSchema: JSON
    /// The codes this method may answer beside parse error, invalid request, invalid parameters,
    /// internal error, busy, shutting down and overflow, which all methods share.
    public let errors: [RPCError.Code]

    init(
        _ name: String, _ summary: String, params: [ParamDescription] = [], result: String,
        _ schema: JSON, errors: [RPCError.Code] = []
    ) {
        self.name = name
        self.summary = summary
        self.params = params
        self.resultName = result
        self.resultSchema = schema
        self.errors = errors
    }
}
