/// The name of a stream in a conversation, by which both ends find it.
package struct StreamName: Hashable, Comparable, Sendable {
    /// The name, as that of a room, without joiners.
    package let text: String

    /// Accepts a name in its one spelling, as it comes over the wire; nil for any other.
    package init?(_ text: String) {
        guard let name = RoomName(text), name.key.utf8.elementsEqual(text.utf8) else { return nil }
        self.text = text
    }

    /// Accepts what a person typed, in any spelling.
    package init?(typed text: String) {
        guard !text.hasPrefix("#"), let name = RoomName(typed: text) else { return nil }
        self.text = name.key
    }

    /// Orders by text.
    package static func < (left: StreamName, right: StreamName) -> Bool { left.text < right.text }
}

/// A packet of an ephemeral stream.
package struct StreamPacket: Hashable, Sendable {
    package var name: StreamName
    /// Which one of its sender's it is, from 1, without gaps.
    package var number: UInt64
    /// Whether one that comes behind a later one is not wanted any more.
    package var isOrdered: Bool
    /// Whether the sender has ended the stream; such a packet has no bytes, and comes behind the last.
    package var isEnd = false
    /// What it carries: 1 to ``Limits/streamPacketBytes`` bytes, but for the end.
    package var bytes: [UInt8] = []

    package init(
        name: StreamName, number: UInt64, isOrdered: Bool, isEnd: Bool = false, bytes: [UInt8] = []
    ) {
        self.name = name
        self.number = number
        self.isOrdered = isOrdered
        self.isEnd = isEnd
        self.bytes = bytes
    }

    private static let orderedFlag: UInt8 = 1
    private static let endFlag: UInt8 = 2

    func write(to writer: inout WireWriter) {
        writer.byte((self.isOrdered ? Self.orderedFlag : 0) | (self.isEnd ? Self.endFlag : 0))
        writer.varint(self.number)
        writer.text(self.name.text)
        writer.raw(self.bytes)
    }

    init(from reader: inout WireReader) throws(WireError) {
        let flags = try reader.byte("packet flags")
        guard flags & ~(Self.orderedFlag | Self.endFlag) == 0 else {
            throw .value(field: "packet flags")
        }
        self.isOrdered = flags & Self.orderedFlag != 0
        self.isEnd = flags & Self.endFlag != 0
        self.number = try reader.varint("packet number")
        guard (1...UInt64(Int64.max)).contains(self.number) else {
            throw .value(field: "packet number")
        }
        let text = try reader.text("stream name", limit: Limits.nameBytes)
        guard let name = StreamName(text) else {
            throw .value(field: "stream name")
        }
        self.name = name
        self.bytes = try reader.raw("packet bytes", count: reader.remaining)
        guard
            self.isEnd
                ? self.bytes.isEmpty : (1...Limits.streamPacketBytes).contains(self.bytes.count)
        else { throw .value(field: "packet bytes") }
    }
}
