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
        StreamEvent.self, StreamErrorEvent.self, StreamPieceEvent.self,
    ]
}

/// The notification `message`.
package struct MessageEvent: ControlEvent {
    package var subscription: Int64 = 0
    /// What arrived.
    package var message = MessageResult()

    package init() {}

    package static var name: String { "message" }
    package static var summary: String { "A message arrived or was sent." }
    package var expectedBytes: Int { self.message.expectedBytes }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("subscription", &self.subscription)
        visitor.field("message", &self.message)
    }
}

/// The notification `change`.
package struct ChangeEvent: ControlEvent {
    package var subscription: Int64 = 0
    package var change = ChangeResult()

    package init() {}

    package static var name: String { "change" }
    package static var summary: String {
        "Something happened that is no message; only for kinds that were asked for."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("subscription", &self.subscription)
        visitor.field("change", &self.change)
    }
}

/// The notification `gap`.
package struct GapEvent: ControlEvent {
    package var subscription: Int64 = 0
    /// The messages after this cursor are missing.
    package var from: Int64 = 0
    /// The last cursor that is missing.
    package var to: Int64 = 0
    package var reason = ""

    package init() {}

    package static var name: String { "gap" }
    package static var summary: String {
        "The messages after from up to and including to cannot be given."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("subscription", &self.subscription)
        visitor.field("from", &self.from)
        visitor.field("to", &self.to)
        visitor.field("reason", &self.reason)
    }
}

/// The notification `ended`.
package struct EndedEvent: ControlEvent {
    package var subscription: Int64 = 0
    /// A stable word for programs: `takenOver`.
    package var reason = ""

    package init() {}

    package static var name: String { "ended" }
    package static var summary: String {
        "The daemon has ended the subscription: another reader of its consumer took over."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("subscription", &self.subscription)
        visitor.field("reason", &self.reason)
    }
}

/// The notification `transfer`.
package struct TransferEvent: ControlEvent {
    /// How far a file is.
    package var transfer = TransferResult()

    package init() {}

    package static var name: String { "transfer" }
    package static var summary: String {
        "A file is further than before, or has come; only where transfers was asked to follow."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("transfer", &self.transfer)
    }
}
