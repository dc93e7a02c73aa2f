internal import Glibc
public import Crypto
internal import Posix

/// The identity key on disk: the 32 bytes of an Ed25519 seed and nothing else, RFC 8032 section 5.1.5.
///
/// Anyone who has this file can act as its owner, so only that user may read it.
public enum Identity {
    /// The name of the file in the data directory, and of the credential.
    public static let fileName = "identity.key"
    /// The store's file, which is made after the key.
    private static let databaseName = "stoa.db"

    /// Loads the key, and makes one at the first start.
    ///
    /// A credential that systemd hands over (`LoadCredential=identity.key`, found by
    /// `CREDENTIALS_DIRECTORY`) goes before the file. A new file is written and synced whole before
    /// this returns. Throws when the file has another size, mode or owner, it is never replaced; and
    /// when there is none beside a database, which belongs to a key that is lost.
    public static func load(
        dataDirectory: String, credentialsDirectory: String?
    ) throws(StartError) -> (signer: Signer, isNew: Bool) {
        if let credentialsDirectory {
            let path = "\(credentialsDirectory)/\(Self.fileName)"
            // Others cannot enter that directory, so systemd's own mode (0400 or 0440) is sound.
            if Files.exists(path) { return (try Self.signer(path, isPrivate: true), false) }
        }
        let path = "\(dataDirectory)/\(Self.fileName)"
        if Files.exists(path) { return (try Self.signer(path, isPrivate: false), false) }
        guard !Files.exists("\(dataDirectory)/\(Self.databaseName)") else {
            throw StartError(
                "\(path) is missing beside the messages of its owner; a new one would make you "
                    + "another person",
                remedy: "restore \(Self.fileName) from a backup, or move \(Self.databaseName) and "
                    + "\(Self.databaseName)-wal away to begin as a new person",
                exitCode: .data)
        }
        let signer = Signer(SigningKey.generate())
        do throws(SystemError) {
            try signer.withSeed { (seed) throws(SystemError) in
                var bytes = seed.withUnsafeBytes { [UInt8]($0) }
                defer { Self.wipe(&bytes) }
                try Files.writeAtomically(bytes, to: path, mode: 0o600)
            }
        } catch { throw StartError(error, exitCode: .cannotCreate) }
        return (signer, true)
    }

    private static func signer(_ path: String, isPrivate: Bool) throws(StartError) -> Signer {
        if !isPrivate { try Self.checkOwner(path) }
        var bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(path, limitBytes: 4_096)
        } catch { throw StartError(error, exitCode: .inputOutput) }
        defer { Self.wipe(&bytes) }
        guard let key = try? SigningKey(seed: bytes.span.bytes) else {
            throw StartError(
                "\(path) has \(bytes.count) bytes where an identity has "
                    + "\(SigningKey.seedByteCount)",
                remedy: "restore it from a backup; moving it away makes a new identity, which "
                    + "others see as another person",
                exitCode: .data)
        }
        return Signer(key)
    }

    private static func checkOwner(_ path: String) throws(StartError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw StartError(SystemError(errno, "stat", path), exitCode: .inputOutput)
        }
        guard status.st_uid == geteuid() else {
            throw StartError(
                "\(path) belongs to user \(status.st_uid), not to you (\(geteuid()))",
                remedy: "run stoad as that user, or choose another place with --data-dir",
                exitCode: .permission)
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw StartError(
                "\(path) has mode \(mode), so others can read your identity",
                remedy: "run: chmod 600 \(path)", exitCode: .permission)
        }
    }

    /// Overwrites a copy of the seed; the one that stays lies in guarded memory.
    private static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes {
            if let base = $0.baseAddress { explicit_bzero(base, $0.count) }
        }
    }
}
