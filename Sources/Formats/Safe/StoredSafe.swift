package import Crypto

/// The safe key as its file has it: in the open, or locked by a passphrase.
///
///     open:    00 ‖ key 32
///     locked:  01 ‖ salt 16 ‖ sealed 72
///
/// What is sealed is the key, by `Argon2id(passphrase, salt)`, as kind `safe.key` with the 17 bytes before
/// it as its place. `Docs/Decisions/0054-one-key-opens-the-rest.md`.
package enum StoredSafe: Sendable {
    case open(Safe)
    case locked(LockedSafe)

    private static let openForm: UInt8 = 0
    fileprivate static let lockedForm: UInt8 = 1
    /// The longest of the two forms, in bytes.
    package static let limitBytes = LockedSafe.byteCount

    /// Reads a file.
    package init(decoding bytes: [UInt8]) throws(StoredSafeError) {
        switch bytes.first {
        case nil: throw .wrongLength(0)
        case Self.openForm:
            guard let key = try? SecretKey(bytes.span.bytes.extracting(1...)) else {
                throw .wrongLength(bytes.count)
            }
            self = .open(Safe(key))
        case Self.lockedForm:
            guard bytes.count == LockedSafe.byteCount else { throw .wrongLength(bytes.count) }
            self = .locked(LockedSafe(encoded: bytes))
        default: throw .later
        }
    }

    /// The file's bytes, which the caller wipes.
    package var encoded: [UInt8] {
        switch self {
        case .open(let safe):
            var bytes: [UInt8] = []
            bytes.reserveCapacity(1 + SecretKey.byteCount)
            bytes.append(Self.openForm)
            safe.withKey { bytes.append($0) }
            return bytes
        case .locked(let locked): return locked.encoded
        }
    }
}

/// A safe key that only a passphrase opens.
package struct LockedSafe: Hashable, Sendable {
    private static let kind = Safe.Kind("safe.key")
    private static let headByteCount = 1 + Argon2id.saltByteCount
    fileprivate static let byteCount = headByteCount + SecretKey.byteCount + Safe.addedByteCount

    package let encoded: [UInt8]

    fileprivate init(encoded: [UInt8]) { self.encoded = encoded }

    /// Locks a safe; takes half a second and 256 MiB, so never on the event loop.
    ///
    /// `random` must not be predictable. Throws `outOfMemory`.
    package init(
        _ safe: Safe, by phrase: Phrase, using random: inout some RandomNumberGenerator
    ) throws(CryptoError) {
        let salt = (0..<Argon2id.saltByteCount).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        let wrapping = Safe(try phrase.key(salt: salt))
        let head = [StoredSafe.lockedForm] + salt
        self.encoded =
            head + safe.withKey { wrapping.seal($0, as: Self.kind, at: head.span.bytes) }
    }

    /// Opens it; as slow as locking.
    ///
    /// Throws `decryptFailed` where the passphrase is another one or the file is damaged, and
    /// `outOfMemory`.
    package func open(by phrase: Phrase) throws(CryptoError) -> Safe {
        let head = Array(self.encoded[..<Self.headByteCount])
        let wrapping = Safe(try phrase.key(salt: Array(head[1...])))
        var key = try wrapping.open(
            self.encoded.span.bytes.extracting(Self.headByteCount...), as: Self.kind,
            at: head.span.bytes)
        defer { key.wipe() }
        return Safe(try SecretKey(key.span.bytes))
    }
}

/// What is wrong with the file of a safe key.
package enum StoredSafeError: Error, Hashable, Sendable {
    /// It has a length that its form cannot have.
    case wrongLength(Int)
    /// It is of a later version.
    case later
}
