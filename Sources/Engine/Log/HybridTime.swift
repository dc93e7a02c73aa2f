/// A hybrid logical clock reading: 48 bits of milliseconds since 1970, then a 16-bit counter.
///
/// Greater than everything that its author had seen, close to the wall clock. Kulkarni et al., *Logical
/// Physical Clocks* (2014); `Docs/Protocol/Entries.md` section 7.
public struct HybridTime: Hashable, Comparable, Sendable {
    /// The packed value, as it stands in a header.
    public let rawValue: UInt64

    /// Wraps a packed value.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// The reading at the start of a wall-clock millisecond; times beyond 48 bits saturate.
    public init(wallMilliseconds: UInt64) {
        self.rawValue = min(wallMilliseconds, (1 << 48) - 1) << 16
    }

    /// The wall-clock part in milliseconds since 1970.
    public var milliseconds: UInt64 { self.rawValue >> 16 }

    /// The next greater reading, or nil at the end of time (the year 10889).
    public var next: HybridTime? {
        self.rawValue == .max ? nil : HybridTime(self.rawValue + 1)
    }

    /// Orders by wall-clock part, then counter.
    public static func < (left: HybridTime, right: HybridTime) -> Bool {
        left.rawValue < right.rawValue
    }
}
