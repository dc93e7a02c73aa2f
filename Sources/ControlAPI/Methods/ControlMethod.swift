/// One method of the control API: its name, its parameters and its result.
///
/// The type has no values. Each method is one file of this folder and one line of
/// ``ControlMethods``; the daemon's handler and the command line's command are extensions of it.
package protocol ControlMethod: Sendable {
    /// What the caller gives.
    associatedtype Params: ControlValue = EmptyValue
    /// What the daemon answers.
    associatedtype Result: FieldValue = EmptyValue

    /// What people and machines are told about the method.
    static var description: MethodDescription { get }

    /// Checks what the fields alone do not say.
    static func check(_ params: Params) throws(RPCError)

    /// Reads and checks the parameters of a request; throws `invalidParams` or `tooLarge`.
    static func read(_ params: RPCParams) throws(RPCError) -> Params
}

/// What people and machines are told about a method.
package struct MethodDescription: Equatable, Sendable {
    /// The name, which is that of the command where there is one.
    package let name: String
    /// One sentence for people, as an order: "List …".
    package let summary: String
    /// What programs need to know beyond the summary and the fields; may be empty.
    package let details: String
    /// Why a call may be refused, by the `reason` of the error.
    package let reasons: [Reason]
    /// Parameters of a call, to begin with; nil where a call without any says it all.
    package let example: JSON?
    /// The name of the result for documentation.
    package let resultName: String
    /// The codes this method may answer beside parse error, invalid request, invalid parameters,
    /// internal error, busy, shutting down and overflow, which all methods share.
    package let errors: [RPCError.Code]
    /// Whether an answer may be as large as a line; all others have a small bound.
    package let hasLargeAnswer: Bool
    /// Who may call it.
    package let access: MethodAccess
    /// Whether it changes what people asked to change, so that its success counts even where nobody reads
    /// the answer.
    package let isChange: Bool

    init(
        _ name: String, _ summary: String, result: String, errors: [RPCError.Code] = [],
        hasLargeAnswer: Bool = false, access: MethodAccess = .owner, isChange: Bool = false,
        details: String = "", reasons: KeyValuePairs<String, String> = [:], example: JSON? = nil
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.reasons = reasons.map { Reason(word: $0.key, meaning: $0.value) }
        self.example = example
        self.resultName = result
        self.errors = errors
        self.hasLargeAnswer = hasLargeAnswer
        self.access = access
        self.isChange = isChange
    }
}

extension MethodDescription {
    /// One reason for which a call is refused.
    package struct Reason: Equatable, Sendable {
        /// The stable word for programs.
        package let word: String
        /// What it means.
        package let meaning: String
    }
}

/// Who may call a method.
package enum MethodAccess: String, Sendable {
    /// The user whose daemon it is, and root.
    case owner
    /// The members of the group to whom the daemon's `SocketGroup=` opens its socket, too.
    case group
}

extension ControlMethod {
    /// Most methods have nothing more to check.
    package static func check(_ params: Params) throws(RPCError) {}

    /// Reads parameters by name or by position; null stands for a parameter left out.
    package static func read(_ params: RPCParams) throws(RPCError) -> Params {
        var read = Params()
        var reader: FieldReader
        let given: Int
        switch params {
        case .absent:
            reader = FieldReader(positions: [])
            given = 0
        case .positional(let list):
            reader = FieldReader(positions: list)
            given = list.count
        case .named(let members):
            reader = FieldReader(members: members)
            given = members.count
        }
        read.fields(&reader)
        // A name that is unknown is told before one that is missing: it may be the same, mistyped.
        if reader.used < given { throw Self.superfluous(params) }
        switch reader.fault {
        case nil: break
        case .missing(let name):
            throw .invalidParams(
                "\(Self.description.name) needs \"\(name)\"", reason: "missingParam",
                remedy: Self.usage, details: [JSON.Member("param", .string(name))])
        case .bad(let name, let due):
            throw .invalidParams(
                "\"\(name)\" of \(Self.description.name) cannot be used", reason: "badParam",
                remedy: "give \(due)", details: [JSON.Member("param", .string(name))])
        }
        try Self.check(read)
        return read
    }

    private static func superfluous(_ params: RPCParams) -> RPCError {
        let name = Self.description.name
        let known = Params.descriptions.map(\.name)
        guard case .named(let members) = params,
            let unknown = members.first(where: { !known.contains($0.name) })
        else {
            return .invalidParams(
                "\(name) takes at most \(known.count) parameters", reason: "tooManyParams",
                remedy: Self.usage)
        }
        let shown = TerminalText.line(String(unknown.name.unicodeScalars.prefix(64)))
        let nearest = NearestName.find(unknown.name, among: known)
        return .invalidParams(
            "\(name) has no parameter \"\(shown)\"", reason: "unknownParam",
            remedy: nearest.map { "did you mean \"\($0)\"?" } ?? Self.usage,
            details: [JSON.Member("param", .string(shown))])
    }

    private static var usage: String {
        let fields = Params.descriptions
        guard !fields.isEmpty else { return "\(Self.description.name) takes no parameters" }
        let names = fields.map { $0.isRequired ? $0.name : $0.name + "?" }
        return "\(Self.description.name) takes " + names.joined(separator: ", ")
    }
}
