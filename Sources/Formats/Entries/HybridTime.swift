/// A hybrid logical clock reading: 48 bits of milliseconds since 1970, then a 16-bit counter.
///
/// Greater than everything that its author had seen, close to the wall clock. Kulkarni et al., *Logical
/// Physical Clocks* (2014); `Docs/Protocol/Entries.md` section 7.
package struct HybridTime: Hashable, Comparable, Sendable {
    /// The packed value, as it stands in a header.
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// The reading at the start of a wall-clock millisecond; times beyond 48 bits saturate.
    package init(wallMilliseconds: UInt64) {
        self.rawValue = min(wallMilliseconds, (1 << 48) - 1) << 16
    }

    /// The wall-clock part in milliseconds since 1970.
    package var milliseconds: UInt64 { self.rawValue >> 16 }

    /// The next greater reading, or nil at the end of time (the year 10889).
    package var next: HybridTime? {
        self.rawValue == .max ? nil : HybridTime(self.rawValue + 1)
    }

    /// Orders by wall-clock part, then counter.
    package static func < (left: HybridTime, right: HybridTime) -> Bool {
        left.rawValue < right.rawValue
    }
}
