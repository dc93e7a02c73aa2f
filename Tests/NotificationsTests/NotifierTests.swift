import ControlAPI
import ControlClient
import Testing

@testable import Notifications

/// The notifier with a daemon that answers as the test says.
final class Desk {
    static let ops = String(repeating: "o", count: 52)
    static let ben = String(repeating: "b", count: 52)
    static let hush = String(repeating: "h", count: 52)

    var state = NotifierState()
    var settings = NotifierSettings()
    var now: Int64 = 0
    var minute = 720
    var ids: Int64 = 0
    var cursor: Int64 = 0
    /// How often the settings were asked for.
    var reads = 0

    func give(_ event: NotifierEvent) -> [NotifierEffect] {
        self.now += 1
        return self.state.handle(event, at: self.now, minute: self.minute, self.read())
    }

    private func read() -> NotifierSettings {
        self.reads += 1
        return self.settings
    }

    /// Answers the last three questions.
    func begin(
        unread: Int64 = 0, mentions: Int64 = 0, requests: Int = 0, muted: Bool = false
    ) -> [NotifierEffect] {
        _ = self.give(.due)
        _ = self.give(.connected)
        _ = self.answer(["subscription": 1, "cursor": 0])
        _ = self.answer(Self.conversations(unread: unread, mentions: mentions, muted: muted))
        let waiting = JSON.array((0..<requests).map { ["person": .string("p\($0)")] })
        return self.answer(["items": waiting])
    }

    static func conversations(unread: Int64, mentions: Int64, muted: Bool = false) -> JSON {
        [
            "items": [
                [
                    "id": .string(Self.ben), "kind": "direct", "name": "@ben",
                    "unread": .integer(unread), "muted": .bool(muted),
                ],
                [
                    "id": .string(Self.ops), "kind": "room", "name": "ops", "unread": 9,
                    "mentions": .integer(mentions),
                ],
                ["id": .string(Self.hush), "kind": "secret", "name": "&hush"],
            ]
        ]
    }

    func answer(_ result: JSON) -> [NotifierEffect] {
        self.ids += 1
        return self.give(.received(.response(RPCResponse(id: .integer(self.ids), result: result))))
    }

    func tell(_ method: String, _ name: String, _ value: JSON) -> [NotifierEffect] {
        self.give(
            .received(
                .notification(
                    RPCRequest(
                        method: method,
                        params: .named([.init("subscription", 1), .init(name, value)])))))
    }

    func message(
        _ text: String, in conversation: String, mention: Bool = false, id: String = "m",
        ambiguous: Bool = false
    ) -> [NotifierEffect] {
        self.cursor += 1
        return self.tell(
            "message", "message",
            [
                "id": .string(id), "conversation": .string(conversation), "author": "bbbb",
                "authorName": "ben", "kind": "text", "text": .string(text),
                "cursor": .integer(self.cursor), "mention": .bool(mention),
                "ambiguous": .bool(ambiguous),
            ])
    }

    /// What is shown of a conversation.
    static func note(_ title: String, _ text: String, direct: Bool = false) -> DesktopNote {
        DesktopNote(
            title: title, text: text, actions: [.open, .reply], person: direct ? "@bbbb" : nil)
    }

    /// The method and the parameters that are written to the daemon.
    static func call(_ effect: NotifierEffect?) throws -> (method: String, params: JSON?) {
        guard case .write(let line)? = effect else { return ("", nil) }
        let json = try JSON(parsing: line.dropLast().map(\.self))
        return (json["method"]?.stringValue ?? "", json["params"])
    }

    func change(_ event: String, _ more: [(String, JSON)]) -> [NotifierEffect] {
        self.cursor += 1
        let members = [("event", JSON.string(event)), ("cursor", .integer(self.cursor))] + more
        return self.tell("change", "change", .object(members.map { .init($0.0, $0.1) }))
    }
}

@Suite("What is told at the desktop")
struct NotifierTests {
    @Test("a message for the user alone, and one that calls them; no other")
    func calls() {
        let desk = Desk()
        _ = desk.begin()
        #expect(
            desk.message("hi", in: Desk.ben)
                == [.show(tag: Desk.ben, Desk.note("ben", "hi", direct: true))])
        #expect(desk.message("noise", in: Desk.ops) == [])
        #expect(
            desk.message("@ada!", in: Desk.ops, mention: true)
                == [.show(tag: Desk.ops, Desk.note("ben in ops", "@ada!"))])
    }

    // Shows: shown.lookalikes
    @Test("who has the name of somebody else is named with the beginning of the key")
    func namesake() {
        let desk = Desk()
        _ = desk.begin()
        #expect(
            desk.message("hi", in: Desk.ben, ambiguous: true)
                == [.show(tag: Desk.ben, Desk.note("ben@bbbb", "hi", direct: true))])
        #expect(
            desk.message("@ada!", in: Desk.ops, mention: true, ambiguous: true)
                == [.show(tag: Desk.ops, Desk.note("ben@bbbb in ops", "@ada!"))])
    }

    @Test("another one takes the place of the first, and both go when they are read elsewhere")
    func replacing() {
        let desk = Desk()
        _ = desk.begin()
        _ = desk.message("one", in: Desk.ben)
        #expect(
            desk.message("two", in: Desk.ben)
                == [.show(tag: Desk.ben, Desk.note("ben (2 new)", "two", direct: true))])
        let seen = desk.change(
            "seen", [("id", .string(Desk.ben)), ("unread", 0), ("mentions", 0)])
        #expect(seen.contains(.close(tag: Desk.ben)))
        #expect(
            desk.message("three", in: Desk.ben)
                == [.show(tag: Desk.ben, Desk.note("ben", "three", direct: true))])
    }

    @Test("what is said in a secret room is not shown unless the user wants it")
    func secrets() {
        let desk = Desk()
        _ = desk.begin()
        #expect(
            desk.message("the plan", in: Desk.hush, mention: true)
                == [.show(tag: Desk.hush, Desk.note("ben in &hush", "a new message"))])
        desk.settings.showsSecretTexts = true
        let shown = desk.message("the plan", in: Desk.hush, mention: true)
        #expect(
            shown == [.show(tag: Desk.hush, Desk.note("ben in &hush (2 new)", "the plan"))]
        )
    }

    @Test("nothing of a muted conversation, and what stands of it goes")
    func muting() {
        let desk = Desk()
        _ = desk.begin()
        _ = desk.message("hi", in: Desk.ben)
        let muted = desk.change("arranged", [("id", .string(Desk.ben)), ("muted", true)])
        #expect(muted == [.close(tag: Desk.ben)])
        #expect(desk.message("hi", in: Desk.ben) == [])
    }

    @Test(
        "nothing in quiet hours or while the desktop is not to be disturbed; then once what was missed"
    )
    func quiet() {
        let desk = Desk()
        _ = desk.begin()
        desk.settings.quiet = QuietHours("20:00-08:00")
        desk.minute = 23 * 60
        #expect(desk.message("late", in: Desk.ben) == [])
        #expect(desk.state.nextDue == desk.now + 9 * 60 * 60_000)
        desk.now += 9 * 60 * 60_000
        desk.minute = 8 * 60
        #expect(desk.give(.due).count == 2)
        _ = desk.answer(Desk.conversations(unread: 1, mentions: 0))
        #expect(
            desk.answer(["items": []])
                == [.show(tag: "missed", .init(title: "While you were away", text: "1 from @ben"))])
        desk.settings.isInhibited = true
        #expect(desk.message("hidden", in: Desk.ben) == [])
        #expect(desk.state.nextDue != nil)
    }

    @Test("what was missed while logged out is told once, in one notification")
    func missed() {
        let desk = Desk()
        #expect(
            desk.begin(unread: 3, mentions: 1, requests: 2)
                == [
                    .show(
                        tag: "missed",
                        .init(
                            title: "While you were away",
                            text: "3 from @ben, 1 in ops, 2 people want to write to you"))
                ])
        // After a restart of the daemon there is nothing to be told again.
        _ = desk.give(.lost)
        desk.now += 1_000
        #expect(desk.give(.due) == [.connect])
        _ = desk.give(.connected)
        _ = desk.answer(["subscription": 1, "cursor": 0])
        _ = desk.answer(Desk.conversations(unread: 3, mentions: 1))
        #expect(desk.answer(["items": []]) == [])
        let other = Desk()
        #expect(other.begin(unread: 3, muted: true) == [])
    }

    @Test("a locked node is told once, and all that was missed once it is open")
    func locked() {
        let desk = Desk()
        func refuse() -> [NotifierEffect] {
            _ = desk.give(.connected)
            return (0..<3).flatMap { _ in
                desk.ids += 1
                return desk.give(
                    .received(.response(RPCResponse(id: .integer(desk.ids), error: .locked()))))
            }
        }
        #expect(
            refuse() == [
                .show(
                    tag: "locked",
                    .init(
                        title: "Stoa is locked",
                        text: "Messages wait. Unlock it with: stoa unlock"))
            ])
        _ = desk.give(.lost)
        #expect(refuse() == [])
        _ = desk.give(.lost)
        _ = desk.give(.connected)
        #expect(desk.answer(["subscription": 1, "cursor": 0]) == [.close(tag: "locked")])
        _ = desk.answer(Desk.conversations(unread: 3, mentions: 0))
        let missed = DesktopNote(title: "While you were away", text: "3 from @ben")
        #expect(desk.answer(["items": []]) == [.show(tag: "missed", missed)])
    }

    @Test("a message of a conversation that is new is told once it is known, and one of none never")
    func early() {
        let desk = Desk()
        _ = desk.give(.due)
        _ = desk.give(.connected)
        _ = desk.answer(["subscription": 1, "cursor": 0])
        // The list is coming already.
        #expect(desk.message("hi", in: Desk.ben) == [])
        #expect(desk.message("lost", in: String(repeating: "x", count: 52)) == [])
        let told = desk.answer(Desk.conversations(unread: 1, mentions: 0))
        #expect(told.first == .show(tag: Desk.ben, Desk.note("ben", "hi", direct: true)))
        #expect(told.count == 2)
        #expect(desk.answer(["items": []]) == [])
        #expect(desk.answer(Desk.conversations(unread: 1, mentions: 0)) == [])
    }

    @Test("one list is asked for at a time, to its end, however many messages want it")
    func lists() throws {
        let desk = Desk()
        _ = desk.begin()
        let new = String(repeating: "n", count: 52)
        #expect(desk.message("one", in: new).count == 1)
        for text in ["two", "three"] { #expect(desk.message(text, in: new) == []) }
        let page: JSON = [
            "items": [["id": .string(Desk.ben), "kind": "direct", "name": "@ben"]], "next": "p",
        ]
        guard case .write(let line)? = desk.answer(page).first else {
            Issue.record("the rest of the list is not asked for")
            return
        }
        #expect(try JSON(parsing: line.dropLast().map(\.self))["params"]?["after"] == "p")
        let told = desk.answer(
            ["items": [["id": .string(new), "kind": "direct", "name": "@new"]]])
        #expect(
            told.dropLast().last
                == .show(tag: new, Desk.note("ben (3 new)", "three", direct: true)))
        // Once more, since two came while the list was on its way; and then no more.
        #expect(told.count == 4)
        #expect(desk.answer(["items": []]) == [])
    }

    @Test("all who wait are counted, page by page, and told together with what was missed")
    func pages() {
        let desk = Desk()
        _ = desk.give(.due)
        _ = desk.give(.connected)
        _ = desk.answer(["subscription": 1, "cursor": 0])
        let rest = Desk.conversations(unread: 2, mentions: 0)
        #expect(desk.answer(["items": [["id": "x", "name": "x"]], "next": "p"]).count == 1)
        #expect(desk.answer(["items": [["person": "p1"]], "next": "p1"]).count == 1)
        #expect(desk.answer(rest) == [])
        #expect(
            desk.answer(["items": [["person": "p2"]]])
                == [
                    .show(
                        tag: "missed",
                        .init(
                            title: "While you were away",
                            text: "2 from @ben, 2 people want to write to you"))
                ])
    }

    @Test("while the daemon is away nothing is due but the next attempt, whatever was held back")
    func heldWithoutDaemon() throws {
        let desk = Desk()
        _ = desk.begin()
        desk.settings.isInhibited = true
        #expect(desk.message("hidden", in: Desk.ben) == [])
        _ = desk.give(.lost)
        desk.now += 3_600_000
        #expect(desk.give(.due) == [.connect])
        _ = desk.give(.lost)
        desk.settings.isInhibited = false
        let next = try #require(desk.state.nextDue)
        #expect(next > desk.now)
        // Back again: what was held back is told from the lists that are asked for anyhow.
        desk.now = next
        #expect(desk.give(.due) == [.connect])
        #expect(desk.give(.connected).count == 3)
        _ = desk.answer(["subscription": 1, "cursor": 0])
        _ = desk.answer(Desk.conversations(unread: 1, mentions: 0))
        #expect(desk.answer(["items": [["person": "p"]]]) == [])
        #expect(
            desk.answer(Desk.conversations(unread: 1, mentions: 0))
                == [
                    .show(
                        tag: "missed",
                        .init(
                            title: "While you were away",
                            text: "1 from @ben, 1 person wants to write to you"))
                ])
    }

    @Test("quiet hours end by the clock on the wall, also for a machine that slept through them")
    func slept() {
        let desk = Desk()
        _ = desk.begin()
        desk.settings.quiet = QuietHours("20:00-08:00")
        desk.minute = 23 * 60
        #expect(desk.message("late", in: Desk.ben) == [])
        desk.minute = 8 * 60 + 30
        #expect(desk.message("noise", in: Desk.ops).count == 2)
    }

    @Test("settings are read, and the desktop is asked, only where something is to be told")
    func readings() {
        let desk = Desk()
        _ = desk.begin()
        #expect(desk.reads == 0)
        _ = desk.message("noise", in: Desk.ops)
        #expect(desk.reads == 0)
        desk.settings.isInhibited = true
        #expect(desk.message("hi", in: Desk.ben) == [])
        #expect(desk.reads == 1)
        // The desktop is still not to be disturbed, so the daemon is asked for nothing.
        desk.now += 60_000
        #expect(desk.give(.due) == [])
        #expect(desk.reads == 2)
    }

    @Test("in quiet hours too, what is deleted or edited does not stand there as it was")
    func changedWhileQuiet() {
        for event in ["deleted", "edited"] {
            let desk = Desk()
            _ = desk.begin()
            _ = desk.message("oops", in: Desk.ben, id: "m1")
            desk.settings.isInhibited = true
            let about: [(String, JSON)] = [
                ("id", .string(Desk.ben)), ("message", "m1"), ("text", "better"),
            ]
            #expect(desk.change(event, about) == [.close(tag: Desk.ben)])
        }
    }

    @Test("an edit in a secret room is shown where its texts are")
    func editedSecret() {
        let desk = Desk()
        _ = desk.begin()
        let about: [(String, JSON)] = [
            ("id", .string(Desk.hush)), ("message", "m1"), ("text", "the new plan"),
        ]
        _ = desk.message("the plan", in: Desk.hush, mention: true, id: "m1")
        #expect(desk.change("edited", about) == [])
        desk.settings.showsSecretTexts = true
        #expect(
            desk.change("edited", about)
                == [.show(tag: Desk.hush, Desk.note("ben in &hush", "the new plan"))])
    }

    @Test("requests and alerts are told, and an alert goes when it is over")
    func others() {
        let desk = Desk()
        _ = desk.begin()
        let peer = String(repeating: "e", count: 52)
        let request = desk.change(
            "requested", [("peer", .string(peer)), ("name", "eve"), ("text", "let me in")])
        #expect(
            request == [
                .show(
                    tag: "request \(peer)",
                    .init(
                        title: "eve@eeeeeeeeeeee wants to write to you", text: "let me in",
                        actions: [.accept]))
            ])
        let alert = desk.change("raised", [("code", "fork"), ("text", "two logs")])
        #expect(
            alert == [
                .show(tag: "alert fork", .init(title: "Stoa", text: "two logs", isUrgent: true))
            ])
        #expect(desk.change("cleared", [("code", "fork")]) == [.close(tag: "alert fork")])
    }

    @Test("a message that is taken back stands there no longer, one that is edited as it is")
    func changed() {
        let desk = Desk()
        _ = desk.begin()
        _ = desk.message("oops", in: Desk.ben, id: "m1")
        let about: [(String, JSON)] = [("id", .string(Desk.ben)), ("message", "m1")]
        #expect(
            desk.change("edited", about + [("text", "better")])
                == [.show(tag: Desk.ben, Desk.note("ben", "better", direct: true))])
        #expect(
            desk.change("deleted", about) == [.close(tag: Desk.ben)])
    }

    @Test("text of others is one safe line of bounded length")
    func hostile() {
        let desk = Desk()
        _ = desk.begin()
        for text in [
            "\u{1B}]0;x\u{7}", "a\nb", "\u{202E}x", String(repeating: "x", count: 60_000),
            "a" + String(repeating: "\u{301}", count: 30_000),
        ] {
            let effects = desk.message(text, in: Desk.ben)
            #expect(effects.count == 1)
            for effect in effects {
                guard case .show(_, let note) = effect else {
                    Issue.record("something else than showing it")
                    continue
                }
                #expect(!note.text.unicodeScalars.contains { TerminalText.isHidden($0) })
                #expect(note.text.count <= 1_000)
                #expect(note.text.utf8.count <= 1_000)
            }
        }
    }

    @Test("hours are read as they are written, around midnight too")
    func hours() {
        let night = QuietHours("20:00-8:30")
        #expect(night?.text == "20:00-08:30")
        #expect(night?.contains(0) == true)
        #expect(night?.contains(8 * 60 + 29) == true)
        #expect(night?.contains(8 * 60 + 30) == false)
        #expect(night?.minutesLeft(at: 20 * 60) == 750)
        for text in [
            "", "8", "8:00", "24:00-1:00", "1:60-2:00", "1:00-1:00", "1:00-2:00-3:00", "+1:00-2:00",
        ] {
            #expect(QuietHours(text) == nil, "\(text)")
        }
    }

    @Test("settings are read as they were written, and what is not known is passed over")
    func settings() {
        var settings = NotifierSettings()
        settings.quiet = QuietHours("20:00-08:00")
        settings.showsSecretTexts = true
        #expect(NotifierFile.settings(NotifierFile.text(settings)) == settings)
        #expect(NotifierFile.settings("garbage\n=\nQuiet=x\nNew=1\n") == NotifierSettings())
    }

    @Test("lines of a text follow one another, without signs for what is between them")
    func lines() {
        let desk = Desk()
        _ = desk.begin()
        #expect(
            desk.message("one\ntwo\r\n\tthree\u{1B}", in: Desk.ben)
                == [.show(tag: Desk.ben, Desk.note("ben", "one two three^[", direct: true))])
    }

    @Test("a hundred mentions in a room are one notification, and those of many rooms are few")
    func crowd() {
        let desk = Desk()
        _ = desk.begin()
        var effects: [NotifierEffect] = []
        for number in 1...100 {
            effects = desk.message("@ada", in: Desk.ops, mention: true, id: "m\(number)")
            #expect(effects.count == 1)
        }
        #expect(effects == [.show(tag: Desk.ops, Desk.note("ben in ops (100 new)", "@ada"))])
        let rooms = (1...20).map { "r\($0)" + String(repeating: "x", count: 48) }
        _ = desk.change("joined", [("id", .string(rooms[0]))])
        _ = desk.answer([
            "items": .array(
                rooms.enumerated().map { place, id in
                    ["id": .string(id), "kind": "room", "name": .string("room\(place)")]
                })
        ])
        var tags: Set<String> = [Desk.ops]
        for room in rooms {
            for case .show(let tag, let note) in desk.message("@ada", in: room, mention: true) {
                tags.insert(tag)
                effects = [.show(tag: tag, note)]
            }
        }
        #expect(tags.count == 6 && tags.contains("others"))
        guard case .show(_, let note)? = effects.first else { return }
        #expect(note.title == "Messages in 16 more conversations")
    }

    @Test(
        "an invitation to a group is a notification that accepts it, and goes when it is answered")
    func invitation() {
        let desk = Desk()
        _ = desk.begin()
        let shown = desk.change(
            "invited", [("id", "gggg"), ("name", "+ops"), ("peer", "bbbb"), ("peerName", "ben")])
        guard case .show("request gggg", let note)? = shown.first else {
            Issue.record("nothing is shown")
            return
        }
        #expect(note.title.hasSuffix("invites you to a group") && note.text == "+ops")
        #expect(note.actions == [.accept])
        #expect(
            desk.change("declined", [("id", "gggg")]).first == .close(tag: "request gggg"))
    }

    @Test("many who want to write are few notifications, which go when they are decided on")
    func manyRequests() {
        let desk = Desk()
        _ = desk.begin()
        var tags: Set<String> = []
        for number in 1...50 {
            for case .show(let tag, let note) in desk.change(
                "requested", [("peer", .string("peer\(number)")), ("text", "hi")])
            {
                tags.insert(tag)
                if number == 50 { #expect(note.title == "50 people want to write to you") }
            }
        }
        #expect(tags.count == 6)
        #expect(
            desk.change("accepted", [("peer", "peer1")]).first == .close(tag: "request peer1"))
    }

    @Test("somebody is accepted, and a message answered, from the notification")
    func actions() throws {
        let desk = Desk()
        _ = desk.begin()
        _ = desk.change("requested", [("peer", "eeee"), ("name", "eve"), ("text", "hi")])
        let accept = try Desk.call(
            desk.give(.chosen(tag: "request eeee", .accept)).first)
        #expect(accept.method == "accept" && accept.params?["person"] == "@eeee")
        #expect(desk.answer([:]) == [.close(tag: "request eeee"), .close(tag: "requests")])
        _ = desk.message("lunch?", in: Desk.ben, id: "m9")
        #expect(
            desk.give(.chosen(tag: Desk.ben, .open)) == [.open(conversation: Desk.ben)])
        let reply = try Desk.call(desk.give(.replied(tag: Desk.ben, "at 12")).first)
        #expect(reply.method == "send" && reply.params?["to"] == .string(Desk.ben))
        // The daemon goes before it has answered: the same is sent again, by the same key.
        _ = desk.give(.lost)
        let again = try desk.give(.connected).compactMap { try Desk.call($0) }
            .first { $0.method == "send" }
        #expect(again?.params == reply.params)
    }
}
