/// An optional part of the protocol, of which a peer says whether it knows it.
package enum Feature: UInt8, Hashable, Sendable, CaseIterable {
    /// It dials a peer back that asks for it, and understands the answer.
    case dialBack = 0
    /// It serves files, and fetches them.
    case blobs = 1
    /// It takes what is worth nothing later: who is there, who writes.
    case ephemeral = 2
    /// Reserved.
    case neighbours = 3
    /// It tells the network of itself, so that whoever is linked to it should have heard it by multicast.
    case announced = 4
    /// It takes part in groups: acts, their keys, and revocations of devices.
    case groups = 5
    /// It takes what arranges calls.
    case calls = 6
    /// Reserved: it stores for others.
    case stores = 7
}

/// The optional parts of the protocol that a node knows, with those that only it knows.
///
/// `Docs/Protocol/Wire.md` section 2.
package struct Features: Hashable, Sendable {
    /// Bit i is `bytes[i / 8] >> (i % 8) & 1`; the last byte is not zero.
    private let bytes: [UInt8]

    private static let known: Set<Feature> = [.dialBack, .blobs, .ephemeral, .groups, .calls]
    /// Those that this version knows.
    package static let own = Features(Self.known)
    /// ``own``, of a node that tells the network of itself.
    package static let ownAnnounced = Features(Self.known.union([.announced]))

    /// Names some features.
    package init(_ features: Set<Feature> = []) {
        let last = features.map { Int($0.rawValue) }.max()
        var bytes = [UInt8](repeating: 0, count: last.map { $0 / 8 + 1 } ?? 0)
        for feature in features { bytes[Int(feature.rawValue / 8)] |= 1 << (feature.rawValue % 8) }
        self.bytes = bytes
    }

    /// Whether a feature is among them.
    package func contains(_ feature: Feature) -> Bool {
        let index = Int(feature.rawValue / 8)
        return index < self.bytes.count && self.bytes[index] >> (feature.rawValue % 8) & 1 == 1
    }

    init(from reader: inout WireReader) throws(WireError) {
        let bytes = try reader.sized("features", limit: Limits.featureBytes)
        guard bytes.last != 0 else { throw .value(field: "features") }
        self.bytes = bytes
    }

    func write(to writer: inout WireWriter) { writer.sized(self.bytes) }
}
