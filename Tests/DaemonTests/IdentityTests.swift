import Glibc
import Crypto
import Engine
import Formats
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite struct IdentityTests {
    @Test("a directory that others can enter is refused with its mode, and with what to do")
    func openDirectory() throws {
        let folder = try TestFolder()
        let path = folder("data")
        try Files.makeDirectories(path)
        try #require(chmod(path, 0o755) == 0)
        let error = #expect(throws: StartError.self) { try StartError.makePrivateDirectory(path) }
        #expect(error?.exitCode == .permission)
        #expect(error?.text == "others can enter \(path): its mode is 755")
        #expect(error?.remedy.contains("chmod 700 \(path)") == true)
        try #require(chmod(path, 0o700) == 0)
        try StartError.makePrivateDirectory(path)
    }

    private static let files = [("identity.key", 32), ("person.key", 64), ("device.cert", 168)]

    private static func load(
        _ directory: TestFolder, credentials: String? = nil
    ) throws(StartError) -> OwnIdentity {
        try Identity.load(dataDirectory: directory.path, credentialsDirectory: credentials)
    }

    // Shows: told.machine
    @Test("the first start makes a key of 32 bytes that only the owner can read")
    func firstStart() throws {
        let directory = try TestFolder()
        let made = try Self.load(directory)
        #expect(made.isNew)
        for (name, count) in Self.files {
            let path = "\(directory.path)/\(name)"
            #expect(try Files.read(path, limitBytes: 1_000).count == count)
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        #expect(made.certificate.isValid(for: PeerID(made.signer.publicKey)))
    }

    @Test("a restart has the same device, person and certificate")
    func restart() throws {
        let directory = try TestFolder()
        let made = try Self.load(directory)
        _ = try directory.write("x", to: "stoa.db")
        let again = try Self.load(directory)
        #expect(!again.isNew)
        #expect(again.signer.publicKey == made.signer.publicKey)
        #expect(again.certificate == made.certificate)
    }

    @Test("a certificate that is gone is made anew, of the same device and person")
    func lostCertificate() throws {
        let directory = try TestFolder()
        let made = try Self.load(directory)
        _ = try directory.write("x", to: "stoa.db")
        #expect(unlink("\(directory.path)/device.cert") == 0)
        let again = try Self.load(directory)
        #expect(again.certificate.personID == made.certificate.personID)
        #expect(again.certificate.deviceAddress == made.certificate.deviceAddress)
    }

    @Test("a certificate of another device or person is refused and stays as it is")
    func otherCertificate() throws {
        let (one, other) = (try TestFolder(), try TestFolder())
        _ = try Self.load(one)
        _ = try Self.load(other)
        for (name, what) in [("person.key", "person.key"), ("identity.key", "identity.key")] {
            let own = try Files.read("\(one.path)/\(name)", limitBytes: 100)
            let foreign = try Files.read("\(other.path)/\(name)", limitBytes: 100)
            try Files.writeAtomically(foreign, to: "\(one.path)/\(name)", mode: 0o600)
            let error = #expect(throws: StartError.self) { try Self.load(one) }
            #expect(error?.exitCode == .data)
            #expect(error?.text.hasSuffix("device.cert does not belong to \(what)") == true)
            try Files.writeAtomically(own, to: "\(one.path)/\(name)", mode: 0o600)
        }
        _ = try Self.load(one)
    }

    // Shows: told.machine
    @Test(
        "a key that others can read is refused and stays as it is",
        arguments: ["identity.key", "person.key"])
    func openMode(name: String) throws {
        let directory = try TestFolder()
        _ = try Self.load(directory)
        let path = "\(directory.path)/\(name)"
        #expect(chmod(path, 0o640) == 0)
        let error = #expect(throws: StartError.self) { try Self.load(directory) }
        #expect(error?.exitCode == .permission)
        #expect(error?.remedy == "run: chmod 600 \(path)")
    }

    @Test(
        "a key that is lost beside a database is not replaced by another person's",
        arguments: ["identity.key", "person.key"])
    func lostKey(name: String) throws {
        let directory = try TestFolder()
        _ = try Self.load(directory)
        _ = try directory.write("x", to: "stoa.db")
        #expect(unlink("\(directory.path)/\(name)") == 0)
        let error = #expect(throws: StartError.self) { try Self.load(directory) }
        #expect(error?.exitCode == .data)
        #expect(error?.remedy.contains("restore \(name)") ?? false)
        #expect(error?.remedy.contains("move stoa.db") ?? false)
        #expect(!Files.exists("\(directory.path)/\(name)"))
    }

    @Test("a person's key that is lost beside a certificate is not replaced either")
    func lostPerson() throws {
        let directory = try TestFolder()
        _ = try Self.load(directory)
        #expect(unlink("\(directory.path)/person.key") == 0)
        let error = #expect(throws: StartError.self) { try Self.load(directory) }
        #expect(error?.text.contains("missing beside device.cert") == true)
        #expect(error?.remedy.contains("begin as a new person") == true)
    }

    @Test("a first start that was cut short is finished by the next one")
    func cutShort() throws {
        let directory = try TestFolder()
        let made = try Self.load(directory)
        #expect(unlink("\(directory.path)/device.cert") == 0)
        #expect(unlink("\(directory.path)/person.key") == 0)
        let again = try Self.load(directory)
        #expect(again.signer.publicKey == made.signer.publicKey)
        #expect(again.certificate.personID != made.certificate.personID)
    }

    @Test(
        "a file of another size is refused and never replaced",
        arguments: Self.files.map(\.0), [0, 31, 33, 63, 167, 5_000])
    func wrongSize(name: String, bytes: Int) throws {
        let directory = try TestFolder()
        _ = try Self.load(directory)
        let text = String(repeating: "x", count: bytes)
        let path = try directory.write(text, to: name)
        let error = #expect(throws: StartError.self) { try Self.load(directory) }
        #expect(error?.exitCode == .data || error?.exitCode == .inputOutput)
        #expect(try Files.read(path, limitBytes: 10_000) == Array(text.utf8))
    }

    @Test("a credential from systemd goes before the file, and no file is made")
    func credential() throws {
        let directory = try TestFolder()
        let data = "\(directory.path)/data"
        try Files.makePrivateDirectory(data)
        for (name, count) in Self.files.prefix(2) {
            _ = try directory.write(String(repeating: "k", count: count), to: name, mode: 0o440)
        }
        let loaded = try Identity.load(dataDirectory: data, credentialsDirectory: directory.path)
        #expect(!loaded.isNew)
        #expect(!Files.exists("\(data)/identity.key"))
        #expect(!Files.exists("\(data)/person.key"))
        #expect(Files.exists("\(data)/device.cert"))
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
