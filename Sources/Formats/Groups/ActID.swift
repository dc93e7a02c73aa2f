package import Crypto

/// Names an act of a group: the hash of all of it but the signature.
package struct ActID: Hashable, Comparable, Sendable {
    /// The hash, 32 bytes.
    package let hash: Bytes32

    package init(_ hash: Bytes32) { self.hash = hash }

    /// Orders by bytes, as a basis does.
    package static func < (left: ActID, right: ActID) -> Bool { left.hash < right.hash }
}
