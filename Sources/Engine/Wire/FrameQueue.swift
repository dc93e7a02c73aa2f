internal import Formats

/// What waits to be sent on one link, by channel: control first, then live, then ephemeral.
///
/// What is left of the link is shared by sync and blob, four bytes to one (deficit round robin).
/// Frames larger than a plaintext are cut; a more urgent channel may slip between the parts. The
/// engine's credit bounds what waits on live, sync and blob. `Docs/Protocol/Wire.md` section 3.
struct FrameQueue: Sendable {
    private var control = FrameLane(fragmentType: nil)
    private var live = FrameLane(fragmentType: .liveFragment)
    private var ephemeral = FrameLane(fragmentType: nil)
    private var sync = FrameLane(fragmentType: .syncFragment)
    private var blob = FrameLane(fragmentType: nil)
    private var shares = BulkShares()

    /// Whether nothing waits.
    var isEmpty: Bool {
        self.control.isEmpty && self.live.isEmpty && self.sync.isEmpty && self.blob.isEmpty
            && self.ephemeral.isEmpty
    }

    /// The bytes waiting on the control channel, which no credit bounds.
    var controlBytes: Int { self.control.byteCount }

    /// Whether no more waits than may: of control frames, which no credit bounds, some; of others what credit
    /// allows, or the peer has given some back for what it was not sent.
    var isWithinBounds: Bool {
        self.controlBytes <= Limits.controlQueueBytes
            && [self.live, self.sync, self.blob].allSatisfy {
                $0.byteCount <= Limits.initialCredit
            }
    }

    /// Adds a frame at the end of its channel.
    ///
    /// Of ephemeral frames the oldest are dropped where too many wait.
    mutating func append(_ frame: EncodedFrame) {
        switch frame.channel {
        case .control: self.control.append(frame.bytes)
        case .live: self.live.append(frame.bytes)
        case .sync: self.sync.append(frame.bytes)
        case .blob: self.blob.append(frame.bytes)
        case .ephemeral:
            self.ephemeral.append(frame.bytes)
            while self.ephemeral.byteCount > Limits.ephemeralQueueBytes {
                self.ephemeral.dropFirst()
            }
        }
    }

    /// The next plaintext: as many frames as fit, most urgent first; nil when nothing waits.
    mutating func nextPlaintext() -> [UInt8]? {
        var plaintext: [UInt8] = []
        self.control.drain(into: &plaintext)
        self.live.drain(into: &plaintext)
        self.ephemeral.drain(into: &plaintext)
        self.drainBulk(into: &plaintext)
        return plaintext.isEmpty ? nil : plaintext
    }

    /// Lets sync and blob take turns; one that waits alone has all.
    private mutating func drainBulk(into plaintext: inout [UInt8]) {
        while !self.sync.isEmpty && !self.blob.isEmpty {
            let (channel, size) = self.shares.next(
                sync: self.sync.nextBytes, blob: self.blob.nextBytes)
            let isMoved =
                channel == .sync
                ? self.sync.move(into: &plaintext) : self.blob.move(into: &plaintext)
            guard isMoved else { return }
            self.shares.spend(size)
        }
        self.shares = BulkShares()
        self.sync.drain(into: &plaintext)
        self.blob.drain(into: &plaintext)
    }
}

/// How sync and blob share a link while both have something to send: by deficit round robin
/// (Shreedhar and Varghese, 1995).
private struct BulkShares: Sendable {
    private static let syncQuantum = Limits.plaintextBytes
    private static let blobQuantum = Limits.plaintextBytes / 4

    private var isSyncTurn = true
    /// What each may still send in its turns.
    private var sync = Self.syncQuantum
    private var blob = 0

    /// Whose turn it is, where what each has to send next is so large, and that size.
    mutating func next(sync syncBytes: Int, blob blobBytes: Int) -> (Channel, Int) {
        while true {
            if self.isSyncTurn {
                if syncBytes <= self.sync { return (.sync, syncBytes) }
                self.blob += Self.blobQuantum
            } else {
                if blobBytes <= self.blob { return (.blob, blobBytes) }
                self.sync += Self.syncQuantum
            }
            self.isSyncTurn.toggle()
        }
    }

    /// Counts what was sent by whose turn it is.
    mutating func spend(_ bytes: Int) {
        if self.isSyncTurn { self.sync -= bytes } else { self.blob -= bytes }
    }
}

/// The frames of one channel, in order.
private struct FrameLane: Sendable {
    /// What carries the parts of a frame that is cut; nil on a channel whose frames never are.
    private let fragmentType: Frame.Kind?
    private var frames: [[UInt8]] = []
    private var next = 0
    /// How much of the first frame has left in parts.
    private var offset = 0
    private(set) var byteCount = 0

    /// Type, two bytes of length, and whether it is the last.
    private static let fragmentOverhead = 1 + 2 + 1

    init(fragmentType: Frame.Kind?) { self.fragmentType = fragmentType }

    var isEmpty: Bool { self.next == self.frames.count }

    /// How much the next move takes, where there is a frame: one whole or a part of it.
    var nextBytes: Int {
        let count = self.frames[self.next].count
        guard count > Limits.plaintextBytes else { return count }
        return min(count - self.offset + Self.fragmentOverhead, Limits.plaintextBytes)
    }

    mutating func append(_ bytes: [UInt8]) {
        precondition(
            bytes.count <= Limits.plaintextBytes || self.fragmentType != nil,
            "whoever makes a frame of a channel without fragments keeps it within a plaintext")
        self.frames.append(bytes)
        self.byteCount += bytes.count
    }

    /// Drops the first frame, none of which has left.
    mutating func dropFirst() { self.finish(self.frames[self.next]) }

    /// Moves frames into a plaintext until it is full or the lane is empty.
    mutating func drain(into plaintext: inout [UInt8]) {
        while !self.isEmpty, self.move(into: &plaintext) {}
    }

    /// Moves the next frame into a plaintext, or a part of it; false where it has no place there.
    mutating func move(into plaintext: inout [UInt8]) -> Bool {
        let frame = self.frames[self.next]
        if frame.count <= Limits.plaintextBytes {
            guard frame.count <= Limits.plaintextBytes - plaintext.count else { return false }
            plaintext.append(contentsOf: frame)
            self.finish(frame)
            return true
        }
        // A cut frame fills whole plaintexts of its own, as the protocol demands of all parts but
        // the last.
        guard plaintext.isEmpty, let fragmentType = self.fragmentType else { return false }
        let left = frame.count - self.offset
        let part = min(left, Limits.plaintextBytes - Self.fragmentOverhead)
        var writer = WireWriter(capacity: Limits.plaintextBytes)
        writer.varint(fragmentType.rawValue)
        writer.varint(part + 1)
        writer.byte(part == left ? 1 : 0)
        writer.raw(Array(frame[self.offset..<self.offset + part]))
        plaintext = writer.bytes
        self.offset += part
        if self.offset == frame.count {
            self.offset = 0
            self.finish(frame)
        }
        return true
    }

    private mutating func finish(_ frame: [UInt8]) {
        self.byteCount -= frame.count
        self.next += 1
        // The consumed beginning is dropped once it is the larger half, which keeps this linear.
        if self.next > 64 && self.next * 2 > self.frames.count {
            self.frames.removeFirst(self.next)
            self.next = 0
        }
        if self.next == self.frames.count {
            self.frames.removeAll(keepingCapacity: true)
            self.next = 0
        }
    }
}
