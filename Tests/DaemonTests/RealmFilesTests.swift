import Crypto
import Engine
import Formats
import Glibc
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("Files of realms") struct RealmFilesTests {
    private let folder: TestFolder
    private let files: RealmFiles

    init() throws {
        self.folder = try TestFolder()
        self.files = RealmFiles(
            dataDirectory: self.folder.path, safe: .generate(), installed: "\(self.folder.path)/etc"
        )
        for name in ["realms", "etc"] { try Files.makePrivateDirectory(self.folder(name)) }
    }

    private static func realm(_ name: String, _ seed: UInt64 = 1) throws -> Realm {
        var random = SeededRandom(seed: seed)
        return Realm.make(try #require(RealmName(name)), using: &random)
    }

    @discardableResult
    private func write(
        _ realm: Realm, to name: String, mode: UInt32 = 0o600, before: String = ""
    ) throws -> String {
        try self.folder.write(
            before + RealmInvitation(realm).line + "\n", to: name, mode: mode)
    }

    private func refusal() -> StartError? {
        #expect(throws: StartError.self) { try self.files.load() }
    }

    @Test("a realm that is kept is there again, for nobody else to read, and gone when it was left")
    func keeping() throws {
        let realm = try Self.realm("office")
        #expect(try self.files.load() == StoredRealms())
        try self.files.write(realm)
        var status = stat()
        #expect(stat(self.folder("realms/office.realm"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(try self.files.load().realms == [realm])
        try self.files.leave(realm)
        let left = try self.files.load()
        #expect(left.realms.isEmpty && left.left == [realm.id: realm.name])
        #expect(!Files.exists(self.folder("realms/office.realm")))
        try self.files.write(realm)
        #expect(try self.files.load() == StoredRealms(realms: [realm]), "joined again")
    }

    @Test("an administrator's goes before the user's own of the same realm, comments and all")
    func installed() throws {
        let realm = try Self.realm("office")
        var random = SeededRandom(seed: 2)
        let newer = realm.renewed(until: 9, using: &random)
        try self.files.write(realm)
        let path = try self.write(
            newer, to: "etc/office.realm", mode: 0o644, before: "# for all\n\n")
        let stored = try self.files.load()
        #expect(stored.realms == [newer])
        #expect(stored.installed == [realm.id: path])
    }

    @Test("an administrator's that others may write is refused")
    func installedMode() throws {
        let path = try self.write(try Self.realm("office"), to: "etc/office.realm", mode: 0o664)
        let error = self.refusal()
        #expect(error?.exitCode == .permission)
        #expect(error?.remedy.contains("chmod go-w \(path)") == true)
    }

    @Test(
        "a secret that others can read is refused, and stays as it is", arguments: [0o640, 0o604])
    func mode(mode: UInt32) throws {
        let path = try self.write(try Self.realm("office"), to: "realms/office.realm", mode: mode)
        let error = self.refusal()
        #expect(error?.exitCode == .permission)
        #expect(error?.remedy.hasPrefix("run: chmod 600 \(path)") == true)
        #expect(Files.exists(path))
    }

    @Test("a file of another content is refused with its line and what is wrong there")
    func content() throws {
        let realm = try Self.realm("office")
        let line = RealmInvitation(realm).line
        let secret = line.split(separator: "&")[2]
        for (text, why) in [
            ("", "the file is empty"), ("# nothing\n", "the file is empty"),
            ("\n" + line.replacing("office", with: "offize"), ":2 is not an invitation"),
            (line.dropLast(12) + "\n", ":1 is not an invitation to a realm: it has no \"check\""),
            (line + "\n" + line, ":2 is not an invitation to a realm: it is the second line"),
            (String(repeating: "x", count: 5_000), "at most 4096 bytes"),
        ] {
            _ = try self.folder.write(String(text), to: "realms/office.realm")
            let error = self.refusal()
            #expect(error?.description.contains(why) == true, "\(error?.description ?? "")")
            #expect(error?.description.contains(secret) == false)
            #expect(error?.remedy.isEmpty == false)
        }
    }

    @Test("a file that is named otherwise than its realm is refused")
    func naming() throws {
        try self.write(try Self.realm("office"), to: "realms/lab.realm")
        let error = self.refusal()
        #expect(error?.remedy == "name it office.realm")
    }

    @Test("two realms of one name, and a ninth realm, are refused")
    func count() throws {
        for number in 1...8 { try self.files.write(try Self.realm("r\(number)", UInt64(number))) }
        #expect(try self.files.load().realms.count == 8)
        try self.write(try Self.realm("r1", 99), to: "etc/r1.realm")
        #expect(self.refusal()?.text.contains("a second realm") == true)
        try Files.remove(self.folder("etc/r1.realm"))
        try self.files.write(try Self.realm("r9", 9))
        #expect(self.refusal()?.text.contains("would be the realm number 9") == true)
    }

    @Test("of a realm that was left nothing but its id and its name is kept")
    func left() throws {
        let realm = try Self.realm("office")
        try self.files.write(realm)
        try self.files.leave(realm)
        let bytes = try Files.read(self.folder("realms/office.left"), limitBytes: 100)
        #expect(String(decoding: bytes, as: UTF8.self) == "\(realm.id)\n")
        _ = try self.folder.write("nonsense", to: "realms/office.left")
        #expect(self.refusal()?.exitCode == .data)
    }
}
