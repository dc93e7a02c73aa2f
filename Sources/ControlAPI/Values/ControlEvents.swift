/// What a subscriber is told without asking: a notification from the daemon.
package protocol ControlEvent: ControlValue {
    static var name: String { get }
    static var summary: String { get }
}

extension ControlEvent {
    /// The notification as one line with its newline.
    package var line: [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(self.expectedBytes + 64)
        self.writeLine(into: &output)
        return output
    }

    /// Appends ``line``.
    package func writeLine(into output: inout [UInt8]) {
        output.append(contentsOf: "{\"jsonrpc\":\"2.0\",\"method\":\"".utf8)
        output.append(contentsOf: Self.name.utf8)
        output.append(contentsOf: "\",\"params\":".utf8)
        self.write(into: &output)
        output.append(contentsOf: "}\n".utf8)
    }
}

/// All notifications.
package enum ControlEvents {
    /// In the order of the documentation.
    package static let all: [any ControlEvent.Type] = [
        MessageEvent.self, ChangeEvent.self, GapEvent.self, EndedEvent.self,
        TransferEvent.self, PresenceEvent.self, TypingEvent.self, PictureEvent.self,
        ListEvent.self, MembersEvent.self, RosterEvent.self, MissingEvent.self,
        CallEvent.self, StreamEvent.self, StreamErrorEvent.self, StreamPieceEvent.self,
    ]
}

/// The notification `message`.
package struct MessageEvent: ControlEvent {
    package var subscription: Int64 = 0
    package var message = MessageResult()

    package init() {}

    package static var name: String { "message" }
    package static var summary: String { "A message arrived or was sent." }
    package var expectedBytes: Int { self.message.expectedBytes }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.subscription(&self.subscription)
        visitor.field("message", &self.message, .any, "The message.")
    }
}

/// The notification `change`.
package struct ChangeEvent: ControlEvent {
    package var subscription: Int64 = 0
    package var change = ChangeResult()

    package init() {}

    package static var name: String { "change" }
    package static var summary: String {
        "Something other than a message happened; only for requested kinds."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.subscription(&self.subscription)
        visitor.field("change", &self.change, .any, "The change.")
    }
}

/// The notification `gap`.
package struct GapEvent: ControlEvent {
    package var subscription: Int64 = 0
    package var from: Int64 = 0
    package var to: Int64 = 0
    package var reason = ""

    package init() {}

    package static var name: String { "gap" }
    package static var summary: String {
        "Messages after from, up to and including to, are lost."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.subscription(&self.subscription)
        visitor.field("from", &self.from, .any, "Messages after this cursor are missing.")
        visitor.field("to", &self.to, .any, "The last missing cursor; go on after it.")
        visitor.field("reason", &self.reason, .any, "Why, in words.")
    }
}

/// The notification `ended`.
package struct EndedEvent: ControlEvent {
    package var subscription: Int64 = 0
    package var reason = ""

    package init() {}

    package static var name: String { "ended" }
    package static var summary: String {
        "The daemon ended the subscription because another reader of its consumer took over."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.subscription(&self.subscription)
        visitor.field("reason", &self.reason, .any, "A stable word for programs: takenOver.")
    }
}

/// The notification `transfer`.
package struct TransferEvent: ControlEvent {
    package var transfer = TransferResult()

    package init() {}

    package static var name: String { "transfer" }
    package static var summary: String {
        "A download made progress or ended; only after transfers with follow."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("transfer", &self.transfer, .any, "Progress of the download.")
    }
}
