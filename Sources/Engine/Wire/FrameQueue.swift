/// What waits to be sent on one link, by channel: control first, then live, then sync.
///
/// Frames larger than a plaintext are cut; a more urgent channel may slip between the parts. The
/// engine's credit bounds what waits on live and sync. `Docs/Protocol/Wire.md` section 3.
struct FrameQueue: Sendable {
    private var control = Lane()
    private var live = Lane()
    private var sync = Lane()

    /// Whether nothing waits.
    var isEmpty: Bool { self.control.isEmpty && self.live.isEmpty && self.sync.isEmpty }

    /// The bytes waiting on the control channel, which no credit bounds.
    var controlBytes: Int { self.control.byteCount }

    /// Adds a frame at the end of its channel.
    mutating func append(_ frame: EncodedFrame) {
        switch frame.channel {
        case .control: self.control.append(frame.bytes)
        case .live: self.live.append(frame.bytes)
        case .sync: self.sync.append(frame.bytes)
        }
    }

    /// The next plaintext: as many frames as fit, most urgent first; nil when nothing waits.
    mutating func nextPlaintext() -> [UInt8]? {
        var plaintext: [UInt8] = []
        self.control.drain(into: &plaintext, fragmentType: nil)
        self.live.drain(into: &plaintext, fragmentType: .liveFragment)
        self.sync.drain(into: &plaintext, fragmentType: .syncFragment)
        return plaintext.isEmpty ? nil : plaintext
    }

    private struct Lane {
        private var frames: [[UInt8]] = []
        private var next = 0
        private var offset = 0
        private(set) var byteCount = 0

        var isEmpty: Bool { self.next == self.frames.count }

        mutating func append(_ bytes: [UInt8]) {
            self.frames.append(bytes)
            self.byteCount += bytes.count
        }

        /// Moves frames into a plaintext until it is full or the lane is empty.
        mutating func drain(into plaintext: inout [UInt8], fragmentType: Frame.Kind?) {
            while self.next < self.frames.count {
                let frame = self.frames[self.next]
                let room = Limits.plaintextBytes - plaintext.count
                if frame.count <= Limits.plaintextBytes {
                    guard frame.count <= room else { return }
                    plaintext.append(contentsOf: frame)
                    self.finish(frame)
                    continue
                }
                // A cut frame fills whole plaintexts of its own, as the protocol demands of all
                // parts but the last.
                guard plaintext.isEmpty, let fragmentType else { return }
                let left = frame.count - self.offset
                let overhead = 1 + 2 + 1
                let part = min(left, Limits.plaintextBytes - overhead)
                var writer = WireWriter(capacity: Limits.plaintextBytes)
                writer.varint(fragmentType.rawValue)
                writer.varint(part + 1)
                writer.byte(part == left ? 1 : 0)
                writer.raw(Array(frame[self.offset..<self.offset + part]))
                plaintext = writer.bytes
                self.offset += part
                guard self.offset == frame.count else { return }
                self.offset = 0
                self.finish(frame)
            }
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
}
