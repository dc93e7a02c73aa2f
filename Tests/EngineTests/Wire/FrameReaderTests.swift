import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Plaintexts that no peer may send")
struct FrameReaderTests {
    private let digest = Frame.digest(ConversationID(.zero), .zeros).encoded.bytes
    private let ping = Frame.ping(nonce: 1, clock: 2)

    private func fragment(_ type: UInt64, last: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        var writer = WireWriter()
        writer.varint(type)
        writer.sized([last] + bytes)
        return writer.bytes
    }

    /// The first of two fragments of a frame of an unknown even type, and the rest of that frame.
    private func cut(
        _ type: UInt64 = 0x5e, size: Int = 20_000
    ) -> (first: [UInt8], rest: [UInt8]) {
        var writer = WireWriter()
        writer.varint(type)
        writer.sized([UInt8](repeating: 0, count: size))
        return (Array(writer.bytes.prefix(16_380)), Array(writer.bytes.dropFirst(16_380)))
    }

    private func refusal(_ plaintexts: [[UInt8]]) -> WireError? {
        var reader = FrameReader()
        do throws(WireError) {
            for plaintext in plaintexts { _ = try reader.read(plaintext) }
            return nil
        } catch { return error }
    }

    @Test("an empty plaintext, or one over its limit")
    func sizes() {
        #expect(self.refusal([[]]) == .value(field: "plaintext length"))
        let pings = [[UInt8]](repeating: self.ping.encoded.bytes, count: 911).flatMap { $0 }
        #expect(pings.count == 16_398)
        #expect(self.refusal([pings]) == .value(field: "plaintext length"))
        #expect(self.refusal([Array(pings.dropLast(18))]) == nil)
    }

    @Test("a frame that ends outside its plaintext")
    func cutFrame() {
        #expect(self.refusal([Array(self.digest.dropLast())]) == .truncated(field: "frame body"))
        #expect(self.refusal([self.digest + [0x01]]) == .truncated(field: "frame body"))
        #expect(self.refusal([[0x80]]) == .truncated(field: "frame type"))
        #expect(self.refusal([[0x81, 0x00, 0x00]]) == .varint(field: "frame type"))
    }

    private func frame(_ type: UInt64, _ body: [UInt8]) -> [UInt8] {
        var writer = WireWriter()
        writer.varint(type)
        writer.sized(body)
        return writer.bytes
    }

    @Test(
        "types that this version does not know: even ones of a channel are skipped",
        arguments: [
            (0x08, .control), (0x1e, .control), (0x3e, .live), (0x5e, .sync), (0x66, .blob),
            (0x7e, .blob), (0x86, .ephemeral), (0x9e, .ephemeral),
        ] as [(UInt64, Channel)])
    func skipped(type: UInt64, channel: Channel) throws {
        let bytes = self.frame(type, [1, 2, 3])
        var reader = FrameReader()
        let frames = try reader.read(bytes + self.ping.encoded.bytes)
        #expect(frames.map(\.frame) == [nil, self.ping])
        #expect(frames[0].byteCount == bytes.count)
        #expect(frames[0].channel == channel)
    }

    @Test(
        "odd types that this version does not know, numbers 0 of a channel, and all from a0 on",
        arguments: [
            0x09, 0x1f, 0x3f, 0x5f, 0x7f, 0x81, 0x9f, 0, 0x20, 0x40, 0x60, 0x80, 0xa0, 0xa2,
            0x4000, .max - 1, .max,
        ] as [UInt64])
    func unknown(type: UInt64) {
        #expect(self.refusal([self.frame(type, [])]) == .frameType(type))
    }

    @Test(
        "a frame over the limit of its channel",
        arguments: [(0x08, 4_093, 4_096), (0x9e, 1_468, 1_472)] as [(UInt64, Int, Int)])
    func limits(type: UInt64, body: Int, limit: Int) {
        let zeros = [UInt8](repeating: 0, count: body)
        #expect(self.refusal([self.frame(type, zeros)]) == nil)
        #expect(
            self.refusal([self.frame(type, zeros + [0])])
                == .limit(field: "frame", limit: limit, got: UInt64(limit + 1)))
    }

    @Test("a fragment without bytes, with another flag, or that does not fill its plaintext")
    func fragments() {
        let (first, rest) = self.cut()
        let good = self.fragment(0x47, last: 0, first)
        #expect(good.count == Limits.plaintextBytes)
        #expect(self.refusal([good, self.fragment(0x47, last: 1, rest)]) == nil)
        #expect(self.refusal([self.fragment(0x47, last: 1, [])]) == .value(field: "fragment"))
        #expect(self.refusal([self.fragment(0x47, last: 2, first)]) == .value(field: "fragment"))
        #expect(
            self.refusal([self.fragment(0x47, last: 0, Array(first.dropLast()))])
                == .value(field: "fragment length"))
        #expect(
            self.refusal([self.fragment(0x47, last: 1, self.digest)])
                == .value(field: "needless fragment"))
    }

    @Test(
        "a frame between the fragments of another of its channel; one of another channel may stand there"
    )
    func between() {
        let (first, rest) = self.cut()
        let (start, end) = (
            self.fragment(0x47, last: 0, first), self.fragment(0x47, last: 1, rest)
        )
        #expect(
            self.refusal([start, self.digest, end]) == .value(field: "frame between fragments"))
        #expect(self.refusal([start, [0x5e, 0x00], end]) != nil)
        #expect(self.refusal([start, self.ping.encoded.bytes, [0x3e, 0x00], end]) == nil)
        let (live, liveRest) = self.cut(0x3e)
        let (liveStart, liveEnd) = (
            self.fragment(0x22, last: 0, live), self.fragment(0x22, last: 1, liveRest)
        )
        #expect(self.refusal([start, liveStart, end, liveEnd]) == nil)
        #expect(self.refusal([liveStart, [0x3e, 0x00], liveEnd]) != nil)
        #expect(self.refusal([start, end + self.digest]) == nil)
    }

    @Test("fragments that carry another channel's frame, fragments, or more than one frame")
    func inside() {
        for type in [UInt64(0x3e), 0x08, 0x22] {
            let (first, rest) = self.cut(type)
            #expect(
                self.refusal([
                    self.fragment(0x47, last: 0, first), self.fragment(0x47, last: 1, rest),
                ]) == .value(field: "fragment channel"), "\(type)")
        }
        let (first, rest) = self.cut(0x47)
        #expect(
            self.refusal([
                self.fragment(0x47, last: 0, first), self.fragment(0x47, last: 1, rest),
            ]) == .value(field: "fragment inside a fragment"))
        let (start, end) = self.cut()
        #expect(
            self.refusal([
                self.fragment(0x47, last: 0, start), self.fragment(0x47, last: 1, end + [0]),
            ]) == .trailing(field: "frame", count: 1))
        #expect(
            self.refusal([
                self.fragment(0x47, last: 0, start),
                self.fragment(0x47, last: 1, Array(end.dropLast())),
            ]) == .truncated(field: "frame body"))
    }

    // Shows: daemon.peers
    @Test("a frame over 300,000 bytes is refused before more of it is gathered")
    func tooLarge() {
        let part = self.fragment(0x47, last: 0, [UInt8](repeating: 0x5e, count: 16_380))
        #expect(self.refusal([[UInt8]](repeating: part, count: 18)) == nil)
        #expect(
            self.refusal([[UInt8]](repeating: part, count: 19))
                == .limit(field: "frame", limit: 300_000, got: 311_220))
        let (first, rest) = self.cut(size: 300_000 - 4)
        var plaintexts = [self.fragment(0x47, last: 0, first)]
        var left = rest[...]
        while !left.isEmpty {
            let next = left.prefix(16_380)
            left = left.dropFirst(16_380)
            plaintexts.append(self.fragment(0x47, last: left.isEmpty ? 1 : 0, Array(next)))
        }
        #expect(self.refusal(plaintexts) == nil)
    }

    @Test("a frame that is too large to be sent is our own mistake")
    func ownFrame() async {
        await #expect(processExitsWith: .failure) {
            let rooms = (0..<200).map { ConversationID(fixed32(UInt8($0))) }
            _ = Frame.roomsLeft(rooms).encoded
        }
    }
}
