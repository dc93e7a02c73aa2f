package import Crypto
internal import Formats

/// Where the chance of a node comes from.
package enum NodeRandom: RandomNumberGenerator, Sendable {
    case system(SodiumRandom)
    /// All that is drawn follows from the seed, by SplitMix64 (Steele, Lea, Flood 2014), so that a run can be
    /// repeated.
    case seeded(UInt64)

    /// A key of a conversation.
    mutating func bytes32() -> Bytes32 {
        switch self {
        case .system: return SodiumRandom.bytes32()
        case .seeded:
            var writer = WireWriter(capacity: 32)
            for _ in 0..<4 { writer.u64(self.next()) }
            guard let bytes = Bytes32(writer.bytes) else {
                preconditionFailure("four numbers of eight bytes have 32")
            }
            return bytes
        }
    }

    package mutating func next() -> UInt64 {
        switch self {
        case .system(var source):
            return source.next()
        case .seeded(var state):
            state &+= 0x9e37_79b9_7f4a_7c15
            self = .seeded(state)
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }
}
