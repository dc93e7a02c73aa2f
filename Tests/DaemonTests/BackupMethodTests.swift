import ControlAPI
import Engine
import Formats
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("Backups over the control socket", .serialized, .timeLimit(.minutes(3)))
struct BackupMethodTests {
    /// What takes half a second, and longer beside other tests.
    private static func slowly(
        _ client: TestClient, _ method: String, _ params: JSON
    ) throws -> JSON {
        try client.answer(to: client.send(method, params), timeoutMilliseconds: 60_000)
    }

    /// A daemon that knows somebody and is somewhere, whom it knows, and its backup.
    private static func ada(
        in folder: TestFolder
    ) throws -> (ada: TestDaemon, ben: TestDaemon, made: JSON) {
        let ben = try TestDaemon(name: "Ben")
        let ada = try TestDaemon(name: "Ada", peers: [try ben.address()])
        let client = try ada.connect()
        for daemon in [ada, ben] { try daemon.ask("join", ["room": "ops"]) }
        try awaitThat("they are linked") {
            let id = try? client.ask("whois", ["person": "@ben"])["id"]
            return (try? client.ask("addPerson", .members(["person": id ?? .null]))) != nil
        }
        try client.ask("realmNew", ["name": "office"])
        try client.ask("join", ["room": "office/x"])
        _ = try Self.slowly(client, "createConversation", ["room": "war"])
        try client.ask("send", ["to": "@ben", "text": "hello"])
        try client.ask("send", ["to": "@me", "text": "note"])
        let made = try Self.slowly(
            client, "backup", ["file": .string("\(folder.path)/a.backup")])
        return (ada, ben, made)
    }

    @Test(
        "who is restored is the same person on another device, knows whom they knew, and is where they were"
    )
    func restored() throws {
        let folder = try TestFolder()
        let (ada, ben, made) = try Self.ada(in: folder)
        let content = try #require(made["content"])
        #expect(content["people"] == 1 && content["realms"] == 1 && content["rooms"] == 3)
        #expect(content["directs"] == 2 && content["name"] == "Ada")
        let status = try ada.ask("status")
        #expect(content["person"] == status["person"])

        let place = try TestFolder()
        let new = try TestDaemon(name: "new", directory: place)
        let device = try new.ask("status")["id"]
        let params: JSON = .members([
            "file": .string("\(folder.path)/a.backup"), "phrase": made["phrase"] ?? .null,
        ])
        #expect(try Self.slowly(new.connect(), "restore", params) == content)
        new.awaitEnd()

        let again = try TestDaemon(name: "new", directory: place)
        let client = try again.connect()
        let now = try client.ask("status")
        #expect(now["person"] == status["person"] && now["id"] == device && now["name"] == "Ada")
        #expect(device != status["id"])
        let expected = Set(try ada.list("conversations").compactMap { $0["id"]?.stringValue })
        try awaitThat("all conversations are there") {
            Set(try client.list("conversations").compactMap { $0["id"]?.stringValue }) == expected
        }
        let people = try client.list("people")
        #expect(people.map { $0["name"] } == ["Ben"] && people.map { $0["tier"] } == ["known"])
        #expect(
            try client.list("realms").contains { $0["name"] == "office" && $0["joined"] == true })
        // Nothing is left of what was opened.
        try awaitThat("it is taken up") { !Files.exists("\(place.path)/data/restore.pending") }
        #expect(refusal { _ = try Self.slowly(client, "restore", params) } == "used")
        withExtendedLifetime(ben) {}
    }

    @Test("realms of the backup stand beside those that are here, or it is refused")
    func realms() throws {
        let folder = try TestFolder()
        let ada = try TestDaemon(name: "Ada")
        let client = try ada.connect()
        try client.ask("realmNew", ["name": "office"])
        let invite = try #require(try client.ask("realmInvite", ["name": "office"])["invite"])
        let file: JSON = .string("\(folder.path)/a.backup")
        let phrase = try #require(try Self.slowly(client, "backup", ["file": file])["phrase"])
        let params: JSON = .members(["file": file, "phrase": phrase])

        let other = try TestDaemon(name: "other")
        try other.ask("realmNew", ["name": "office"])
        #expect(refusal { _ = try Self.slowly(other.connect(), "restore", params) } == "realmName")
        try other.ask("realmLeave", ["name": "office"])
        for number in 1...Limits.realms {
            try other.ask("realmNew", ["name": .string("r\(number)")])
        }
        #expect(
            refusal { _ = try Self.slowly(other.connect(), "restore", params) } == "tooManyRealms")
        #expect(!Files.exists("\(other.directory.path)/data/restore.pending"))

        // The same realm under another name stays as it is called here.
        let place = try TestFolder()
        let new = try TestDaemon(name: "new", directory: place)
        try new.ask("realmJoin", .members(["invite": invite, "name": "buero"]))
        _ = try Self.slowly(new.connect(), "restore", params)
        new.awaitEnd()
        let again = try TestDaemon(name: "new", directory: place)
        let names = try again.list("realms").compactMap { $0["name"]?.stringValue }
        #expect(Set(names) == ["open", "buero"])
    }

    @Test("a start that ended before all of it was taken up begins again with it")
    func interrupted() throws {
        let folder = try TestFolder()
        let (ada, ben, made) = try Self.ada(in: folder)
        let file = try Files.read("\(folder.path)/a.backup", limitBytes: SealedBackup.limitBytes)
        let phrase = try Phrase(try #require(made["phrase"]?.stringValue))
        let backup = try SealedBackup.open(file, by: phrase)
        let place = try TestFolder()
        let data = "\(place.path)/data"
        try Files.makePrivateDirectory(data)
        // As after a kill right behind the first, the second and the last step.
        let pending = PendingRestore(in: data, try SafeFile(in: data).open())
        try pending.keep(backup)
        _ = try pending.begin()
        _ = try pending.begin()
        for _ in 0..<2 {
            try pending.keep(backup)
            let daemon = try TestDaemon(directory: place)
            #expect(try daemon.ask("status")["person"] == ada.ask("status")["person"])
            try awaitThat("it is taken up") { !Files.exists("\(data)/restore.pending") }
            #expect(try daemon.list("conversations").count == 5)
            daemon.stop()
        }
        withExtendedLifetime(ben) {}
    }

    @Test("is prepared with a phrase before anything is written, and then written by that phrase")
    func prepared() throws {
        let folder = try TestFolder()
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        let file = "\(folder.path)/one"
        let made = try client.ask("backup", ["file": .string(file), "prepare": true])
        let phrase = try #require(made["phrase"])
        #expect(!Files.exists(file) && made["file"] == .string(file))
        let params: JSON = .members(["file": .string(file), "phrase": phrase])
        let written = try Self.slowly(client, "backup", params)
        #expect(written["phrase"] == nil)
        #expect(written["content"]?["person"] == made["content"]?["person"])
        let sealed = try Files.read(file, limitBytes: SealedBackup.limitBytes)
        _ = try SealedBackup.open(sealed, by: Phrase(try #require(phrase.stringValue)))
        func refused(_ params: JSON) -> RPCError? {
            rpcError { try client.ask("backup", params) }
        }
        let both: JSON = .members(["file": .string(file), "phrase": phrase, "prepare": true])
        #expect(refused(both)?.reason == "oneOf")
        let nowhere: JSON = ["file": .string("\(folder.path)/none/one"), "prepare": true]
        #expect(refused(nowhere)?.reason == "unwritable")
        #expect(
            refused(nowhere)?.message.hasSuffix("there is no folder \(folder.path)/none") == true)
        try Files.writeAtomically(Array("precious".utf8), to: file)
        #expect(refused(["file": .string(file), "prepare": true])?.reason == "exists")
    }

    @Test("what cannot be written or opened is refused, and nothing has changed then")
    func refusals() throws {
        let folder = try TestFolder()
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        func backup(_ file: String, _ phrase: String? = nil) -> String? {
            refusal {
                let params: JSON = .members([
                    "file": .string(file), "phrase": phrase.map { .string($0) },
                ])
                _ = try Self.slowly(client, "backup", params)
            }
        }
        func restore(_ file: String, _ phrase: String) -> String? {
            refusal {
                _ = try Self.slowly(
                    client, "restore", ["file": .string(file), "phrase": .string(phrase)])
            }
        }
        let file = "\(folder.path)/one"
        #expect(backup("one") == "relativePath" && restore("one", "x") == "relativePath")
        #expect(backup("\(folder.path)/none/one") == "unwritable")
        #expect(backup(file, "password") == "weakPhrase")
        #expect(backup(file, "") == "badPhrase" && !Files.exists(file))
        try Files.writeAtomically(Array("precious".utf8), to: file)
        #expect(backup(file) == "exists")
        #expect(try Files.read(file, limitBytes: 100) == Array("precious".utf8))
        #expect(restore(file, "some phrase") == "notBackup")
        #expect(restore("\(folder.path)/none", "some phrase") == "unreadable")
        try Files.remove(file)
        let phrase = "mangled turquoise ferrets applaud seven quiet harbours"
        #expect(backup(file, phrase) == nil && backup(file, phrase) == nil)
        // Words of the list that the user chose have no check word; a slip in one that Stoa made is still named.
        let own = Phrase.list.enumerated().filter { $0.offset % 1_237 == 5 }.prefix(6)
            .map(\.element)
        #expect(backup(file, own.joined(separator: " ")) == nil)
        #expect(restore(file, own.reversed().joined(separator: " ")) == "badPhrase")
        #expect(backup(file, phrase) == nil)
        #expect(restore(file, "some other phrase") == "wrongPhrase")
        #expect(!Files.exists("\(daemon.directory.path)/data/restore.pending"))
        #expect(try client.ask("status")["name"] == "ada")
    }
}
