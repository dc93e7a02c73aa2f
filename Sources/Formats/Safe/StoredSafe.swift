package import Crypto

/// The safe key as its file has it: in the open, or locked by a passphrase, and perhaps by the desktop's
/// keyring too.
///
///     open:     00 ‖ key 32
///     locked:   01 ‖ salt 16 ‖ sealed 72
///     keyring:  02 ‖ salt 16 ‖ sealed 72 ‖ slot 88
///
/// What is sealed is the key, by `Argon2id(passphrase, salt)`, as kind `safe.key` with `01 ‖ salt` as its
/// place: a slot comes and goes without the passphrase. ``KeyringSlot`` says what a slot has.
/// `Docs/Decisions/0054-one-key-opens-the-rest.md`.
package enum StoredSafe: Sendable {
    case open(Safe)
    case locked(LockedSafe)

    private static let openForm: UInt8 = 0
    fileprivate static let lockedForm: UInt8 = 1
    fileprivate static let keyringForm: UInt8 = 2
    /// The longest of the three forms, in bytes.
    package static let limitBytes = LockedSafe.byteCount + KeyringSlot.byteCount

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
            self = .locked(LockedSafe(byPhrase: bytes))
        case Self.keyringForm:
            guard bytes.count == Self.limitBytes else { throw .wrongLength(bytes.count) }
            let slot = KeyringSlot(encoded: Array(bytes[LockedSafe.byteCount...]))
            let phrase = [Self.lockedForm] + bytes[1..<LockedSafe.byteCount]
            self = .locked(LockedSafe(byPhrase: phrase, keyring: slot))
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

/// A safe key that only a passphrase opens, and perhaps the desktop's keyring.
package struct LockedSafe: Hashable, Sendable {
    private static let kind = Safe.Kind("safe.key")
    private static let headByteCount = 1 + Argon2id.saltByteCount
    fileprivate static let byteCount = headByteCount + SecretKey.byteCount + Safe.addedByteCount

    /// The file of one without a slot.
    private let byPhrase: [UInt8]
    /// What the key in the desktop's keyring opens; nil where there is none.
    package var keyring: KeyringSlot?

    package var encoded: [UInt8] {
        guard let keyring else { return self.byPhrase }
        return [StoredSafe.keyringForm] + self.byPhrase[1...] + keyring.encoded
    }

    fileprivate init(byPhrase: [UInt8], keyring: KeyringSlot? = nil) {
        (self.byPhrase, self.keyring) = (byPhrase, keyring)
    }

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
        self.byPhrase =
            head + safe.withKey { wrapping.seal($0, as: Self.kind, at: head.span.bytes) }
    }

    /// Opens it; as slow as locking.
    ///
    /// Throws `decryptFailed` where the passphrase is another one or the file is damaged, and
    /// `outOfMemory`.
    package func open(by phrase: Phrase) throws(CryptoError) -> Safe {
        let head = Array(self.byPhrase[..<Self.headByteCount])
        let wrapping = Safe(try phrase.key(salt: Array(head[1...])))
        var key = try wrapping.open(
            self.byPhrase.span.bytes.extracting(Self.headByteCount...), as: Self.kind,
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
