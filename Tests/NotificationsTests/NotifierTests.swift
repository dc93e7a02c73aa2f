import ControlAPI
import ControlClient
import Testing

@testable import Notifications

/// The notifier with a daemon that answers as the test says.
private final class Desk {
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
                == [.show(tag: Desk.ben, .init(title: "ben", text: "hi"))])
        #expect(desk.message("noise", in: Desk.ops) == [])
        #expect(
            desk.message("@ada!", in: Desk.ops, mention: true)
                == [.show(tag: Desk.ops, .init(title: "ben in ops", text: "@ada!"))])
    }

    // Shows: shown.lookalikes
    @Test("who has the name of somebody else is named with the beginning of the key")
    func namesake() {
        let desk = Desk()
        _ = desk.begin()
        #expect(
            desk.message("hi", in: Desk.ben, ambiguous: true)
                == [.show(tag: Desk.ben, .init(title: "ben@bbbb", text: "hi"))])
        #expect(
            desk.message("@ada!", in: Desk.ops, mention: true, ambiguous: true)
                == [.show(tag: Desk.ops, .init(title: "ben@bbbb in ops", text: "@ada!"))])
    }

    @Test("another one takes the place of the first, and both go when they are read elsewhere")
    func replacing() {
        let desk = Desk()
        _ = desk.begin()
        _ = desk.message("one", in: Desk.ben)
        #expect(
            desk.message("two", in: Desk.ben)
                == [.show(tag: Desk.ben, .init(title: "ben (2 new)", text: "two"))])
        let seen = desk.change(
            "seen", [("id", .string(Desk.ben)), ("unread", 0), ("mentions", 0)])
        #expect(seen.contains(.close(tag: Desk.ben)))
        #expect(
            desk.message("three", in: Desk.ben)
                == [.show(tag: Desk.ben, .init(title: "ben", text: "three"))])
    }

    @Test("what is said in a secret room is not shown unless the user wants it")
    func secrets() {
        let desk = Desk()
        _ = desk.begin()
        #expect(
            desk.message("the plan", in: Desk.hush, mention: true)
                == [.show(tag: Desk.hush, .init(title: "ben in &hush", text: "a new message"))])
        desk.settings.showsSecretTexts = true
        let shown = desk.message("the plan", in: Desk.hush, mention: true)
        #expect(
            shown == [.show(tag: Desk.hush, .init(title: "ben in &hush (2 new)", text: "the plan"))]
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
        #expect(told.first == .show(tag: Desk.ben, .init(title: "ben", text: "hi")))
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
                == .show(tag: new, .init(title: "ben (3 new)", text: "three")))
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
                == [.show(tag: Desk.hush, .init(title: "ben in &hush", text: "the new plan"))])
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
                    .init(title: "eve@eeeeeeeeeeee wants to write to you", text: "let me in"))
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
                == [.show(tag: Desk.ben, .init(title: "ben", text: "better"))])
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
}
