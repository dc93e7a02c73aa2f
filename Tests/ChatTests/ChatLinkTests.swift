import ControlAPI
import Testing

@testable import Chat

@Suite("Links and long texts in chat")
struct LinkAndFoldTests {
    static let long = "https://example.org/" + String(repeating: "path/", count: 10) + "end?q=1#x"

    @Test("links are found without what is around them, and hosts that deceive are none")
    func found() {
        for (text, links) in [
            ("see https://a.example/b.", ["https://a.example/b"]),
            ("(http://a.example/x_(y))", ["http://a.example/x_(y)"]),
            (
                "<https://a.example>, HTTPS://B.example/ö",
                ["https://a.example", "https://B.example/%C3%B6"]
            ),
            ("https://user:pw@evil.example/ https://gооgle.com/", []),
            ("xhttps://a.example file:///etc/passwd javascript:alert(1) ssh://h", []),
            ("https:// https://. http:///x", []),
            ("https://a.example/\u{202E}moc \u{1B}]8;;x", ["https://a.example/"]),
            ("https://a.example/$(reboot)`x`;rm -rf", ["https://a.example/$(reboot)"]),
            ("https://[::1]:8080/x!", ["https://[::1]:8080/x"]),
        ] as [(String, [String])] {
            #expect(WebLink.all(in: text) == links, "\(text)")
        }
        #expect(WebLink.all(in: String(repeating: "https://", count: 8_000)).isEmpty)
        #expect(WebLink.all(in: "https://a/" + String(repeating: "x", count: 60_000)).isEmpty)
    }

    @Test("/open lists links and opens one by its number, never by itself")
    func opens() {
        var client = Client()
        client.show(client.message("m1", "old https://one.example/", cursor: 1))
        client.show(
            client.message("m2", "new https://two.example/a and https://three.example", cursor: 2))
        client.say("/open")
        #expect(!client.effects.contains { if case .open = $0 { true } else { false } })
        let screen = client.screen().joined(separator: "\n")
        for text in [
            "1  https://two.example/a", "2  https://three.example", "3  https://one.example/",
        ] {
            #expect(screen.contains(text), "\(text)")
        }
        client.say("/open 3")
        #expect(client.effects.last == .open(id: 1, link: "https://one.example/"))
        client.say("/open 9")
        #expect(client.screen().joined().contains("links have numbers from 1 to 3"))
        client.give(.ended(id: 1, code: 3, output: "the link was not opened"))
        #expect(client.screen().joined().contains("the link was not opened"))
    }

    @Test("a link that has no room beside the names has a row of its own, whole")
    func whole() {
        var client = Client()
        client.show(client.message("m1", "look at \(Self.long) now", cursor: 1))
        #expect(Self.long.count > 55 && Self.long.count <= 80)
        let rows = client.screen()
        let place = rows.firstIndex { $0.trimmed == Self.long }
        #expect(place != nil)
        guard let place else { return }
        #expect(rows[place - 1].contains("ben │ look at"))
        #expect(rows[place + 1].hasPrefix("                       │ now"))
        // What is no link stays in its column, whatever it is made of.
        client.show(
            client.message("m2", "https://" + String(repeating: "│", count: 70), cursor: 2))
        client.show(client.message("m3", String(repeating: "x", count: 70), cursor: 3))
        #expect(
            client.screen().dropFirst().dropLast(2).allSatisfy { row in
                row.trimmed.isEmpty || row.contains(" │ ") || row.trimmed == Self.long
                    || row.hasPrefix("──")
            })
    }

    @Test("a 60 kB message is folded until the user wants all of it, and folds again")
    func folds() {
        var client = Client()
        let text = (1...1_200).map { "line \($0) of a log that somebody has pasted" }.joined(
            separator: "\n")
        client.show(client.message("m1", text, cursor: 1))
        client.show(client.message("m2", "short", cursor: 2))
        #expect(client.screen().contains { $0.contains("line 1 of") })
        #expect(client.screen().contains { $0.contains("kB more: Alt-O") })
        #expect(client.screen().contains { $0.contains("short") })
        client.give(.keys([.alt("o")]))
        #expect(client.screen().contains { $0.contains("line 1 of") })
        client.give(.keys([.pageDown]))
        #expect(client.screen().contains { $0.contains("line 30 of") })
        client.give(.keys([.end]))
        #expect(client.screen().contains { $0.contains("line 1200 of") })
        client.give(.keys([.alt("o")]))
        #expect(client.screen().contains { $0.contains("kB more: Alt-O") })
        // A change of it leaves it as the user has it.
        client.give(.keys([.alt("o")]))
        client.change(
            "edited",
            [("id", .string(Client.ops)), ("message", "m1"), ("text", .string(text + "!"))])
        #expect(client.state.shown.scrollback["m1"]?.isUnfolded == true)
        client.give(.keys([.control("g"), .altUp, .alt("o")]))
        #expect(client.screen().joined().contains("no message here is folded"))
    }

    @Test("Alt-L gives what is on the screen as plain lines, and nothing in them is obeyed")
    func alone() {
        var client = Client()
        client.show(client.message("m1", "copy \(Self.long)\u{1B}[2J", cursor: 1))
        client.give(.keys([.alt("l")]))
        guard case .showAlone(let lines)? = client.effects.last else {
            Issue.record("nothing is shown")
            return
        }
        #expect(lines.last == "ben: copy \(Self.long)^[[2J")
    }
}

extension String {
    fileprivate var trimmed: String {
        String(self.reversed().drop(while: \.isWhitespace).reversed())
    }
}
