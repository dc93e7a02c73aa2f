/// The notification `stream`.
package struct StreamEvent: ControlEvent {
    package var stream: Int64 = 0
    package var conversation = ""
    package var peer = ""
    package var peerName = ""
    package var number: Int64 = 0
    package var data: Base64?
    package var late: Bool?
    package var end: Bool?

    package init() {}

    package static var name: String { "stream" }
    package static var summary: String {
        "A packet of an ephemeral stream arrived, or the stream ended."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("stream", &self.stream, .any, "The number that openStream returned.")
        visitor.field("conversation", &self.conversation, .id, "The conversation's id.")
        visitor.field("peer", &self.peer, .id, "The sender's device.")
        visitor.field(
            "peerName", &self.peerName, .any,
            "The sender's name here; Ada@ and the beginning of the key if the name is ambiguous.")
        visitor.field(
            "number", &self.number, .any,
            "The number of the packet, from 1; at the end, how many there were.")
        visitor.field("data", &self.data, .any, "The bytes, in base64; left out at the end.")
        visitor.field(
            "late", &self.late, .any,
            "True for a packet that arrived after a later one and was reported as missed; only without ordered."
        )
        visitor.field("end", &self.end, .any, "True if the sender ended the stream.")
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
    package var peer: String?
    package var reason = Reason.missed
    package var missed: Int64 = 0
    package var cached: Int64 = 0

    package init() {}

    package static var name: String { "streamError" }
    package static var summary: String { "Packets of an ephemeral stream are missing." }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("stream", &self.stream, .any, "The number that openStream returned.")
        visitor.field(
            "peer", &self.peer, .id,
            "The sender's device; left out if several senders are affected.")
        visitor.field(
            "reason", &self.reason, .any,
            "missed (sent before, or lost on the way) or slow (this client did not read).")
        visitor.field("missed", &self.missed, .any, "How many packets are missing.")
        visitor.field(
            "cached", &self.cached, .any, "With slow: how many packets were waiting and follow now."
        )
    }
}

/// The notification `streamPiece`.
package struct StreamPieceEvent: ControlEvent {
    package var subscription: Int64 = 0
    package var cursor: Int64 = 0
    package var conversation = ""
    package var peer = ""
    package var peerName = ""
    package var name = ""
    package var session: Int64 = 0
    package var offset: Int64 = 0
    package var data = Base64()
    package var end: Bool?
    /// Whether the bytes are those that were sent: what ends up in a file must not lack some.
    package private(set) var hasData = true

    package init() {}

    package init?(lenient json: JSON) {
        guard case .object(let members) = json else { return nil }
        self.init(lenientFrom: members)
        self.hasData = !self.data.bytes.isEmpty || json["data"] == ""
    }

    package static var name: String { "streamPiece" }
    package static var summary: String {
        "Bytes of a durable stream arrived; only with the kind stream."
    }
    package var expectedBytes: Int { self.data.expectedBytes + 500 }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.subscription(&self.subscription)
        visitor.field("cursor", &self.cursor, .any, "Its place in this node's order of arrival.")
        visitor.field("conversation", &self.conversation, .id, "The conversation's id.")
        visitor.field("peer", &self.peer, .id, "The sender's device.")
        visitor.field(
            "peerName", &self.peerName, .any,
            "The sender's name here; Ada@ and the beginning of the key if the name is ambiguous.")
        visitor.field("name", &self.name, .any, "The stream's name.")
        visitor.field(
            "session", &self.session, .any, "A number that tells the sendings of one name apart.")
        visitor.field(
            "offset", &self.offset, .any, "How many bytes of the sending come before these.")
        visitor.field("data", &self.data, .any, "The bytes, in base64.")
        visitor.field("end", &self.end, .any, "True with the last part of a sending.")
    }
}
