/// Why a page's connection is ended: RFC 6455 section 7.4.
package enum WebSocketError: Error, Equatable, Sendable {
    /// What came is no WebSocket: a frame without a mask, with reserved bits, out of order.
    case protocolViolation
    /// A message of another kind than text.
    case notText
    /// A message that is too long.
    case tooLarge

    package var code: UInt16 {
        switch self {
        case .protocolViolation: 1_002
        case .notText: 1_003
        case .tooLarge: 1_009
        }
    }
}

/// Reads what a browser sends on a WebSocket: bytes in, messages out; RFC 6455 section 5.
package struct WebSocketReader: Sendable {
    package enum Message: Equatable, Sendable {
        case text([UInt8])
        case ping([UInt8])
        case close
    }

    private struct Header {
        var isFinal: Bool
        var kind: UInt8
        var length: Int
        var mask: ArraySlice<UInt8>
        var bytes: Int
    }

    private var buffer: [UInt8] = []
    /// What has come of a message in parts; nil between messages.
    private var parts: [UInt8]?
    private let limit: Int

    package init(limit: Int = WebLimits.messageBytes) { self.limit = limit }

    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        self.buffer.append(contentsOf: bytes)
    }

    /// The next message that is there; nil where there is none yet.
    ///
    /// After an error the connection is over.
    package mutating func next() throws(WebSocketError) -> Message? {
        while let header = try self.header() {
            guard self.buffer.count >= header.bytes + header.length else { return nil }
            var content = Array(self.buffer[header.bytes..<header.bytes + header.length])
            for index in content.indices {
                content[index] ^= header.mask[header.mask.startIndex + index % 4]
            }
            self.buffer.removeFirst(header.bytes + header.length)
            if let message = try self.message(header, content) { return message }
        }
        return nil
    }

    private mutating func message(
        _ header: Header, _ content: [UInt8]
    ) throws(WebSocketError) -> Message? {
        switch header.kind {
        case 0x8: return .close
        case 0x9: return .ping(content)
        case 0xA: return nil
        case 0x1:
            guard self.parts == nil else { throw .protocolViolation }
            if header.isFinal { return .text(content) }
            self.parts = content
            return nil
        case 0x0:
            guard let before = self.parts else { throw .protocolViolation }
            let whole = before + content
            self.parts = header.isFinal ? nil : whole
            return header.isFinal ? .text(whole) : nil
        case 0x2: throw .notText
        default: throw .protocolViolation
        }
    }

    /// The header of the frame at the front, checked before its content has come.
    private func header() throws(WebSocketError) -> Header? {
        guard self.buffer.count >= 2 else { return nil }
        let (first, second) = (self.buffer[0], self.buffer[1])
        let kind = first & 0x0F
        let isFinal = first & 0x80 != 0
        // No extension was agreed on, and a browser masks everything.
        guard first & 0x70 == 0, second & 0x80 != 0 else { throw .protocolViolation }
        let short = Int(second & 0x7F)
        if kind >= 8 { guard isFinal, short <= 125 else { throw .protocolViolation } }
        let more = short == 126 ? 2 : short == 127 ? 8 : 0
        guard self.buffer.count >= 2 + more + 4 else { return nil }
        let length =
            more == 0
            ? UInt64(short) : self.buffer[2..<2 + more].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard length <= UInt64(self.limit), Int(length) + (self.parts?.count ?? 0) <= self.limit
        else { throw .tooLarge }
        return Header(
            isFinal: isFinal, kind: kind, length: Int(length),
            mask: self.buffer[2 + more..<6 + more], bytes: 6 + more)
    }
}

/// The frames of a server.
package enum WebSocketFrame {
    package static func text(_ content: some Collection<UInt8>) -> [UInt8] {
        self.frame(0x1, content)
    }

    package static func pong(_ content: [UInt8]) -> [UInt8] { self.frame(0xA, content) }

    /// The last frame, with a reason as a code.
    package static func close(_ code: UInt16) -> [UInt8] {
        self.frame(0x8, [UInt8(code >> 8), UInt8(code & 0xFF)])
    }

    private static func frame(_ kind: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
        var frame: [UInt8] = [0x80 | kind]
        let count = content.count
        switch count {
        case ..<126: frame.append(UInt8(count))
        case ..<65_536: frame += [126, UInt8(count >> 8), UInt8(count & 0xFF)]
        default: frame += [127] + (0..<8).map { UInt8(count >> (56 - $0 * 8) & 0xFF) }
        }
        frame.reserveCapacity(frame.count + count)
        frame.append(contentsOf: content)
        return frame
    }
}
