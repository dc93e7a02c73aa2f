internal import Crypto

extension Frame {
    enum Kind: UInt64 {
        case ping = 0x01
        case pong = 0x02
        case credit = 0x03
        case goaway = 0x04
        case rooms = 0x05
        case roomsLeft = 0x06
        case liveRun = 0x10
        case liveFragment = 0x11
        case digest = 0x20
        case clock = 0x21
        case want = 0x22
        case syncRun = 0x23
        case syncFragment = 0x24
        case unavailable = 0x25
        case records = 0x26
        case recordClock = 0x27
        case forkProof = 0x28

        /// The channel of a frame type; unknown types take the channel that their number falls into.
        static func channel(of type: UInt64) -> Channel {
            switch type {
            case ..<0x10: .control
            case ..<0x20: .live
            default: .sync
            }
        }
    }

    private static let recordsPerFrame = 64
    private static let goawayTextBytes = 256
    private static let clockRows = Limits.logsPerConversation

    private var kind: Kind {
        switch self {
        case .ping: .ping
        case .pong: .pong
        case .credit: .credit
        case .goaway: .goaway
        case .rooms: .rooms
        case .roomsLeft: .roomsLeft
        case .liveRun: .liveRun
        case .digest: .digest
        case .clock: .clock
        case .want: .want
        case .syncRun: .syncRun
        case .unavailable: .unavailable
        case .records: .records
        case .recordClock: .recordClock
        case .forkProof: .forkProof
        }
    }

    /// The frame in its final bytes.
    ///
    /// - Precondition: the frame is within the limits of its channel.
    public var encoded: EncodedFrame {
        let body = self.body
        let kind = self.kind
        var writer = WireWriter(capacity: body.count + 6)
        writer.varint(kind.rawValue)
        writer.sized(body)
        let channel = Kind.channel(of: kind.rawValue)
        precondition(
            writer.bytes.count
                <= (channel == .control ? Limits.controlFrameBytes : Limits.frameBytes),
            "whoever makes a frame keeps it within its limit")
        return EncodedFrame(channel: channel, bytes: writer.bytes)
    }

    private var body: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .ping(let nonce, let clock), .pong(let nonce, let clock):
            writer.u64(nonce)
            writer.u64(clock)
        case .credit(let channel, let bytes):
            writer.byte(channel.rawValue)
            writer.varint(bytes)
        case .goaway(let reason, let text):
            writer.varint(reason?.rawValue ?? 0)
            writer.text(Self.clipped(text))
        case .rooms(let names):
            writer.varint(names.count)
            for name in names { writer.text(name.text) }
        case .roomsLeft(let conversations):
            writer.varint(conversations.count)
            for conversation in conversations { writer.raw(conversation.hash) }
        case .liveRun(let run), .syncRun(let run):
            return run.encoded
        case .digest(let conversation, let digest):
            writer.raw(conversation.hash)
            writer.raw(digest)
        case .clock(let conversation, let isComplete, let rows):
            writer.raw(conversation.hash)
            writer.byte(isComplete ? 1 : 0)
            writer.varint(rows.count)
            for row in rows {
                writer.u64(row.tag)
                writer.varint(row.seq)
                if row.seq > 0 { writer.u64(row.headTag) }
                writer.byte(row.state.rawValue)
            }
        case .want(let want):
            writer.raw(want.conversation.hash)
            writer.u64(want.tag)
            writer.varint(want.from)
            writer.varint(want.through)
        case .unavailable(let conversation, let tag, let from):
            writer.raw(conversation.hash)
            writer.u64(tag)
            writer.varint(from)
        case .records(let records):
            writer.varint(records.count)
            for record in records { writer.sized(record.encoded) }
        case .recordClock(let conversation, let rows):
            writer.raw(conversation.hash)
            writer.varint(rows.count)
            for row in rows {
                writer.u64(row.tag)
                writer.byte(row.kind)
                writer.u64(row.time.rawValue)
            }
        case .forkProof(let proof):
            return proof.encoded
        }
        return writer.bytes
    }

    /// The longest beginning of a text that fits a goaway.
    private static func clipped(_ text: String) -> String {
        var clipped = text
        while clipped.utf8.count > Self.goawayTextBytes { clipped.removeLast() }
        return clipped
    }

    /// Reads a whole frame; nil for one of an unknown even type, which is skipped.
    static func decode(type: UInt64, body: [UInt8]) throws(WireError) -> Frame? {
        guard let kind = Kind(rawValue: type) else {
            if type % 2 == 1 { throw .frameType(type) }
            return nil
        }
        var reader = WireReader(body)
        let frame = try Self.decode(kind, from: &reader)
        try reader.finish("frame body")
        return frame
    }

    private static func decode(
        _ kind: Kind, from reader: inout WireReader
    ) throws(WireError) -> Frame {
        switch kind {
        case .ping, .pong:
            let nonce = try reader.u64("nonce")
            let clock = try reader.u64("clock")
            return kind == .ping
                ? .ping(nonce: nonce, clock: clock) : .pong(nonce: nonce, clock: clock)
        case .credit:
            guard let channel = Channel(rawValue: try reader.byte("credit channel")),
                channel != .control
            else { throw .value(field: "credit channel") }
            let bytes = try reader.varint("credit bytes")
            guard bytes > 0 else { throw .value(field: "credit bytes") }
            return .credit(channel, bytes: bytes)
        case .goaway:
            let reason = GoawayReason(rawValue: try reader.varint("goaway reason"))
            return .goaway(reason, try reader.text("goaway text", limit: Self.goawayTextBytes))
        case .rooms:
            return .rooms(try Self.rooms(from: &reader))
        case .roomsLeft:
            return .roomsLeft(try Self.roomsLeft(from: &reader))
        case .liveRun:
            return .liveRun(try Self.run(from: &reader))
        case .syncRun:
            return .syncRun(try Self.run(from: &reader))
        case .digest:
            let conversation = ConversationID(try reader.bytes32("digest conversation"))
            return .digest(conversation, try reader.bytes32("digest"))
        case .clock:
            return try Self.clock(from: &reader)
        case .want:
            return .want(try Self.want(from: &reader))
        case .unavailable:
            let conversation = ConversationID(try reader.bytes32("unavailable conversation"))
            let tag = try reader.u64("unavailable tag")
            let from = try reader.varint("unavailable from")
            guard from <= UInt64(Int64.max) else { throw .value(field: "unavailable from") }
            return .unavailable(conversation, tag: tag, from: from)
        case .records:
            return .records(try Self.records(from: &reader))
        case .recordClock:
            return try Self.recordClock(from: &reader)
        case .forkProof:
            return .forkProof(try ForkProof(from: &reader))
        case .liveFragment, .syncFragment:
            throw .value(field: "fragment inside a fragment")
        }
    }

    /// A run with all its payloads: nothing is erased in version 1, so one that is left out is withheld.
    private static func run(from reader: inout WireReader) throws(WireError) -> Run {
        let run = try Run(from: &reader)
        #if MUTANTS
            if Mutant.acceptWithheldPayloads.isActive { return run }
        #endif
        for entry in run.entries {
            guard case .present = entry.payload else { throw .value(field: "run payload") }
        }
        return run
    }

    private static func rooms(from reader: inout WireReader) throws(WireError) -> [RoomName] {
        let count = try reader.count("rooms count", limit: Limits.roomsPerPeer)
        guard count > 0 else { throw .value(field: "rooms count") }
        var names: [RoomName] = []
        var last: String?
        for _ in 0..<count {
            let text = try reader.text("room name", limit: Limits.nameBytes)
            if let last, !last.utf8.lexicographicallyPrecedes(text.utf8) {
                throw .order(field: "rooms")
            }
            last = text
            // The peer's Unicode may know letters that ours does not: such rooms are not for us.
            if let name = RoomName(text) { names.append(name) }
        }
        return names
    }

    private static func roomsLeft(
        from reader: inout WireReader
    ) throws(WireError) -> [ConversationID] {
        let count = try reader.count("roomsLeft count", limit: Limits.roomsPerPeer)
        guard count > 0 else { throw .value(field: "roomsLeft count") }
        var left: [ConversationID] = []
        for _ in 0..<count {
            let conversation = ConversationID(try reader.bytes32("roomsLeft id"))
            if let last = left.last, conversation <= last { throw .order(field: "roomsLeft") }
            left.append(conversation)
        }
        return left
    }

    private static func clock(from reader: inout WireReader) throws(WireError) -> Frame {
        let conversation = ConversationID(try reader.bytes32("clock conversation"))
        let complete = try reader.byte("clock complete")
        guard complete <= 1 else { throw .value(field: "clock complete") }
        let count = try reader.count("clock count", limit: Self.clockRows)
        var rows: [ClockRow] = []
        for _ in 0..<count {
            let tag = try reader.u64("clock tag")
            if let last = rows.last, tag <= last.tag { throw .order(field: "clock rows") }
            let seq = try reader.varint("clock seq")
            guard seq <= UInt64(Int64.max) else { throw .value(field: "clock seq") }
            let headTag = seq > 0 ? try reader.u64("clock head tag") : 0
            guard let state = ClockRow.State(rawValue: try reader.byte("clock state")) else {
                throw .value(field: "clock state")
            }
            rows.append(ClockRow(tag: tag, seq: seq, headTag: headTag, state: state))
        }
        return .clock(conversation, isComplete: complete == 1, rows)
    }

    private static func want(from reader: inout WireReader) throws(WireError) -> Want {
        let conversation = ConversationID(try reader.bytes32("want conversation"))
        let tag = try reader.u64("want tag")
        let from = try reader.varint("want from")
        let through = try reader.varint("want through")
        guard from > 0, through <= UInt64(Int64.max), through >= from,
            through - from < Limits.wantEntries
        else { throw .value(field: "want range") }
        return Want(conversation: conversation, tag: tag, from: from, through: through)
    }

    private static func records(from reader: inout WireReader) throws(WireError) -> [Record] {
        let count = try reader.count("records count", limit: Self.recordsPerFrame)
        guard count > 0 else { throw .value(field: "records count") }
        var records: [Record] = []
        for _ in 0..<count {
            let bytes = try reader.sized("record", limit: Limits.recordValueBytes + 256)
            records.append(try Record(decoding: bytes))
        }
        return records
    }

    private static func recordClock(from reader: inout WireReader) throws(WireError) -> Frame {
        let conversation = ConversationID(try reader.bytes32("recordClock conversation"))
        let count = try reader.count("recordClock count", limit: Self.clockRows)
        var rows: [RecordRow] = []
        for _ in 0..<count {
            let tag = try reader.u64("recordClock tag")
            let kind = try reader.byte("recordClock kind")
            if let last = rows.last, (tag, kind) <= (last.tag, last.kind) {
                throw .order(field: "recordClock rows")
            }
            let time = HybridTime(try reader.u64("recordClock hlc"))
            rows.append(RecordRow(tag: tag, kind: kind, time: time))
        }
        return .recordClock(conversation, rows)
    }
}
