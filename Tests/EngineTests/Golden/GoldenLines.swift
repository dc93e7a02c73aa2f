import Crypto

@testable import Engine

/// Every line of the golden file that is written, made by this implementation.
struct GoldenLines {
    private(set) var lines: [String: [UInt8]] = [:]
    private let story = GoldenStory()

    init() throws {
        self.numbers()
        self.logs()
        self.preface()
        var handshake = try GoldenHandshake(self.story)
        try handshake.encryptTransport()
        self.lines.merge(handshake.lines) { old, _ in old }
        let hash = handshake.handshakeHash
        let link = Link(
            id: LinkID(1),
            info: LinkInfo(
                peer: PeerID(self.story.bea.publicKey), boot: 0xb0, isInitiator: true, dial: 7,
                version: 1, listenPort: nil, handshakeHash: hash), address: "", dial: nil,
            now: Instant(monotonic: 0, wall: 0))
        self.digests()
        self.tags(link)
        try self.frames(link)
    }

    private mutating func numbers() {
        let numbers: [UInt64] = [
            0, 1, 127, 128, 300, 16_383, 16_384, 1 << 32, 1 << 63, .max,
        ]
        for number in numbers { self.write("varint.\(number)") { $0.varint(number) } }
        self.write("text.empty") { $0.text("") }
        self.write("text.stoa") { $0.text("stoa") }
        self.write("text.kalimera") {
            $0.text("\u{3ba}\u{3b1}\u{3bb}\u{3b7}\u{3bc}\u{3ad}\u{3c1}\u{3b1}")
        }
        self.lines["hash.empty"] = BLAKE2b.hash256([UInt8](), personal: .payload).bytes
        self.lines["key.ada"] = self.story.ada.publicKey.bytes
        self.lines["key.bea"] = self.story.bea.publicKey.bytes
        for (name, room) in self.story.rooms {
            self.lines["room.\(name)"] = room.conversation.hash.bytes
        }
    }

    private mutating func write(_ name: String, _ body: (inout WireWriter) -> Void) {
        var writer = WireWriter()
        body(&writer)
        self.lines[name] = writer.bytes
    }

    private mutating func logs() {
        for (name, place) in self.story.places {
            if case .present(let payload) = place.entry.payload, name != "d1" {
                self.lines["payload.\(name)"] = payload
            }
            self.lines["payloadHash.\(name)"] = place.entry.payload.hash.bytes
            self.lines["header.\(name)"] = place.entry.header(
                key: place.log.key, seq: place.seq, prev: place.prev)
            self.lines["id.\(name)"] = place.id.hash.bytes
        }
        for name in ["a1", "a4", "b2"] {
            let place = self.story.place(name)
            let key = place.log.key
            self.lines["attested.\(name)"] = Attestation.message(
                key: key, seq: place.seq, id: place.id)
            self.lines["attestation.\(name)"] =
                Attestation.sign(
                    key: key, seq: place.seq, id: place.id, by: place.log.signer
                ).bytes
        }
        for (name, run) in self.story.runs { self.lines["run.\(name)"] = run.run.encoded }
        self.lines["forkProof.two"] = self.story.proof("a2-4", "f2").encoded
        self.lines["forkProof.one"] = self.story.proof("c1", "e1").encoded
        for (name, record) in self.story.records {
            self.lines["record.\(name)"] = record.encoded
            self.lines["recordHash.\(name)"] = record.hash.bytes
        }
    }

    private mutating func preface() {
        let ours = Preface.ours
        self.lines["preface"] = ours.encoded
        let identity = SessionIdentity(signer: self.story.bea, boot: 1, listenPort: nil)
        let key = keyPair(0x21)
        var accepting = Session(responder: identity, static: key)
        _ = accepting.receive(ours.encoded)
        self.lines["preface.answer"] = accepting.output(limit: 1_000)
        var refusing = Session(responder: identity, static: key)
        _ = refusing.receive(Preface(lowest: 2, highest: 3).encoded)
        self.lines["preface.noVersion"] = refusing.output(limit: 1_000)
    }

    private mutating func digests() {
        let room = self.story.agora
        let (a, b, c) = (
            self.story.log("a").key.name, self.story.log("b").key.name,
            self.story.log("c").key.name
        )
        let (ada, bea) = (self.story.record("ada"), self.story.record("bea"))
        func head(_ name: String) -> Head {
            let place = self.story.place(name)
            return Head(seq: place.seq, id: place.id, time: place.entry.time)
        }
        func stored(_ name: String) -> StoredLog {
            StoredLog(head: head(name), forkPoint: nil, isHeadShown: true)
        }
        let empty = Conversation(id: room.conversation, name: room, isJoined: true)
        var nothing = empty
        self.lines["digest.empty"] = nothing.digest(records: [:], through: .max).bytes
        var whole = empty
        whole.restore(a, stored("a4"), fork: nil)
        whole.restore(b, stored("b2"), fork: nil)
        whole.restore(c, stored("c1"), fork: nil)
        self.lines["digest.whole"] =
            whole.digest(records: [ada.author: ada, bea.author: bea], through: .max).bytes
        var forked = empty
        forked.end(a, by: self.story.proof("a2-4", "f2"), head: head("a1"), tail: head("a1"))
        forked.restore(b, stored("b2"), fork: nil)
        forked.end(c, by: self.story.proof("c1", "e1"), head: .start, tail: .start)
        self.lines["digest.forked"] =
            forked.digest(records: [ada.author: ada], through: .max).bytes
    }

    private mutating func tags(_ link: Link) {
        let room = self.story.agora.conversation
        for name in ["a", "b", "c", "d"] {
            let log = self.story.log(name).key.name
            self.write("tag.log.\(name)") { $0.u64(link.tags.log(log, in: room)) }
        }
        for name in ["a1", "a4", "b2", "c1"] {
            let id = self.story.place(name).id
            self.write("tag.head.\(name)") { $0.u64(link.tags.head(id)) }
        }
        for (name, signer) in [("ada", self.story.ada), ("bea", self.story.bea)] {
            let author = PeerID(signer.publicKey)
            self.write("tag.author.\(name)") { $0.u64(link.tags.author(author)) }
        }
    }

    private mutating func frames(_ link: Link) throws {
        let room = self.story.agora.conversation
        let nonce: UInt64 = 0x0102_0304_0506_0708
        let clock = GoldenStory.milliseconds
        func row(_ log: String, _ entry: String?, _ state: ClockRow.State) -> ClockRow {
            let place = entry.map { self.story.place($0) }
            return ClockRow(
                tag: link.tags.log(self.story.log(log).key.name, in: room), seq: place?.seq ?? 0,
                headTag: place.map { link.tags.head($0.id) } ?? 0, state: state)
        }
        let open = row("a", "a4", .open)
        let rows = [open, row("b", "b2", .open), row("c", nil, .forked), row("d", nil, .refused)]
        let records = [self.story.record("ada"), self.story.record("bea")]
        let recordRows = records.map { record in
            RecordRow(tag: link.tags.author(record.author), kind: record.kind, time: record.time)
        }
        let digest = fixed32(self.lines["digest.whole"] ?? [])
        let frames: [String: Frame] = [
            "ping": .ping(nonce: nonce, clock: clock),
            "pong": .pong(nonce: nonce, clock: clock + 3),
            "credit": .credit(.sync, bytes: 131_072),
            "goaway": .goaway(.protocolViolation, "a run that does not verify"),
            "rooms": .rooms(self.story.rooms.values.sorted()),
            "roomsLeft": .roomsLeft(self.story.rooms.values.map(\.conversation).sorted()),
            "liveRun": .liveRun(self.story.run("a2").run),
            "digest": .digest(room, digest),
            "clock": .clock(room, isComplete: true, rows.sorted { $0.tag < $1.tag }),
            "clock.empty": .clock(room, isComplete: true, []),
            "clock.delta": .clock(room, isComplete: false, [open]),
            "want": .want(Want(conversation: room, tag: open.tag, from: 5, through: 4_100)),
            "syncRun": .syncRun(self.story.run("a1-4").run),
            "unavailable": .unavailable(room, tag: open.tag, from: 300),
            "records": .records(records),
            "recordClock": .recordClock(room, recordRows.sorted { $0.tag < $1.tag }),
            "recordClock.empty": .recordClock(room, []),
            "forkProof": .forkProof(self.story.proof("a2-4", "f2")),
        ]
        for (name, frame) in frames { self.lines["frame.\(name)"] = frame.encoded.bytes }
        self.write("frame.unknown") {
            $0.varint(UInt64(0x7e))
            $0.sized(Array("skip me".utf8))
        }
        let large = self.story.run("large").run
        for (name, frame) in [("live", Frame.liveRun(large)), ("sync", Frame.syncRun(large))] {
            var queue = FrameQueue()
            queue.append(frame.encoded)
            var number = 0
            while let plaintext = queue.nextPlaintext() {
                number += 1
                self.lines["fragment.\(name).\(number)"] = plaintext
            }
        }
    }
}
