package import Crypto

/// A safe key that a random key opens, which is an item of the desktop's keyring.
///
///     id 16 ‖ sealed 72
///
/// What is sealed is the safe key, as kind `safe.keyring` with `02 ‖ id` as its place. The item has the
/// random key in 64 lower-case hexadecimal digits, since some keyrings keep only text.
package struct KeyringSlot: Hashable, Sendable {
    private static let kind = Safe.Kind("safe.keyring")
    private static let idByteCount = 16
    package static let byteCount = idByteCount + SecretKey.byteCount + Safe.addedByteCount
    /// How long the text of an item is.
    package static let itemByteCount = 2 * SecretKey.byteCount

    package let encoded: [UInt8]
    /// What the item is found by: 32 hexadecimal digits.
    package var id: String { String(decoding: Self.digits(self.idBytes), as: UTF8.self) }

    private var idBytes: [UInt8] { Array(self.encoded[..<Self.idByteCount]) }
    private static func place(_ id: [UInt8]) -> [UInt8] { [2] + id }

    init(encoded: [UInt8]) {
        precondition(encoded.count == Self.byteCount, "a slot has one length")
        self.encoded = encoded
    }

    /// Makes a slot, and the text of its item, which the caller wipes.
    ///
    /// `random` must not be predictable.
    package static func make(
        for safe: Safe, using random: inout some RandomNumberGenerator
    ) -> (slot: KeyringSlot, item: [UInt8]) {
        let id = (0..<Self.idByteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
        let wrapping = Safe.generate()
        let place = Self.place(id)
        let sealed = safe.withKey { wrapping.seal($0, as: Self.kind, at: place.span.bytes) }
        var key: [UInt8] = []
        key.reserveCapacity(SecretKey.byteCount)
        wrapping.withKey { key.append($0) }
        defer { key.wipe() }
        return (KeyringSlot(encoded: id + sealed), Self.digits(key))
    }

    /// Opens it by what the item has.
    ///
    /// Throws `decryptFailed` where that is not what was put there, or the file is damaged.
    package func open(by item: [UInt8]) throws(CryptoError) -> Safe {
        guard var key = Self.bytes(item) else { throw .decryptFailed }
        defer { key.wipe() }
        let place = Self.place(self.idBytes)
        var opened = try Safe(try SecretKey(key.span.bytes)).open(
            self.encoded.span.bytes.extracting(Self.idByteCount...), as: Self.kind,
            at: place.span.bytes)
        defer { opened.wipe() }
        return Safe(try SecretKey(opened.span.bytes))
    }

    private static func digits(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        // So that no copy is left behind where the array has grown.
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return text
    }

    /// Nil where the text is not that of a key.
    private static func bytes(_ text: [UInt8]) -> [UInt8]? {
        guard text.count == Self.itemByteCount else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(SecretKey.byteCount)
        for place in stride(from: 0, to: text.count, by: 2) {
            guard let high = Self.value(text[place]), let low = Self.value(text[place + 1]) else {
                bytes.wipe()
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}
