/// The answer to one request; JSON-RPC 2.0 section 5.
package struct RPCResponse: Equatable, Sendable {
    /// Either a result or an error.
    package enum Outcome: Equatable, Sendable {
        /// What the method returned.
        case result(JSON)
        /// Why it did not.
        case failure(RPCError)
    }

    /// The id of the request, or null for an error that belongs to none.
    package let id: RPCRequestID
    /// What came of it.
    package let outcome: Outcome

    /// Makes a response with any outcome.
    package init(id: RPCRequestID, outcome: Outcome) {
        self.id = id
        self.outcome = outcome
    }

    package init(id: RPCRequestID, result: JSON) {
        self.init(id: id, outcome: .result(result))
    }

    /// Makes a failed response; without an id it carries null.
    package init(id: RPCRequestID = .null, error: RPCError) {
        self.init(id: id, outcome: .failure(error))
    }

    /// The response object, with `jsonrpc`, then `id`, then `result` or `error`.
    package var json: JSON {
        switch self.outcome {
        case .result(let result): ["jsonrpc": "2.0", "id": self.id.json, "result": result]
        case .failure(let error): ["jsonrpc": "2.0", "id": self.id.json, "error": error.json]
        }
    }

    /// The response as one line with its newline, ready to be written to the socket.
    package var line: [UInt8] {
        switch self.outcome {
        case .result(let result): Self.line(id: self.id, result: result)
        case .failure: self.json.line
        }
    }

    /// The line of a successful response, written without a tree in between.
    package static func line(id: RPCRequestID, result: some FieldValue) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(result.expectedBytes + 64)
        output.append(contentsOf: "{\"jsonrpc\":\"2.0\",\"id\":".utf8)
        id.json.write(into: &output)
        output.append(contentsOf: ",\"result\":".utf8)
        result.write(into: &output)
        output.append(contentsOf: "}\n".utf8)
        return output
    }
}

extension JSON {
    /// The compact text with a newline: one message of the control API.
    package var line: [UInt8] {
        var output = self.bytes
        output.append(0x0A)
        return output
    }
}

/// One element of what a daemon sent, as a client reads it.
package enum ServerMessage: Equatable, Sendable {
    /// The answer to a request.
    case response(RPCResponse)
    /// An event.
    case notification(RPCRequest)

    /// Reads one object from a line or batch; nil when it is neither of the two.
    package init?(_ json: JSON) {
        guard json["jsonrpc"] == .string("2.0") else { return nil }
        if let method = json["method"]?.stringValue {
            switch json["params"] {
            case nil: self = .notification(RPCRequest(method: method))
            case .object(let members):
                self = .notification(RPCRequest(method: method, params: .named(members)))
            case .array(let values):
                self = .notification(RPCRequest(method: method, params: .positional(values)))
            default: return nil
            }
            return
        }
        guard let id = json["id"].flatMap({ RPCRequestID($0) }) else { return nil }
        if let error = json["error"] {
            guard let error = RPCError(error) else { return nil }
            self = .response(RPCResponse(id: id, error: error))
        } else if let result = json["result"] {
            self = .response(RPCResponse(id: id, result: result))
        } else {
            return nil
        }
    }
}
