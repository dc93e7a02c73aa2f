import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

/// Every input that once went wrong, given to everything that reads bytes of others.
@Suite("Inputs that once went wrong")
struct FailCaseTests {
    private static let folder = "\(TestFiles.tests)/System/Fuzz/FailCases/Engine"

    @Test("are taken in one form or refused", arguments: TestFiles.names(in: Self.folder))
    func replay(name: String) throws {
        let bytes = try #require(TestFiles.read("\(Self.folder)/\(name)"))
        var reader = WireReader(bytes)
        if let run = try? Run(from: &reader) { #expect(run.encoded == bytes) }
        reader = WireReader(bytes)
        if let proof = try? ForkProof(from: &reader) { #expect(proof.encoded == bytes) }
        if let record = try? Record(decoding: bytes) { #expect(record.encoded == bytes) }
        if let profile = try? Profile(decoding: bytes) { #expect(profile.encoded == bytes) }
        _ = try? Introduction(decoding: bytes)
        for kind in Generator.kinds {
            guard let frame = try? Frame.decode(type: kind.rawValue, body: bytes) else { continue }
            switch frame {
            case .goaway(nil, _), .rooms: break
            default:
                var whole = WireWriter()
                whole.varint(kind.rawValue)
                whole.sized(bytes)
                #expect(frame.encoded.bytes == whole.bytes)
            }
        }
        var frames = FrameReader()
        _ = try? frames.read(bytes)
        for portion in [1, Int.max] {
            var early = Dialogue()
            early.deliver(bytes, from: .initiator, portion: portion)
            early.deliver(bytes, from: .responder, portion: portion)
            var late = Dialogue()
            late.run()
            late.deliver(bytes, from: .initiator, portion: portion)
            late.deliver(bytes, from: .responder, portion: portion)
            _ = late.initiator.send(
                EncodedFrame(channel: .control, bytes: Array(bytes.prefix(4_096))))
            late.run(portion: portion)
        }
    }

    @Test("wants, fragments and plaintexts beyond their bounds stay refused")
    func refused() throws {
        let kinds = ["want", "fragment", "plaintext", "length"]
        let names = TestFiles.names(in: Self.folder).filter { name in
            kinds.contains { name.hasPrefix($0) }
        }
        #expect(!names.isEmpty)
        for name in names {
            let bytes = try #require(TestFiles.read("\(Self.folder)/\(name)"))
            var frames = FrameReader()
            #expect(throws: WireError.self, "\(name)") { try frames.read(bytes) }
        }
    }
}
