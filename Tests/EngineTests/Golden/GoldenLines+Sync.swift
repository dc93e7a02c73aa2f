import Crypto

@testable import Engine
@testable import Formats

/// What `sync-2.txt` holds: digests, buckets, tags, frames.
extension GoldenLines {
    mutating func digests(_ tags: LinkTags) {
        let conversation = self.story.agora.conversation
        let logs = ["a", "b", "c"].map { ($0, self.story.log($0).key.name) }
        let names = Dictionary(uniqueKeysWithValues: logs)
        let empty = Conversation(.room(self.story.agora), isJoined: true)
        var nothing = empty
        let none = nothing.digest(Profiles([]), through: .max)
        var whole = empty
        for (log, entry) in [("a", "a5"), ("b", "b3"), ("c", "c1")] {
            if let name = names[log] { whole.restore(name, self.stored(entry)) }
        }
        var forked = empty
        if let a = names["a"], let b = names["b"], let c = names["c"] {
            let head = self.stored("a2").head
            forked.end(a, at: self.story.proof("a3-5", "f3").point, head: head, tail: head)
            forked.restore(b, self.stored("b3"))
            forked.end(c, at: self.story.proof("c1", "e1").point, head: .start, tail: .start)
        }
        let profiles = ["ada", "bea"].map { self.story.record($0) }
        let all = profiles + ["unknownKind", "unknownKind.wide"].map { self.story.record($0) }
        var told = whole
        let digests = [
            "logs.empty": none.logs, "records.empty": none.records,
            "logs.whole": whole.digest(Profiles(all), through: .max).logs,
            "logs.forked": forked.digest(Profiles([]), through: .max).logs,
            "records.profiles": told.digest(Profiles(profiles), through: .max).records,
            "records.whole": whole.digest(Profiles(all), through: .max).records,
        ]
        for (name, digest) in digests { self.lines["digest.\(name)"] = digest.bytes }
        let empties = tags.bucket(.zero, of: conversation, by: tags.own)
        self.write("tag.bucket.empty") { $0.u64(empties) }
        for (state, hashes) in [
            ("whole", whole.bucketHashes()), ("forked", forked.bucketHashes()),
        ] {
            for (log, name) in logs {
                let bucket = LogBucket.of(name)
                let hash = hashes[Int(bucket)]
                self.write("bucket.\(log)") { $0.byte(bucket) }
                self.lines["bucketHash.\(state).\(log)"] = hash.bytes
                let line = "tag.bucket.\(state).\(log)"
                self.write(line) { $0.u64(tags.bucket(hash, of: conversation, by: tags.own)) }
                self.write("\(line).responder") {
                    $0.u64(tags.bucket(hash, of: conversation, by: tags.peer))
                }
            }
        }
    }

    private func stored(_ name: String) -> StoredLog {
        let place = self.story.place(name)
        return StoredLog(
            head: Head(seq: place.seq, id: place.id, time: place.entry.time), forkPoint: nil,
            isHeadShown: true, person: nil)
    }

    mutating func tags(_ tags: LinkTags) {
        let room = self.story.agora.conversation
        for name in ["a", "b", "c", "d"] {
            let log = self.story.log(name).key.name
            self.write("tag.log.\(name)") { $0.u64(tags.log(log, in: room)) }
        }
        for name in ["a1", "a5", "b3", "c1"] {
            let id = self.story.place(name).id
            self.write("tag.head.\(name)") { $0.u64(tags.head(id, by: tags.own)) }
            self.write("tag.head.\(name).responder") { $0.u64(tags.head(id, by: tags.peer)) }
        }
        for (name, signer) in [("ada", self.story.ada), ("bea", self.story.bea)] {
            let author = PeerID(signer.publicKey)
            self.write("tag.author.\(name)") { $0.u64(tags.author(author)) }
        }
    }

    mutating func frames(_ tags: LinkTags) {
        let room = self.story.agora.conversation
        let nonce: UInt64 = 0x0102_0304_0506_0708
        let clock = GoldenStory.milliseconds
        let tag = tags.log(self.story.log("a").key.name, in: room)
        let records = [self.story.record("ada"), self.story.record("bea")]
        var random = RepeatedByte(byte: 0)
        let code = DeviceCode(
            exporter: tags.exporter, newNonce: fixed32(7), oldNonce: fixed32(8),
            new: PeerID(self.story.bea.publicKey), old: PeerID(self.story.ada.publicKey),
            address: fixed32(9))
        self.lines["device.code"] = Array((code.code + code.check).utf8)
        var frames: [String: Frame] = [
            "ping": .ping(nonce: nonce, clock: clock),
            "pong": .pong(nonce: nonce, clock: clock + 3),
            "credit": .credit(.sync, bytes: 131_072),
            "goaway": .goaway(.protocolViolation, "a run that does not verify"),
            "dialBack": .dialBack(port: 4_242), "dialledBack": .dialledBack(.noAnswer),
            "ephemeral": .ephemeral(
                EphemeralPiece(conversation: room, stream: nonce, bytes: Array("hello".utf8))),
            "ephemeral.longest": .ephemeral(
                EphemeralPiece(
                    conversation: room, stream: 1,
                    bytes: [UInt8](repeating: 0, count: Limits.ephemeralBytes))),
            "ephemeral.typing": .ephemeral(
                EphemeralPiece(conversation: room, stream: 0, bytes: [0, 1])),
            "ephemeral.packet": self.packet(300, ordered: true, Array("hello".utf8)),
            "ephemeral.end": self.packet(301, ordered: false, nil),
            "ephemeral.signal": .ephemeral(
                EphemeralBody.signal(
                    CallSignal(to: PeerID(self.story.bea.publicKey), bytes: Array("ring".utf8))
                ).piece(in: room, stream: 0, by: PeerID(.zero), with: nil, using: &random)),
            "presence": .presence(.away),
            "device.commit": .device(
                .commit(
                    DeviceCode.commitment(
                        to: fixed32(7), of: PeerID(self.story.bea.publicKey),
                        address: fixed32(9)))),
            "device.nonce": .device(.nonce(fixed32(8))), "device.open": .device(.open(fixed32(7))),
            "device.ready": .device(.ready), "device.end": .device(.end(.tooMany)),
            "handOver": .handOver(isLast: true, Array("hello".utf8)),
            "liveRun": .liveRun(self.story.run("a2").run),
            "want": .want(Want(conversation: room, tag: tag, from: 5, through: 4_100)),
            "syncRun": .syncRun(self.story.run("a2-5").run),
            "syncRun.erased": .syncRun(self.story.run("a2-5.erased").run),
            "unavailable": .unavailable(room, tag: tag, from: 300),
            "payloadWant": .payloadWant(Want(conversation: room, tag: tag, from: 3, through: 6)),
            "payloads": .payloads(
                Payloads(
                    conversation: room, tag: tag, from: 3,
                    items: [.present([0, 1, 2]), .wanted, .erased, .expired])),
            "payloads.none": .payloads(
                Payloads(conversation: room, tag: tag, from: 7, items: [])),
            "records": .records(records),
            "forkProof": .forkProof(self.story.proof("a3-5", "f3")),
        ]
        frames.merge(self.clocks(tags, records)) { old, _ in old }
        for (name, frame) in frames { self.lines["frame.\(name)"] = frame.encoded.bytes }
        let unknown: [(String, UInt64)] = [
            ("control", 0x1e), ("live", 0x3e), ("sync", 0x5e), ("blob", 0x7e), ("ephemeral", 0x9e),
        ]
        for (name, type) in unknown {
            self.write("frame.unknown.\(name)") {
                $0.varint(type)
                $0.sized(Array("skip me".utf8))
            }
        }
        self.write("frame.unknown.ephemeral.longest") {
            $0.varint(UInt64(0x9e))
            $0.sized([UInt8](repeating: 0, count: 1_276))
        }
        self.fragments()
    }

    /// A packet of a stream in a conversation that is not sealed; without bytes its end.
    private func packet(_ number: UInt64, ordered: Bool, _ bytes: [UInt8]?) -> Frame {
        guard let name = StreamName("logs") else { preconditionFailure("a word is a name") }
        var random = RepeatedByte(byte: 0)
        let packet = StreamPacket(
            name: name, number: number, isOrdered: ordered, isEnd: bytes == nil,
            bytes: bytes ?? [])
        return .ephemeral(
            EphemeralBody.packet(packet).piece(
                in: self.story.agora.conversation, stream: 7, by: PeerID(.zero), with: nil,
                using: &random))
    }

    mutating func marks() {
        let room = self.story.agora.conversation
        let logs = ["a", "b"].map { Mark.tag(of: self.story.log($0).key) }
        let head = Mark.tag(of: self.story.place("a5").id)
        let members = [self.story.ada, self.story.bea].map {
            Mark.tag(of: PeerID($0.publicKey), in: room)
        }
        let mark = Mark(
            rows: [
                Mark.Row(tag: logs[0], stored: 5, read: 4, headTag: head),
                Mark.Row(tag: logs[1], stored: 300, read: 0, headTag: 0),
            ], passOn: members)
        self.write("mark.log.a") { $0.u64(logs[0]) }
        self.write("mark.head.a5") { $0.u64(head) }
        self.write("mark.member.ada") { $0.u64(members[0]) }
        self.lines["mark.fields"] = mark.encoded
        self.lines["mark.none"] = Mark().encoded
    }

    private func clocks(_ tags: LinkTags, _ records: [Record]) -> [String: Frame] {
        let room = self.story.agora.conversation
        func row(_ log: String, _ entry: String?, _ state: ClockRow.State) -> ClockRow {
            let place = entry.map { self.story.place($0) }
            return ClockRow(
                tag: tags.log(self.story.log(log).key.name, in: room), state: state,
                seq: place?.seq ?? 0, headTag: place.map { tags.head($0.id, by: tags.own) } ?? 0)
        }
        let open = row("a", "a5", .open)
        let rows = [
            ("a", open), ("b", row("b", "b3", .open)), ("c", row("c", nil, .forked)),
            ("d", row("d", nil, .refused)),
        ]
        var pages = [ClockPage(bucket: 255, rows: [])]
        for (log, row) in rows {
            let bucket = LogBucket.of(self.story.log(log).key.name)
            if let index = pages.firstIndex(where: { $0.bucket == bucket }) {
                pages[index].rows = (pages[index].rows + [row]).sorted { $0.tag < $1.tag }
            } else {
                pages.append(ClockPage(bucket: bucket, rows: [row]))
            }
        }
        var (first, whole, shown, all) = (open, open, open, row("a", "a5", .forked))
        first.first = 3
        whole.whole = 2
        shown.shown = 4
        (all.first, all.whole, all.shown) = (5, 0, 0)
        let kept = (records + [self.story.record("unknownKind")]).map { tags.row($0) }
        let buckets = LogBucket.all.map {
            tags.bucket(fixed32($0), of: room, by: tags.own)
        }
        let digest = ConversationDigest(
            logs: fixed32(self.lines["digest.logs.whole"] ?? []),
            records: fixed32(self.lines["digest.records.whole"] ?? []))
        return [
            "digest": .digest(room, digest), "buckets": .buckets(room, buckets),
            "clock": .clock(room, pages.sorted { $0.bucket < $1.bucket }),
            "clock.empty": .clock(room, [ClockPage(bucket: 0, rows: [])]),
            "clock.all": .clock(room, LogBucket.all.map { ClockPage(bucket: $0, rows: []) }),
            "delta": .delta(room, rows.map(\.1).sorted { $0.tag < $1.tag }),
            "delta.one": .delta(room, [open]), "delta.first": .delta(room, [first]),
            "delta.whole": .delta(room, [whole]), "delta.shown": .delta(room, [shown]),
            "delta.flags": .delta(room, [all]),
            "recordClock": .recordClock(room, kept.sorted { $0.name < $1.name }),
            "recordClock.empty": .recordClock(room, []),
        ]
    }

    private mutating func fragments() {
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
