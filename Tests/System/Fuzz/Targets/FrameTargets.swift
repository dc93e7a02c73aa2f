import Crypto

@testable import Engine
@testable import Formats

/// Several plaintexts of one link, read as they come.
///
/// Every frame in them is encoded again: to the bytes that came, cut or not.
enum FramesTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        var feed = Feed(bytes)
        var reader = FrameReader()
        var splitter = Splitter()
        var accepted = 0
        while !feed.isEmpty {
            let plaintext = PlaintextFeed.next(&feed).bytes
            guard let frames = try? reader.read(plaintext) else { return .refused }
            let wholes = try splitter.split(plaintext)
            try demand(frames.count == wholes.count, "a plaintext holds another number of frames")
            for (frame, whole) in zip(frames, wholes) {
                try demand(frame.byteCount == whole.bytes.count, "a frame counts for another size")
                try demand(frame.channel == whole.channel, "a frame has another channel")
                if let known = frame.frame {
                    try Self.canonical(known, whole.bytes)
                } else {
                    try demand(
                        whole.type.isMultiple(of: 2) && Frame.Kind(rawValue: whole.type) == nil,
                        "a frame is skipped that must be understood")
                }
            }
            accepted += frames.count
        }
        return accepted == 0 ? .refused : .accepted
    }

    /// A frame encodes to the bytes that it was read from, and comes back through a queue.
    static func canonical(_ frame: Frame, _ whole: [UInt8]) throws {
        let encoded = frame.encoded
        guard Self.hasOneForm(frame) else { return }
        try demand(encoded.bytes == whole, "a frame is taken in a second form")
        var queue = FrameQueue()
        queue.append(encoded)
        var reader = FrameReader()
        var received: [ReceivedFrame] = []
        while let plaintext = queue.nextPlaintext() {
            try demand(plaintext.count <= Limits.plaintextBytes, "a plaintext is too long")
            received += try reader.read(plaintext)
        }
        try demand(
            received.count == 1 && received.first?.frame == frame,
            "a frame does not survive its way")
    }

    /// Whether a frame says all that came: reasons that are not known become one, and names that are
    /// no names of rooms here are left out.
    static func hasOneForm(_ frame: Frame) -> Bool {
        switch frame {
        case .goaway(nil, _), .rooms: false
        default: true
        }
    }

    /// Finds the frames in plaintexts in the plainest way.
    private struct Splitter {
        private var parts: [Channel: [UInt8]] = [:]

        mutating func split(
            _ plaintext: [UInt8]
        ) throws -> [(type: UInt64, channel: Channel, bytes: [UInt8])] {
            var reader = WireReader(plaintext)
            var wholes: [(UInt64, Channel, [UInt8])] = []
            while reader.remaining > 0 {
                let start = reader.position
                let type = try reader.varint("type")
                let body = try reader.sized("body", limit: plaintext.count)
                if type == 0x22 || type == 0x47 {
                    let channel = type == 0x22 ? Channel.live : .sync
                    let whole = self.parts[channel, default: []] + body[1...]
                    self.parts[channel] = body[0] == 1 ? [] : whole
                    guard body[0] == 1 else { continue }
                    var inner = WireReader(whole)
                    wholes.append((try inner.varint("type"), channel, whole))
                } else {
                    guard let channel = Channel(rawValue: UInt8(clamping: type / 32)) else {
                        throw Finding("a frame of no channel is taken")
                    }
                    wholes.append((type, channel, Array(plaintext[start..<reader.position])))
                }
            }
            return wholes
        }
    }
}

/// One frame: a byte says which of some kinds, the rest is its body.
enum BodyTarget {
    private static let clocks: [Frame.Kind] = [
        .clock, .recordClock, .digest, .want, .unavailable, .buckets, .delta, .payloadWant,
        .payloads, .actHeads, .actWant, .acts, .epochKeys, .sealedKeys,
    ]
    private static let controls: [Frame.Kind] = [
        .ping, .pong, .credit, .goaway, .realms, .rooms, .roomsLeft, .shares, .dialBack,
        .dialledBack, .ephemeral, .presence, .device, .handOver, .addresses,
    ]

    /// Digests, clock rows and what asks by them.
    static func clock(_ bytes: [UInt8]) throws -> Verdict { try Self.run(bytes, Self.clocks) }

    /// The frames of channel 0, and that of the tags of conversations.
    static func control(_ bytes: [UInt8]) throws -> Verdict { try Self.run(bytes, Self.controls) }

    private static func run(_ bytes: [UInt8], _ kinds: [Frame.Kind]) throws -> Verdict {
        var feed = Feed(bytes)
        let kind = kinds[Int(feed.byte()) % kinds.count]
        let body = feed.remainder()
        guard let frame = try? Frame.decode(type: kind.rawValue, body: body) else {
            return .refused
        }
        var whole = WireWriter()
        whole.varint(kind.rawValue)
        whole.sized(body)
        if case .rooms(let tag, let names) = frame {
            try Self.rooms(tag, names, whole.bytes)
        } else if case .goaway(nil, let text) = frame {
            var reader = WireReader(body)
            let reason = try reader.varint("reason")
            try demand(GoawayReason(rawValue: reason) == nil, "a known reason is lost")
            try demand(try reader.text("text", limit: 256).utf8.elementsEqual(text.utf8), "words")
        } else {
            try FramesTarget.canonical(frame, whole.bytes)
        }
        if case .ephemeral(let piece) = frame { try Self.piece(piece) }
        try Self.bounds(frame)
        return .accepted
    }

    /// What a piece says has one form, too.
    private static func piece(_ piece: EphemeralPiece) throws {
        let author = PeerID(Keys.ada.publicKey)
        guard let body = EphemeralBody(clear: piece) else { return }
        var random = SystemRandomNumberGenerator()
        let again = body.piece(
            in: piece.conversation, stream: piece.stream, by: author, with: nil, using: &random)
        try demand(again == piece, "a piece is taken in a second form")
    }

    /// No seq is larger than a seq may be: `Docs/Protocol/Entries.md` section 1.
    private static func bounds(_ frame: Frame) throws {
        let largest: UInt64
        switch frame {
        case .clock(_, let pages): largest = pages.flatMap(\.rows).map(\.seq).max() ?? 0
        case .delta(_, let rows): largest = rows.map(\.seq).max() ?? 0
        case .want(let want), .payloadWant(let want): largest = want.through
        case .payloads(let payloads): largest = payloads.from + UInt64(payloads.items.count)
        case .unavailable(_, _, let from): largest = from
        default: largest = 0
        }
        try demand(largest <= UInt64(Int64.max), "a seq is larger than a seq may be")
    }

    /// Names of rooms come back, but for those that are none here.
    private static func rooms(_ tag: Bytes16, _ names: [RoomName], _ whole: [UInt8]) throws {
        // A room may be there in two spellings, with joiners and without.
        let texts = names.map(\.text)
        let areInOrder = zip(texts, texts.dropFirst()).allSatisfy {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
        try demand(areInOrder, "names repeat")
        guard !names.isEmpty else { return }
        var writer = WireWriter()
        writer.raw(tag.bytes)
        writer.varint(names.count)
        for name in names { writer.text(name.text) }
        let again = try Frame.decode(type: Frame.Kind.rooms.rawValue, body: writer.bytes)
        try demand(again == .rooms(tag, names), "names of rooms do not survive their encoding")
        var reader = WireReader(whole)
        _ = try reader.varint("type")
        _ = try reader.varint("length")
        _ = try reader.raw("tag", count: 16)
        if try reader.varint("count") == UInt64(names.count), whole.count <= 4_096 {
            try demand(
                Frame.rooms(tag, names).encoded.bytes == whole, "names are taken in a second form")
        }
    }
}
