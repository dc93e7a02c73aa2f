import ControlAPI
import Testing

@testable import Chat

@Suite("What the chat client shows of messages that are missing") struct ChatMissingTests {
    private static func tell(_ client: inout Client, _ counts: [Int64], more: Int64? = nil) {
        var event = MissingEvent()
        (event.subscription, event.conversation) = (1, Client.ops)
        event.missing = counts.map { count in
            MissingResult {
                ($0.author, $0.authorName) = (Client.ben, "ben")
                ($0.count, $0.holders) = (count, ["cy"])
            }
        }
        event.moreMissing = more
        let told = RPCRequest(method: "missing", params: .named(event.json.objectValue ?? []))
        client.give(.received(.notification(told)))
    }

    @Test("one line says what is missing of the conversation on the screen, until it is here")
    func comesAndGoes() {
        var client = Client()
        #expect(!client.screen().contains { $0.contains("missing") })
        for _ in 0..<3 { Self.tell(&client, [3]) }
        let line = "3 messages by ben are missing; cy has them"
        #expect(client.screen().filter { $0.contains("missing") } == [line])
        Self.tell(&client, [1, 2, 4], more: 900)
        #expect(client.screen().contains { $0.contains("by 901 other people are missing") })
        Self.tell(&client, [])
        #expect(!client.screen().contains { $0.contains("missing") })
        // What a lost connection has told is told anew by the next one.
        Self.tell(&client, [3])
        client.give(.lost("gone"))
        #expect(!client.screen().contains { $0.contains("messages by ben") })
    }
}
