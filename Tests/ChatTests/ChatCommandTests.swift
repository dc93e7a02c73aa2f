import ControlAPI
import Testing

@testable import Chat

@Suite("Commands of chat")
struct ChatCommandTests {
    @Test("/help fits one screen, and every command is in it once")
    func help() {
        var client = Client()
        client.say("/help")
        let rows = client.screen().dropFirst().dropLast(2).filter { !$0.allSatisfy(\.isWhitespace) }
        #expect(rows.count <= 21)
        let text = rows.joined(separator: " ")
        for name in SlashCommand.Name.allCases {
            let words = text.split { $0 == " " || $0 == "," || $0 == ";" || $0 == ":" }
            #expect(words.contains("/\(name)"), "\(name)")
        }
        client.say("/help keys")
        #expect(client.screen().dropFirst().dropLast(2).contains { $0.contains("Enter: send") })
        #expect(client.screen().contains { $0.contains("Ctrl-D: end") })
    }

    @Test(
        "/help takes a word: a command with or without its slash, or what it is about",
        arguments: [
            ("topic", "/topic [TEXT|-]"), ("/topic", "- removes it"),
            ("invitation", "/invite [ROOM|@PERSON]"),
            ("EMOJI", "nothing here is about"), ("scroll", "PgUp"),
        ])
    func helpOn(word: String, due: String) {
        var client = Client()
        client.say("/help \(word)")
        #expect(client.screen().contains { $0.contains(due) })
    }

    @Test("a topic is set, shown and removed")
    func topic() {
        var client = Client()
        client.say("/topic autumn plans ")
        #expect(client.answer("topic", [:])?["text"] == "autumn plans")
        client.say("/topic -")
        #expect(client.waiting("topic").first?["text"] == "")
    }

    @Test("/create and /invite show secrets without the screen, and no conversation holds them")
    func secrets() {
        var client = Client()
        client.say("/create plans")
        #expect(
            client.answer(
                "createConversation",
                [
                    "conversation": ["id": "p", "kind": "room", "name": "&plans"],
                    "phrase": "one two three four five six",
                    "invite": "stoa:room?name=plans&root=abc",
                ]) == ["room": "plans"])
        guard case .showAlone(let lines)? = client.effects.last else {
            Issue.record("nothing is shown")
            return
        }
        #expect(lines.contains("one two three four five six"))
        #expect(lines.contains("stoa:room?name=plans&root=abc"))
        client.say("/invite &plans")
        #expect(
            client.answer("invite", ["name": "&plans", "invite": "stoa:room?name=plans&root=abc"])
                == ["room": "&plans"])
        #expect(client.effects.count { if case .showAlone = $0 { true } else { false } } == 2)
        #expect(!client.screen().joined().contains("root=abc"))
        #expect(!client.screen().joined().contains("one two"))
    }

    @Test("realms are listed, created, joined by an invitation that nobody sees, and left")
    func realms() {
        var client = Client()
        client.say("/realm")
        client.answer(
            "realms", ["items": [["name": "office", "joined": true, "rooms": 2, "default": false]]])
        #expect(client.screen().contains { $0.contains("office: 2 rooms") })
        client.say("/realm new lab")
        #expect(client.answer("realmNew", ["name": "lab"]) == ["name": "lab"])
        client.say("/realm invite lab")
        client.answer("realmInvite", ["name": "lab", "invite": "stoa:realm?root=abc"])
        #expect(!client.screen().joined().contains("root=abc"))
        client.say("/realm join")
        client.type("stoa:realm?name=office&root=abcdefghijk")
        #expect(!client.screen().joined().contains("abcdefghijk"))
        client.enter()
        #expect(
            client.answer("realmJoin", ["name": "office"])
                == ["invite": "stoa:realm?name=office&root=abcdefghijk"])
        #expect(client.screen().contains { $0.contains("you are in realm office") })
        client.say("/realm leave lab")
        client.answer("realmLeave", ["name": "lab", "rooms": ["lab/x"]])
        #expect(client.screen().contains { $0.contains("you have left realm lab") })
        for line in ["/realm bogus", "/realm new", "/realm rotate lab"] {
            client.asked = []
            client.say(line)
            #expect(!client.asked.contains { $0.method.hasPrefix("realm") })
        }
    }

    @Test("/requests, /info and /profile say what the daemon knows")
    func details() {
        var client = Client()
        client.say("/requests")
        client.answer(
            "requests",
            [
                "items": [
                    [
                        "person": .string(Client.ben), "name": "ben", "text": "hi\u{1B}[2J",
                        "time": "1970-01-01T00:00:00.000Z",
                    ]
                ]
            ])
        #expect(
            client.screen().contains { $0.contains("ben @bbbbbbbbbbbb") && $0.contains("hi^[[2J") })
        client.show(client.message("m1", "mine", by: Client.ada, cursor: 1))
        client.say("/info")
        let params = client.answer(
            "info",
            [
                "id": "m1", "message": client.message("m1", "mine", by: Client.ada),
                "deleted": false,
                "members": [["id": .string(Client.ben), "name": "ben", "outcome": "read"]],
            ])
        #expect(params?["id"] == "m1")
        #expect(client.screen().contains { $0.contains("read: ben") })
        client.say("/profile status in the lab ")
        #expect(
            client.answer(
                "profile", ["id": .string(Client.ada), "name": "ada", "status": "in the lab"])
                == ["status": "in the lab"])
        #expect(client.screen().contains { $0.contains("status: in the lab") })
        client.say("/profile status -")
        #expect(client.waiting("profile").first == ["status": ""])
        client.say("/profile name Ada B")
        #expect(client.waiting("profile").last == ["name": "Ada B"])
    }

    @Test("/file completes the names in a folder, those that can be typed")
    func files() {
        var client = Client()
        client.type("/file docs/no")
        client.give(.keys([.tab]))
        #expect(client.effects.last == .names(folder: "docs/"))
        client.give(
            .names(["news.txt", "notes and more.txt", "no\u{1B}[2J", "nothing/"], folder: "docs/"))
        #expect(client.state.shown.input.text == "/file docs/notes and more.txt")
        client.give(.keys([.tab]))
        #expect(client.state.shown.input.text == "/file docs/nothing/")
        client.give(.keys([.control("u"), .text("/file n"), .tab]))
        #expect(client.effects.last == .names(folder: "."))
    }
}
