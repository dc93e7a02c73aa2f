/// A small generator whose whole future follows from its seed.
///
/// SplitMix64 (Steele, Lea, Flood 2014): one seed replays a whole simulation.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator; equal seeds give equal numbers.
    package init(seed: UInt64) { self.state = seed }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        self.state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// Whether something that happens in so many of a hundred cases happens.
    package mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }

    package mutating func number(_ range: ClosedRange<UInt64>) -> UInt64 {
        UInt64.random(in: range, using: &self)
    }

    package mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &self)
    }

    /// A generator of its own, so that what one part draws does not shift what others get.
    package mutating func split() -> SeededRandom { SeededRandom(seed: self.next()) }
}
