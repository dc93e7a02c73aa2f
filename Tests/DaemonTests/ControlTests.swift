import ControlAPI
import Posix
import Testing
import TestSupport

@testable import Daemon

@Suite("The control API over a real daemon", .timeLimit(.minutes(5)))
struct ControlTests {
    @Test("people are found in any case, by the beginning of a name or of a word of it")
    func people() throws {
        let daemon = try TestDaemon(name: "Ben")
        let client = try daemon.connect()
        let ada = try TestDaemon(name: "Ada Lovelace", peers: [try daemon.address()])
        for daemon in [daemon, ada] { try daemon.ask("join", ["room": "ops"]) }
        try ada.ask("send", ["to": "ops", "text": "hi", "wait": "delivered"])
        let key = try #require(try ada.ask("status")["id"]?.stringValue)
        for person in ["@ada", "@Ada Lovelace", "@ADA LOVE", "@lovelace", "@" + key.prefix(8)] {
            // The name comes with a record, soon after the message.
            try awaitThat {
                (try? client.ask("whois", ["person": .string(person)])) != nil
            }
            let found = try client.ask("whois", ["person": .string(person)])
            #expect(found["id"]?.stringValue == key, "\(person)")
        }
        for person in ["@lace", "@ada l.", "@"] {
            #expect(throws: (any Error).self) {
                try client.ask("whois", ["person": .string(person)])
            }
        }
    }

    @Test(
        "whom the user knows keeps the name alone, also after a restart; who looks alike is marked")
    func namesakes() throws {
        let ada = try TestDaemon(name: "ada")
        let known = try TestDaemon(name: "Cleo", peers: [try ada.address()])
        let stranger = try TestDaemon(name: "\u{421}leo", peers: [try ada.address()])
        for daemon in [ada, known, stranger] {
            try daemon.ask("join", ["room": "ops"])
            let wait: JSON = ["to": "ops", "text": "hi", "wait": "delivered"]
            if daemon !== ada { try daemon.ask("send", wait) }
        }
        func marks(_ daemon: TestDaemon) throws -> [String: Bool] {
            let history = try daemon.ask("history", ["to": "ops"])
            let messages = history["messages"]?.arrayValue ?? []
            return Dictionary(
                messages.map {
                    ($0["authorName"]?.stringValue ?? "", $0["ambiguous"] == .bool(true))
                }, uniquingKeysWith: { $1 })
        }
        // The names come with records, soon after the messages.
        let alike = ["ada": false, "Cleo": true, "\u{421}leo": true]
        for _ in 0..<200 where try marks(ada) != alike {
            try ada.ask("send", ["to": "ops", "text": "x", "wait": "delivered"])
        }
        #expect(try marks(ada) == alike)
        let person: JSON = ["person": "@Cleo"]
        #expect(try ada.ask("whois", person)["tier"] == "stranger")
        #expect(rpcError { try ada.ask("addPerson", person) }?.reason == "stranger")
        let id = try known.ask("status")["id"] ?? .null
        #expect(try ada.ask("addPerson", .members(["person": id]))["ambiguous"] == nil)
        #expect(try ada.ask("whois", person)["tier"] == "known")
        var told = alike
        told["Cleo"] = false
        #expect(try marks(ada) == told)
        // Nothing else that is told of the other one goes by the bare name.
        let fake = try #require(try stranger.ask("status")["id"]?.stringValue)
        let messages = try ada.ask("history", ["to": "ops"])["messages"]?.arrayValue ?? []
        for author in ["Cleo", "\u{421}leo"] {
            let message = try #require(
                messages.first { $0["authorName"]?.stringValue == author && $0["kind"] == "text" })
            let answer: JSON = ["to": "ops", "text": "hi", "replyTo": message["id"] ?? .null]
            try ada.ask("send", answer)
            let newest = try ada.ask("history", ["to": "ops", "limit": 1])["messages"]?.arrayValue?
                .last
            let shown = author == "Cleo" ? author : "\(author)@\(fake.prefix(12))"
            #expect(newest?["replyTo"]?["authorName"]?.stringValue == shown)
        }
        ada.stop()
        let again = try TestDaemon(name: "ada", directory: ada.directory)
        #expect(try marks(again) == told)
        #expect(try again.list("people").map { $0["name"] } == ["Cleo"])
        #expect(throws: (any Error).self) { try again.ask("addPerson", ["person": "@ada"]) }
        #expect(try again.ask("removePerson", person)["ambiguous"] == .bool(true))
        #expect(throws: (any Error).self) { try again.ask("removePerson", person) }
    }

    @Test("a name that nobody bears leads to the near one, with its @")
    func nearName() throws {
        let daemon = try TestDaemon(name: "Ada Lovelace")
        let client = try daemon.connect()
        #expect(rpcError { try client.ask("whois", ["person": "@ada"]) }?.reason == "ownName")
        #expect {
            try client.ask("whois", ["person": "@adda"])
        } throws: { error in
            guard case TestClientError.rpc(let refusal) = error else { return false }
            return refusal.remedy == "did you mean \"@Ada Lovelace\"?"
        }
    }

    @Test("of a name that nobody here bears it is said whose names are seen")
    func unseenName() throws {
        let daemon = try TestDaemon(name: "ada")
        let error = rpcError { try daemon.ask("send", ["to": "@xylophone", "text": "x"]) }
        #expect(error?.reason == "unknownName")
        #expect(error?.remedy?.contains("share a room or a realm") == true)
    }

    @Test("a room that others are in is to be joined, and one that nobody is in is not listed")
    func otherRoom() throws {
        let ada = try TestDaemon(name: "ada")
        let bob = try TestDaemon(name: "bob", peers: [try ada.address()])
        try bob.ask("join", ["room": "agora"])
        func names() throws -> [String] {
            try ada.list("rooms").compactMap { $0["name"]?.stringValue }
        }
        while try names() != ["agora"] { _ = try waitUntilReadable([], timeoutMilliseconds: 5) }
        for method in ["send", "history"] {
            let text: JSON = ["to": "agora", "text": "x"]
            let error = rpcError {
                try ada.ask(method, method == "send" ? text : ["to": "agora"])
            }
            #expect(error?.knownCode == .notMember)
            #expect(error?.message == "you are not in agora")
            #expect(error?.remedy == "join it: stoa join agora")
        }
        try ada.ask("join", ["room": "agora"])
        try ada.ask("leave", ["room": "agora"])
        #expect(try names() == ["agora"])
        try ada.ask("join", ["room": "alone"])
        #expect(try names() == ["alone", "agora"])
        try ada.ask("leave", ["room": "alone"])
        #expect(try names() == ["agora"])
        #expect(try ada.ask("history", ["to": "alone"])["messages"] != nil)
    }

    @Test("of a number of members that a room does not have it is said how many it has")
    func tooMany() throws {
        let ada = try TestDaemon(name: "ada")
        let bob = try TestDaemon(name: "bob", peers: [try ada.address()])
        for daemon in [ada, bob] { try daemon.ask("join", ["room": "agora"]) }
        try ada.ask("send", ["to": "agora", "text": "x", "wait": "delivered"])
        let error = rpcError {
            try ada.ask(
                "send",
                [
                    "to": "agora", "text": "y", "wait": "delivered", "members": "7",
                    "timeoutMilliseconds": 1_000,
                ])
        }
        #expect(error?.knownCode == .deliveryTimeout)
        #expect(error?.message.hasSuffix(" of 7 have it; agora has 1 other member") == true)
        withExtendedLifetime(bob) {}
    }

    @Test(
        "a text of nothing but white space is as good as empty",
        arguments: [" ", "\n\t ", "\u{3000}\u{2028}"])
    func blank(text: String) throws {
        let daemon = try TestDaemon()
        try daemon.ask("join", ["room": "ops"])
        let error = rpcError { try daemon.ask("send", ["to": "ops", "text": .string(text)]) }
        #expect(error?.reason == "emptyText" && error?.message == "the text is empty")
    }

    @Test(
        "a name with an @, a control character or a control of direction is refused, which is said",
        arguments: [
            ("ada@home", "\"@\""), ("ada\n[x]", "a newline"), ("a\tb", "a tab"),
            ("\u{1B}[31mada", "ESC (U+001B)"), ("a\u{7}", "U+0007"), ("a\u{202E}b", "U+202E"),
            ("a\u{2066}b", "U+2066"), ("ada\u{FF20}x", "\"\u{FF20}\""),
        ])
    func refusedName(name: String, said: String) throws {
        let daemon = try TestDaemon(name: "ada")
        let error = rpcError { try daemon.ask("profile", ["name": .string(name)]) }
        #expect(error?.reason == "misleadingName")
        #expect(error?.message.contains(said) == true)
        #expect(try daemon.ask("profile")["name"] == "ada")
    }

    @Test("who sends from a copy of a running daemon's data is told that it reaches nobody")
    func shutOut() throws {
        let ada = try TestDaemon()
        let original = try TestDaemon(name: "bob", peers: [try ada.address()])
        for daemon in [ada, original] { try daemon.ask("join", ["room": "ops"]) }
        let message: JSON = ["to": "ops", "text": "hi", "wait": "delivered"]
        #expect(try original.ask("send", message)["shutOut"] == nil)
        let folder = try TestFolder()
        try Files.makePrivateDirectory(folder("data"))
        for name in ["data/safe.key", "data/identity.key"] {
            try Files.writeAtomically(
                Files.read(original.directory(name), limitBytes: 200), to: folder(name),
                mode: 0o600)
        }
        let copy = try TestDaemon(name: "bob", peers: [try ada.address()], directory: folder)
        try copy.ask("join", ["room": "ops"])
        // Each waits for a delivery that does not come; ada turns it away meanwhile.
        let hasty: JSON = [
            "to": "ops", "text": "x", "wait": "delivered", "timeoutMilliseconds": 50,
        ]
        var error: RPCError?
        let deadline = SystemClock.monotonicMilliseconds() + 60_000
        while error?.data?["shutOut"] != true, SystemClock.monotonicMilliseconds() < deadline {
            do { try copy.ask("send", hasty) } catch TestClientError.rpc(let failure) {
                error = failure
            }
        }
        #expect(error?.data?["shutOut"] == true)
        #expect(error?.remedy?.contains("identity key") == true)
        #expect(try copy.ask("send", ["to": "ops", "text": "y"])["shutOut"] == true)
    }

    @Test("a name of more than 64 characters is refused with that limit")
    func names() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        let long = String(repeating: "x", count: 65)
        let code = errorCode { try client.ask("profile", ["name": .string(long)]) }
        #expect(code == .tooLarge)
    }

    @Test("a consumer's position is kept per conversation, and apart from them for all")
    func scopes() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        for room in ["ops", "dev"] { try client.ask("join", ["room": .string(room)]) }
        let first = try daemon.connect()
        let start = try first.ask("subscribe", ["to": "dev", "consumer": "bot"])
        let all = try daemon.connect().ask("subscribe", ["consumer": "bot"])
        #expect(all["cursor"] == start["cursor"])
        let sent = try client.ask("send", ["to": "ops", "text": "x"])
        let cursor = try #require(sent["cursor"])
        let moved: JSON = ["consumer": "bot", "conversation": "ops", "cursor": cursor]
        // Nothing reads that conversation as this consumer yet.
        #expect(errorCode { try client.ask("acknowledge", moved) } == .notFound)
        _ = try daemon.connect().ask("subscribe", ["to": "ops", "consumer": "bot"])
        try client.ask("acknowledge", moved)
        let positions = try client.list("consumers")
        let byName = positions.map { ($0["conversationName"]?.stringValue ?? "", $0["cursor"]) }
        #expect(byName.first { $0.0 == "ops" }?.1 == cursor)
        #expect(byName.first { $0.0 == "dev" }?.1 == start["cursor"])
        #expect(byName.first { $0.0.isEmpty }?.1 == start["cursor"])
    }

    @Test(
        "lists come page by page, each of which fits a line, and a place of another list is refused"
    )
    func pages() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        let rooms = ["dev", "ops", "qa", "web"]
        // Six bytes of JSON for each: three such messages do not fit a line.
        let long = String(repeating: "\u{1}", count: 65_000)
        for room in rooms {
            try client.ask("join", ["room": .string(room)])
            try client.ask("send", ["to": .string(room), "text": .string(long)])
        }
        for limit in [nil, 1, 3] as [Int64?] {
            for list in ["rooms", "conversations"] {
                let names = try client.list(list, limit: limit).compactMap {
                    $0["name"]?.stringValue
                }
                #expect(names == rooms, "\(list), \(limit ?? 0)")
            }
        }
        let first = try client.ask("conversations")
        #expect(first["items"]?.arrayValue?.count == 2 && first.bytes.count <= 1 << 20)
        let members = try client.ask("members", ["to": "ops"])["items"]?.arrayValue
        #expect(members?.map { $0["tier"] } == ["own"])
        let next = try #require(first["next"])
        #expect(errorCode { try client.ask("rooms", ["after": next]) } == .invalidParams)
        #expect(errorCode { try client.ask("members", ["to": "elsewhere"]) } == .notFound)
    }

    @Test("a second reader of a consumer is refused, or takes over and ends the first")
    func takeOver() throws {
        let daemon = try TestDaemon()
        let first = try daemon.connect()
        try first.ask("join", ["room": "ops"])
        try first.ask("subscribe", ["to": "ops", "consumer": "bot"])
        let second = try daemon.connect()
        #expect(
            errorCode { try second.ask("subscribe", ["to": "ops", "consumer": "bot"]) } == .refused)
        #expect(errorCode { try second.ask("removeConsumer", ["consumer": "bot"]) } == .refused)
        try second.ask("subscribe", ["to": "ops", "consumer": "bot", "takeOver": true])
        // Its subscription is gone: the number is unknown.
        #expect(errorCode { try first.ask("unsubscribe", ["subscription": 1]) } == .notFound)
        try second.ask("unsubscribe", ["subscription": 2])
        try second.ask("removeConsumer", ["consumer": "bot"])
        #expect(try second.list("consumers").isEmpty)
        #expect(errorCode { try second.ask("removeConsumer", ["consumer": "bot"]) } == .notFound)
    }

    @Test("a method that does not exist is refused with a code of its own")
    func unknownMethod() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        #expect(errorCode { try client.ask("ersae") } == .methodNotFound)
    }

    @Test("a bare name that only another realm has leads there")
    func otherRealm() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        try client.ask("realmNew", ["name": "office"])
        try client.ask("join", ["room": "office/ops"])
        var remedy: String?
        do {
            _ = try client.ask("send", ["to": "ops", "text": "x"])
        } catch TestClientError.rpc(let error) { remedy = error.remedy }
        #expect(remedy == "did you mean \"office/ops\"?")
    }

    @Test("a subscriber sees messages, joins and alerts in one order, also after a restart")
    func changes() async throws {
        let directory = try TestFolder()
        let daemon = try TestDaemon(directory: directory)
        let client = try daemon.connect()
        let kinds: JSON = ["message", "conversation", "alert"]
        let reader = try daemon.connect()
        try reader.ask("subscribe", ["kinds": kinds])
        let plain = try daemon.connect()
        try plain.ask("subscribe")
        try client.ask("join", ["room": "ops"])
        try await #require(daemon.run.shell).meetDamage("page 3 is damaged")
        try client.ask("send", ["to": "ops", "text": "x"])
        func shape(_ event: JSON) -> String {
            let params = event["params"] ?? .null
            let item = params["message"] ?? params["change"] ?? .null
            return [item["kind"], item["event"], item["code"], item["name"], item["text"]]
                .compactMap { $0?.stringValue }.joined(separator: " ")
        }
        func cursor(_ event: JSON) -> Int64 {
            let params = event["params"] ?? .null
            return (params["message"] ?? params["change"])?["cursor"]?.integerValue ?? 0
        }
        let live = try (0..<4).map { _ in try reader.read() }
        #expect(live.map(cursor) == live.map(cursor).sorted())
        #expect(
            Set(live.map(shape)) == [
                "join ", "conversation joined ops", "alert raised damage page 3 is damaged",
                "text x",
            ])
        #expect(try (0..<2).map { _ in shape(try plain.read()) } == ["join ", "text x"])
        daemon.stop()

        let again = try TestDaemon(directory: directory)
        let later = try again.connect()
        try later.ask("subscribe", ["kinds": kinds, "from": 0])
        let stored = try (0..<4).map { _ in try later.read() }
        #expect(
            stored.map { $0["params"]?["change"] ?? $0["params"]?["message"] }
                == live.map { $0["params"]?["change"] ?? $0["params"]?["message"] })
        // One conversation's reader is told of that conversation alone.
        let one = try again.connect()
        try one.ask("subscribe", ["kinds": ["conversation", "alert"], "to": "ops", "from": 0])
        #expect(shape(try one.read()) == "conversation joined ops")
        try again.ask("leave", ["room": "ops"])
        #expect(shape(try one.read()) == "conversation left ops")
        #expect(errorCode { try one.ask("subscribe", ["kinds": []]) } == .invalidParams)
        #expect(errorCode { try one.ask("subscribe", ["kinds": ["noise"]]) } == .invalidParams)
    }
}

extension NodeShell {
    /// As if a query had met it.
    fileprivate func meetDamage(_ text: String) { self.turn { self.noteDamage(text) } }
}
