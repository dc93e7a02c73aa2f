import Crypto
import Formats
import Glibc
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("The safe key of a folder")
struct SafeFileTests {
    private static func key(_ safe: Safe) -> [UInt8] {
        safe.withKey { key in key.withUnsafeBytes { [UInt8]($0) } }
    }

    // Shows: told.machine
    @Test("is made once, for its owner alone")
    func made() throws {
        let folder = try TestFolder()
        let safe = try SafeFile(in: folder.path).open()
        #expect(Self.key(try SafeFile(in: folder.path).open()) == Self.key(safe))
        #expect(Self.key(try SafeFile(in: folder.path).peek()) == Self.key(safe))
        let path = folder("safe.key")
        #expect(Files.permissions(path)?.mode == 0o600)
        #expect(try Files.read(path, limitBytes: 100) == [0] + Self.key(safe))
        try #require(chmod(path, 0o640) == 0)
        let error = #expect(throws: StartError.self) { try SafeFile(in: folder.path).open() }
        #expect(error?.remedy == "run: chmod 600 \(path)")
    }

    @Test("is not made by a look at the folder")
    func peeked() throws {
        let folder = try TestFolder()
        _ = try SafeFile(in: folder.path).peek()
        #expect(TestFiles.names(in: folder.path).isEmpty)
    }

    @Test("is not made anew beside what another one has sealed")
    func lost() throws {
        let folder = try TestFolder()
        let safe = try SafeFile(in: folder.path).open()
        _ = try Identity.load(
            dataDirectory: folder.path, credentialsDirectory: nil, safe: safe)
        try Files.remove(folder("safe.key"))
        let error = #expect(throws: StartError.self) { try SafeFile(in: folder.path).open() }
        #expect(error?.exitCode == .data)
        #expect(error?.text.contains("missing beside identity.key") == true)
        #expect(!Files.exists(folder("safe.key")))
    }

    @Test("of another length, or of a later version, is refused and stays as it is")
    func refused() throws {
        let folder = try TestFolder()
        for bytes in [[], [0], [2] + [UInt8](repeating: 7, count: 32)] as [[UInt8]] {
            try Files.writeAtomically(bytes, to: folder("safe.key"), mode: 0o600)
            let error = #expect(throws: StartError.self) { try SafeFile(in: folder.path).open() }
            #expect(error?.exitCode == .data)
            #expect(try Files.read(folder("safe.key"), limitBytes: 100) == bytes)
        }
    }
    @Test("what a kill has left of an unfinished write is gone after the next start")
    func unfinished() throws {
        let folder = try TestFolder()
        let safe = try SafeFile(in: folder.path).open()
        try Files.makePrivateDirectory(folder("realms"))
        let left = [
            "safe.key.7.99.new", "person.key.7.99.new", "restore.pending.7.99.new",
            "realms/office.realm.7.99.new",
        ].map { folder($0) }
        for path in left { try Files.writeAtomically([0] + Self.key(safe), to: path) }
        try Files.writeAtomically([1], to: folder("notes.new"))
        #expect(Self.key(try SafeFile(in: folder.path).open()) == Self.key(safe))
        #expect(left.allSatisfy { !Files.exists($0) } && Files.exists(folder("notes.new")))
    }
}
