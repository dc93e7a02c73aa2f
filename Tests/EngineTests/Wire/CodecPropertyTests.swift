import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

/// What is written is read back equal; what is read at all is read from the only bytes that say it.
@Suite("Every codec has one form for one value")
struct CodecPropertyTests {
    private static let values = 200
    private static let mutations = 25

    /// Checks `values` values and `mutations` faults of each.
    private func check<Value: Equatable>(
        _ name: String, seed: UInt64, make: (inout Generator) -> Value,
        encode: (Value) -> [UInt8], decode: ([UInt8]) throws(WireError) -> Value
    ) {
        var generator = Generator(seed: seed)
        for number in 0..<Self.values {
            let value = make(&generator)
            let bytes = encode(value)
            do throws(WireError) {
                let back = try decode(bytes)
                #expect(back == value, "\(name) \(number) of seed \(seed)")
            } catch {
                Issue.record("\(name) \(number) of seed \(seed) is refused: \(error)")
            }
            for _ in 0..<Self.mutations {
                let changed = generator.mutated(bytes)
                guard let read = try? decode(changed) else { continue }
                if encode(read) != changed {
                    Issue.record("\(name) \(number) of seed \(seed) has a second form: \(changed)")
                }
            }
        }
    }

    private static func run(_ bytes: [UInt8]) throws(WireError) -> Run {
        var reader = WireReader(bytes)
        return try Run(from: &reader)
    }

    private static func forkProof(_ bytes: [UInt8]) throws(WireError) -> ForkProof {
        var reader = WireReader(bytes)
        return try ForkProof(from: &reader)
    }

    @Test("a run")
    func runs() {
        self.check(
            "run", seed: 1, make: { $0.run().run }, encode: { $0.encoded },
            decode: { bytes throws(WireError) in try Self.run(bytes) })
    }

    @Test("a record")
    func records() {
        self.check(
            "record", seed: 2, make: { $0.record() }, encode: { $0.encoded },
            decode: { bytes throws(WireError) in try Record(decoding: bytes) })
    }

    @Test("a profile, but for fields that are empty or may be ignored")
    func profiles() {
        self.check(
            "profile", seed: 3,
            make: {
                Profile(
                    name: $0.roomName().text, status: $0.roomName().text,
                    picture: ProfilePicture(
                        blob: BlobID($0.random.bytes32()), size: UInt64($0.number(0...300_000))))
            },
            encode: { $0.encoded },
            decode: { bytes throws(WireError) in
                let profile = try Profile(decoding: bytes)
                guard profile.encoded.count == bytes.count else {
                    throw .value(field: "profile field")
                }
                return profile
            })
    }

    @Test("a fork proof")
    func forkProofs() {
        self.check(
            "forkProof", seed: 4, make: { $0.forkProof() }, encode: { $0.encoded },
            decode: { bytes throws(WireError) in try Self.forkProof(bytes) })
    }

    @Test("a preface, but for its flags, which are not read")
    func prefaces() {
        self.check(
            "preface", seed: 5,
            make: {
                Preface(
                    lowest: UInt8(truncatingIfNeeded: $0.random.next()),
                    highest: UInt8(truncatingIfNeeded: $0.random.next()))
            }, encode: { $0.encoded },
            decode: { bytes throws(WireError) in
                guard let preface = Preface(bytes), bytes.suffix(2) == [0, 0] else {
                    throw .value(field: "preface")
                }
                return preface
            })
        var bytes = Preface(lowest: 1, highest: 2).encoded
        bytes[10] = 0xff
        #expect(Preface(bytes) == Preface(lowest: 1, highest: 2))
    }

    @Test("an introduction, but for types that may be ignored")
    func introductions() {
        let signer = signer(4)
        let context = Self.context
        self.check(
            "introduction", seed: 6,
            make: { generator in
                let node = SessionIdentity(
                    signer: signer, boot: generator.random.next(),
                    listenPort: generator.chance(50) ? UInt16(generator.number(1...65_535)) : nil)
                return Introduction(
                    version: 2, of: node, dial: generator.varint(), context: context)
            }, encode: { $0.encoded },
            decode: { bytes throws(WireError) in
                let introduction = try Introduction(decoding: bytes)
                // Whether a type that this version does not know stands there.
                let known = introduction.listenPort == nil ? 0 : 4
                guard bytes.count == 283 + known else { throw .value(field: "area") }
                return introduction
            })
        self.check(
            "certificate", seed: 7,
            make: { generator in
                Certificate(
                    device: PeerID(generator.random.bytes32()),
                    deviceAddress: generator.random.bytes32(),
                    address: generator.random.bytes32(), added: generator.varint(), by: signer)
            }, encode: { $0.encoded },
            decode: { bytes throws(WireError) in try Certificate(decoding: bytes) })
    }

    /// What surrounds payload 2 of some handshake.
    private static let context: PayloadContext = {
        let key = keyPair(1)
        var initiator = HandshakeState(role: .initiator, static: key, presharedKey: .zero)
        var responder = HandshakeState(role: .responder, static: key, presharedKey: .zero)
        var context: PayloadContext?
        if let first = try? initiator.writeMessage(), (try? responder.readMessage(first)) != nil {
            _ = try? responder.writeMessage { given in
                context = given
                return []
            }
        }
        guard let context else { preconditionFailure("a handshake begins") }
        return context
    }()

    @Test("a frame of every kind", arguments: Generator.kinds)
    func frames(kind: Frame.Kind) {
        self.check(
            "\(kind)", seed: 100 + kind.rawValue, make: { [$0.frame(kind)] },
            encode: { $0.flatMap(\.encoded.bytes) },
            decode: { bytes throws(WireError) in
                var reader = FrameReader()
                var frames: [Frame] = []
                for received in try reader.read(bytes) {
                    // A type that may be skipped, a reason that a later version gives and a room that
                    // another Unicode knows are no values.
                    guard let frame = received.frame else { throw .value(field: "unknown") }
                    if case .goaway(nil, _) = frame { throw .value(field: "reason") }
                    if case .rooms = frame, frame.encoded.bytes.count != received.byteCount {
                        throw .value(field: "room name")
                    }
                    frames.append(frame)
                }
                return frames
            })
    }

    @Test("a frame counts as many bytes as it has", arguments: Generator.kinds)
    func byteCounts(kind: Frame.Kind) throws {
        var generator = Generator(seed: 7)
        for _ in 0..<50 {
            let encoded = generator.frame(kind).encoded
            var reader = FrameReader()
            let frames = try reader.read(encoded.bytes)
            #expect(frames.map(\.byteCount) == [encoded.bytes.count])
            #expect(frames.map(\.channel) == [encoded.channel])
        }
    }

    // Shows: daemon.decoders
    @Test("bytes without a meaning are refused, never fatal")
    func noise() {
        var random = SeededRandom(seed: 8)
        for count in 0..<2_000 {
            let bytes = random.bytes(count % 300)
            _ = try? Self.run(bytes)
            _ = try? Record(decoding: bytes)
            _ = try? Self.forkProof(bytes)
            _ = try? Introduction(decoding: bytes)
            _ = Preface(bytes)
            for kind in Generator.kinds {
                _ = try? Frame.decode(type: kind.rawValue, body: bytes)
            }
            var reader = FrameReader()
            _ = try? reader.read(bytes)
        }
    }

    @Test("a goaway of a later version's reason is a goaway without a reason")
    func laterReason() throws {
        var reader = FrameReader()
        let frames = try reader.read([0x04, 0x03, 0x63, 0x01, UInt8(ascii: "x")])
        #expect(frames.map(\.frame) == [.goaway(nil, "x")])
    }

    // Shows: shown.withheld
    @Test("a run may lack payloads of messages, but not those of control entries")
    func withheld() throws {
        let log = TestLog(signer(1), in: room("agora").conversation)
        let prev = EntryID(fixed32(9))
        let run = log.run(
            [TestLog.text("one", at: 1), TestLog.entry(.leave, at: 2)], first: 2, prev: prev
        ).run
        var bytes = run.withoutPayloads.encoded
        #expect(try Self.run(bytes) == run.withoutPayloads)
        func lacking(_ index: Int) -> Run {
            var entries = run.entries
            entries[index].payload = entries[index].payload.omitted
            return Run(
                key: run.key, first: 2, prev: prev, attestation: run.attestation, entries: entries)
        }
        for kind in [Frame.Kind.liveRun, .syncRun] {
            let allowed = lacking(0)
            let frame = try Frame.decode(type: kind.rawValue, body: allowed.encoded)
            #expect(frame == (kind == .liveRun ? .liveRun(allowed) : .syncRun(allowed)))
            for withheld in [run.withoutPayloads, lacking(1)] {
                bytes = withheld.encoded
                #expect(throws: WireError.value(field: "run payload")) {
                    try Frame.decode(type: kind.rawValue, body: bytes)
                }
            }
        }
    }

    @Test("a room that this Unicode does not know is passed over, but its place is checked")
    func unknownRooms() throws {
        func frame(_ names: [String]) -> [UInt8] {
            var body = WireWriter()
            body.raw([UInt8](repeating: 7, count: 16))
            body.varint(names.count)
            for name in names { body.text(name) }
            return body.bytes
        }
        let type = Frame.Kind.rooms.rawValue
        let tag = try #require(Bytes16([UInt8](repeating: 7, count: 16)))
        // The second is a letter that Unicode has not given out.
        let body = frame(["agora", "b\u{378}", "cafe"])
        #expect(
            try Frame.decode(type: type, body: body)
                == .rooms(tag, [room("agora").name, room("cafe").name]))
        #expect(try Frame.decode(type: type, body: frame(["A"])) == .rooms(tag, []))
        for names in [["b\u{378}", "agora"], ["A", "A"], ["agora", "Agora"]] {
            #expect(throws: WireError.order(field: "rooms")) {
                try Frame.decode(type: type, body: frame(names))
            }
        }
        #expect(throws: WireError.limit(field: "room name", limit: 255, got: 256)) {
            try Frame.decode(type: type, body: frame([String(repeating: "A", count: 256)]))
        }
    }
}
