internal import Formats

/// What became of a frame that was to be sent.
enum Sending {
    case now
    /// It waits for credit.
    case later
    /// Too much waits.
    case never
}

/// A number for each channel that has credit.
struct PerChannel: Hashable, Sendable {
    private var live: Int
    private var sync: Int
    private var blob: Int

    init(_ value: Int) { (self.live, self.sync, self.blob) = (value, value, value) }

    /// Of channels that no credit bounds there is none.
    subscript(channel: Channel) -> Int? {
        get {
            switch channel {
            case .control, .ephemeral: nil
            case .live: self.live
            case .sync: self.sync
            case .blob: self.blob
            }
        }
        set {
            switch channel {
            case .control, .ephemeral: break
            case .live: self.live = newValue ?? 0
            case .sync: self.sync = newValue ?? 0
            case .blob: self.blob = newValue ?? 0
            }
        }
    }
}

/// Credit of a link in both directions, and the frames that wait for it.
///
/// `Docs/Protocol/Wire.md`, "Credit".
struct FlowControl: Sendable {
    /// Small leftovers are not worth a frame, and can never starve the peer of a whole one.
    private static let creditStep = 16_384
    /// What keeping a frame takes besides its bytes.
    private static let frameOverhead = 64

    /// What may still be sent.
    private var credit = PerChannel(Limits.initialCredit)
    private(set) var outbox = Queue<EncodedFrame>()
    /// What these take.
    private(set) var waitingBytes = 0
    /// What was taken in, and what of it was consumed and not credited back.
    private var outstanding = PerChannel(0)
    private var owed = PerChannel(0)

    // MARK: Sending

    /// What was sent and not credited back, and what waits: held here, by the systems, or by a peer that
    /// does not take it.
    var untakenBytes: Int {
        [Channel.live, .sync, .blob].reduce(self.waitingBytes) {
            $0 + Limits.initialCredit - self.credit(on: $1)
        }
    }

    func credit(on channel: Channel) -> Int { self.credit[channel] ?? .max }

    mutating func spend(_ bytes: Int, on channel: Channel) {
        guard channel.hasCredit else { return }
        self.credit[channel] = self.credit(on: channel) - bytes
        precondition(self.credit(on: channel) >= 0, "a frame starts only when all of it fits")
    }

    /// Takes credit from the peer; false when it would be more than was ever given.
    mutating func earn(_ bytes: UInt64, on channel: Channel) -> Bool {
        let space = Limits.initialCredit - self.credit(on: channel)
        guard bytes <= UInt64(space) else { return false }
        self.credit[channel] = self.credit(on: channel) + Int(bytes)
        return true
    }

    /// Whether a frame of sync has credit, and nothing waits before it.
    func takesNow(_ frame: EncodedFrame) -> Bool {
        self.outbox.isEmpty && self.credit(on: .sync) >= frame.bytes.count
    }

    /// Takes credit for a frame, or queues it behind those that wait for credit.
    mutating func send(_ frame: EncodedFrame) -> Sending {
        let isFirst = frame.channel != .sync || self.outbox.isEmpty
        if isFirst && (frame.channel != .sync || self.credit(on: .sync) >= frame.bytes.count) {
            self.spend(frame.bytes.count, on: frame.channel)
            return .now
        }
        let bytes = frame.bytes.count + Self.frameOverhead
        guard self.waitingBytes + bytes <= Limits.outboxBytes else { return .never }
        self.waitingBytes += bytes
        self.outbox.append(frame)
        return .later
    }

    /// The next frame that waited for credit and need not any longer.
    mutating func nextWaiting() -> EncodedFrame? {
        guard let next = self.outbox.first, self.credit(on: .sync) >= next.bytes.count else {
            return nil
        }
        self.spend(next.bytes.count, on: .sync)
        self.waitingBytes -= next.bytes.count + Self.frameOverhead
        return self.outbox.removeFirst()
    }

    /// Takes back the credit of a frame that waited and is not sent.
    mutating func takeBack(_ frame: EncodedFrame) {
        self.credit[frame.channel] = self.credit(on: frame.channel) + frame.bytes.count
    }

    // MARK: Receiving

    /// Counts a frame that came in; false when the peer sent more than it may.
    mutating func take(_ frame: ReceivedFrame) -> Bool {
        guard frame.channel.hasCredit else { return true }
        let outstanding = self.uncredited(on: frame.channel) + frame.byteCount
        self.outstanding[frame.channel] = outstanding
        return outstanding <= Limits.initialCredit
    }

    /// How many bytes were taken in and not credited back.
    func uncredited(on channel: Channel) -> Int { self.outstanding[channel] ?? 0 }

    /// Gives back what was consumed; the credit to send, once it is worth a frame.
    mutating func consume(_ bytes: Int, on channel: Channel) -> Frame? {
        guard channel.hasCredit else { return nil }
        let owed = (self.owed[channel] ?? 0) + bytes
        guard owed >= Self.creditStep else {
            self.owed[channel] = owed
            return nil
        }
        self.owed[channel] = 0
        self.outstanding[channel] = self.uncredited(on: channel) - owed
        return .credit(channel, bytes: UInt64(owed))
    }
}
