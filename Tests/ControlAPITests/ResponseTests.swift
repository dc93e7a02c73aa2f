import ControlAPI
import Testing

@Suite("JSON-RPC responses")
struct ResponseTests {
    private static func calls(_ text: String) -> [RPCCall] {
        guard case .batch(let calls) = Incoming(parsing: Array(text.utf8)) else { return [] }
        return calls
    }

    @Test("a timeout says what was not reached: delivery, or that somebody reads")
    func unreached() {
        let sent = SendMethod.Result {
            $0.id = "x"
            $0.conversation = "c"
        }
        let ben = [(id: "b", name: "Ben")]
        let delivered = RPCError.deliveryTimeout(sent, waitingFor: ben)
        #expect(delivered.message == "the message is stored but was not delivered to Ben in time")
        let read = RPCError.deliveryTimeout(sent, isRead: true, waitingFor: ben)
        #expect(read.message == "the message is stored but was not read by Ben in time")
        #expect(read.remedy?.contains("may still read it") == true)
    }

    @Test("who is in no room is told how to join it, in words that a shell takes")
    func notMember() {
        #expect(RPCError.notMember().remedy == "join it: stoa join ROOM")
        #expect(RPCError.notMember(of: "ops").remedy == "join it: stoa join ops")
        #expect(RPCError.notMember(of: "&war").remedy == "join it: stoa join '&war'")
    }

    @Test("a response is one line with version, id and outcome")
    func lines() {
        let success = RPCResponse(id: .integer(1), result: 19)
        #expect(
            String(decoding: success.line, as: UTF8.self)
                == #"{"jsonrpc":"2.0","id":1,"result":19}"# + "\n")
        let failure = RPCResponse(
            id: .string("9"), error: RPCError(code: -32601, message: "Method not found", data: nil))
        #expect(
            failure.json.text
                == #"{"jsonrpc":"2.0","id":"9","error":{"code":-32601,"message":"Method not found"}}"#
        )
    }

    @Test("answers to a batch come in the order of its requests, whatever order they arrive in")
    func batch() {
        let calls = Self.calls(
            #"""
            [{"jsonrpc":"2.0","method":"sum","params":[1,2,4],"id":"1"},
            {"jsonrpc":"2.0","method":"notify_hello","params":[7]},
            {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":"2"},
            {"foo":"boo"},
            {"jsonrpc":"2.0","method":"get_data","id":"9"}]
            """#)
        var reply = BatchReply(to: calls)
        #expect(!reply.isComplete)
        reply.answer(4, with: .result(["hello", 5]))
        reply.answer(0, with: .result(7))
        #expect(!reply.isComplete)
        reply.answer(2, with: .failure(.busy("later")))
        #expect(reply.isComplete)
        let list = reply.json?.arrayValue ?? []
        #expect(list.map { $0["id"] ?? nil } == ["1", "2", nil, "9"])
        #expect(list.first == ["jsonrpc": "2.0", "id": "1", "result": 7])
        #expect(list[1]["error"]?["code"] == -32008)
        #expect(list[2]["error"]?["code"] == -32600)
    }

    @Test("a batch of notifications gets no answer at all")
    func silentBatch() {
        let reply = BatchReply(
            to: Self.calls(
                #"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]"#))
        #expect(reply.isComplete)
        #expect(reply.json == nil)
    }

    @Test("a batch of invalid elements is complete from the start")
    func invalidBatch() {
        let reply = BatchReply(to: Self.calls("[1,2,3]"))
        #expect(reply.isComplete)
        #expect(reply.json?.arrayValue?.count == 3)
    }

    @Test("answering a request twice traps")
    func answeredTwice() async {
        await #expect(processExitsWith: .failure) {
            var reply = BatchReply(to: [.request(id: .integer(1), RPCRequest(method: "a"))])
            reply.answer(0, with: .result(1))
            reply.answer(0, with: .result(1))
        }
    }

    @Test("taking an incomplete reply traps")
    func takenTooEarly() async {
        await #expect(processExitsWith: .failure) {
            _ = BatchReply(to: [.request(id: .integer(1), RPCRequest(method: "a"))]).json
        }
    }

    @Test("a client tells responses, errors and events apart")
    func serverMessages() throws {
        let response = RPCResponse(id: .integer(3), result: ["a": 1])
        #expect(ServerMessage(response.json) == .response(response))
        let failure = RPCResponse(error: .lineTooLong(limit: 5))
        #expect(ServerMessage(failure.json) == .response(failure))
        let gap = GapEvent { $0.reason = "pruned" }
        guard
            case .notification(let event) = ServerMessage(
                try JSON(parsing: Array(gap.line.dropLast())))
        else {
            Issue.record("must be a notification")
            return
        }
        #expect(event.method == "gap")
        #expect(event.params.json?["reason"] == "pruned")
        for text in [
            "1", "{}", #"{"jsonrpc":"2.0"}"#, #"{"jsonrpc":"2.0","id":1}"#,
            #"{"id":1,"result":1}"#, #"{"jsonrpc":"2.0","id":[],"result":1}"#,
            #"{"jsonrpc":"2.0","id":1,"error":"no"}"#,
            #"{"jsonrpc":"2.0","method":"m","params":1}"#,
        ] {
            #expect(ServerMessage(try JSON(parsing: text)) == nil, "\(text)")
        }
    }

    @Test("every error made here says its reason and what to do next")
    func remedies() {
        let sent = SendMethod.Result { $0.cursor = 5 }
        let errors: [RPCError] = [
            .parse(JSONError(.tooDeep, at: 3)), .invalidRequest("x", reason: "y"),
            .lineTooLong(limit: 1), .methodNotFound("sned"),
            .invalidParams("x", reason: "y", remedy: "z"), .internalError("x"),
            .notFound("x", reason: "y", remedy: "z"),
            .ambiguous(
                "ada", matches: 2, candidates: [(id: "k1", name: "ada"), (id: "k2", name: "ada")]),
            .storageFailed("x", remedy: "z"), .notMember(), .deliveryTimeout(sent),
            .refused("x", reason: "y", remedy: "z"),
            .tooLarge("the text", bytes: 2, limit: 1, remedy: "z"), .busy("x"), .shuttingDown(),
            .keyReused(), .locked(),
            .overflow(queuedBytes: 9),
            .held(
                sent, by: ["k1"], until: Timestamp(milliseconds: 0), untilText: "x", ahead: nil,
                isOwnClockAhead: false),
        ]
        #expect(Set(errors.compactMap(\.knownCode)).count == RPCError.Code.allCases.count)
        for error in errors {
            #expect(error.reason?.isEmpty == false)
            #expect(error.remedy?.isEmpty == false)
            #expect(RPCError(error.json) == error)
        }
        #expect(errors[3].remedy?.hasPrefix("did you mean \"send\"?") == true)
        #expect(errors[7].data?["candidates"]?.arrayValue?.count == 2)
        #expect(errors[10].data?["cursor"] == 5)
    }

    @Test("a message that others hold is so by a clock; which is wrong is said where it is known")
    func held() {
        func held(by peers: [String], _ isOwnClockAhead: Bool) -> RPCError {
            .held(
                SendMethod.Result(), by: peers, until: Timestamp(milliseconds: 0),
                untilText: "then", ahead: "2 hours", isOwnClockAhead: isOwnClockAhead)
        }
        let one = held(by: ["k1"], false)
        #expect(one.message.hasSuffix("until then by 1 peer, whose clock is 2 hours behind yours"))
        #expect(one.remedy?.contains("the clock that is wrong, here or there: ") == true)
        let most = held(by: ["k1", "k2"], true)
        #expect(most.message.hasSuffix("by 2 peers, your clock is 2 hours ahead"))
        #expect(most.remedy?.contains("set your clock right: ") == true)
    }
}
