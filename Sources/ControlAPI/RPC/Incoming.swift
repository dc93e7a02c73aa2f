/// One element of what a client sent.
package enum RPCCall: Equatable, Sendable {
    /// A request, which gets exactly one response with this id.
    case request(id: RPCRequestID, RPCRequest)
    /// A notification, which gets no response, not even an error.
    case notification(RPCRequest)
    /// Something that is no request; it gets this error with id null.
    case invalid(RPCError)
}

/// What one line from a client holds; JSON-RPC 2.0 sections 4 to 6.
package enum Incoming: Equatable, Sendable {
    /// One request, notification or invalid object. What cannot be parsed is `.single(.invalid)`,
    /// and so are an empty batch and one of more than `ControlLimits.batchElements`.
    case single(RPCCall)
    /// A batch of at least one element, answered together by way of `BatchReply`.
    case batch([RPCCall])

    /// Reads one line, without its newline.
    ///
    /// Never throws: every fault becomes `.invalid`. Members of a request that the specification does not know are ignored.
    package init(parsing line: [UInt8]) {
        let json: JSON
        do {
            json = try JSON(parsing: line)
        } catch {
            self = .single(.invalid(.parse(error)))
            return
        }
        guard case .array(let elements) = json else {
            self = .single(Self.call(json))
            return
        }
        if elements.isEmpty {
            self = .single(
                .invalid(.invalidRequest("the batch is empty", reason: "emptyBatch")))
        } else if elements.count > ControlLimits.batchElements {
            self = .single(
                .invalid(
                    .invalidRequest(
                        "the batch has more than \(ControlLimits.batchElements) elements",
                        reason: "batchTooLarge")))
        } else {
            self = .batch(elements.map(Self.call))
        }
    }

    private static func call(_ json: JSON) -> RPCCall {
        guard case .object(let members) = json else {
            return .invalid(.invalidRequest("a request must be an object", reason: "notAnObject"))
        }
        var version: JSON?
        var id: JSON?
        var method: JSON?
        var params: JSON?
        for member in members {
            switch member.name {
            case "jsonrpc": version = member.value
            case "id": id = member.value
            case "method": method = member.value
            case "params": params = member.value
            default: continue
            }
        }
        guard version == .string("2.0") else {
            return .invalid(
                .invalidRequest("\"jsonrpc\" must be \"2.0\"", reason: "unknownVersion"))
        }
        guard case .string(let name) = method else {
            return .invalid(.invalidRequest("\"method\" must be a string", reason: "noMethod"))
        }
        let checked: RPCParams
        switch params {
        case nil: checked = .absent
        case .object(let members): checked = .named(members)
        case .array(let values): checked = .positional(values)
        case .null, .bool, .integer, .number, .string, .written:
            return .invalid(
                .invalidRequest("\"params\" must be an object or an array", reason: "badParams"))
        }
        let request = RPCRequest(method: name, params: checked)
        guard let id else { return .notification(request) }
        guard let requestID = RPCRequestID(id) else {
            return .invalid(
                .invalidRequest("\"id\" must be a string, a number or null", reason: "badID"))
        }
        return .request(id: requestID, request)
    }
}
