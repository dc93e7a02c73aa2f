/// What a subscriber is told without asking: a notification from the daemon.
public protocol ControlEvent: ControlValue {
    /// The name of the notification.
    static var name: String { get }
    /// One sentence for people.
    static var summary: String { get }
}

extension ControlEvent {
    /// The notification as one line with its newline.
    public var line: [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(self.expectedBytes + 64)
        self.writeLine(into: &output)
        return output
    }

    /// Appends ``line``.
    public func writeLine(into output: inout [UInt8]) {
        output.append(contentsOf: "{\"jsonrpc\":\"2.0\",\"method\":\"".utf8)
        output.append(contentsOf: Self.name.utf8)
        output.append(contentsOf: "\",\"params\":".utf8)
        self.write(into: &output)
        output.append(contentsOf: "}\n".utf8)
    }
}

/// All notifications.
public enum ControlEvents {
    /// In the order of the documentation.
    public static let all: [any ControlEvent.Type] = [
        MessageEvent.self, ChangeEvent.self, GapEvent.self, EndedEvent.self,
        TransferEvent.self, PresenceEvent.self, TypingEvent.self, PictureEvent.self,
        StreamEvent.self, StreamErrorEvent.self, StreamPieceEvent.self,
    ]
}

/// The notification `message`.
public struct MessageEvent: ControlEvent {
    /// The number of the subscription.
    public var subscription: Int64 = 0
    /// What arrived.
    public var message = MessageResult()

    /// An empty event.
    public init() {}

    /// The name of the notification.
    public static var name: String { "message" }
    /// One sentence for people.
    public static var summary: String { "A message arrived or was sent." }
    /// That of the message.
    public var expectedBytes: Int { self.message.expectedBytes }

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("subscription", &self.subscription)
        visitor.field("message", &self.message)
    }
}

/// The notification `change`.
public struct ChangeEvent: ControlEvent {
    /// The number of the subscription.
    public var subscription: Int64 = 0
    /// What happened.
    public var change = ChangeResult()

    /// An empty event.
    public init() {}

    /// The name of the notification.
    public static var name: String { "change" }
    /// One sentence for people.
    public static var summary: String {
        "Something happened that is no message; only for kinds that were asked for."
    }

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("subscription", &self.subscription)
        visitor.field("change", &self.change)
    }
}

/// The notification `gap`.
public struct GapEvent: ControlEvent {
    /// The number of the subscription.
    public var subscription: Int64 = 0
    /// The messages after this cursor are missing.
    public var from: Int64 = 0
    /// The last cursor that is missing.
    public var to: Int64 = 0
    /// Why.
    public var reason = ""

    /// An empty event.
    public init() {}

    /// The name of the notification.
    public static var name: String { "gap" }
    /// One sentence for people.
    public static var summary: String {
        "The messages after from up to and including to cannot be given."
    }

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("subscription", &self.subscription)
        visitor.field("from", &self.from)
        visitor.field("to", &self.to)
        visitor.field("reason", &self.reason)
    }
}

/// The notification `ended`.
public struct EndedEvent: ControlEvent {
    /// The number of the subscription.
    public var subscription: Int64 = 0
    /// A stable word for programs: `takenOver`.
    public var reason = ""

    /// An empty event.
    public init() {}

    /// The name of the notification.
    public static var name: String { "ended" }
    /// One sentence for people.
    public static var summary: String {
        "The daemon has ended the subscription: another reader of its consumer took over."
    }

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("subscription", &self.subscription)
        visitor.field("reason", &self.reason)
    }
}

/// The notification `transfer`.
public struct TransferEvent: ControlEvent {
    /// How far a file is.
    public var transfer = TransferResult()

    /// An empty event.
    public init() {}

    /// The name of the notification.
    public static var name: String { "transfer" }
    /// One sentence for people.
    public static var summary: String {
        "A file is further than before, or has come; only where transfers was asked to follow."
    }

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("transfer", &self.transfer)
    }
}
