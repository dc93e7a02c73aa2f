import Engine
import Formats
import TestSupport
import Testing

@Suite("Idempotency keys") struct IdempotencyTests {
    private static let ops = room("ops")
    private static let lab = room("lab")

    /// Sends a text under the key "k" and gives the answers, each with its request's number.
    private static func send(
        _ text: String, in room: Room, as number: UInt64, _ harness: inout Harness,
        earlier: EarlierSend? = nil
    ) -> [Answer] {
        let outgoing = Outgoing(
            conversation: room.conversation, text: text, idempotencyKey: "k")
        harness.give(.request(RequestID(number), .send(outgoing)))
        for (request, conversation, key) in harness.takeLookUps() {
            #expect(conversation == room.conversation && key == "k")
            harness.give(.lookedUp(request, earlier))
        }
        harness.settle()
        return harness.answers(of: RequestID(number))
    }

    private static func joined() -> Harness {
        var harness = Harness()
        for room in [Self.ops, Self.lab] {
            harness.join(room)
            harness.settle()
        }
        return harness
    }

    @Test("the same key in another room sends another message")
    func perConversation() throws {
        var harness = Self.joined()
        for (number, room) in [(101, Self.ops), (102, Self.lab)] as [(UInt64, Room)] {
            let answers = Self.send("hello", in: room, as: number, &harness)
            guard case .sent(let sent, isDuplicate: false, _)? = answers.first else {
                Issue.record("\(answers)")
                continue
            }
            #expect(sent.conversation == room.conversation)
        }
    }

    @Test("the same key with another text is refused, just sent or long ago")
    func otherText() throws {
        var harness = Self.joined()
        let first = Self.send("hello", in: Self.ops, as: 101, &harness)
        guard case .sent(let sent, isDuplicate: false, _)? = first.first else {
            Issue.record("\(first)")
            return
        }
        #expect(
            Self.send("hello", in: Self.ops, as: 102, &harness)
                == [.sent(sent, isDuplicate: true, deliveredTo: [])])
        #expect(
            Self.send("something else", in: Self.ops, as: 103, &harness) == [.failed(.keyReused)])
        // After a restart the store knows it.
        var later = Self.joined()
        let earlier = EarlierSend(message: sent, content: .text("hello"))
        #expect(
            Self.send("something else", in: Self.ops, as: 101, &later, earlier: earlier)
                == [.failed(.keyReused)])
        #expect(
            Self.send("hello", in: Self.ops, as: 102, &later, earlier: earlier)
                == [.sent(sent, isDuplicate: true, deliveredTo: [])])
    }
}
