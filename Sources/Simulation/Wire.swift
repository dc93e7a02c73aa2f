import Engine
import Formats
import Crypto

/// A TCP stream between two machines, from the dial to its end.
///
/// A class, since a thousand machines have forty thousand, which change with each frame.
final class Wire {
    /// What travels in one piece.
    enum Chunk {
        /// A handshake message, by number.
        case hello(Int)
        /// Frames that left together.
        case frames([(EncodedFrame, ReceivedFrame)])
        /// Bytes of a session.
        case bytes([UInt8])
        /// A frame that may not be one.
        case garbled([UInt8])
        /// The end of the stream.
        case end
    }

    /// One end of the stream.
    struct End {
        var machine: Int
        /// Which start of the machine it belongs to.
        var start: Int
        /// What that start calls itself, which a handshake tells even when the machine restarts meanwhile.
        var boot: UInt64 = 0
        /// The secrets that it shakes hands by, whatever its machine joins and leaves meanwhile.
        var secrets: [RealmSecret] = []
        /// The name that the node knows it by, once it is open.
        var link: LinkID?
        /// Where this side finds the other one, once it is open.
        var source: Source?
        /// Whether this side has done with it.
        var isGone = false
        var session: SessionBox?
    }

    /// What goes from one end to the other.
    struct Direction {
        /// Frames that wait, by channel.
        var lanes: [Channel: [(EncodedFrame, ReceivedFrame)]] = [:]
        var controlBytes = 0
        /// Chunks on their way.
        var inFlight: [Chunk] = []
        var bytesInFlight = 0
        var lastArrival: UInt64 = 0
        /// Until when the sender is occupied with a chunk.
        var isSending = false
        /// Whether the way is blocked and all that is in flight waits to be sent again.
        var isStalled = false
        /// Whether nothing may be sent behind what waits.
        var isEnding = false
        /// Bytes sent and not credited back, by channel; what the receiving node may not see exceeded.
        var outstanding: [Channel: Int] = [:]
        /// The tag under which the sending side has announced rooms last.
        var roomTag: Bytes16?
        /// Rooms that the receiving side has announced to the sending one.
        var announced: Set<ConversationID> = []
        /// Rooms that it announced and left again before this: a node that still decides which of two
        /// links stays reads both only then.
        var leftEarly: Set<ConversationID> = []
        var readBy: UInt64 = 0
        /// The files of which the receiving side has wanted parts, by its numbers.
        var wanted: [UInt64: Set<BlobID>] = [:]
    }

    let number: Int
    let dial: DialID
    let expecting: PeerID?
    let address: String
    /// The key of the tags, equal on both ends and drawn from the seed.
    let exporter: Bytes64
    /// The side that dialled, then the side that was dialled.
    var ends: [End]
    var directions = [Direction(), Direction()]
    /// How much longer all takes on this stream than on others.
    var spread: UInt64 = 0
    /// Whether nothing arrives any more: the stream was cut, or an address is gone, of which nobody is told.
    var isDead = false

    init(
        number: Int, dial: DialID, expecting: PeerID?, address: String, exporter: Bytes64,
        ends: [End]
    ) {
        self.number = number
        self.dial = dial
        self.expecting = expecting
        self.address = address
        self.exporter = exporter
        self.ends = ends
    }

    var isOver: Bool { self.ends[0].isGone && self.ends[1].isGone }
}

/// A session in a place where a copyable value can hold it.
final class SessionBox {
    var session: Session

    init(_ session: consuming Session) { self.session = session }
}
