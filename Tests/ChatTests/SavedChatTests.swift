import ControlAPI
import Testing

@testable import Chat

@Suite("What outlives a chat")
struct SavedChatTests {
    /// What is on the disk once a client has ended.
    private static func stored(_ client: Client) -> SavedChat? {
        var client = client
        client.give(.ending)
        return SavedChat(client.state.saved.bytes)
    }

    @Test(
        "lines that were entered without a daemon go out with the next chat, under the same keys, once"
    )
    func lines() {
        var client = Client()
        client.say("under way")
        let first = client.waiting("send").first
        client.give(.lost("gone"))
        for line in ["two", "/me waves", "//x"] { client.say(line) }
        let left = Self.stored(client)
        var next = Client(left: left)
        var sent: [JSON] = []
        while let params = next.answer("send", ["id": .string("s\(sent.count)"), "cursor": 5]) {
            sent.append(params)
        }
        #expect(sent.map { $0["text"] } == ["under way", "two", "waves", "/x"])
        #expect(sent.first?["idempotencyKey"] == first?["idempotencyKey"])
        #expect(sent[2]["kind"] == "action")
        #expect(Set(sent.map { $0["idempotencyKey"]?.stringValue }).count == 4)
        #expect(next.state.saved.lines.isEmpty)
    }

    @Test("a draft comes back into its line with what it answers, and is never sent")
    func drafts() {
        var client = Client(history: [])
        client.show(client.message("m1", "lunch?", cursor: 1))
        client.say("/reply")
        client.type("perhaps")
        var next = Client(left: Self.stored(client))
        #expect(next.state.shown.input.text == "perhaps")
        #expect(next.state.shown.aiming.replying == "m1")
        #expect(next.waiting("send").isEmpty)
        #expect(next.state.saved.drafts.count == 1)
        next.enter()
        #expect(next.waiting("send").map { $0["replyTo"] } == ["m1"])
    }

    @Test(
        "a draft of a conversation that is not here stays kept, and one that is in the way is remembered"
    )
    func elsewhere() {
        var left = SavedChat()
        left.drafts = [
            .init(conversation: "elsewhere", text: "kept"),
            .init(conversation: Client.ops, text: "one"),
            .init(conversation: Client.ops, text: "two"),
        ]
        var client = Client(left: left)
        #expect(client.state.shown.input.text == "one")
        #expect(client.state.saved.drafts.contains { $0.text == "kept" })
        client.give(.keys([.control("c"), .up, .up]))
        #expect(client.state.shown.input.text == "two")
    }

    @Test("what another person has left goes out as nobody else, and stays kept for them")
    func foreign() {
        var left = SavedChat()
        left.lines = [.init(person: Client.ben, to: Client.ops, text: "of ben", key: "k")]
        let client = Client(left: left)
        #expect(client.waiting("send").isEmpty)
        #expect(client.state.saved.lines == left.lines)
    }

    @Test("a line that was refused comes back and is kept as a draft, not to be sent by itself")
    func refused() {
        var client = Client()
        client.say("no way")
        client.refuse("send", .refused("no", reason: "blocked", remedy: "unblock"))
        let left = Self.stored(client)
        #expect(left?.lines == [] && left?.drafts.map(\.text) == ["no way"])
    }

    @Test("what is not saved by a chat is read as nothing")
    func garbage() {
        for text in ["", "{", "[]", "{}", "\u{0}"] { #expect(SavedChat(Array(text.utf8)) == nil) }
        #expect(SavedChat(Array(#"{"lines":[1,{"to":"x"}],"drafts":[{}]}"#.utf8)) == SavedChat())
    }

    @Test(
        "at 80 columns the whole warning is on the screen, and quitting needs no second time where all is kept"
    )
    func warning() {
        var client = Client()
        client.give(.lost("no daemon listens on /run/user/1000/stoa/control.sock"))
        client.say("wait")
        client.give(.keys([.control("d")]))
        #expect(client.screen()[22].contains("no daemon: your text is kept"))
        #expect(client.screen()[22].contains("1 not sent yet; quit again to end anyway"))
        #expect(!client.effects.contains(.quit))
        client.give(.keys([.control("d")]))
        #expect(client.effects.contains(.quit))
        var keeping = Client()
        keeping.state.keepsUnsent = true
        keeping.give(.lost("gone"))
        keeping.say("wait")
        keeping.give(.keys([.control("d")]))
        #expect(keeping.effects.contains(.quit))
    }
}
