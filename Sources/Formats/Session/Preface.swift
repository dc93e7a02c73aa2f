/// What the initiator sends before everything else; with the realm tag the prologue of the handshake.
///
/// `Docs/Protocol/Wire.md` section 1.
package struct Preface: Hashable, Sendable {
    /// The lowest and highest major versions this build speaks.
    package static let ours = Preface(lowest: 2, highest: 2)
    package static let byteCount = 12
    private static let magic: [UInt8] = [0x53, 0x54, 0x4f, 0x41, 0x0d, 0x0a, 0x1a, 0x0a]

    package var lowest: UInt8
    package var highest: UInt8

    package var encoded: [UInt8] { Self.magic + [self.lowest, self.highest, 0, 0] }

    package init(lowest: UInt8, highest: UInt8) {
        self.lowest = lowest
        self.highest = highest
    }

    /// Reads a preface; nil for another magic.
    ///
    /// Any range is taken: one that has no version in common with ours deserves its answer.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, Array(bytes[0..<8]) == Self.magic else { return nil }
        self.init(lowest: bytes[8], highest: bytes[9])
    }

    /// The highest version that both speak.
    package func common(with other: Preface) -> UInt8? {
        let highest = min(self.highest, other.highest)
        return highest >= max(self.lowest, other.lowest) ? highest : nil
    }
}

/// The major versions of the protocol that this build speaks, as others are told of them.
package enum ProtocolVersions {
    package static var own: ClosedRange<UInt8> { Preface.ours.lowest...Preface.ours.highest }
}
