import ControlAPI
import Testing

@Suite("Methods and their parameters")
struct MethodCallTests {
    private static let id = String(repeating: "a", count: 52)

    private static func call(_ method: String, _ params: String? = nil) throws -> MethodCall {
        let members = params.map { ",\"params\":\($0)" } ?? ""
        let line = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\(method)\"\(members)}"
        guard case .single(.request(_, let request)) = Incoming(parsing: Array(line.utf8)) else {
            throw RPCError.internalError("the test's own request is wrong: \(line)")
        }
        return try MethodCall(request)
    }

    private static func refusal(_ method: String, _ params: String) -> RPCError? {
        do {
            _ = try Self.call(method, params)
            return nil
        } catch {
            return error as? RPCError
        }
    }

    @Test("named and positional parameters mean the same")
    func bothWays() throws {
        let send = try Self.call("send", #"{"text":"hi","to":"ops","wait":"delivered"}"#)
        #expect(send == .send(SendParams(to: "ops", text: "hi", wait: .delivered)))
        #expect(try Self.call("send", #"["ops","hi",null,"delivered"]"#) == send)
        #expect(
            try Self.call("history", "[\"ops\",5,null,\"\(Self.id)\"]")
                == .history(HistoryParams(to: "ops", limit: 5, after: Self.id)))
        #expect(
            try Self.call("subscribe", #"{"from":0,"consumer":"bot"}"#)
                == .subscribe(SubscribeParams(from: 0, consumer: "bot")))
        #expect(try Self.call("subscribe") == .subscribe(SubscribeParams()))
        #expect(
            try Self.call("acknowledge", #"["bot",null,7]"#)
                == .acknowledge(AcknowledgeParams(consumer: "bot", cursor: 7)))
        #expect(try Self.call("profile", #"{"status":""}"#) == .profile(ProfileParams(status: "")))
    }

    @Test("defaults are filled in")
    func defaults() throws {
        guard case .send(let send) = try Self.call("send", #"["ops","hi"]"#),
            case .history(let history) = try Self.call("history", #"["ops"]"#)
        else {
            Issue.record("must be send and history")
            return
        }
        #expect(send.wait == .sent)
        #expect(send.timeoutMilliseconds == 30_000)
        #expect(history.limit == 50)
    }

    @Test("methods without parameters take an empty object and an empty array")
    func withoutParameters() throws {
        for params in [nil, "{}", "[]"] {
            #expect(try Self.call("status", params) == .status)
            #expect(try Self.call("peers", params) == .peers)
            #expect(try Self.call("rooms", params) == .rooms)
            #expect(try Self.call("conversations", params) == .conversations)
            #expect(try Self.call("rpc.discover", params) == .discover)
        }
        #expect(Self.refusal("status", "[1]")?.reason == "tooManyParams")
        #expect(Self.refusal("status", #"{"a":1}"#)?.reason == "unknownParam")
    }

    @Test("the method table and the reader of calls know the same methods")
    func sameMethods() {
        for method in Methods.all {
            do {
                _ = try MethodCall(Request(method: method.name))
            } catch {
                #expect(error.reason == "missingParam", "\(method.name)")
            }
        }
        #expect(Set(Methods.all.map(\.name)).count == Methods.all.count)
    }

    @Test("an unknown method is refused with the nearest name")
    func unknownMethod() {
        let error = Self.refusal("histroy", "[]")
        #expect(error?.knownCode == .methodNotFound)
        #expect(error?.remedy?.hasPrefix("did you mean \"history\"?") == true)
        #expect(Self.refusal("Status", "[]")?.remedy?.contains("\"status\"") == true)
        #expect(Self.refusal("xyzzy", "[]")?.remedy?.hasPrefix("call rpc.discover") == true)
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
        #expect(Self.refusal("acknowledge", #"{"cursor":1}"#)?.reason == "missingParam")
        #expect(
            Self.refusal("join", "{}")?.remedy == "join takes room")
    }

    @Test(
        "values of the wrong type or out of range are refused with the parameter's name",
        arguments: [
            ("join", #"[1]"#, "room"), ("join", #"[""]"#, "room"),
            ("join", #"["a\u0000"]"#, "room"),
            ("send", #"["ops",1]"#, "text"), ("send", #"["ops",""]"#, "text"),
            ("send", #"{"to":"ops","text":"x","wait":"read"}"#, "wait"),
            ("send", #"{"to":"o","text":"x","timeoutMilliseconds":0}"#, "timeoutMilliseconds"),
            ("send", #"{"to":"o","text":"x","timeoutMilliseconds":1.5}"#, "timeoutMilliseconds"),
            (
                "send", #"{"to":"o","text":"x","timeoutMilliseconds":3600001}"#,
                "timeoutMilliseconds"
            ),
            ("history", #"{"to":"o","limit":0}"#, "limit"),
            ("history", #"{"to":"o","limit":1001}"#, "limit"),
            ("history", #"{"to":"o","limit":"5"}"#, "limit"),
            ("history", #"{"to":"o","before":"abc"}"#, "before"),
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
        func params(_ count: Int) -> Params {
            SendParams(to: "ops", text: String(repeating: "x", count: count)).params
        }
        #expect(throws: Never.self) { try SendParams(params(ControlLimits.textBytes)) }
        #expect {
            try SendParams(params(ControlLimits.textBytes + 1))
        } throws: {
            ($0 as? RPCError)?.knownCode == .tooLarge
        }
        #expect {
            try ProfileParams(ProfileParams(status: String(repeating: "é", count: 200)).params)
        } throws: {
            ($0 as? RPCError)?.knownCode == .tooLarge
        }
    }

    @Test("what a client makes of its parameters is read as the same parameters")
    func roundTrip() throws {
        let send = SendParams(
            to: "@ada", text: "\0é", idempotencyKey: "k", wait: .delivered, timeoutMilliseconds: 5)
        #expect(try SendParams(send.params) == send)
        let history = HistoryParams(
            to: "ops", limit: 7, before: Self.id, since: Timestamp(milliseconds: 1))
        #expect(try HistoryParams(history.params) == history)
        let subscribe = SubscribeParams(to: "ops", from: 4, consumer: "c")
        #expect(try SubscribeParams(subscribe.params) == subscribe)
        let acknowledge = AcknowledgeParams(conversation: "ops", cursor: 3)
        #expect(try AcknowledgeParams(acknowledge.params) == acknowledge)
        #expect(try UnsubscribeParams(UnsubscribeParams(subscription: 2).params).subscription == 2)
        #expect(try ConnectParams(ConnectParams(address: "h:1").params).address == "h:1")
        #expect(try WhoisParams(WhoisParams(person: "@a").params).person == "@a")
        #expect(try JoinParams(JoinParams(room: "r").params).room == "r")
        #expect(try LeaveParams(LeaveParams(room: "r").params).room == "r")
        let profile = ProfileParams(name: "n", status: "s")
        #expect(try ProfileParams(profile.params) == profile)
    }
}
