import Glibc
import Crypto

@testable import Engine
@testable import Formats

/// Says of inputs from standard input what Swift makes of them, for comparison with another decoder.
///
/// An input is `decoder u8 ‖ length u32 ‖ bytes`; the answer is `verdict u8 ‖ length u32 ‖ bytes`: 0 for
/// refused, 1 for taken, 2 for taken with a signature that holds, and what it encodes to again.
enum Verdicts {
    static func serve() -> Never {
        while let head = self.read(5) {
            let count = head[1...].reduce(0) { $0 << 8 | Int($1) }
            guard let bytes = count == 0 ? [] : self.read(count) else { exit(65) }
            let (verdict, encoded) = self.judge(head[0], bytes) ?? (0, [])
            var answer = WireWriter(capacity: 5 + encoded.count)
            answer.byte(verdict)
            answer.u16(UInt16(encoded.count >> 16))
            answer.u16(UInt16(encoded.count & 0xffff))
            answer.raw(encoded)
            self.write(answer.bytes)
        }
        exit(0)
    }

    private static func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let more = bytes.withUnsafeMutableBytes {
                Glibc.read(STDIN_FILENO, $0.baseAddress?.advanced(by: filled), count - filled)
            }
            guard more > 0 else { return nil }
            filled += more
        }
        return bytes
    }

    private static func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            guard count > 0 else { exit(74) }
            rest = rest.dropFirst(count)
        }
    }

    private static func judge(_ decoder: UInt8, _ bytes: [UInt8]) -> (UInt8, [UInt8])? {
        var reader = WireReader(bytes)
        switch decoder {
        case 0:
            guard let preface = Preface(Array(bytes.prefix(12))), bytes.count == 12 else {
                return nil
            }
            // The flags are ignored; the version that is chosen stands for them.
            return (1, Array(preface.encoded.prefix(10)) + [preface.common(with: .ours) ?? 0])
        case 1:
            guard let introduction = try? Introduction(decoding: bytes) else { return nil }
            return (1, introduction.encoded)
        case 2: return self.plaintexts(bytes)
        case 3:
            guard let run = try? Run(from: &reader) else { return nil }
            return (run.verified() == nil ? 1 : 2, run.encoded)
        case 4:
            guard let proof = try? ForkProof(from: &reader) else { return nil }
            return (proof.isValid ? 2 : 1, proof.encoded)
        case 5:
            guard let record = try? Record(decoding: bytes) else { return nil }
            return (record.isValid ? 2 : 1, record.encoded)
        case 6:
            guard let profile = try? Profile(decoding: bytes) else { return nil }
            return (1, profile.encoded)
        case 7:
            guard let text = String(validating: bytes, as: UTF8.self),
                let name = RoomName(text)
            else { return nil }
            return (1, Room(name, in: .open).conversation.hash.bytes)
        case 8: return self.body(bytes)
        case 9:
            guard let device = Bytes32(Array(bytes.prefix(32))),
                let certificate = try? Certificate(decoding: Array(bytes.dropFirst(32)))
            else { return nil }
            return (certificate.isValid(for: PeerID(device)) ? 2 : 1, certificate.encoded)
        case 10:
            guard let act = try? Act(decoding: bytes) else { return nil }
            return (act.isValid() ? 2 : 1, act.encoded)
        default: return nil
        }
    }

    /// The class of an entry and its body: what can be read of it, in its shortest form.
    private static func body(_ bytes: [UInt8]) -> (UInt8, [UInt8])? {
        guard let entryClass = bytes.first, let body = try? Body(decoding: bytes, from: 1),
            let content = Content(body, in: entryClass, isUnderstood: true)
        else { return nil }
        // No kind has the number 0.
        if case .fallback(let text) = content { return (1, [0] + Array(text.utf8)) }
        return (1, content.body)
    }

    /// Plaintexts of one link, each after a length of two bytes: all their frames, encoded again.
    private static func plaintexts(_ bytes: [UInt8]) -> (UInt8, [UInt8])? {
        var feed = Feed(bytes)
        var reader = FrameReader()
        var encoded: [UInt8] = []
        while !feed.isEmpty {
            guard let frames = try? reader.read(PlaintextFeed.next(&feed).bytes) else { return nil }
            for frame in frames { encoded += frame.frame?.encoded.bytes ?? [0xff] }
        }
        return (1, encoded)
    }
}
