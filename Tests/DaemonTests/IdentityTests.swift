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

    private static let files = [
        ("identity.key", 84), ("person.key", 85), ("sealing.key", 85), ("device.cert", 168),
    ]

    private static let safe = Safe.generate()

    private static func load(
        _ directory: TestFolder, credentials: String? = nil
    ) throws(StartError) -> OwnIdentity {
        try Identity.load(
            dataDirectory: directory.path, credentialsDirectory: credentials, safe: self.safe)
    }

    /// What is in a file that is sealed, or in the open.
    private static func content(_ name: String, in directory: TestFolder) throws -> [UInt8] {
        try SealedFile.open(
            Files.read("\(directory.path)/\(name)", limitBytes: 1_000), as: name, by: self.safe)
    }

    // Shows: told.machine
    @Test("the first start makes sealed keys that only the owner can read")
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
        for name in ["person.key", "sealing.key", "identity.key"] {
            let own = try Files.read("\(one.path)/\(name)", limitBytes: 100)
            let foreign = try Files.read("\(other.path)/\(name)", limitBytes: 100)
            try Files.writeAtomically(foreign, to: "\(one.path)/\(name)", mode: 0o600)
            let error = #expect(throws: StartError.self) { try Self.load(one) }
            #expect(error?.exitCode == .data)
            #expect(error?.text.hasSuffix("device.cert does not belong to \(name)") == true)
            try Files.writeAtomically(own, to: "\(one.path)/\(name)", mode: 0o600)
        }
        _ = try Self.load(one)
    }

    // Shows: told.machine
    @Test(
        "a key that others can read is refused and stays as it is",
        arguments: ["identity.key", "person.key", "sealing.key"])
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
        arguments: ["identity.key", "person.key", "sealing.key"])
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
        arguments: Self.files.map(\.0), [0, 31, 33, 63, 65, 167, 5_000])
    func wrongSize(name: String, bytes: Int) throws {
        let directory = try TestFolder()
        _ = try Self.load(directory)
        let text = String(repeating: "x", count: bytes)
        let path = try directory.write(text, to: name)
        let error = #expect(throws: StartError.self) { try Self.load(directory) }
        #expect(error?.exitCode == .data || error?.exitCode == .inputOutput)
        #expect(try Files.read(path, limitBytes: 10_000) == Array(text.utf8))
    }

    @Test(
        "credentials from systemd go before the files, and no file is made",
        arguments: [[("person.key", 64)], [("person.key", 33), ("sealing.key", 33)]])
    func credential(keys: [(name: String, count: Int)]) throws {
        let directory = try TestFolder()
        let data = "\(directory.path)/data"
        try Files.makePrivateDirectory(data)
        for (name, count) in keys + [("identity.key", 32)] {
            // A byte 0 says that a secret follows.
            let text = count == 33 ? "\0" : "k"
            _ = try directory.write(
                text + String(repeating: "k", count: count - 1), to: name, mode: 0o440)
        }
        for _ in 1...2 {
            let loaded = try Identity.load(
                dataDirectory: data, credentialsDirectory: directory.path, safe: Self.safe)
            #expect(!loaded.isNew && loaded.isPersonGiven)
        }
        #expect(TestFiles.names(in: data) == ["device.cert"])
    }

    /// Gives a directory the key file of before, with both keys of its person.
    private static func mergeKeys(in directory: TestFolder) throws {
        let keys = try ["person.key", "sealing.key"].map {
            try Self.content($0, in: directory).dropFirst()
        }
        try Files.writeAtomically(
            Array(keys.joined()), to: "\(directory.path)/person.key", mode: 0o600)
    }

    @Test(
        "the key file of before is split at the next start, also after one that was killed in between",
        arguments: [true, false])
    func split(isKilled: Bool) throws {
        let directory = try TestFolder()
        let made = try Self.load(directory)
        let path = "\(directory.path)/sealing.key"
        let sealing = try Self.content("sealing.key", in: directory)
        try Self.mergeKeys(in: directory)
        if !isKilled { try Files.remove(path) }
        for _ in 1...2 {
            let again = try Self.load(directory)
            #expect(again.certificate == made.certificate)
            #expect(again.person.canCertify)
            #expect(try Self.content("sealing.key", in: directory) == sealing)
            let person = try Self.content("person.key", in: directory)
            #expect(person.count == 33 && person.first == 0)
        }
    }

    @Test("a linked device has the person's X and certificate, and never P")
    func linked() throws {
        let (old, new) = (try TestFolder(), try TestFolder())
        let (ada, before) = (try Self.load(old), try Self.load(new))
        let certificate = ada.person.certify(before.signer, at: 7)
        for _ in 1...2 {
            try Identity.takeLinked(
                certificate, ada.person, dataDirectory: new.path, safe: Self.safe)
            let linked = try Self.load(new)
            #expect(linked.certificate == certificate && !linked.isNew)
            #expect(linked.person.id == ada.person.id && !linked.person.canCertify)
        }
        let seed = try Self.content("person.key", in: old).dropFirst()
        for name in TestFiles.names(in: new.path) {
            let bytes = try Self.content(name, in: new)
            #expect(
                bytes.count < 32
                    || !bytes.indices.dropLast(31).contains { bytes[$0...].starts(with: seed) })
        }
        try Files.remove("\(new.path)/device.cert")
        let error = #expect(throws: StartError.self) { try Self.load(new) }
        #expect(error?.remedy.contains("stoa device link") == true)
    }

    // Shows: device.key
    @Test("P leaves a device and comes back, and everything else stays")
    func moved() throws {
        let directory = try TestFolder()
        let made = try Self.load(directory)
        let names = Self.files.map(\.0)
        let before = try names.map { try Self.content($0, in: directory) }
        for _ in 1...2 {
            try Identity.takeLinked(
                made.certificate, made.person, dataDirectory: directory.path, safe: Self.safe)
            let without = try Self.load(directory)
            #expect(!without.person.canCertify && without.certificate == made.certificate)
            #expect(without.signer.publicKey == made.signer.publicKey)
            let signing = made.person.publicKeys.signing
            #expect(try Self.content("person.key", in: directory) == [2] + signing.bytes)
        }
        try Identity.takeP(of: made.person, dataDirectory: directory.path, safe: Self.safe)
        #expect(try Self.load(directory).person.canCertify)
        #expect(try names.map { try Self.content($0, in: directory) } == before)
    }

    @Test(
        "a sealed key is left to a version that can open it",
        arguments: ["person.key", "sealing.key"])
    func sealed(name: String) throws {
        let directory = try TestFolder()
        _ = try Self.load(directory)
        let path = try directory.write("\u{1}" + String(repeating: "s", count: 32), to: name)
        let error = #expect(throws: StartError.self) { try Self.load(directory) }
        #expect(error?.text.contains("\(path) is sealed") == true)
    }

    @Test(
        "keys in the open, as an earlier version left them, are sealed, whenever that was cut short"
    )
    func takenOver() throws {
        let directory = try TestFolder()
        let made = try Self.load(directory)
        let names = Identity.secretNames
        let contents = try names.map { try Self.content($0, in: directory) }
        for open in 1...names.count {
            for (name, content) in zip(names, contents).prefix(open) {
                try Files.writeAtomically(content, to: "\(directory.path)/\(name)", mode: 0o600)
            }
            let again = try Self.load(directory)
            #expect(again.certificate == made.certificate && again.person.canCertify)
            for name in TestFiles.names(in: directory.path) {
                let bytes = try Files.read("\(directory.path)/\(name)", limitBytes: 1_000)
                #expect(SealedFile.isSealed(bytes) == names.contains(name), "\(name)")
                for content in contents {
                    #expect(bytes.firstRange(of: content.suffix(32)) == nil, "\(name)")
                }
            }
            #expect(try names.map { try Self.content($0, in: directory) } == contents)
        }
    }

    @Test("a sealed key that the safe does not open is refused with both names, and stays as it is")
    func otherSafe() throws {
        let directory = try TestFolder()
        _ = try Self.load(directory)
        let before = try Files.read("\(directory.path)/identity.key", limitBytes: 1_000)
        let error = #expect(throws: StartError.self) {
            try Identity.load(
                dataDirectory: directory.path, credentialsDirectory: nil, safe: .generate())
        }
        #expect(error?.text.contains("identity.key is sealed") == true)
        #expect(error?.text.contains("safe.key does not open it") == true)
        #expect(try Files.read("\(directory.path)/identity.key", limitBytes: 1_000) == before)
        // Neither is one key taken for another.
        try Files.writeAtomically(before, to: "\(directory.path)/person.key", mode: 0o600)
        #expect(throws: StartError.self) { try Self.load(directory) }
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
