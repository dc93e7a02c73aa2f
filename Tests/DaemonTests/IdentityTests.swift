import Glibc
import Crypto
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite struct IdentityTests {
    @Test("the first start makes a key of 32 bytes that only the owner can read")
    func firstStart() throws {
        let directory = try TestFolder()
        let (signer, isNew) = try Identity.load(
            dataDirectory: directory.path, credentialsDirectory: nil)
        #expect(isNew)
        let path = "\(directory.path)/identity.key"
        #expect(try Files.read(path, limitBytes: 100).count == 32)
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let (again, isNewAgain) = try Identity.load(
            dataDirectory: directory.path, credentialsDirectory: nil)
        #expect(!isNewAgain)
        #expect(again.publicKey == signer.publicKey)
    }

    @Test("a key that others can read is refused and stays as it is")
    func openMode() throws {
        let directory = try TestFolder()
        _ = try Identity.load(dataDirectory: directory.path, credentialsDirectory: nil)
        let path = "\(directory.path)/identity.key"
        #expect(chmod(path, 0o640) == 0)
        let error = #expect(throws: StartError.self) {
            try Identity.load(dataDirectory: directory.path, credentialsDirectory: nil)
        }
        #expect(error?.exitCode == .permission)
        #expect(error?.remedy == "run: chmod 600 \(path)")
    }

    @Test("a key that is lost beside a database is not replaced by another person's")
    func lostKey() throws {
        let directory = try TestFolder()
        _ = try directory.write("x", to: "stoa.db")
        let error = #expect(throws: StartError.self) {
            try Identity.load(dataDirectory: directory.path, credentialsDirectory: nil)
        }
        #expect(error?.exitCode == .data)
        #expect(error?.remedy.contains("restore identity.key") ?? false)
        #expect(error?.remedy.contains("move stoa.db") ?? false)
        #expect(!Files.exists("\(directory.path)/identity.key"))
    }

    @Test("a file of another size is refused and never replaced", arguments: [0, 31, 33, 5_000])
    func wrongSize(bytes: Int) throws {
        let directory = try TestFolder()
        let text = String(repeating: "x", count: bytes)
        let path = try directory.write(text, to: "identity.key")
        #expect(throws: StartError.self) {
            try Identity.load(dataDirectory: directory.path, credentialsDirectory: nil)
        }
        #expect(try Files.read(path, limitBytes: 10_000) == Array(text.utf8))
    }

    @Test("a credential from systemd goes before the file, and no file is made")
    func credential() throws {
        let directory = try TestFolder()
        let data = "\(directory.path)/data"
        try Files.makePrivateDirectory(data)
        _ = try directory.write(
            String(repeating: "k", count: 32), to: "identity.key", mode: 0o440)
        let (_, isNew) = try Identity.load(
            dataDirectory: data, credentialsDirectory: directory.path)
        #expect(!isNew)
        #expect(!Files.exists("\(data)/identity.key"))
    }

    @Test("a second daemon on the same data is refused and the first one named")
    func lock() throws {
        let directory = try TestFolder()
        let lock = try DataLock(directory: directory.path)
        let error = #expect(throws: StartError.self) {
            try DataLock(directory: directory.path)
        }
        #expect(error?.exitCode == .unavailable)
        #expect(error?.text.contains("process \(getpid()),") == true)
        withExtendedLifetime(lock) {}
    }

    @Test("a lock that was given back can be taken again")
    func lockAgain() throws {
        let directory = try TestFolder()
        _ = try DataLock(directory: directory.path)
        _ = try DataLock(directory: directory.path)
    }
}
