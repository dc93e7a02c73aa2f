import ControlAPI
import Testing

@Suite("Results")
struct ResultTests {
    private static let time = Timestamp(milliseconds: 1_000)
    private static let message = MessageResult(
        id: "m", conversation: "c", conversationName: "ops", author: "a", authorName: "ada",
        kind: .text, text: "hi", time: Self.time, cursor: 7, late: false)

    private static func names(_ json: JSON) -> [String] { json.objectValue?.map(\.name) ?? [] }

    /// The names that the OpenRPC document gives for a method's result.
    private static func documented(_ method: String) -> [String] {
        let methods = OpenRPC.document["methods"]?.arrayValue ?? []
        let found = methods.first { $0["name"] == .string(method) }
        var schema = found?["result"]?["schema"] ?? .null
        if schema["type"] == .string("array") { schema = schema["items"] ?? .null }
        if let reference = schema["$ref"]?.stringValue {
            schema =
                OpenRPC.document["components"]?["schemas"]?[
                    String(reference.split(separator: "/").last ?? "")] ?? .null
        }
        return Self.names(schema["properties"] ?? .null)
    }

    @Test("a message has its members in the documented order, disputed only when it is")
    func messages() {
        #expect(
            Self.message.json.text
                == #"{"id":"m","conversation":"c","conversationName":"ops","author":"a","#
                + #""authorName":"ada","kind":"text","text":"hi","#
                + #""time":"1970-01-01T00:00:01.000Z","cursor":7,"late":false}"#)
        var disputed = Self.message
        disputed.disputed = true
        #expect(disputed.json["disputed"] == true)
    }

    @Test("events are notifications on one line")
    func events() {
        let line = Notification.message(subscription: 3, Self.message).line
        #expect(line.last == 0x0A)
        #expect(line == Notification.message(subscription: 3, Self.message).json.line)
        var strange = Self.message
        (strange.text, strange.authorName) = ("a \"b\" \\ \n\u{1B}\u{202E} é", "\u{7F}")
        (strange.disputed, strange.late, strange.kind) = (true, true, .leave)
        let other = Notification.message(subscription: .max, strange)
        #expect(other.line == other.json.line)
        #expect(line.filter { $0 == 0x0A }.count == 1)
        let text = String(decoding: line, as: UTF8.self)
        #expect(
            text.hasPrefix(
                #"{"jsonrpc":"2.0","method":"message","params":{"subscription":3,"message":{"id""#))
    }

    @Test("pages and lists are the same bytes written at once as from a tree")
    func written() throws {
        var strange = Self.message
        (strange.text, strange.authorName) = ("a \"b\" \\ \n\u{1B}\u{202E} é", "\u{7F}")
        strange.disputed = true
        for messages in [[], [Self.message], [Self.message, strange, Self.message]] {
            for more in [false, true] {
                let result = HistoryResult(messages: messages, more: more)
                #expect(result.written.bytes == result.json.bytes)
                #expect(
                    Response(id: .integer(1), result: result.written).line
                        == Response(id: .integer(1), result: result.json).line)
            }
        }
        for peers in [[], ["p"], ["p", "\"q"]] {
            let sent = SendResult(
                id: "i", conversation: "c", cursor: -1, time: Self.time, duplicate: !peers.isEmpty,
                deliveredTo: peers)
            #expect(sent.written.bytes == sent.json.bytes)
            for id in [RequestID.null, .string("a\"\n"), .integer(-7)] {
                #expect(
                    Response(id: id, result: sent.written).line
                        == Response(id: id, result: sent.json).line)
            }
        }
        let rooms = [nil, Self.message, strange].enumerated().map { index, message in
            ConversationResult(
                id: "c\(index)", kind: .room, name: "\"\(index)",
                members: (0..<index).map { .init(id: "\($0)", name: "\n\($0)") }, unread: index,
                lastMessage: message)
        }
        for count in 0...rooms.count {
            let some = Array(rooms[..<count])
            #expect(
                ConversationResult.written(some).bytes == JSON.array(some.map(\.json)).bytes)
        }
        #expect(JSON.written([0x31]).stringValue == nil && JSON.written([0x31])["a"] == nil)
    }

    @Test("results have the members that the OpenRPC document lists")
    func documented() {
        let status = StatusResult(
            version: "1", id: "i", name: "n", dataDirectory: "/", startedAt: Self.time,
            listen: ["a:1"], discoveryMode: "auto", discoveryBackend: "system",
            discoveryState: "running", links: 1, conversations: 2, messages: 3, held: 4,
            incarnation: "0000000000000005", clockOffsetMilliseconds: 6,
            scrub: .init(completedAt: nil, percent: 7, damagedPages: 8),
            alerts: [.init(code: "c", text: "t", since: Self.time)])
        #expect(Self.names(status.json) == Self.documented("status"))
        let peer = PeerResult(
            id: "i", name: "n", status: "s", state: .linked, addresses: [], lastSeen: nil,
            verified: false, source: .static, roundTripMilliseconds: 0.5,
            clockOffsetMilliseconds: -1)
        let schemas = OpenRPC.document["components"]?["schemas"]
        #expect(
            Self.names(peer.json) == Self.names(schemas?["Peer"]?["properties"] ?? .null))
        #expect(peer.json["lastSeen"] == .null)
        #expect(peer.json["source"] == "static")
        let peers = PeersResult(
            peers: [peer],
            refusals: [
                .init(time: Self.time, address: "a", peer: nil, reason: "r", count: 2)
            ])
        #expect(Self.names(peers.json) == Self.documented("peers"))
        #expect(peers.json["refusals"]?.arrayValue?.first?["peer"] == nil)
        let room = RoomResult(id: "i", name: "n", joined: true, members: 1, announcedBy: [])
        #expect(Self.names(room.json) == Self.documented("rooms"))
        let conversation = ConversationResult(
            id: "i", kind: .room, name: "n", members: [.init(id: "i", name: "n")], unread: 0,
            lastMessage: nil)
        #expect(Self.names(conversation.json) == Self.documented("conversations"))
        #expect(conversation.json["lastMessage"] == .null)
        #expect(
            Self.names(LeaveResult(id: "i", name: "n").json) == Self.documented("leave"))
        let sent = SendResult(
            id: "i", conversation: "c", cursor: 1, time: Self.time, duplicate: false,
            deliveredTo: ["p"])
        #expect(Self.names(sent.json) == Self.documented("send"))
        #expect(
            Self.names(HistoryResult(messages: [Self.message], more: false).json)
                == Self.documented("history"))
        #expect(
            Self.names(SubscribeResult(subscription: 1, cursor: 2).json)
                == Self.documented("subscribe"))
        #expect(Self.names(ConnectResult(address: "a").json) == Self.documented("connect"))
        #expect(
            Self.names(ProfileResult(id: "i", name: "n", status: "s").json)
                == Self.documented("profile"))
        let person = WhoisResult(
            id: "i", name: "n", status: "s", state: .away, verified: true, addresses: [])
        #expect(Self.names(person.json) == Self.documented("whois"))
    }
}
