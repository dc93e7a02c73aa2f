@testable import ControlAPI
import Testing

/// What a client reads of a daemon that is older or newer than it is.
struct LenientReaderTests {
    /// Every value that the daemon writes.
    private static let all: [any ControlValue.Type] =
        ControlMethods.all.compactMap { Self.result(of: $0) as? any ControlValue.Type }
        + ControlEvents.all.map { $0 as any ControlValue.Type }
        + [MessageResult.self, ChangeResult.self, ConversationResult.self, PersonResult.self]

    private static func result<Method: ControlMethod>(_ method: Method.Type) -> any FieldValue.Type
    { Method.Result.self }

    private static func result(of method: any ControlMethod.Type) -> any FieldValue.Type {
        self.result(method)
    }

    /// What is done to a whole value.
    private enum Change {
        case nothing, unknownMembers, unknownWords, wrongTypes
    }

    /// A value with something in every field, as its schema says.
    private static func sample(_ schema: JSON, _ change: Change = .nothing) -> JSON {
        if let name = schema["$ref"]?.stringValue {
            let whole = OpenRPC.document["components"]?["schemas"]?[
                String(name.dropFirst("#/components/schemas/".count))]
            return Self.sample(whole ?? .null, change)
        }
        if let some = schema["oneOf"]?.arrayValue?.first { return Self.sample(some, change) }
        if let members = schema["properties"]?.objectValue {
            let more = change == .unknownMembers ? [JSON.Member("unheardOf", ["a": [1, nil]])] : []
            return .object(more + members.map { .init($0.name, Self.sample($0.value, change)) })
        }
        let type = schema["type"]?.stringValue
        if type == "array" { return [Self.sample(schema["items"] ?? .null, change)] }
        if change == .wrongTypes { return type == "boolean" ? "true" : true }
        if let words = schema["enum"]?.arrayValue {
            return change == .unknownWords ? "unheardOf" : words.last ?? .null
        }
        return switch (type, schema["format"], schema["contentEncoding"]) {
        case ("string", "date-time", _): "2026-01-31T18:00:00.000Z"
        case ("string", _, "base64"): "AAEC"
        case ("string", _, _): "some text"
        case ("integer", _, _): 7
        case ("number", _, _): 1.5
        default: true
        }
    }

    private static func check<Value: ControlValue>(_ type: Value.Type) throws {
        let schema = Value.objectSchema
        let sample = Self.sample(schema)
        let whole = try #require(Value(lenient: sample), "\(type)")
        #expect(whole.json == sample, "known fields are read: \(type)")

        let empty = try #require(Value(lenient: [:]), "\(type)")
        #expect(empty == Value(reading: "no object"), "\(type)")
        #expect(Value(lenient: Self.sample(schema, .unknownMembers)) == whole, "\(type)")
        #expect(Value(lenient: Self.sample(schema, .unknownWords)) != nil, "\(type)")
        #expect(Value(lenient: Self.sample(schema, .wrongTypes)) != nil, "\(type)")
        #expect(Value(lenient: ["unheardOf": 1]) == empty, "\(type)")
        let members = sample.objectValue ?? []
        #expect(Value(lenient: .object(members.reversed())) == whole, "\(type)")
        for step in 1...7 where members.count > step {
            let mixed = (0..<step).flatMap { first in
                stride(from: first, to: members.count, by: step).map { members[$0] }
            }
            #expect(Value(lenient: .object(mixed)) == whole, "\(type)")
        }
        // One field at a time: what stands beside one that cannot be read is read.
        for member in members {
            let others = members.filter { $0.name != member.name }
            let without = try #require(Value(lenient: .object(others)), "\(type)")
            let wrong = JSON.Member(member.name, member.value.boolValue == nil ? true : "true")
            #expect(
                Value(lenient: .object([wrong] + others)) == without, "\(type) \(member.name)")
            #expect(
                Value(lenient: .object(others + [member])) == whole, "\(type) \(member.name)")
        }
    }

    @Test("every result and every event is read as far as it is known, and never fails")
    func everything() throws {
        #expect(Self.all.count > 60)
        for type in Self.all { try Self.check(type) }
    }

    @Test("a missing field, an unknown word and null keep the default, in what is nested too")
    func defaults() {
        let status = StatusMethod.Result(reading: [
            "name": "ada", "links": nil, "messages": "many",
            "discovery": ["mode": "auto", "state": 5], "waiting": ["messages": 3],
        ])
        #expect(status.name == "ada" && status.links == 0 && status.messages == 0)
        #expect(status.discovery.mode == "auto" && status.discovery.state.isEmpty)
        #expect(status.waiting?.messages == 3 && status.waiting?.members == [])

        let member = MembersMethod.Member(reading: [
            "id": "a", "tier": "colleague", "state": "asleep", "presence": "busy",
        ])
        #expect(member.tier == .stranger && member.state == nil && member.presence == nil)
    }

    @Test("a list leaves out only what cannot be read at all")
    func lists() {
        let page = Page<PersonResult>(reading: [
            "items": [["id": "a", "tier": "colleague"], "b", nil, ["id": 5], [:]], "next": "p",
        ])
        #expect(page.items.map(\.id) == ["a", "", ""] && page.next == "p")
        let status = StatusMethod.Result(reading: ["listen": ["a", 5, nil, "b"]])
        #expect(status.listen == ["a", "b"])
    }

    @Test("a message of a kind that is not known is a text, and its kind is kept")
    func kindOfMessage() {
        let message = MessageResult(reading: ["id": "m", "kind": "poll", "text": "tea or coffee"])
        #expect(message.kind == .text && message.kindWord == "poll")
        #expect(message.text == "tea or coffee")
        #expect(MessageResult(reading: ["kind": "action"]).kindWord == "action")
        #expect(MessageResult(reading: [:]).kindWord == "text")
    }

    @Test("a change of an event that is not known is none that is")
    func eventOfChange() {
        #expect(ChangeResult(reading: ["event": "painted", "text": "x"]).knownEvent == nil)
        #expect(ChangeResult(reading: [:]).knownEvent == nil)
        #expect(ChangeResult(reading: ["event": "raised"]).knownEvent == .raised)
        #expect(ChangeResult { $0.event = .seen }.knownEvent == .seen)
    }

    @Test("a part of a stream whose bytes cannot be read is known as such")
    func bytesOfStream() {
        #expect(StreamPieceEvent(reading: ["data": "AAEC"]).hasData)
        #expect(StreamPieceEvent(reading: ["data": "", "end": true]).hasData)
        for json in [["data": "!"], ["data": 5], ["end": true], "x"] as [JSON] {
            #expect(!StreamPieceEvent(reading: json).hasData)
        }
    }

    @Test("the details of an error are read, whatever else is in them")
    func errors() {
        let error = RPCError.ambiguous(
            "ada", matches: 2, candidates: [("k1", "ada"), ("k2", "ada")])
        #expect(error.candidates.map(\.id) == ["k1", "k2"])
        #expect(RPCError(.busy, "x", reason: "r", remedy: "").candidates.isEmpty)
        let busy = RPCError(code: 1, message: "x", data: ["retryMilliseconds": 5, "name": 3])
        #expect(busy.retryMilliseconds == 5 && busy.name == nil && busy.param == nil)
    }
}
