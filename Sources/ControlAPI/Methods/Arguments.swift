/// The parameters of one request, checked against the description of its method.
///
/// The accessors trap when they are asked for a parameter that the description lacks or types
/// otherwise: the description and the code that reads by it are both ours.
struct Arguments {
    private let values: [JSON?]
    private let method: MethodDescription

    /// Checks names, number and types; a null stands for a parameter left out.
    init(_ params: Params, for method: MethodDescription) throws(RPCError) {
        self.method = method
        var values = [JSON?](repeating: nil, count: method.params.count)
        switch params {
        case .absent: break
        case .positional(let list):
            guard list.count <= values.count else {
                throw .invalidParams(
                    "\(method.name) takes at most \(values.count) parameters, got \(list.count)",
                    reason: "tooManyParams", remedy: Self.usage(method))
            }
            for (index, value) in list.enumerated() where value != .null { values[index] = value }
        case .named(let members):
            for member in members {
                guard let index = method.params.firstIndex(where: { $0.name == member.name })
                else { throw Self.unknown(member.name, method) }
                if member.value != .null { values[index] = member.value }
            }
        }
        for (param, value) in zip(method.params, values) {
            if let value {
                try Self.check(value, param, method)
            } else if param.isRequired {
                throw .invalidParams(
                    "\(method.name) needs \"\(param.name)\"", reason: "missingParam",
                    remedy: Self.usage(method),
                    details: [JSON.Member("param", .string(param.name))])
            }
        }
        self.values = values
    }

    func string(_ name: String) -> String? {
        guard let value = self.value(name) else { return nil }
        guard case .string(let string) = value else { preconditionFailure("not a string") }
        return string
    }

    func requiredString(_ name: String) -> String {
        guard let string = self.string(name) else { preconditionFailure("not required") }
        return string
    }

    func integer(_ name: String) -> Int64? {
        guard let value = self.value(name) else { return nil }
        guard case .integer(let integer) = value else { preconditionFailure("not an integer") }
        return integer
    }

    func requiredInteger(_ name: String) -> Int64 {
        guard let integer = self.integer(name) else { preconditionFailure("not required") }
        return integer
    }

    func time(_ name: String) -> Timestamp? {
        guard let text = self.string(name) else { return nil }
        guard let time = Timestamp(text) else { preconditionFailure("not a time") }
        return time
    }

    private func value(_ name: String) -> JSON? {
        guard let index = self.method.params.firstIndex(where: { $0.name == name }) else {
            preconditionFailure("the method has no such parameter")
        }
        return self.values[index]
    }

    // Checks.

    private static func check(
        _ value: JSON, _ param: ParamDescription, _ method: MethodDescription
    ) throws(RPCError) {
        let due: String
        switch (param.type, value) {
        case (.text, .string):
            return
        case (.string(let limit), .string(let string)):
            if (1...limit).contains(string.utf8.count), !string.utf8.contains(0) { return }
            due = "a string of 1 to \(limit) bytes without U+0000"
        case (.string(let limit), _):
            due = "a string of 1 to \(limit) bytes"
        case (.text, _):
            due = "a string"
        case (.integer(let range), _):
            if case .integer(let integer) = value, range.contains(integer) { return }
            due =
                range.upperBound == .max
                ? "a whole number, at least \(range.lowerBound)"
                : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case (.word(let words), _):
            if case .string(let string) = value, words.contains(string) { return }
            due = words.map { "\"\($0)\"" }.joined(separator: " or ")
        case (.time, _):
            if case .string(let string) = value, Timestamp(string) != nil { return }
            due = "an RFC 3339 time such as \"2026-01-31T18:00:00.000Z\""
        case (.identifier, _):
            if case .string(let string) = value, Base32.decode(string)?.count == 32 { return }
            due = "an id of 52 characters, a-z and 2-7"
        }
        throw .invalidParams(
            "\"\(param.name)\" of \(method.name) is not \(due)", reason: "badParam",
            remedy: "give \(due)", details: [JSON.Member("param", .string(param.name))])
    }

    private static func unknown(_ name: String, _ method: MethodDescription) -> RPCError {
        let shown = TerminalText.line(String(name.unicodeScalars.prefix(64)))
        let nearest = NearestName.find(name, among: method.params.map(\.name))
        return .invalidParams(
            "\(method.name) has no parameter \"\(shown)\"", reason: "unknownParam",
            remedy: nearest.map { "did you mean \"\($0)\"?" } ?? Self.usage(method),
            details: [JSON.Member("param", .string(shown))])
    }

    private static func usage(_ method: MethodDescription) -> String {
        guard !method.params.isEmpty else { return "\(method.name) takes no parameters" }
        let names = method.params.map { $0.isRequired ? $0.name : $0.name + "?" }
        return "\(method.name) takes " + names.joined(separator: ", ")
    }
}
