import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("The golden vectors of the wire format")
struct GoldenTests {
    @Test("every line that is written comes out byte for byte")
    func lines() throws {
        // What is only to be read has tests of its own.
        let read = [
            "refuse.", "forged.", "ignore.", "body.", "fallback.", "backup.file", "name.",
        ]
        let due = GoldenFile.lines.filter { line in !read.contains { line.key.hasPrefix($0) } }
        let made = try GoldenLines().lines
        try #require(!due.isEmpty, "the file is missing or is not well formed")
        #expect(made.keys.sorted() == due.keys.sorted())
        for name in due.keys.sorted() where made[name] != nil {
            #expect(made[name] == due[name], "\(name)")
        }
    }

    @Test("every run, record, proof and frame of the file is read back as it was written")
    func reading() throws {
        let story = GoldenStory()
        for (name, bytes) in GoldenFile.lines {
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            switch parts[0] {
            case "run":
                var reader = WireReader(bytes)
                let run = try Run(from: &reader)
                #expect(run == story.run(parts[1]).run, "\(name)")
                #expect(run.verified() == story.run(parts[1]), "\(name)")
            case "record":
                let record = try Record(decoding: bytes)
                #expect(record == story.record(parts[1]), "\(name)")
                #expect(record.isValid, "\(name)")
            case "act":
                let act = try Act(decoding: bytes)
                #expect(act.isValid(), "\(name)")
                #expect(act.encoded == bytes, "\(name)")
            case "call":
                let body = try Body(decoding: bytes, from: 1)
                let call = try #require(Content(body, in: bytes[0], isUnderstood: true), "\(name)")
                #expect([2] + call.body == bytes, "\(name)")
            case "own":
                let body = try Body(decoding: bytes, from: 1)
                let own = try #require(Content(body, in: bytes[0], isUnderstood: true), "\(name)")
                #expect([1] + own.body == bytes, "\(name)")
            case "forkProof":
                var reader = WireReader(bytes)
                let proof = try ForkProof(from: &reader)
                #expect(proof.isValid, "\(name)")
                #expect(proof.encoded == bytes, "\(name)")
            case "frame" where parts[1].hasPrefix("unknown"):
                var reader = FrameReader()
                let frames = try reader.read(bytes)
                #expect(frames.map(\.frame) == [nil], "\(name)")
                #expect(frames.map(\.byteCount) == [bytes.count], "\(name)")
            case "frame" where parts[1] == "rooms.noNames":
                var reader = FrameReader()
                let frame = try reader.read(bytes).first?.frame
                guard case .rooms(_, []) = frame else {
                    Issue.record("\(name) is \(String(describing: frame))")
                    continue
                }
            case "frame":
                var reader = FrameReader()
                let frames = try reader.read(bytes)
                #expect(frames.count == 1, "\(name)")
                #expect(frames.first?.frame?.encoded.bytes == bytes, "\(name)")
                #expect(frames.first?.byteCount == bytes.count, "\(name)")
            default:
                break
            }
        }
    }

    @Test("what is typed means the room that the file says, and is sent as it says")
    func names() throws {
        let typed = GoldenFile.lines.keys.filter { $0.hasPrefix("name.typed.") }.sorted()
        try #require(!typed.isEmpty, "the file is missing or is not well formed")
        for line in typed {
            let label = line.dropFirst("name.typed.".count)
            func text(_ part: String) throws -> String {
                let bytes = try #require(GoldenFile.lines["name.\(part).\(label)"])
                return try #require(String(validating: bytes, as: UTF8.self))
            }
            let name = try #require(RoomName(typed: try text("typed")), "\(label)")
            #expect(Array(name.text.utf8) == Array(try text("text").utf8), "\(label)")
            #expect(Array(name.key.utf8) == Array(try text("key").utf8), "\(label)")
            #expect(RoomName(name.text)?.text == name.text, "\(label)")
            let id = Room(name, in: .open).conversation.hash.bytes
            #expect(id == GoldenFile.lines["name.id.\(label)"], "\(label)")
        }
    }

    @Test("the introductions of the file are understood, unknown features and types included")
    func introductions() throws {
        let story = GoldenStory()
        for name in ["", "circle."] {
            let second = try Introduction(
                decoding: try #require(GoldenFile.lines["handshake.\(name)payload.2"]))
            #expect(second.device == PeerID(story.bea.publicKey))
            #expect(second.certificate == story.certificateOfBea)
            #expect(second.certificate.isValid(for: second.device))
            #expect(second.boot == 0xb0)
            #expect(second.dial == 0)
            #expect(second.features == Features())
            #expect(second.listenPort == nil)
            let third = try Introduction(
                decoding: try #require(GoldenFile.lines["handshake.\(name)payload.3"]))
            #expect(third.device == PeerID(story.ada.publicKey))
            #expect(third.certificate == story.certificateOfAda)
            #expect(third.certificate.isValid(for: third.device))
            #expect(third.boot == 0xa0)
            #expect(third.dial == 7)
            #expect(Feature.allCases.filter(third.features.contains) == [.blobs])
            #expect(third.features == GoldenStory.features)
            #expect(third.listenPort == 4_242)
            #expect(third.isSigned(in: try Self.context()) == name.isEmpty)
        }
    }

    /// Where payload 3 stands in the handshake of the open realm.
    private static func context() throws -> PayloadContext {
        let hash = try #require(GoldenFile.lines["handshake.h.3"].flatMap { Bytes64($0) })
        let key = try #require(
            GoldenFile.lines["handshake.static.initiator"].flatMap { Bytes32($0) })
        return PayloadContext(sender: .initiator, handshakeHash: hash, senderStatic: key)
    }

    @Test("every line that is to be refused is refused")
    func refusals() throws {
        let lines = GoldenFile.lines.filter { $0.key.hasPrefix("refuse.") }
        try #require(!lines.isEmpty, "the file is missing or is not well formed")
        for (name, bytes) in lines {
            let decoder = name.split(separator: ".")[1]
            // Those have tests of their own.
            if ["body", "seal"].contains(decoder) { continue }
            #expect(try !Self.accepts(bytes, as: decoder), "\(name)")
        }
    }

    /// Whether a decoder takes a line; a proof that reads but proves nothing is not taken either.
    private static func accepts(_ bytes: [UInt8], as decoder: Substring) throws -> Bool {
        do throws(WireError) {
            var reader = WireReader(bytes)
            switch decoder {
            case "varint":
                _ = try reader.varint("varint")
                try reader.finish("varint")
            case "text":
                _ = try reader.text("text", limit: 255)
                try reader.finish("text")
            case "area":
                let area = try reader.sized("area", limit: 1_024)
                try reader.finish("area")
                return try Extensions.types(of: area).allSatisfy { $0.isMultiple(of: 2) }
            case "introduction": _ = try Introduction(decoding: bytes)
            case "certificate": _ = try Certificate(decoding: bytes)
            case "run": _ = try Run(from: &reader)
            case "record": _ = try Record(decoding: bytes)
            case "act": _ = try Act(decoding: bytes)
            case "call":
                let body = try Body(decoding: bytes, from: 1)
                guard case .call? = Content(body, in: 2, isUnderstood: true) else { return false }
                return true
            case "own":
                let body = try Body(decoding: bytes, from: 1)
                guard case .own? = Content(body, in: 1, isUnderstood: true) else { return false }
                return true
            case "forkProof": return try ForkProof(from: &reader).isValid
            case "name": return RoomName(String(decoding: bytes, as: UTF8.self)) != nil
            case "frame", "fragment":
                var frames = FrameReader()
                _ = try frames.read(bytes)
            default:
                Issue.record("no decoder is called \(decoder)")
            }
            return true
        } catch { return false }
    }

    // Shows: shown.author
    @Test("every forgery reads but does not verify")
    func forgeries() throws {
        let lines = GoldenFile.lines.filter { $0.key.hasPrefix("forged.") }
        try #require(!lines.isEmpty, "the file is missing or is not well formed")
        for (name, bytes) in lines {
            var reader = WireReader(bytes)
            switch name.split(separator: ".")[1] {
            case "introduction":
                let introduction = try Introduction(decoding: bytes)
                let context = try Self.context()
                let isBelieved =
                    introduction.version == 2 && introduction.dial > 0
                    && introduction.isSigned(in: context)
                    && introduction.certificate.isValid(for: introduction.device)
                #expect(!isBelieved, "\(name)")
            case "certificate":
                let certificate = try Certificate(decoding: bytes)
                let ada = PeerID(GoldenStory().ada.publicKey)
                #expect(!certificate.isValid(for: ada), "\(name)")
            case "run": #expect(try Run(from: &reader).verified() == nil, "\(name)")
            case "record": #expect(try !Record(decoding: bytes).isValid, "\(name)")
            case "act": #expect(try !Act(decoding: bytes).isValid(), "\(name)")
            case "forkProof": #expect(try !ForkProof(from: &reader).isValid, "\(name)")
            default: Issue.record("no decoder for \(name)")
            }
        }
    }
}
