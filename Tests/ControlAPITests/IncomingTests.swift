import ControlAPI
import Testing

/// The examples of the JSON-RPC 2.0 specification, section 7, and what they leave open.
@Suite("JSON-RPC requests")
struct IncomingTests {
    private static func parse(_ text: String) -> Incoming { Incoming(parsing: Array(text.utf8)) }

    private static func errors(_ text: String) -> [(Int64, String?)] {
        switch Self.parse(text) {
        case .single(.invalid(let error)): [(error.code, error.reason)]
        case .single: []
        case .batch(let calls):
            calls.compactMap {
                if case .invalid(let error) = $0 { (error.code, error.reason) } else { nil }
            }
        }
    }

    @Test("a call with positional parameters")
    func positional() {
        #expect(
            Self.parse(#"{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}"#)
                == .single(
                    .request(
                        id: .integer(1),
                        RPCRequest(method: "subtract", params: .positional([42, 23])))))
    }

    @Test("a call with named parameters")
    func named() {
        #expect(
            Self.parse(
                #"{"jsonrpc":"2.0","method":"subtract","params":{"subtrahend":23,"minuend":42},"id":3}"#
            )
                == .single(
                    .request(
                        id: .integer(3),
                        RPCRequest(
                            method: "subtract",
                            params: .named([.init("subtrahend", 23), .init("minuend", 42)])))))
    }

    @Test("a request without id is a notification, with id null it is a call")
    func notification() {
        #expect(
            Self.parse(#"{"jsonrpc": "2.0", "method": "foobar"}"#)
                == .single(.notification(RPCRequest(method: "foobar"))))
        #expect(
            Self.parse(#"{"jsonrpc": "2.0", "method": "foobar", "id": null}"#)
                == .single(.request(id: .null, RPCRequest(method: "foobar"))))
    }

    @Test(
        "ids of all allowed kinds come back as they were",
        arguments: [
            ("\"a\"", RPCRequestID.string("a")), ("\"\"", .string("")), ("7", .integer(7)),
            ("1.5", .number(1.5)), ("null", .null),
            ("-9223372036854775808", .integer(.min)),
        ])
    func ids(text: String, id: RPCRequestID) {
        #expect(
            Self.parse("{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"id\":\(text)}")
                == .single(.request(id: id, RPCRequest(method: "m"))))
        #expect(id.json.text == text)
    }

    @Test("a line that is no JSON is a parse error with the byte")
    func parseError() throws {
        let line = #"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#
        guard case .single(.invalid(let error)) = Self.parse(line) else {
            Issue.record("must be invalid")
            return
        }
        #expect(error.knownCode == .parse)
        #expect(error.reason == "unexpectedByte")
        #expect(error.data?["offset"] == 39)
        #expect(error.remedy?.isEmpty == false)
        #expect(Self.errors("").map(\.0) == [-32700])
        #expect(Self.errors("[1,2").map(\.0) == [-32700])
    }

    @Test(
        "what is JSON and no request is an invalid request",
        arguments: [
            (#"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#, "noMethod"),
            (#"{"jsonrpc": "2.0", "id": 1}"#, "noMethod"),
            (#"{"method": "status", "id": 1}"#, "unknownVersion"),
            (#"{"jsonrpc": "1.0", "method": "status", "id": 1}"#, "unknownVersion"),
            (#"{"jsonrpc": 2.0, "method": "status", "id": 1}"#, "unknownVersion"),
            (#"{"jsonrpc": "2.0", "method": "status", "id": 1, "params": "x"}"#, "badParams"),
            (#"{"jsonrpc": "2.0", "method": "status", "id": 1, "params": null}"#, "badParams"),
            (#"{"jsonrpc": "2.0", "method": "status", "id": {}}"#, "badID"),
            (#"{"jsonrpc": "2.0", "method": "status", "id": true}"#, "badID"),
            ("[]", "emptyBatch"), ("1", "notAnObject"), ("null", "notAnObject"),
            (#""status""#, "notAnObject"),
        ])
    func invalid(line: String, reason: String) {
        let errors = Self.errors(line)
        #expect(errors.map(\.0) == [-32600])
        #expect(errors.map(\.1) == [reason])
    }

    @Test("each element of a bad batch gets its own error")
    func badBatch() {
        #expect(Self.errors("[1]").map(\.0) == [-32600])
        #expect(Self.errors("[1,2,3]").map(\.0) == [-32600, -32600, -32600])
        #expect(Self.errors("[[]]").map(\.1) == ["notAnObject"])
    }

    @Test("a batch has at most a thousand elements")
    func batchLimit() {
        func batch(_ count: Int) -> String {
            "[" + Array(repeating: "1", count: count).joined(separator: ",") + "]"
        }
        #expect(Self.errors(batch(ControlLimits.batchElements)).count == 1_000)
        #expect(Self.errors(batch(ControlLimits.batchElements + 1)).map(\.1) == ["batchTooLarge"])
    }

    @Test("unknown members are ignored, and what a client writes is read back")
    func written() {
        #expect(
            Self.parse(#"{"extra":[],"id":1,"method":"m","jsonrpc":"2.0"}"#)
                == .single(.request(id: .integer(1), RPCRequest(method: "m"))))
        let request = RPCRequest(
            method: "send",
            params: SendMethod.Params {
                $0.to = "ops"
                $0.text = "x"
            }.params)
        #expect(
            Incoming(parsing: request.json(id: .string("k")).bytes)
                == .single(.request(id: .string("k"), request)))
        #expect(Incoming(parsing: request.json(id: nil).bytes) == .single(.notification(request)))
    }
}
