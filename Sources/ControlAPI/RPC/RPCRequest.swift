/// The id by which a response finds its request; JSON-RPC 2.0 section 4.
package enum RPCRequestID: Hashable, Sendable {
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// A number with a fraction, which the specification advises against and allows.
    case number(Double)
    /// Null: what errors carry that could not be matched with a request.
    case null

    package var json: JSON {
        switch self {
        case .string(let value): .string(value)
        case .integer(let value): .integer(value)
        case .number(let value): .number(value)
        case .null: .null
        }
    }

    /// Reads an id; nil when the value is neither string nor number nor null.
    package init?(_ json: JSON) {
        switch json {
        case .string(let value): self = .string(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .null: self = .null
        case .bool, .array, .object, .written: return nil
        }
    }
}

/// The parameters of a request: JSON-RPC 2.0 section 4.2.
package enum RPCParams: Equatable, Sendable {
    /// The request has no `params` member.
    case absent
    /// By name.
    case named([JSON.Member])
    /// By position.
    case positional([JSON])

    /// The value of the `params` member, or nil when it is absent.
    package var json: JSON? {
        switch self {
        case .absent: nil
        case .named(let members): .object(members)
        case .positional(let values): .array(values)
        }
    }
}

/// A method and its parameters: the part of a request that does not depend on who waits for it.
package struct RPCRequest: Equatable, Sendable {
    /// The method's name, not yet looked up.
    package let method: String
    /// Its parameters, not yet checked.
    package let params: RPCParams

    package init(method: String, params: RPCParams = .absent) {
        self.method = method
        self.params = params
    }

    /// The request object, a notification when `id` is nil.
    package func json(id: RPCRequestID?) -> JSON {
        .members([
            "jsonrpc": "2.0", "id": id?.json, "method": .string(self.method),
            "params": self.params.json,
        ])
    }
}
