package import Formats

/// What the system has counted of the packets of one link, from its beginning.
///
/// Only packets with data count. The numbers begin anew after 2³², so only differences say something.
package struct PacketCounts: Hashable, Sendable {
    /// Packets sent, those included that were sent again.
    package var sent: UInt32
    /// Packets sent again.
    package var resent: UInt32
    /// Of these, those that the peer had got already, by its word.
    package var needless: UInt32
    package var received: UInt32
    /// Of these, those that came while one before them was missing.
    package var early: UInt32
    /// How much data a packet has at most, and how large one may be by what the system knows of the way.
    package var segmentBytes: UInt32
    package var pathBytes: UInt32

    package init(
        sent: UInt32 = 0, resent: UInt32 = 0, needless: UInt32 = 0, received: UInt32 = 0,
        early: UInt32 = 0, segmentBytes: UInt32 = 0, pathBytes: UInt32 = 0
    ) {
        self.sent = sent
        self.resent = resent
        self.needless = needless
        self.received = received
        self.early = early
        self.segmentBytes = segmentBytes
        self.pathBytes = pathBytes
    }

    /// Whether an end has asked for packets that are smaller than every network takes.
    var isNarrow: Bool {
        Flight.isNarrow(segmentBytes: self.segmentBytes, pathBytes: self.pathBytes)
    }

    /// What was counted since then.
    func since(_ earlier: PacketCounts) -> PacketCounts {
        PacketCounts(
            sent: self.sent &- earlier.sent, resent: self.resent &- earlier.resent,
            needless: self.needless &- earlier.needless,
            received: self.received &- earlier.received, early: self.early &- earlier.early,
            segmentBytes: self.segmentBytes, pathBytes: self.pathBytes)
    }

    /// Packets that had to be sent again, since they did not arrive.
    var lost: UInt32 { self.resent - min(self.resent, self.needless) }

    /// Of a thousand packets sent, how many did not arrive; 0 where too few were sent to tell.
    var lostPerThousand: UInt64 {
        self.sent < 100 ? 0 : UInt64(self.lost) * 1_000 / UInt64(self.sent)
    }
}

/// What became of the packets of a link while it was tried.
package struct PacketReport: Hashable, Sendable {
    package var peer: PeerID
    /// Where the link is: numeric `HOST:PORT`.
    package var address: String
    /// Packets sent to the peer, those included that were sent again.
    package var sent: UInt32
    /// Of these, those that did not arrive.
    package var lost: UInt32
    /// Packets received of the peer.
    package var received: UInt32
    /// Of these, those that came while one before them was missing: about one for each that was lost.
    package var early: UInt32
    /// Whether the link is one of small packets, as where large ones are lost.
    package var isNarrow = false
    /// Whether large packets are lost on it, and it is still not one of small packets.
    package var isStuck = false
}
