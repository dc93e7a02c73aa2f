import ControlAPI
import Testing

@testable import Chat

@Suite("What a typed line is")
struct SlashCommandTests {
    @Test(
        "nothing that begins with a slash is a text, but behind another one",
        arguments: ["/", "/x", "/Me", "/etc/hosts", "/joinn ops", "/ me", "/quit now", "/\u{301}x"])
    func slashes(line: String) {
        if case .text = SlashCommand.parse(line) { Issue.record("\(line) would be sent") }
    }

    @Test("//x sends /x, and what is no command stays what it is")
    func texts() {
        for (line, text) in [
            ("//x", "/x"), ("///", "//"), ("a /x", "a /x"), ("stoa: hm", "stoa: hm"),
        ] {
            #expect(SlashCommand.parse(line) == .text(text))
        }
    }

    @Test("commands have names in any case, and what follows them")
    func commands() {
        #expect(SlashCommand.parse("/me waves ") == .command(.init(name: .me, rest: "waves ")))
        #expect(SlashCommand.parse("/JOIN  ops") == .command(.init(name: .join, rest: "ops")))
    }

    @Test(
        "the blank that Tab or a thumb leaves behind a name is not part of it, but text keeps its own"
    )
    func trailingBlanks() {
        for name in SlashCommand.Name.allCases {
            let isText = [.me, .reply, .edit, .msg].contains(name)
            let parsed = SlashCommand.parse("/\(name)  a b \t")
            #expect(parsed == .command(.init(name: name, rest: isText ? "a b \t" : "a b")))
        }
    }

    @Test("a name that Tab has completed is the one that the command takes")
    func completed() {
        for command in ["accept", "decline", "block", "unblock", "whois", "verify"] {
            var client = Client()
            client.change("joined")
            client.answer(
                "conversations", ["items": [client.room(Client.ops, "ops")]])
            client.give(.due)
            client.state.with(Client.ops) {
                $0.members = [
                    ChatMember(
                        id: Client.ben, name: "ben", person: .init(name: "ben", id: Client.ben),
                        isAway: false, isHere: true, isSelf: false)
                ]
            }
            client.type("/\(command) @b")
            client.give(.keys([.tab]))
            #expect(client.state.shown.input.text == "/\(command) @ben ")
            client.enter()
            #expect(client.waiting(command).first?["person"] == "@ben", "\(command)")
        }
    }

    @Test("an unknown command is named with the one that is near")
    func unknown() {
        for (typed, due) in [
            ("/jion ops", "there is no /jion: did you mean /join? To send it as text write //jion"),
            ("/zzzzzz", "there is no /zzzzzz: see /help; to send it as text write //zzzzzz"),
        ] {
            #expect(SlashCommand.parse(typed) == .unknown(why: due))
        }
    }
}

@Suite("Invitations that are typed into chat")
struct InvitationTests {
    private static let line = "stoa:room?name=war&realm=open&root=abcdefghijk&check=xyz"

    private func isShown(_ client: Client) -> Bool {
        client.screen().contains { $0.contains("root") || $0.contains("abcdefghijk") }
    }

    @Test(
        "an invitation joins, and is neither echoed nor remembered, kept, reported or sent",
        arguments: ["", "/join ", "  "])
    func typed(before: String) {
        var client = Client()
        client.give(.keys([.paste(before + Self.line)]))
        #expect(!self.isShown(client))
        #expect(client.state.saved.isEmpty)
        #expect(!client.state.unsent.joined().contains("root"))
        client.enter()
        #expect(
            client.answer("join", ["id": .string(Client.ops)]) == ["invite": .string(Self.line)])
        #expect(client.waiting("send").isEmpty)
        client.give(.keys([.up]))
        #expect(client.state.shown.input.isEmpty && !self.isShown(client))
    }

    @Test("/join without a room asks for one, which is not shown; Esc takes none")
    func asked() {
        var client = Client()
        client.say("/join")
        #expect(client.screen().contains { $0.contains("invitation (not shown") })
        client.give(.keys([.text("x"), .escape]))
        #expect(client.waiting("join").isEmpty)
        client.say("/join")
        client.type(Self.line)
        #expect(!self.isShown(client) && client.state.saved.isEmpty)
        client.enter()
        #expect(client.waiting("join") == [["invite": .string(Self.line)]])
        client.refuse("join", .refused("no", reason: "badInvite", remedy: "ask again"))
        #expect(client.screen().contains { $0.contains("/join: no; ask again") })
        client.give(.keys([.up]))
        #expect(client.state.shown.input.text == "/join" && !self.isShown(client))
    }

    @Test("a line that is put away with an invitation in it is not remembered")
    func putAway() {
        var client = Client()
        client.type("/joinn " + Self.line)
        client.enter()
        #expect(!self.isShown(client))
        client.give(.keys([.control("c"), .up]))
        #expect(client.state.shown.input.isEmpty)
    }

    @Test("an invitation to a realm joins it, and is neither sent nor shown")
    func realm() {
        var client = Client()
        client.say("stoa:realm?name=office&root=abcdefghijk")
        #expect(client.waiting("send").isEmpty && client.waiting("join").isEmpty)
        #expect(
            client.waiting("realmJoin") == [["invite": "stoa:realm?name=office&root=abcdefghijk"]])
        #expect(!self.isShown(client))
        client.refuse("realmJoin", .refused("no", reason: "badInvite", remedy: "ask again"))
        #expect(!self.isShown(client) && client.screen().contains { $0.contains("/realm: no") })
    }
}
