import ControlAPI
import Testing

@testable import Chat

/// What becomes of questions that are refused, lost, or asked while others are under way.
@Suite("What the daemon answers the chat client")
struct ChatAnswerTests {
    private static let no = RPCError.refused("no", reason: "blocked", remedy: "ask again")

    // MARK: Commands

    @Test("/whois says who has a picture, and how to see it", arguments: [true, false])
    func pictures(hasPicture: Bool) {
        var client = Client()
        client.say("/whois @ben")
        var members: [JSON.Member] = [
            .init("id", .string(Client.ben)), .init("name", "ben"), .init("tier", "known"),
            .init("state", "away"),
        ]
        if hasPicture { members.append(.init("picture", ["size": 5])) }
        client.answer("whois", .object(members))
        let due = "they have a picture: stoa picture @\(Client.ben.prefix(16))"
        #expect(client.screen().contains { $0.contains(due) } == hasPicture)
    }

    @Test("what /msg says goes to whom it names, though two are asked for at a time")
    func twoPeople() {
        var client = Client()
        client.say("/msg @ben for ben")
        client.say("/msg @eve for eve")
        #expect(client.waiting("createConversation").map { $0["person"] } == ["@ben", "@eve"])
        client.answer("createConversation", ["conversation": ["id": "with ben"]])
        let first = client.answer("send", ["id": "m1", "cursor": 5])
        #expect(first?["to"] == "with ben" && first?["text"] == "for ben")
        client.answer("createConversation", ["conversation": ["id": "with eve"]])
        let second = client.answer("send", ["id": "m2", "cursor": 6])
        #expect(second?["to"] == "with eve" && second?["text"] == "for eve")
        #expect(client.waiting("send").isEmpty)
    }

    @Test("an error and an alert name chat's own commands, not the shell's")
    func ownCommands() {
        var client = Client()
        client.say("/accept @ben")
        client.refuse(
            "accept", .refused("no", reason: "noRequest", remedy: "see who is: stoa requests"))
        #expect(client.screen().contains { $0.contains("/accept: no; see who is: /requests") })
        client = Client(history: [client.message("m", "hello")])
        client.say("/info")
        client.refuse("info", .refused("gone", reason: "unknownMessage", remedy: "stoa history"))
        #expect(client.screen().contains { $0.contains("/info: gone; choose another message") })
        client.say("/file x")
        let output = "stoa: send: no x; write first: stoa send @ada TEXT"
        client.give(.ended(id: 1, code: 66, output: output))
        #expect(
            client.screen().contains { $0.contains("/file: no x; write first: /msg @ada TEXT") })
        client = Client()
        client.say("/status")
        client.answer(
            "status", ["alerts": [["text": "a cut: join it again: stoa realm join FILE"]]])
        #expect(client.screen().contains { $0.contains("join it again: /realm join") })
        #expect(!client.screen().contains { $0.contains("stoa realm") })
    }

    @Test("what a message waits for is said until it is delivered")
    func waits() {
        var client = Client()
        client.say("hello")
        client.answer("send", ["id": "m1", "cursor": 5, "waits": "unaccepted"])
        #expect(client.screen().contains { $0.contains("once they accept you") })
        client.change(
            "delivered", [("id", .string(Client.ops)), ("peer", "p"), ("message", "m1")])
        #expect(!client.screen().contains { $0.contains("once they accept you") })
    }

    @Test(
        "a stranger's name comes back as the key, which Enter confirms; of several people none does"
    )
    func stranger() {
        var client = Client()
        client.say("/msg @ben may I?")
        let ben = (id: Client.ben, name: "ben")
        client.refuse(
            "createConversation", .stranger("@ben", matches: 1, candidates: [ben]))
        #expect(client.screen().contains { $0.contains("ben @bbbbbbbbbbbb is not a contact") })
        #expect(client.state.shown.input.text == "/msg @bbbbbbbbbbbb may I?")
        client.enter()
        #expect(client.waiting("createConversation").first?["person"] == "@bbbbbbbbbbbb")
        client = Client()
        client.say("/msg @ben may I?")
        client.refuse(
            "createConversation",
            .stranger("@ben", matches: 2, candidates: [ben, (id: Client.ops, name: "ben")]))
        #expect(client.state.shown.input.text == "/msg @ben may I?")
        #expect(client.screen().joined(separator: " ").contains("@bbbbbbbbbbbb ben"))
    }

    @Test("a /msg that is refused, or that nobody answers, comes back into the line")
    func messageRefused() {
        var client = Client()
        client.say("/msg @ben a long text")
        client.refuse("createConversation", Self.no)
        #expect(client.screen().contains { $0.contains("/msg: no; ask again") })
        #expect(client.state.shown.input.text == "/msg @ben a long text")
        client.enter()
        client.give(.lost("gone"))
        #expect(client.screen().contains { $0.contains("/msg: gone") })
        #expect(client.state.shown.input.text == "/msg @ben a long text")
        #expect(client.state.outbox.items.isEmpty)
    }

    @Test("a command about a message does not come back, since it may be about another one then")
    func messageCommandRefused() {
        var client = Client()
        client.show(client.message("m1", "mine", by: Client.ada))
        client.say("/react tada")
        client.refuse("react", Self.no)
        #expect(client.state.shown.input.isEmpty)
        client.say("/edit better")
        client.refuse("edit", Self.no)
        #expect(client.state.shown.aiming.editing == "m1")
        #expect(client.state.shown.input.text == "better")
    }

    @Test("a text with a slash in front is edited as it is typed, also where that is refused")
    func editSlash() {
        var client = Client()
        client.show(client.message("m1", "/x", by: Client.ada))
        client.say("/edit")
        #expect(client.state.shown.input.text == "//x")
        client.say("y")
        #expect(client.waiting("edit").map { $0["text"] } == ["/xy"])
        client.refuse("edit", Self.no)
        #expect(client.state.shown.aiming.editing == "m1")
        #expect(client.state.shown.input.text == "//xy")
    }

    @Test("what was refused in a room that is gone does not stand in the line of another one")
    func refusedInNone() {
        var client = Client()
        client.change("joined")
        client.answer(
            "conversations",
            ["items": [client.room(Client.ops, "ops"), client.room("d", "dev")]])
        client.state.enter("d")
        client.say("/topic autumn plans")
        client.change("left", [("id", "d")])
        client.answer("conversations", ["items": [client.room(Client.ops, "ops")]])
        client.refuse("topic", Self.no)
        #expect(client.state.shown.id == Client.ops)
        #expect(client.screen().contains { $0.contains("/topic: no; ask again") })
        #expect(client.state.shown.input.isEmpty)
        client.give(.keys([.up]))
        #expect(client.state.shown.input.text == "/topic autumn plans")
    }

    @Test("what was refused where there is no room yet comes back into the line")
    func refusedBeforeRooms() {
        var client = Client()
        client.change("left", [("id", .string(Client.ops))])
        client.answer("conversations", ["items": []])
        client.say("/join ops")
        client.refuse("join", Self.no)
        #expect(client.state.shown.input.text == "/join ops")
    }

    @Test("/leave waits until what was said before it is taken")
    func leaving() {
        var client = Client()
        client.say("hello")
        client.say("/leave")
        #expect(client.waiting("leave").isEmpty)
        #expect(client.state.shown.input.text == "/leave")
        #expect(client.state.notice?.contains("not sent yet") == true)
        client.answer("send", ["id": "m1", "cursor": 5])
        client.enter()
        #expect(client.waiting("leave").map { $0["room"] } == ["ops"])
    }

    @Test("a room that is left elsewhere stays while something for it waits to be sent")
    func leftElsewhere() {
        var client = Client()
        client.say("hello")
        client.change("left", [("id", .string(Client.ops))])
        client.answer("conversations", ["items": []])
        #expect(client.state.place(of: Client.ops) != nil)
        client.refuse("send", Self.no)
        #expect(client.state.shown.input.text == "hello")
        #expect(client.screen().contains { $0.contains("not sent: no") })
    }

    @Test("a file that is the user's own is not edited, and its name is the one it was given")
    func files() {
        var client = Client()
        client.show(client.message("m1", "a text", by: Client.ada))
        client.show(
            [
                "id": "m2", "conversation": .string(Client.ops), "author": .string(Client.ada),
                "kind": "file", "text": "one, two", "cursor": 2,
                "file": ["name": "a, b.txt", "size": 5],
            ])
        client.say("/edit better")
        #expect(client.waiting("edit").map { $0["id"] } == ["m1"])
        client.effects = []
        client.say("/fetch a, b.txt")
        #expect(client.effects == [.run(id: 1, arguments: ["fetch", "m2"])])
    }

    @Test("a program goes on when the connection is lost, and tells where it was started")
    func programs() {
        var client = Client()
        client.change("joined")
        let rooms: JSON = [
            "items": [client.room(Client.ops, "ops"), client.room("d", "dev")]
        ]
        client.answer("conversations", rooms)
        client.effects = []
        client.say("/file /tmp/x")
        #expect(
            client.effects == [.run(id: 1, arguments: ["send", Client.ops, "--file", "/tmp/x"])])
        client.state.enter("d")
        client.give(.lost("gone"))
        client.give(.ended(id: 1, code: 70, output: "no such file\n"))
        let texts = { (id: String) in
            client.state.conversations.first { $0.id == id }?.scrollback.messages.map(\.text) ?? []
        }
        #expect(texts(Client.ops) == ["sending /tmp/x", "no such file"])
        #expect(texts("d") == [])
    }

    // MARK: The outbox

    @Test("what the daemon has taken is not told as unsent")
    func taken() {
        var client = Client()
        client.say("one")
        client.answer("send", ["id": "m1", "cursor": 5])
        #expect(client.state.unsent == [])
    }

    @Test(
        "what is refused comes back as it was typed",
        arguments: ["/me waves", "//help is a command", "text"])
    func comesBack(typed: String) {
        var client = Client()
        client.say(typed)
        client.refuse("send", Self.no)
        #expect(client.state.shown.input.text == typed)
    }

    @Test("an answer that is refused comes back as an answer to the same message")
    func replyComesBack() {
        var client = Client()
        client.show(client.message("m1", "a question"))
        client.say("/reply mine")
        #expect(client.waiting("send").map { $0["replyTo"] } == ["m1"])
        client.refuse("send", Self.no)
        #expect(client.state.shown.input.text == "mine")
        #expect(client.state.shown.aiming.replying == "m1")
    }

    @Test("who has asked to end is asked once more for what was said since")
    func quitting() {
        var client = Client()
        client.give(.lost("gone"))
        client.say("one")
        client.give(.keys([.control("d")]))
        client.say("two")
        client.give(.keys([.control("d")]))
        #expect(!client.effects.contains(.quit))
        #expect(client.state.notice?.hasPrefix("2 not sent yet") == true)
    }

    // MARK: Pages

    @Test("a page that is refused is not asked for again and again")
    func refusedPages() {
        var client = Client(history: [])
        client.show(client.message("m1", "first", cursor: 1))
        client.show(client.message("m2", "late", late: true, cursor: 2))
        #expect(client.waiting("history").map { $0["around"] } == ["m2"])
        client.refuse("history", .busy("too much"))
        #expect(client.waiting("history").isEmpty)

        client.state.shown.scrollback.hasNewer = true
        client.give(.due)
        #expect(client.waiting("history").map { $0["after"] } == ["m1"])
        client.refuse("history", .busy("too much"))
        // Once more from the end; and then no more.
        #expect(client.waiting("history").map { $0["after"] } == [nil])
        client.refuse("history", .busy("too much"))
        #expect(client.waiting("history").isEmpty)
        #expect(client.state.notice?.contains("too much") == true)
    }

    @Test("a /who that is refused says so, and history is loaded all the same")
    func refusedMembers() {
        var client = Client(history: [])
        client.state.shown.scrollback.hasOlder = true
        client.say("/who")
        client.refuse("members", Self.no)
        #expect(client.screen().contains { $0.contains("/who: no; ask again") })
        #expect(client.state.shown.scrollback.hasOlder)
    }

    @Test("who is in a room is asked again where the answer was lost")
    func lostMembers() {
        var client = Client()
        var join = client.message("m1", "")
        join = .object(
            (join.objectValue ?? []).map { $0.name == "kind" ? .init("kind", "join") : $0 })
        client.show(join)
        #expect(client.waiting("members").count == 1)
        client.asked = []
        client.give(.lost("gone"))
        client.give(.connected)
        #expect(client.waiting("members").count == 1)
    }

    @Test("everybody is in a room once, though /who asks while the list is coming")
    func membersTwice() {
        var client = Client()
        client.state.shown.hasMembers = false
        client.give(.due)
        client.say("/who")
        #expect(client.waiting("members").count == 2)
        let people: JSON = [
            "items": [
                ["id": .string(Client.ada), "name": "ada"],
                ["id": .string(Client.ben), "name": "ben", "state": "linked"],
            ]
        ]
        client.answer("members", people)
        client.answer("members", people)
        #expect(client.state.shown.members.map(\.name) == ["ada", "ben"])
        #expect(client.screen().contains { $0.contains("here: ada (you), ben") })
    }

    @Test("a conversation of two people has no member count")
    func membersOfTwo() {
        let direct: JSON = [
            "id": .string(Client.ops), "kind": "direct", "name": "@ben", "members": 2,
            "person": .string(Client.ben),
        ]
        let client = Client(columns: 120, conversations: [direct])
        #expect(client.screen()[0].contains("ben") && !client.screen()[0].contains("members"))
    }

    @Test("the number of members in the header follows the daemon, and their list is read anew")
    func memberCount() {
        var client = Client(columns: 120)
        #expect(client.screen().contains { $0.contains("2 members") })
        #expect(client.waiting("members").isEmpty)
        func members(_ count: Int64) -> ChatEvent {
            .received(
                .notification(
                    RPCRequest(
                        method: "members",
                        params: .named([
                            .init("subscription", 1), .init("conversation", .string(Client.ops)),
                            .init("members", .integer(count)),
                        ]))))
        }
        client.give(members(2))
        #expect(client.waiting("members").isEmpty)
        client.give(members(3))
        #expect(client.screen().contains { $0.contains("3 members") })
        #expect(client.waiting("members").count == 1)
    }

    @Test("one list of conversations comes at a time, and one more where something has changed")
    func lists() {
        var client = Client()
        client.change("joined")
        client.answer("conversations", ["items": [client.room(Client.ops, "ops")], "next": "p"])
        for _ in 1...5 { client.change("joined") }
        #expect(client.waiting("conversations").map { $0["after"] } == ["p"])
        client.answer("conversations", ["items": [client.room("d", "dev")]])
        #expect(client.state.conversations.map(\.name) == ["dev", "ops"])
        #expect(client.waiting("conversations").map { $0["after"] } == [nil])
        client.answer(
            "conversations", ["items": [client.room(Client.ops, "ops"), client.room("e", "new")]])
        #expect(client.state.conversations.map(\.name) == ["new", "ops"])
        #expect(client.waiting("conversations").isEmpty)
    }

    @Test("after a reload a message that was edited meanwhile is drawn as it is")
    func editedMeanwhile() {
        var client = Client(history: [])
        client.show(client.message("m1", "old text"))
        _ = client.state.frame()
        client.give(
            .received(
                .notification(
                    RPCRequest(
                        method: "gap",
                        params: .named([.init("subscription", 1), .init("to", 9)])))))
        client.answer("history", ["messages": [client.message("m1", "new text")], "more": false])
        #expect(client.screen().contains { $0.contains("new text") })
        #expect(!client.screen().contains { $0.contains("old text") })
        #expect(client.screen().contains { $0.contains("messages are missing here") })
    }

    @Test("a file that has ended while there was no connection is not on its way any longer")
    func transfers() {
        var client = Client()
        client.give(.lost("gone"))
        client.give(.connected)
        client.answer(
            "transfers", ["items": [["id": "m1", "name": "x", "state": "fetching", "size": 5]]])
        #expect(client.state.transfers.text != nil)
        client.give(.lost("gone"))
        client.give(.connected)
        client.answer("transfers", ["items": []])
        #expect(client.state.transfers.text == nil)
    }

    // MARK: Bounds

    @Test("lines of the client's own are cut like messages")
    func notes() {
        var client = Client()
        for number in 1...Scrollback.countLimit + 1_000 { client.state.note("note \(number)") }
        let messages = client.state.shown.scrollback.messages
        #expect(messages.count <= Scrollback.countLimit)
        #expect(messages.last?.text == "note \(Scrollback.countLimit + 1_000)")
    }

    @Test("pauses are counted by the clock that nobody sets")
    func clocks() {
        var client = Client()
        _ = client.state.handle(.lost("gone"), at: 5_000, wall: 1_800_000_000_000)
        #expect(client.state.nextDue == 5_000 + ChatLink.pauses.lowerBound)
    }
}
