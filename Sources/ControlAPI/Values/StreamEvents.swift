/// The notification `stream`.
public struct StreamEvent: ControlEvent {
    /// The number of the stream.
    public var stream: Int64 = 0
    /// Who sends it.
    public var peer = ""
    /// The name that the sender goes by here, as `Ada@` and the beginning of the key where it is ambiguous.
    public var peerName = ""
    /// Which packet of the sender's it is, from 1; at the end, how many there were.
    public var number: Int64 = 0
    /// The bytes; nil at the end.
    public var data: Base64?
    /// True for a packet that comes behind a later one and was told as missed; nil otherwise.
    public var late: Bool?
    /// True where the sender has ended the stream; nil otherwise.
    public var end: Bool?

    /// An empty event.
    public init() {}

    /// The name of the notification.
    public static var name: String { "stream" }
    /// One sentence for people.
    public static var summary: String { "A packet of a stream that is received, or its end." }

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("stream", &self.stream)
        visitor.field("peer", &self.peer, .id)
        visitor.field("peerName", &self.peerName)
        visitor.field("number", &self.number)
        visitor.field("data", &self.data)
        visitor.field("late", &self.late)
        visitor.field("end", &self.end)
    }
}

/// The notification `streamError`.
public struct StreamErrorEvent: ControlEvent {
    /// Why packets are missing.
    public enum Reason: String, WordValue {
        /// They did not come: they were sent before, or dropped on the way.
        case missed
        /// They came, and this client did not read.
        case slow
    }

    /// The number of the stream.
    public var stream: Int64 = 0
    /// Whose packets; nil where those of several.
    public var peer: String?
    /// Why they are missing.
    public var reason = Reason.missed
    /// How many are missing.
    public var missed: Int64 = 0
    /// Of `slow`, how many waited for this client to read, and follow now.
    public var cached: Int64 = 0

    /// An empty event.
    public init() {}

    /// The name of the notification.
    public static var name: String { "streamError" }
    /// One sentence for people.
    public static var summary: String { "Packets of a stream are missing." }

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("stream", &self.stream)
        visitor.field("peer", &self.peer, .id)
        visitor.field("reason", &self.reason)
        visitor.field("missed", &self.missed)
        visitor.field("cached", &self.cached)
    }
}

/// The notification `streamPiece`.
public struct StreamPieceEvent: ControlEvent {
    /// The number of the subscription.
    public var subscription: Int64 = 0
    /// Its position in this node's order of arrival.
    public var cursor: Int64 = 0
    /// In which conversation.
    public var conversation = ""
    /// Who has sent it.
    public var peer = ""
    /// The name that the sender goes by here, as `Ada@` and the beginning of the key where it is ambiguous.
    public var peerName = ""
    /// The stream's name.
    public var name = ""
    /// Tells the sendings of one name apart.
    public var session: Int64 = 0
    /// How many bytes of the sending stand before these.
    public var offset: Int64 = 0
    /// The bytes.
    public var data = Base64()
    /// True where the sending ends with it; nil otherwise.
    public var end: Bool?

    /// An empty event.
    public init() {}

    /// The name of the notification.
    public static var name: String { "streamPiece" }
    /// One sentence for people.
    public static var summary: String {
        "Bytes of a durable stream; only for subscriptions with the kind stream."
    }
    /// That of the bytes.
    public var expectedBytes: Int { self.data.expectedBytes + 500 }

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("subscription", &self.subscription)
        visitor.field("cursor", &self.cursor)
        visitor.field("conversation", &self.conversation, .id)
        visitor.field("peer", &self.peer, .id)
        visitor.field("peerName", &self.peerName)
        visitor.field("name", &self.name)
        visitor.field("session", &self.session)
        visitor.field("offset", &self.offset)
        visitor.field("data", &self.data)
        visitor.field("end", &self.end)
    }
}
