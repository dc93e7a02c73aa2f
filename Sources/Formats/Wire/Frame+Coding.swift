internal import Crypto

extension Frame {
    package enum Kind: UInt64 {
        case ping = 0x01
        case pong = 0x02
        case credit = 0x03
        case goaway = 0x04
        case realms = 0x05
        case rooms = 0x06
        case roomsLeft = 0x07
        case dialBack = 0x0a
        case dialledBack = 0x0c
        case device = 0x0e
        case addresses = 0x14
        case liveRun = 0x21
        case liveFragment = 0x22
        case digest = 0x41
        case buckets = 0x42
        case clock = 0x43
        case delta = 0x44
        case want = 0x45
        case syncRun = 0x46
        case syncFragment = 0x47
        case unavailable = 0x48
        case records = 0x49
        case recordClock = 0x4a
        case forkProof = 0x4b
        case shares = 0x4c
        case payloadWant = 0x4e
        case payloads = 0x50
        case blobAsk = 0x52
        case blobHoldings = 0x54
        case blobWant = 0x56
        case blobUnavailable = 0x58
        case acts = 0x59
        case actHeads = 0x5a
        case epochKeys = 0x5b
        case actWant = 0x5c
        case sealedKeys = 0x5d
        case blobPiece = 0x62
        case handOver = 0x64
        case ephemeral = 0x82
        case presence = 0x84

        /// The channel of a frame type, known or not.
        ///
        /// A type is 32 times its channel and a number from 1 to 31; throws for any other.
        package static func channel(of type: UInt64) throws(WireError) -> Channel {
            guard type % Self.typesPerChannel != 0,
                let number = UInt8(exactly: type / Self.typesPerChannel),
                let channel = Channel(rawValue: number)
            else { throw .frameType(type) }
            return channel
        }

        private static let typesPerChannel: UInt64 = 32

        var channel: Channel {
            guard let channel = Channel(rawValue: UInt8(self.rawValue / Self.typesPerChannel))
            else { preconditionFailure("every known type is one of a channel") }
            return channel
        }
    }

    private static let goawayTextBytes = 256
    /// As many ids as fit a frame of channel 0.
    private static let roomsLeft = 120

    private var kind: Kind {
        switch self {
        case .ping: .ping
        case .pong: .pong
        case .credit: .credit
        case .goaway: .goaway
        case .realms: .realms
        case .rooms: .rooms
        case .roomsLeft: .roomsLeft
        case .liveRun: .liveRun
        case .digest: .digest
        case .buckets: .buckets
        case .clock: .clock
        case .delta: .delta
        case .want: .want
        case .syncRun: .syncRun
        case .unavailable: .unavailable
        case .records: .records
        case .recordClock: .recordClock
        case .forkProof: .forkProof
        case .payloadWant: .payloadWant
        case .payloads: .payloads
        case .shares: .shares
        case .dialBack: .dialBack
        case .dialledBack: .dialledBack
        case .actHeads: .actHeads
        case .epochKeys: .epochKeys
        case .actWant: .actWant
        case .sealedKeys: .sealedKeys
        case .acts: .acts
        case .addresses: .addresses
        case .blobAsk: .blobAsk
        case .blobHoldings: .blobHoldings
        case .blobWant: .blobWant
        case .blobUnavailable: .blobUnavailable
        case .blobPiece: .blobPiece
        case .ephemeral: .ephemeral
        case .presence: .presence
        case .device: .device
        case .handOver: .handOver
        }
    }

    /// The frame in its final bytes.
    ///
    /// - Precondition: the frame is within the limits of its channel.
    package var encoded: EncodedFrame {
        let body = self.body
        let kind = self.kind
        var writer = WireWriter(capacity: body.count + 6)
        writer.varint(kind.rawValue)
        writer.sized(body)
        let channel = kind.channel
        precondition(
            writer.bytes.count <= channel.frameBytes,
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
        case .realms(let tags): RealmFrames.write(tags, to: &writer)
        case .rooms(let tag, let names): RealmFrames.write(tag, names, to: &writer)
        case .roomsLeft(let conversations):
            writer.varint(conversations.count)
            for conversation in conversations { writer.raw(conversation.hash) }
        case .liveRun(let run), .syncRun(let run):
            return run.encoded
        case .digest(let conversation, let digest):
            writer.raw(conversation.hash)
            writer.raw(digest.logs)
            writer.raw(digest.records)
        case .buckets(let conversation, let tags):
            precondition(tags.count == LogBucket.count, "every bucket has a tag")
            writer.raw(conversation.hash)
            for tag in tags { writer.u64(tag) }
        case .clock(let conversation, let pages):
            writer.raw(conversation.hash)
            ClockPage.write(pages, to: &writer)
        case .delta(let conversation, let rows):
            writer.raw(conversation.hash)
            ClockRow.write(rows, to: &writer)
        case .want(let want), .payloadWant(let want):
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
            for row in rows { row.write(to: &writer) }
        case .forkProof(let proof):
            return proof.encoded
        case .payloads(let payloads): payloads.write(to: &writer)
        case .shares(let tags): RealmFrames.write(tags, to: &writer)
        case .dialBack(let port): writer.u16(port)
        case .dialledBack(let outcome): writer.byte(outcome.rawValue)
        case .actHeads(let heads): GroupFrames.write(heads, to: &writer)
        case .actWant(let want): GroupFrames.write(want, to: &writer)
        case .acts(let group, let acts): GroupFrames.write(group, acts, to: &writer)
        case .epochKeys(let group, let keys): GroupFrames.write(group, keys, to: &writer)
        case .sealedKeys(let group, let keys): GroupFrames.write(group, keys, to: &writer)
        case .addresses(let news): news.write(to: &writer)
        case .device(let step): step.write(to: &writer)
        case .handOver(let isLast, let bytes):
            writer = WireWriter(capacity: bytes.count + 8)
            writer.byte(isLast ? 1 : 0)
            writer.sized(bytes)
        case .blobAsk(let conversation, let blob):
            writer.raw(conversation?.hash ?? .zero)
            writer.raw(blob.hash)
        case .blobHoldings(let holdings): holdings.write(to: &writer)
        case .blobWant(let want): want.write(to: &writer)
        case .blobUnavailable(let number): writer.varint(number)
        case .blobPiece(let piece):
            writer = WireWriter(capacity: piece.bytes.count + 20)
            piece.write(to: &writer)
        case .ephemeral(let piece): piece.write(to: &writer)
        case .presence(let presence): writer.byte(presence.rawValue)
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
    package static func decode(type: UInt64, body: [UInt8]) throws(WireError) -> Frame? {
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
        case .credit: return try Self.credit(from: &reader)
        case .goaway:
            let reason = GoawayReason(rawValue: try reader.varint("goaway reason"))
            return .goaway(reason, try reader.text("goaway text", limit: Self.goawayTextBytes))
        case .realms: return try RealmFrames.realms(from: &reader)
        case .rooms: return try RealmFrames.rooms(from: &reader)
        case .shares: return try RealmFrames.shares(from: &reader)
        case .roomsLeft: return .roomsLeft(try Self.roomsLeft(from: &reader))
        case .liveRun:
            return .liveRun(try Self.run(from: &reader))
        case .syncRun:
            return .syncRun(try Self.run(from: &reader))
        case .digest: return try Self.digest(from: &reader)
        case .buckets:
            return try Self.buckets(from: &reader)
        case .clock:
            let conversation = ConversationID(try reader.bytes32("clock conversation"))
            return .clock(conversation, try ClockPage.pages(from: &reader))
        case .delta:
            let conversation = ConversationID(try reader.bytes32("delta conversation"))
            return .delta(conversation, try ClockRow.rows(from: &reader, atLeast: 1))
        case .want:
            return .want(try Self.want(from: &reader))
        case .payloadWant:
            return .payloadWant(try Self.want(from: &reader))
        case .payloads:
            return .payloads(try Payloads(from: &reader))
        case .unavailable:
            let conversation = ConversationID(try reader.bytes32("unavailable conversation"))
            let tag = try reader.u64("unavailable tag")
            let from = try reader.varint("unavailable from")
            guard from <= UInt64(Int64.max) else { throw .value(field: "unavailable from") }
            return .unavailable(conversation, tag: tag, from: from)
        case .records:
            return .records(try Self.records(from: &reader))
        case .recordClock:
            let conversation = ConversationID(try reader.bytes32("recordClock conversation"))
            return .recordClock(conversation, try RecordRow.rows(from: &reader))
        case .forkProof:
            return .forkProof(try ForkProof(from: &reader))
        case .dialBack: return .dialBack(port: try reader.u16("dialBack port"))
        case .dialledBack:
            guard
                let outcome = DialBackOutcome(rawValue: try reader.byte("dialledBack outcome"))
            else { throw .value(field: "dialledBack outcome") }
            return .dialledBack(outcome)
        case .actHeads, .actWant, .acts, .epochKeys, .sealedKeys:
            return try GroupFrames.read(kind, from: &reader)
        case .addresses: return .addresses(try AddressNews(from: &reader))
        case .blobAsk:
            let conversation = try reader.bytes32("blob conversation")
            return .blobAsk(
                conversation == .zero ? nil : ConversationID(conversation),
                BlobID(try reader.bytes32("blob")))
        case .blobHoldings: return .blobHoldings(try BlobHoldings(from: &reader))
        case .blobWant: return .blobWant(try BlobWant(from: &reader))
        case .blobUnavailable:
            return .blobUnavailable(number: try reader.varint("blob number"))
        case .blobPiece: return .blobPiece(try BlobPiece(from: &reader))
        case .ephemeral: return .ephemeral(try EphemeralPiece(from: &reader))
        case .presence:
            guard let presence = Presence(rawValue: try reader.byte("presence")) else {
                throw .value(field: "presence")
            }
            return .presence(presence)
        case .device: return .device(try DeviceStep(from: &reader))
        case .handOver: return try Self.handOver(from: &reader)
        case .liveFragment, .syncFragment:
            throw .value(field: "fragment inside a fragment")
        }
    }

    private static func handOver(from reader: inout WireReader) throws(WireError) -> Frame {
        let isLast = try reader.byte("hand-over last")
        guard isLast <= 1 else { throw .value(field: "hand-over last") }
        let bytes = try reader.sized("hand-over piece", limit: Limits.handOverPieceBytes)
        guard !bytes.isEmpty else { throw .value(field: "hand-over piece") }
        return .handOver(isLast: isLast == 1, bytes)
    }

    private static func credit(from reader: inout WireReader) throws(WireError) -> Frame {
        guard let channel = Channel(rawValue: try reader.byte("credit channel")),
            channel.hasCredit
        else { throw .value(field: "credit channel") }
        let bytes = try reader.varint("credit bytes")
        guard bytes > 0 else { throw .value(field: "credit bytes") }
        return .credit(channel, bytes: bytes)
    }

    /// A run with the payloads of all control entries: these are never erased, so that one that is
    /// left out is withheld.
    private static func run(from reader: inout WireReader) throws(WireError) -> Run {
        let run = try Run(from: &reader)
        #if MUTANTS
            if Mutant.acceptWithheldControl.isActive { return run }
        #endif
        for entry in run.entries where !entry.mayLackPayload {
            guard case .present = entry.payload else { throw .value(field: "run payload") }
        }
        return run
    }

    private static func roomsLeft(
        from reader: inout WireReader
    ) throws(WireError) -> [ConversationID] {
        let count = try reader.count("roomsLeft count", limit: Self.roomsLeft)
        guard count > 0 else { throw .value(field: "roomsLeft count") }
        var left: [ConversationID] = []
        for _ in 0..<count {
            let conversation = ConversationID(try reader.bytes32("roomsLeft id"))
            if let last = left.last, conversation <= last { throw .order(field: "roomsLeft") }
            left.append(conversation)
        }
        return left
    }

    private static func digest(from reader: inout WireReader) throws(WireError) -> Frame {
        let conversation = ConversationID(try reader.bytes32("digest conversation"))
        let logs = try reader.bytes32("log digest")
        let records = try reader.bytes32("record digest")
        return .digest(conversation, ConversationDigest(logs: logs, records: records))
    }

    private static func buckets(from reader: inout WireReader) throws(WireError) -> Frame {
        let conversation = ConversationID(try reader.bytes32("buckets conversation"))
        var tags: [UInt64] = []
        for _ in LogBucket.all { tags.append(try reader.u64("bucket tag")) }
        return .buckets(conversation, tags)
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
        let count = try reader.count("records count", limit: Limits.recordsPerFrame)
        guard count > 0 else { throw .value(field: "records count") }
        var records: [Record] = []
        for _ in 0..<count {
            let bytes = try reader.sized("record", limit: Limits.recordBytes)
            records.append(try Record(decoding: bytes))
        }
        return records
    }
}
