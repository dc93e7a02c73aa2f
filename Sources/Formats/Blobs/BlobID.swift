package import Crypto

/// Names the content of a file: the same bytes have the same name everywhere, and no others have it.
///
/// `Docs/Protocol/Files.md` section 1.
package struct BlobID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let hash: Bytes32

    package init(_ hash: Bytes32) { self.hash = hash }

    /// Names a file by its size in bytes and the hash at the root of its tree.
    package init(size: UInt64, root: Bytes32) {
        var writer = WireWriter(capacity: 40)
        writer.u64(size)
        writer.raw(root)
        self.hash = BLAKE2b.hash256(writer.bytes, personal: .blob)
    }

    /// Reads 64 hexadecimal digits; nil for anything else.
    package init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 2 * Bytes32.byteCount else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(digits[index]), let low = Self.value(digits[index + 1])
            else { return nil }
            bytes.append(high << 4 | low)
        }
        guard let hash = Bytes32(bytes) else { return nil }
        self.hash = hash
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    package static func < (left: BlobID, right: BlobID) -> Bool { left.hash < right.hash }

    /// 64 hexadecimal digits.
    package var description: String { self.hash.description }
}
