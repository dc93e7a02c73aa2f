/// The notification `stream`.
package struct StreamEvent: ControlEvent {
    package var stream: Int64 = 0
    /// Who sends it.
    package var peer = ""
    /// The name that the sender goes by here, as `Ada@` and the beginning of the key where it is ambiguous.
    package var peerName = ""
    /// Which packet of the sender's it is, from 1; at the end, how many there were.
    package var number: Int64 = 0
    /// The bytes; nil at the end.
    package var data: Base64?
    /// True for a packet that comes behind a later one and was told as missed; nil otherwise.
    package var late: Bool?
    /// True where the sender has ended the stream; nil otherwise.
    package var end: Bool?

    package init() {}

    package static var name: String { "stream" }
    package static var summary: String { "A packet of a stream that is received, or its end." }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
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
package struct StreamErrorEvent: ControlEvent {
    /// Why packets are missing.
    package enum Reason: String, WordValue {
        /// They did not come: they were sent before, or dropped on the way.
        case missed
        /// They came, and this client did not read.
        case slow
    }

    package var stream: Int64 = 0
    /// Whose packets; nil where those of several.
    package var peer: String?
    /// Why they are missing.
    package var reason = Reason.missed
    /// How many are missing.
    package var missed: Int64 = 0
    /// Of `slow`, how many waited for this client to read, and follow now.
    package var cached: Int64 = 0

    package init() {}

    package static var name: String { "streamError" }
    package static var summary: String { "Packets of a stream are missing." }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("stream", &self.stream)
        visitor.field("peer", &self.peer, .id)
        visitor.field("reason", &self.reason)
        visitor.field("missed", &self.missed)
        visitor.field("cached", &self.cached)
    }
}

/// The notification `streamPiece`.
package struct StreamPieceEvent: ControlEvent {
    package var subscription: Int64 = 0
    /// Its position in this node's order of arrival.
    package var cursor: Int64 = 0
    package var conversation = ""
    /// Who has sent it.
    package var peer = ""
    /// The name that the sender goes by here, as `Ada@` and the beginning of the key where it is ambiguous.
    package var peerName = ""
    package var name = ""
    /// Tells the sendings of one name apart.
    package var session: Int64 = 0
    /// How many bytes of the sending stand before these.
    package var offset: Int64 = 0
    package var data = Base64()
    /// True where the sending ends with it; nil otherwise.
    package var end: Bool?

    package init() {}

    package static var name: String { "streamPiece" }
    package static var summary: String {
        "Bytes of a durable stream; only for subscriptions with the kind stream."
    }
    package var expectedBytes: Int { self.data.expectedBytes + 500 }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
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
