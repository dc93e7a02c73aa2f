import ControlAPI
import Testing

@Suite("Versions") struct VersionTests {
    @Test(
        "are compared as numbers, and where they are none not at all",
        arguments: [
            ("0.1.0", "0.1.0", false), ("0.9.0", "0.10.0", true), ("0.10.0", "0.9.0", false),
            ("0.9.9", "1.0.0", true), ("1.2.3", "1.2.4", true), ("1.2", "1.2.3", nil),
            ("1.2.x", "1.2.3", nil), ("1.2.3", "", nil), ("1..3", "1.2.3", nil),
        ] as [(String, String, Bool?)])
    func order(version: String, other: String, isOlder: Bool?) {
        #expect(StoaVersion.isOlder(version, than: other) == isOlder)
    }
}

@Suite("Methods and their parameters")
struct MethodTests {
    private static let id = String(repeating: "a", count: 52)

    private static func params(_ text: String?) throws -> RPCParams {
        let members = text.map { ",\"params\":\($0)" } ?? ""
        let line = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"\(members)}"
        guard case .single(.request(_, let request)) = Incoming(parsing: Array(line.utf8)) else {
            throw RPCError.internalError("the test's own request is wrong: \(line)")
        }
        return request.params
    }

    private static func refusal<Method: ControlMethod>(
        _ method: Method.Type, _ params: String
    ) -> RPCError? {
        do {
            _ = try Method.read(try Self.params(params))
            return nil
        } catch {
            return error as? RPCError
        }
    }

    private static func refusal(_ name: String, _ params: String) -> RPCError? {
        ControlMethods.all.first { $0.description.name == name }
            .flatMap { Self.refusal($0, params) }
    }

    @Test("named and positional parameters mean the same")
    func bothWays() throws {
        let send = try SendMethod.read(
            Self.params(#"{"text":"hi","to":"ops","wait":"delivered"}"#))
        #expect((send.to, send.text, send.wait) == ("ops", "hi", .delivered))
        #expect(try SendMethod.read(Self.params(#"["ops","hi",null,"delivered"]"#)) == send)
        let history = try HistoryMethod.read(Self.params("[\"ops\",5,null,\"\(Self.id)\"]"))
        #expect((history.limit, history.before, history.after) == (5, nil, Self.id))
        #expect(try SubscribeMethod.read(Self.params(nil)) == SubscribeMethod.Params())
        let acknowledge = try AcknowledgeMethod.read(Self.params(#"["bot",null,7]"#))
        #expect((acknowledge.consumer, acknowledge.cursor) == ("bot", 7))
        #expect(try ProfileMethod.read(Self.params(#"{"status":""}"#)).status == "")
    }

    @Test("methods without parameters take an empty object and an empty array")
    func withoutParameters() throws {
        for params in [nil, "{}", "[]"] {
            _ = try StatusMethod.read(Self.params(params))
            _ = try DiscoverMethod.read(Self.params(params))
        }
        #expect(Self.refusal("status", "[1]")?.reason == "tooManyParams")
        #expect(Self.refusal("status", #"{"a":1}"#)?.reason == "unknownParam")
    }

    @Test("method names and the names of their fields are unique")
    func names() {
        let names = ControlMethods.all.map { $0.description.name }
        #expect(Set(names).count == names.count)
        func check<Method: ControlMethod>(_ method: Method.Type) {
            let fields = Method.Params.descriptions.map(\.name)
            #expect(Set(fields).count == fields.count)
        }
        for method in ControlMethods.all { check(method) }
    }

    @Test("an unknown method is refused with the nearest name")
    func unknownMethod() {
        let error = RPCError.methodNotFound("histroy")
        #expect(error.knownCode == .methodNotFound)
        #expect(error.remedy == "did you mean \"history\"?")
        #expect(RPCError.methodNotFound("Status").remedy?.contains("\"status\"") == true)
        #expect(RPCError.methodNotFound("xyzzy").remedy?.hasPrefix("call rpc.discover") == true)
    }

    @Test("an unknown parameter is refused with its name and the nearest one")
    func unknownParameter() {
        let error = Self.refusal("send", #"{"to":"ops","txt":"hi"}"#)
        #expect(error?.knownCode == .invalidParams)
        #expect(error?.message == #"send has no parameter "txt""#)
        #expect(error?.remedy == #"did you mean "text"?"#)
        #expect(error?.data?["param"] == "txt")
    }

    @Test("a hostile name in a request cannot steer the terminal that shows the error")
    func hostileName() {
        let error = Self.refusal("send", #"{"\u001b[2J\u202e":1}"#)
        #expect(error?.message == "send has no parameter \"^[[2J<U+202E>\"")
    }

    @Test("a missing parameter is named, null stands for none")
    func missing() {
        #expect(Self.refusal("send", #"{"text":"x"}"#)?.data?["param"] == "to")
        #expect(Self.refusal("send", #"["ops"]"#)?.data?["param"] == "text")
        #expect(Self.refusal("send", #"["ops",null]"#)?.reason == "missingParam")
        let nowhere = Self.refusal("acknowledge", #"{"cursor":1}"#)
        #expect(nowhere?.reason == "missingParam")
        #expect(nowhere?.param == "conversation")
        #expect(
            Self.refusal("leave", "{}")?.remedy == "leave takes room")
    }

    @Test(
        "values of the wrong type or out of range are refused with the parameter's name",
        arguments: [
            ("join", #"[1]"#, "room"), ("join", #"[""]"#, "room"),
            ("join", #"["a\u0000"]"#, "room"),
            ("send", #"["ops",1]"#, "text"), ("send", #"["ops",""]"#, "text"),
            ("send", #"{"to":"ops","text":"x","wait":"seen"}"#, "wait"),
            ("send", #"{"to":"o","text":"x","timeoutMilliseconds":0}"#, "timeoutMilliseconds"),
            ("send", #"{"to":"o","text":"x","timeoutMilliseconds":1.5}"#, "timeoutMilliseconds"),
            (
                "send", #"{"to":"o","text":"x","timeoutMilliseconds":3600001}"#,
                "timeoutMilliseconds"
            ),
            ("history", #"{"to":"o","limit":0}"#, "limit"),
            ("history", #"{"to":"o","limit":1001}"#, "limit"),
            ("history", #"{"to":"o","limit":"5"}"#, "limit"),
            ("history", #"{"to":"o","before":""}"#, "before"),
            (
                "history", "{\"to\":\"o\",\"before\":\"\(String(repeating: "b", count: 256))\"}",
                "before"
            ),
            ("history", #"{"to":"o","since":"yesterday"}"#, "since"),
            ("subscribe", #"{"from":-1}"#, "from"), ("unsubscribe", #"["1"]"#, "subscription"),
            ("acknowledge", #"{"consumer":[],"cursor":1}"#, "consumer"),
        ])
    func badValues(method: String, params: String, name: String) {
        let error = Self.refusal(method, params)
        #expect(error?.knownCode == .invalidParams)
        #expect(error?.data?["param"] == .string(name))
        #expect(error?.remedy?.isEmpty == false)
    }

    @Test("a text of the limit passes and one more byte is too large")
    func textLimit() throws {
        func send(_ count: Int) throws -> SendMethod.Params {
            try SendMethod.read(
                .positional(["ops", .string(String(repeating: "x", count: count))]))
        }
        #expect(throws: Never.self) { try send(ControlLimits.textBytes) }
        #expect {
            try send(ControlLimits.textBytes + 1)
        } throws: {
            ($0 as? RPCError)?.knownCode == .tooLarge
        }
        #expect {
            try ProfileMethod.read(
                .positional([nil, .string(String(repeating: "é", count: 200))]))
        } throws: {
            ($0 as? RPCError)?.knownCode == .tooLarge
        }
    }

    @Test("what a client makes of its parameters is read as the same parameters")
    func roundTrip() throws {
        let send = SendMethod.Params {
            $0.to = "@ada"
            $0.text = "\0é"
            $0.idempotencyKey = "k"
            $0.wait = .delivered
            $0.timeoutMilliseconds = 5
        }
        #expect(try SendMethod.read(send.params) == send)
        let history = HistoryMethod.Params {
            $0.to = "ops"
            $0.limit = 7
            $0.before = Self.id
            $0.since = Timestamp(milliseconds: 1)
        }
        #expect(try HistoryMethod.read(history.params) == history)
        let subscribe = SubscribeMethod.Params {
            $0.from = 4
            $0.consumer = "c"
            $0.takeOver = true
        }
        #expect(try SubscribeMethod.read(subscribe.params) == subscribe)
        #expect(try SubscribeMethod.read(SubscribeMethod.Params().params).to == nil)
    }
}
