import ControlAPI
import Formats
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("Devices over the control socket", .serialized, .timeLimit(.minutes(5)))
struct DeviceMethodTests {
    /// Asks again until it is so, for a minute at most.
    private static func until(_ what: Comment, _ isSo: () throws -> Bool) throws {
        let deadline = SystemClock.monotonicMilliseconds() + 60_000
        while try !isSo() {
            try #require(SystemClock.monotonicMilliseconds() < deadline, what)
            _ = try waitUntilReadable([], timeoutMilliseconds: 5)
        }
    }

    /// The texts of a conversation, by the daemon's own order.
    private static func texts(_ daemon: TestDaemon, _ conversation: String) -> [String] {
        let history = try? daemon.ask("history", ["to": .string(conversation)])
        let messages = history?["messages"]?.arrayValue ?? []
        return messages.compactMap { $0["text"]?.stringValue }
    }

    /// Asks for a code until a peer is linked, and gives it.
    private static func code(_ daemon: TestDaemon) throws -> String {
        var code: String?
        try Self.until("a peer is linked and answers") {
            code = (try? daemon.ask("deviceLink"))?["code"]?.stringValue
            return code != nil
        }
        return try #require(code)
    }

    private static func approve(_ daemon: TestDaemon, _ code: String) throws -> JSON {
        try daemon.ask("deviceApprove", ["code": .string(code), "withoutBackup": true])
    }

    /// Ada, who writes with Cyn, on two devices.
    private struct Pair {
        let cyn: TestDaemon
        let old: TestDaemon
        let new: TestDaemon

        init() throws {
            let cyn = try TestDaemon(name: "Cyn")
            let old = try TestDaemon(name: "Ada", peers: [try cyn.address()])
            for daemon in [cyn, old] { try daemon.ask("join", ["room": "ops"]) }
            try DeviceMethodTests.until("they are linked") {
                let id = try? old.ask("whois", ["person": "@cyn"])["id"]
                return (try? old.ask("addPerson", .members(["person": id ?? .null]))) != nil
            }
            try old.ask("realmNew", ["name": "office"])
            try old.ask("send", ["to": "@cyn", "text": "hello"])
            try DeviceMethodTests.until("Cyn lets Ada in") {
                (try? cyn.ask("accept", ["person": "@ada"])) != nil
            }
            let place = try TestFolder()
            let fresh = try TestDaemon(
                name: "new", peers: [try old.address()], directory: place)
            let check = try DeviceMethodTests.approve(
                old, try DeviceMethodTests.code(fresh))["check"]
            let taken = try fresh.ask("deviceLink", ["check": check ?? .null])
            #expect(taken["content"]?["name"] == "Ada" && taken["content"]?["people"] == 1)
            fresh.awaitEnd()
            (self.cyn, self.old) = (cyn, old)
            self.new = try TestDaemon(
                name: "new", peers: [try old.address(), try cyn.address()],
                directory: place)
        }
    }

    // Shows: device.codes
    @Test("digits typed both ways make a machine another device, with what its person has")
    func linked() throws {
        let pair = try Pair()
        let (old, new) = (pair.old, pair.new)
        let (one, other) = (try old.ask("status"), try new.ask("status"))
        #expect(one["person"] == other["person"] && one["id"] != other["id"])
        let expected = Set(try old.list("conversations").compactMap { $0["id"]?.stringValue })
        try Self.until("all conversations are there") {
            Set(try new.list("conversations").compactMap { $0["id"]?.stringValue }) == expected
        }
        #expect(try new.ask("status")["name"] == "Ada")
        #expect(try new.list("people").map { $0["name"] } == ["Cyn"])
        #expect(try new.list("realms").contains { $0["name"] == "office" && $0["joined"] == true })
        // P has not left the first one, which alone certifies.
        #expect(try old.list("devices").first?["approves"] == true)
        #expect(try new.list("devices").first?["approves"] == false)
        let data = "\(new.directory.path)/data"
        let person = try SealedFile.open(
            Files.read("\(data)/person.key", limitBytes: 100), as: "person.key",
            by: SafeFile(in: data).peek())
        #expect(person.first == 2)
        try Self.until("it is taken up") { !Files.exists("\(data)/link.pending") }
        for daemon in [old, new] {
            try Self.until("both know both") {
                let devices = try daemon.list("devices")
                return devices.count == 2
                    && devices.allSatisfy { $0["linked"] == true || $0["here"] == true }
            }
            let alerts = try daemon.ask("status")["alerts"]?.arrayValue ?? []
            #expect(!alerts.contains { $0["code"] == "otherDevice" })
        }
        #expect(refusal { _ = try Self.approve(new, "12345678") } == "noPersonKey")
        #expect(
            refusal { try new.ask("deviceRevoke", ["device": one["id"] ?? .null]) } == "noPersonKey"
        )
        #expect(refusal { try new.ask("deviceLink") } == "used")
    }

    @Test(
        "what one writes alone to a person reaches all their devices, and each answers as that person"
    )
    func direct() throws {
        let pair = try Pair()
        let (cyn, old, new) = (pair.cyn, pair.old, pair.new)
        try Self.until("what was written before is there") {
            Self.texts(new, "@cyn") == ["hello"]
        }
        try cyn.ask("send", ["to": "@ada", "text": "to both"])
        for daemon in [old, new] {
            try Self.until("it is on both") { Self.texts(daemon, "@cyn") == ["hello", "to both"] }
        }
        try old.ask("send", ["to": "@cyn", "text": "from the first"])
        try Self.until("it is on both") { Self.texts(new, "@cyn").contains("from the first") }
        try new.ask("send", ["to": "@cyn", "text": "from the second"])
        let whole = ["hello", "to both", "from the first", "from the second"]
        for (daemon, name) in [(old, "@cyn"), (new, "@cyn"), (cyn, "@ada")] {
            try Self.until("all is on each") { Self.texts(daemon, name) == whole }
        }
        // To Cyn both are one person, with one conversation.
        let directs = try cyn.list("conversations").filter { $0["kind"] == "direct" }
        #expect(directs.map { $0["name"] } == ["@Ada"])
        #expect(try cyn.list("requests").isEmpty)
        // What the user wrote on one is not unread on the other.
        let unread = try old.list("conversations").first { $0["name"] == "@Cyn" }?["unread"]
        #expect(unread == 1)
    }

    @Test("somebody with two devices in a room is one person there, whose devices are listed")
    func counted() throws {
        let pair = try Pair()
        let all = [pair.cyn, pair.old, pair.new]
        for daemon in all { try daemon.ask("join", ["room": "agora"]) }
        for daemon in all {
            try Self.until("all three devices are there") {
                let members = try daemon.ask("members", ["to": "agora"])["items"]?.arrayValue ?? []
                return members.count == 3
                    && Set(members.compactMap { $0["person"]?.stringValue }).count == 2
            }
            let room = try daemon.list("conversations").first { $0["name"] == "agora" }
            #expect(room?["members"] == 2)
            #expect(try daemon.list("rooms").first { $0["name"] == "agora" }?["members"] == 2)
        }
    }

    @Test("a device has a name that all of them show, until it is called otherwise")
    func renamed() throws {
        let pair = try Pair()
        let (cyn, old, new) = (pair.cyn, pair.old, pair.new)
        let device = try new.ask("status")["id"] ?? .null
        func name(at daemon: TestDaemon) throws -> JSON? {
            try daemon.list("devices").first { $0["id"] == device }?["name"]
        }
        let named = try old.ask("deviceRename", ["device": device, "name": "the new one"])
        #expect(named["id"] == device && named["name"] == "the new one")
        #expect(try name(at: old) == "the new one")
        try Self.until("the other shows it") { try name(at: new) == "the new one" }
        // Without a device it is the one that is asked.
        try new.ask("deviceRename", ["name": "desktop"])
        try Self.until("the other shows it") { try name(at: old) == "desktop" }
        try old.ask("deviceRename", ["device": device, "name": ""])
        #expect(try name(at: old) == nil)
        try Self.until("the other shows none") { try name(at: new) == nil }
        #expect(refusal { try cyn.ask("deviceRename", ["name": "only"]) } == "onlyDevice")
        for bad in ["a@b", "a\u{202E}b", "\u{1B}[0m", " "] {
            let params: JSON = ["name": .string(bad)]
            #expect(refusal { try old.ask("deviceRename", params) } == "misleadingName")
        }
        let long = String(repeating: "x", count: 65)
        #expect(refusal { try old.ask("deviceRename", ["name": .string(long)]) } == "tooLarge")
        let unknown: JSON = ["device": "@22222222", "name": "x"]
        #expect(refusal { try old.ask("deviceRename", unknown) } == "unknownName")
    }

    // Shows: device.revoked
    @Test("a device that is revoked is linked by nobody who knows it, and its word counts no more")
    func revoked() throws {
        let pair = try Pair()
        let (cyn, old, new) = (pair.cyn, pair.old, pair.new)
        try Self.until("what was written before is there") { Self.texts(new, "@cyn") == ["hello"] }
        try new.ask("send", ["to": "@cyn", "text": "before"])
        try Self.until("it is there") { Self.texts(cyn, "@ada") == ["hello", "before"] }
        let device = try new.ask("status")["id"] ?? .null
        let revoked = try old.ask("deviceRevoke", ["device": device])
        #expect(revoked["revoked"] != nil && revoked["linked"] == false)
        for daemon in [old, cyn] {
            try Self.until("nobody is linked with it") {
                try !daemon.list("peers").contains { $0["id"] == device && $0["state"] == "linked" }
            }
        }
        try new.ask("send", ["to": "@cyn", "text": "after"])
        try old.ask("send", ["to": "@cyn", "text": "goes on"])
        try Self.until("the other goes on") { Self.texts(cyn, "@ada").contains("goes on") }
        #expect(Self.texts(cyn, "@ada") == ["hello", "before", "goes on"])
        let listed = try old.list("devices").first { $0["id"] == device }
        #expect(listed?["revoked"] == revoked["revoked"])
    }

    @Test("without a backup it is refused until the user says so; wrong digits change nothing")
    func refusals() throws {
        let old = try TestDaemon(name: "Ada")
        let new = try TestDaemon(name: "new", peers: [try old.address()])
        let code = try Self.code(new)
        #expect(refusal { try old.ask("deviceApprove", ["code": .string(code)]) } == "noBackup")
        #expect(refusal { _ = try Self.approve(old, "1234") } == "badParam")
        let wrong = code == "00000000" ? "00000001" : "00000000"
        #expect(refusal { _ = try Self.approve(old, wrong) } == "wrongCode")
        let check = try Self.approve(old, code)["check"]?.stringValue
        let other = check == "0000" ? "0001" : "0000"
        #expect(refusal { try new.ask("deviceLink", ["check": .string(other)]) } == "wrongDigits")
        #expect(try new.ask("status")["name"] == "new")
        #expect(!Files.exists("\(new.directory.path)/data/link.pending"))
        #expect(refusal { try old.ask("deviceLink", ["check": "1234"]) } == "noLinking")
        // Once somebody is somewhere, it is too late.
        try new.ask("join", ["room": "ops"])
        #expect(refusal { try new.ask("deviceLink") } == "used")
        let right = try #require(check)
        #expect(refusal { try new.ask("deviceLink", ["check": .string(right)]) } == "used")
    }

    private static let phrase = "mangled turquoise ferrets applaud seven quiet harbours"

    /// Writes a backup of a daemon's person; gives what opens it.
    private static func backUp(_ daemon: TestDaemon, in folder: TestFolder) throws -> JSON {
        let opened: JSON = [
            "file": .string("\(folder.path)/backup"), "phrase": .string(Self.phrase),
        ]
        try daemon.ask("backup", opened)
        return opened
    }

    /// Whether this device says that it holds its person's key.
    private static func approves(_ daemon: TestDaemon) throws -> Bool {
        try daemon.list("devices").first { $0["here"] == true }?["approves"] == true
    }

    // Shows: device.key
    @Test("the person's key leaves a machine once a backup is seen to hold it, and comes back")
    func movedKey() throws {
        let (place, folder) = (try TestFolder(), try TestFolder())
        let ada = try TestDaemon(name: "Ada", directory: place)
        let before = try ada.ask("status")
        let backup = try Self.backUp(ada, in: folder)
        #expect(refusal { try ada.ask("devicePromote", backup) } == "holdsPersonKey")
        let demoted = try ada.ask("deviceDemote", backup)
        #expect(demoted["here"] == true && demoted["approves"] == false)
        let device: JSON = ["device": before["id"] ?? .null]
        func staysDemoted(_ daemon: TestDaemon) throws {
            #expect(try !Self.approves(daemon))
            let refused = rpcError { try daemon.ask("deviceRevoke", device) }
            #expect(refused?.reason == "noPersonKey")
            #expect(refused?.remedy?.contains("stoa device promote") == true)
            for method in ["backup", "deviceDemote"] {
                #expect(refusal { try daemon.ask(method, backup) } == "noPersonKey")
            }
            #expect(refusal { _ = try Self.approve(daemon, "12345678") } == "noPersonKey")
        }
        try staysDemoted(ada)
        ada.stop()
        let again = try TestDaemon(name: "Ada", directory: place)
        try staysDemoted(again)
        #expect(try again.ask("devicePromote", backup)["approves"] == true)
        #expect(refusal { try again.ask("deviceRevoke", device) } == "notOwnDevice")
        again.stop()
        let last = try TestDaemon(name: "Ada", directory: place)
        #expect(try Self.approves(last))
        let now = try last.ask("status")
        #expect(now["id"] == before["id"] && now["person"] == before["person"])
    }

    @Test("nothing but a backup of the own person that opens moves the person's key")
    func keyStays() throws {
        let (place, folder, foreign) = (try TestFolder(), try TestFolder(), try TestFolder())
        let ada = try TestDaemon(name: "Ada", directory: place)
        let backup = try Self.backUp(ada, in: folder)
        let other = try Self.backUp(try TestDaemon(name: "Ben"), in: foreign)
        let file = "\(folder.path)/backup"
        let whole = try Files.read(file, limitBytes: 1 << 20)
        func refused(_ method: String) throws {
            let isThere = try Self.approves(ada)
            let key = try Files.read("\(place.path)/data/person.key", limitBytes: 1_000)
            func reason(_ params: JSON) -> String? { refusal { try ada.ask(method, params) } }
            #expect(reason(other) == "otherPerson")
            #expect(reason(["file": .string(file), "phrase": "another phrase"]) == "wrongPhrase")
            #expect(reason(["file": "backup", "phrase": "x"]) == "relativePath")
            let nowhere = "\(folder.path)/nowhere"
            #expect(reason(["file": .string(nowhere), "phrase": "x"]) == "unreadable")
            for (bytes, word) in [
                (Array(whole.prefix(20)), "damaged"), (Array(whole.dropLast()), "wrongPhrase"),
                (Array("precious".utf8), "notBackup"),
            ] {
                try Files.writeAtomically(bytes, to: file)
                #expect(reason(backup) == word)
            }
            try Files.writeAtomically(whole, to: file)
            #expect(try Self.approves(ada) == isThere)
            #expect(
                try Files.read("\(place.path)/data/person.key", limitBytes: 1_000) == key)
        }
        try refused("deviceDemote")
        // The next start would take the key from there again.
        let pending = "\(place.path)/data/restore.pending"
        try Files.writeAtomically([0], to: pending)
        #expect(errorCode { try ada.ask("deviceDemote", backup) } == .busy)
        try Files.remove(pending)
        try ada.ask("deviceDemote", backup)
        try refused("devicePromote")
    }

    @Test("a machine that is approved, and not linked before the key is gone, gets nothing")
    func approvedBefore() throws {
        let folder = try TestFolder()
        let old = try TestDaemon(name: "Ada")
        let new = try TestDaemon(name: "new", peers: [try old.address()])
        let backup = try Self.backUp(old, in: folder)
        let check = try Self.approve(old, try Self.code(new))["check"] ?? .null
        try old.ask("deviceDemote", backup)
        let refused = refusal { try new.ask("deviceLink", ["check": check]) }
        // By which of the two comes first.
        #expect(["noLinking", "silent"].contains(refused))
        #expect(try new.ask("status")["name"] == "new")
        #expect(try old.list("devices").count == 1)
    }
}
