internal import Formats

/// What the system says of the bytes that were sent on a link and that its peer has not acknowledged.
package struct Flight: Hashable, Sendable {
    /// How many there are.
    package var bytes: UInt32
    /// How often the first of them were sent again, since anything was last acknowledged.
    package var resends: UInt32
    /// How many of a packet's bytes are the link's, at most.
    package var segmentBytes: UInt32
    /// Packets of them that the peer has got behind one that is missing.
    package var behind: UInt32
    /// Packets that have come in, of any kind, from the beginning, modulo 2³².
    package var arrived: UInt32
    /// How large a packet may be by what the system knows of the way.
    package var pathBytes: UInt32

    package init(
        bytes: UInt32, resends: UInt32, segmentBytes: UInt32, behind: UInt32 = 0,
        arrived: UInt32 = 0, pathBytes: UInt32 = 0
    ) {
        self.bytes = bytes
        self.resends = resends
        self.segmentBytes = segmentBytes
        self.behind = behind
        self.arrived = arrived
        self.pathBytes = pathBytes
    }

    /// Whether an end has asked for packets that are smaller than every network takes.
    static func isNarrow(segmentBytes: UInt32, pathBytes: UInt32) -> Bool {
        1...UInt32(Limits.smallSegmentBytes) ~= segmentBytes && pathBytes >= Limits.leastPathBytes
    }

    /// Whether a large packet may be among them that was sent again and again in vain.
    fileprivate var isStuck: Bool {
        self.bytes > Limits.smallSegmentBytes && self.segmentBytes > Limits.smallSegmentBytes
            && self.resends >= Limits.largeResends
    }
}

/// Whether large packets are lost on a link while small ones pass, as behind a switch or a VPN of a smaller MTU.
///
/// The system is asked only once so much was sent that a large packet may be among it, and no pong has shown that
/// the peer has it. `Docs/Decisions/0051-large-packets-that-are-lost.md`.
struct LargePackets: Sendable {
    /// What was sent and is not known to have arrived.
    private var sentBytes = 0
    /// How much of it was sent before the last ping.
    private var pingedBytes = 0
    private var before: Flight?
    /// Whether it was found once: that is enough for another link, which this one lasts until.
    private(set) var isFound = false
    /// Whether an end has asked for small packets, as far as was looked.
    private(set) var isNarrow = false

    /// Whether the system is to be asked.
    var isLookDue: Bool { self.sentBytes > Limits.smallSegmentBytes && !self.isFound }

    mutating func send(_ byteCount: Int) { self.sentBytes += byteCount }

    mutating func ping() { self.pingedBytes = self.sentBytes }

    /// The last ping was answered, so all that was sent before it has arrived.
    mutating func pong() {
        self.sentBytes -= self.pingedBytes
        self.pingedBytes = 0
    }

    /// The system is asked; without an answer nothing is known to be on its way.
    mutating func look() {
        self.sentBytes = 0
        self.pingedBytes = 0
    }

    /// Judges what the system has said; true once, where large packets are lost.
    ///
    /// That small ones pass is shown by whatever has come since the look before, by what the peer has got behind
    /// the missing one, and on a young link by its handshake.
    mutating func see(_ flight: Flight, openFor age: UInt64) -> Bool {
        self.isNarrow = Flight.isNarrow(
            segmentBytes: flight.segmentBytes, pathBytes: flight.pathBytes)
        self.sentBytes += Int(flight.bytes)
        guard flight.isStuck, !self.isFound else {
            self.before = nil
            return false
        }
        defer { self.before = flight }
        let isHeard = self.before.map { $0.arrived != flight.arrived } ?? false
        self.isFound = isHeard || flight.behind > 0 || age < Limits.youngMilliseconds
        return self.isFound
    }
}
