/// Turns the plaintexts of a link into frames and puts cut ones together again.
///
/// `Docs/Protocol/Wire.md` section 3. Bounded by one whole frame per channel.
package struct FrameReader: Sendable {
    private var liveParts: [UInt8] = []
    private var syncParts: [UInt8] = []

    package init() {}

    package mutating func read(_ plaintext: [UInt8]) throws(WireError) -> [ReceivedFrame] {
        guard (1...Limits.plaintextBytes).contains(plaintext.count) else {
            throw .value(field: "plaintext length")
        }
        var reader = WireReader(plaintext)
        var frames: [ReceivedFrame] = []
        while reader.remaining > 0 {
            let start = reader.position
            let type = try reader.varint("frame type")
            let body = try reader.sized("frame body", limit: Limits.plaintextBytes)
            let byteCount = reader.position - start
            switch Frame.Kind(rawValue: type) {
            case .liveFragment:
                if let whole = try Self.join(
                    body, of: byteCount, onto: &self.liveParts, .live)
                {
                    frames.append(whole)
                }
            case .syncFragment:
                if let whole = try Self.join(
                    body, of: byteCount, onto: &self.syncParts, .sync)
                {
                    frames.append(whole)
                }
            default:
                let channel = try Frame.Kind.channel(of: type)
                if channel == .live && !self.liveParts.isEmpty
                    || channel == .sync && !self.syncParts.isEmpty
                {
                    throw .value(field: "frame between fragments")
                }
                guard byteCount <= channel.frameBytes else {
                    throw .limit(
                        field: "frame", limit: channel.frameBytes, got: UInt64(byteCount))
                }
                frames.append(
                    ReceivedFrame(
                        frame: try Frame.decode(type: type, body: body), channel: channel,
                        byteCount: byteCount))
            }
        }
        return frames
    }

    private static func join(
        _ fragment: [UInt8], of byteCount: Int, onto parts: inout [UInt8], _ channel: Channel
    ) throws(WireError) -> ReceivedFrame? {
        guard fragment.count > 1, fragment[0] <= 1 else { throw .value(field: "fragment") }
        // Without this a peer could make us put a frame together from a byte at a time.
        guard fragment[0] == 1 || byteCount == Limits.plaintextBytes else {
            throw .value(field: "fragment length")
        }
        parts.append(contentsOf: fragment[1...])
        guard parts.count <= Limits.frameBytes else {
            throw .limit(field: "frame", limit: Limits.frameBytes, got: UInt64(parts.count))
        }
        guard fragment[0] == 1 else { return nil }
        defer { parts = [] }
        guard parts.count > Limits.plaintextBytes else { throw .value(field: "needless fragment") }
        var reader = WireReader(parts)
        let type = try reader.varint("frame type")
        let body = try reader.sized("frame body", limit: Limits.frameBytes)
        try reader.finish("frame")
        guard try Frame.Kind.channel(of: type) == channel else {
            throw .value(field: "fragment channel")
        }
        return ReceivedFrame(
            frame: try Frame.decode(type: type, body: body), channel: channel,
            byteCount: parts.count)
    }
}
