package import Crypto

/// A file of the data folder that the safe key seals whole, bound to its name in that folder.
///
///     "stoa sealed\n" ‖ sealed
///
/// One that begins otherwise is in the open: from before there was a safe, or put there by the user.
/// `Docs/Decisions/0054-one-key-opens-the-rest.md`.
package enum SealedFile {
    package static let beginning = Array("stoa sealed\n".utf8)
    /// How much longer a file is once it is sealed, in bytes.
    package static let addedByteCount = beginning.count + Safe.addedByteCount

    private static let kind = Safe.Kind("file")

    package static func isSealed(_ bytes: [UInt8]) -> Bool { bytes.starts(with: self.beginning) }

    package static func seal(_ content: RawSpan, as name: String, by safe: Safe) -> [UInt8] {
        let place = Array(name.utf8)
        return self.beginning + safe.seal(content, as: self.kind, at: place.span.bytes)
    }

    /// The content of a file, sealed or in the open, which the caller wipes.
    ///
    /// Throws where it is sealed and does not open.
    package static func open(
        _ bytes: [UInt8], as name: String, by safe: Safe
    ) throws(CryptoError) -> [UInt8] {
        guard self.isSealed(bytes) else { return bytes }
        let place = Array(name.utf8)
        return try safe.open(
            bytes.span.bytes.extracting(self.beginning.count...), as: self.kind,
            at: place.span.bytes)
    }
}
