import ControlAPI
import TestSupport
import Testing

@Suite("Results and events")
struct ResultTests {
    private static let message = MessageResult {
        $0.id = String(repeating: "a", count: 52)
        $0.conversation = String(repeating: "b", count: 51) + "q"
        $0.conversationName = "ops"
        $0.author = $0.id
        $0.authorName = "ada"
        $0.text = "hi"
        $0.time = Timestamp(milliseconds: 1_000)
        $0.cursor = 7
    }

    @Test("every result can be written and read as its schema says, field by field")
    func documented() throws {
        func check<Method: ControlMethod>(_ method: Method.Type) throws {
            let example = SchemaExample.value(of: Method.Result.schema)
            let name = Method.description.name
            let result = try #require(Method.Result(field: example), "\(name)")
            var bytes: [UInt8] = []
            result.write(into: &bytes)
            #expect(bytes == example.bytes, "\(name)")
            let params = SchemaExample.value(of: Method.Params.schema)
            #expect(Method.Params(field: params)?.json == params, "\(name)")
        }
        for method in ControlMethods.all { try check(method) }
        for event in ControlEvents.all {
            let example = SchemaExample.value(of: event.schema)
            #expect(event.init(field: example)?.json == example)
        }
    }

    @Test("a message has its members in the documented order, disputed only when it is")
    func messages() {
        let id = String(repeating: "a", count: 52)
        #expect(
            Self.message.json.text
                == #"{"id":"\#(id)","conversation":"\#(Self.message.conversation)","#
                + #""conversationName":"ops","author":"\#(id)","authorName":"ada","kind":"text","#
                + #""text":"hi","time":"1970-01-01T00:00:01.000Z","cursor":7,"late":false}"#)
        var disputed = Self.message
        disputed.disputed = true
        #expect(disputed.json["disputed"] == true)
    }

    @Test("what has no value is left out, or null where the schema requires it")
    func missing() {
        #expect(PeersMethod.Peer().json["lastSeen"] == .null)
        #expect(PeersMethod.Peer().json["roundTripMilliseconds"] == nil)
        #expect(ConversationResult().json["lastMessage"] == .null)
        #expect(StatusMethod.Result().json["scrub"]?["completedAt"] == .null)
        #expect(EmptyValue().json.text == "{}")
    }

    @Test("events are notifications on one line")
    func events() throws {
        let event = MessageEvent {
            $0.subscription = 3
            $0.message = Self.message
        }
        let text = String(decoding: event.line, as: UTF8.self)
        #expect(text.hasSuffix("\n") && text.filter { $0 == "\n" }.count == 1)
        #expect(
            text.hasPrefix(
                #"{"jsonrpc":"2.0","method":"message","params":{"subscription":3,"message":{"id""#))
        var lines = event.line
        event.writeLine(into: &lines)
        #expect(lines == event.line + event.line)
    }

    @Test("an answer is written the same with and without a tree")
    func answers() throws {
        let page = HistoryMethod.Result {
            $0.messages = [Self.message, Self.message]
            $0.more = true
        }
        for id in [RPCRequestID.null, .string("a\"\n"), .integer(-7)] {
            #expect(
                RPCResponse.line(id: id, result: page)
                    == RPCResponse(id: id, result: page.json).json.line)
        }
    }
}
