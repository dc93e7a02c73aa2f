import ControlAPI
import Testing

@testable import Chat

@Suite("Keys that readline has taught people")
struct ChatKeyTests {
    @Test("thumbs-up is the first that :thum offers, and others come in the order of their use")
    func emoji() {
        for (typed, first) in [
            (":thum", "👍"), (":+", "👍"), (":hea", "❤"), (":r", "🚀"), (":s", "😄"), (":t", "👍"),
        ] {
            var client = Client()
            client.type(typed)
            client.give(.keys([.tab]))
            #expect(client.state.shown.input.text == first, "\(typed)")
        }
        let all = EmojiNames.matching("")
        #expect(Set(all.map(\.name)).count == all.count)
    }

    @Test(
        "Ctrl-R finds what was typed before as it is typed, and Enter takes it without sending it")
    func search() {
        var client = Client()
        for text in ["deploy staging", "lunch?"] {
            client.say(text)
            client.answer("send", ["id": .string(text), "cursor": 5])
        }
        client.type("draft")
        client.give(.keys([.control("r"), .text("d"), .text("ep")]))
        #expect(client.state.shown.input.text == "deploy staging")
        #expect(client.screen().contains { $0.contains("typed before: \"dep\"") })
        client.give(.keys([.text("x")]))
        #expect(client.screen().contains { $0.contains("not found") })
        client.give(.keys([.escape]))
        #expect(client.state.shown.input.text == "draft")
        client.give(.keys([.control("r"), .text("dep"), .enter]))
        #expect(client.waiting("send").isEmpty)
        client.enter()
        #expect(client.waiting("send").first?["text"] == "deploy staging")
    }

    @Test("rooms beyond ten have a key: Alt-J and their number")
    func numbers() {
        let rooms = (10...32).map { number in
            Client().room(String(repeating: "r", count: 50) + "\(number)", "room-\(number)")
        }
        var client = Client(conversations: rooms)
        client.give(.keys([.alt("j"), .text("1")]))
        #expect(client.screen().contains { $0.contains("go to conversation 1_") })
        client.give(.keys([.text("2")]))
        #expect(client.state.shown.name == "room-21")
        client.give(.keys([.alt("j"), .text("3")]))
        #expect(client.state.shown.name == "room-12")
        client.give(.keys([.alt("j"), .text("2"), .enter]))
        #expect(client.state.shown.name == "room-11")
        client.give(.keys([.alt("j"), .text("9"), .enter]))
        #expect(client.screen().contains { $0.contains("there is no conversation 9") } == false)
        client.give(.keys([.alt("j"), .text("99")]))
        #expect(client.screen().contains { $0.contains("there is no conversation 99") })
        client.give(.keys([.alt("j"), .escape, .alt("j"), .text("a")]))
        #expect(client.state.shown.input.text == "a")
    }

    @Test("Alt-/ goes back and forth between two conversations")
    func back() {
        let rooms = (1...3).map {
            Client().room(String(repeating: "r", count: 51) + "\($0)", "room-\($0)")
        }
        var client = Client(conversations: rooms)
        client.give(.keys([.alt("/")]))
        #expect(client.state.shown.name == "room-1")
        client.give(.keys([.alt("3"), .alt("/")]))
        #expect(client.state.shown.name == "room-1")
        client.give(.keys([.alt("/")]))
        #expect(client.state.shown.name == "room-3")
    }

    @Test("Alt-H marks every conversation as read, each once")
    func allRead() {
        let rooms = (1...3).map {
            Client().room(
                String(repeating: "r", count: 51) + "\($0)", "room-\($0)", unread: $0 < 3 ? 5 : 0)
        }
        var client = Client(conversations: rooms)
        client.asked = []
        client.give(.keys([.alt("h")]))
        #expect(client.waiting("acknowledge").count == 2)
        #expect(client.state.conversations.allSatisfy { $0.unread == 0 })
        client.give(.keys([.alt("h")]))
        #expect(client.screen().contains { $0.contains("everything is read") })
        #expect(client.waiting("acknowledge").count == 2)
    }

    @Test("Ctrl-X Ctrl-E gives the text to the user's editor and takes it back, unsent")
    func editor() {
        var client = Client()
        client.type("half")
        client.give(.keys([.control("x"), .control("e")]))
        #expect(client.effects.last == .edit("half"))
        client.give(.edited("half\nwritten\u{1B}[2J\n", why: ""))
        #expect(client.state.shown.input.text == "half\nwritten[2J")
        #expect(client.waiting("send").isEmpty)
        client.give(.edited(nil, why: "there is no editor; set EDITOR: your text is unchanged"))
        #expect(client.state.shown.input.text == "half\nwritten[2J")
        #expect(client.screen().contains { $0.contains("set EDITOR") })
        // Ctrl-X and another key do what that key does.
        client.give(.keys([.control("x"), .control("u")]))
        #expect(client.state.shown.input.text == "half\n")
    }

    @Test("an invitation is not given to an editor, whose files others may read")
    func secrets() {
        var client = Client()
        client.give(.keys([.paste("stoa:room?name=war&realm=open&root=abcdefghijk")]))
        client.give(.keys([.control("x"), .control("e")]))
        #expect(!client.effects.contains { if case .edit = $0 { true } else { false } })
    }
}
