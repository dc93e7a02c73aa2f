internal import Crypto

/// A backup as it stands in a file: sealed with a key that is made of a phrase.
///
///     "stoa backup 1\n" ‖ salt 16 ‖ secretstream(Argon2id(phrase, salt), backup)
///
/// What stands before the stream is its associated data. `Docs/Data.md`.
package enum SealedBackup {
    /// What every such file begins with.
    package static let beginning = Array("stoa backup 1\n".utf8)
    /// The largest file that is read, in bytes: several times of what the largest backup needs.
    package static let limitBytes = 32 << 20

    /// Seals a backup; takes half a second and 256 MiB, so never on the event loop.
    ///
    /// `random` must not be predictable. Throws `outOfMemory`.
    package static func seal(
        _ backup: Backup, by phrase: Phrase, using random: inout some RandomNumberGenerator
    ) throws(SealedBackupError) -> [UInt8] {
        var output = Self.beginning
        for _ in 0..<Argon2id.saltByteCount {
            output.append(.random(in: 0...255, using: &random))
        }
        let key = try Self.key(of: phrase, salt: Array(output.dropFirst(Self.beginning.count)))
        let associated = output
        var content = backup.encoded
        defer { content.wipe() }
        SecretStream.seal(
            content.span.bytes, associatedData: associated.span.bytes, key: key,
            appendingTo: &output)
        return output
    }

    /// Opens a file; as slow as sealing.
    ///
    /// Throws what is wrong: it is no backup, one of a later version, or not of this phrase.
    package static func open(
        _ file: [UInt8], by phrase: Phrase
    ) throws(SealedBackupError) -> Backup {
        guard file.starts(with: Self.beginning.prefix(12)) else { throw .foreign }
        let head = Self.beginning.count + Argon2id.saltByteCount
        guard file.starts(with: Self.beginning) else { throw .later }
        guard file.count > head else { throw .damaged }
        let associated = Array(file[..<head])
        let key = try Self.key(of: phrase, salt: Array(associated[Self.beginning.count...]))
        var opened: [UInt8] = []
        // So that no copy is left behind where the array has grown.
        opened.reserveCapacity(file.count)
        defer { opened.wipe() }
        do throws(CryptoError) {
            try SecretStream.open(
                file.span.bytes.extracting(head..<file.count),
                associatedData: associated.span.bytes, key: key, appendingTo: &opened)
        } catch { throw .closed }
        do throws(WireError) { return try Backup(decoding: opened) } catch { throw .later }
    }

    private static func key(
        of phrase: Phrase, salt: [UInt8]
    ) throws(SealedBackupError) -> SecretKey {
        do throws(CryptoError) { return try phrase.key(salt: salt) } catch { throw .outOfMemory }
    }
}

/// Why a backup cannot be sealed or opened.
package enum SealedBackupError: Error, Hashable, Sendable {
    /// The file is no backup.
    case foreign
    /// It is one of a later version.
    case later
    /// It ends too early.
    case damaged
    /// It does not open: the phrase is another one, or the file is damaged.
    case closed
    /// The system has not the memory that the key needs.
    case outOfMemory
}
