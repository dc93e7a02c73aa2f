import Crypto

@testable import Engine
@testable import Formats

/// Every line of the golden file that is written, made by this implementation.
struct GoldenLines {
    var lines: [String: [UInt8]] = [:]
    let story = GoldenStory()

    init() throws {
        self.numbers()
        self.logs()
        self.seals()
        self.preface()
        self.persons()
        self.realms()
        var handshake = try GoldenHandshake(self.story, .open)
        try handshake.encryptTransport()
        self.lines.merge(handshake.lines) { old, _ in old }
        let inCircle = try GoldenHandshake(self.story, self.story.circle, name: "circle.")
        self.lines.merge(inCircle.lines) { old, _ in old }
        let tags = LinkTags(exporter: handshake.exporter, role: .initiator)
        self.digests(tags)
        self.tags(tags)
        self.frames(tags)
        self.marks()
        let shown = GoldenRealms(
            self.story, LinkTags(exporter: handshake.exporter, role: .initiator))
        self.lines.merge(shown.lines) { old, _ in old }
        self.lines.merge(try GoldenPrivate(self.story).lines) { old, _ in old }
        self.lines.merge(GoldenGroups(self.story).lines) { old, _ in old }
        self.files()
    }

    private mutating func files() {
        func content(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 * 7 % 251) } }
        func write(_ name: String, size: Int, _ chunks: [Bytes32]) {
            guard let layout = BlobLayout(size: UInt64(size)) else { return }
            let id = BlobTree(layout: layout, chunks: chunks).id
            self.lines["blob.\(name)"] = id.hash.bytes
        }
        let whole = BlobLayout.chunkBytes
        for size in [0, 5, whole, whole + 1] {
            let bytes = content(size)
            let chunks = stride(from: 0, to: max(1, size), by: whole)
                .map { BlobTree.hash(Array(bytes[$0...].prefix(whole)), at: 0) }
            write("\(size)", size: size, chunks)
        }
        let chunks = (0...BlobLayout.fanOut).map { BlobTree.hash(content($0 % 300), at: 0) }
        write("nodes", size: whole * chunks.count, chunks)
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
        for count in [32, 64] {
            let key = [UInt8](repeating: 7, count: count)
            self.lines["keyed.\(count)"] =
                BLAKE2b.hash256(
                    Array("stoa".utf8).span.bytes, key: key.span.bytes, personal: .realmTag
                ).bytes
        }
        self.write("area.empty") { $0.sized([]) }
        self.write("area.unknown") { $0.sized([2, 2] + Array("xy".utf8) + [0xac, 0x02, 0]) }
        self.write("area.longest") {
            $0.sized([4, 0xfd, 0x07] + [UInt8](repeating: 0, count: 1_021))
        }
        self.lines["room.agora.circle"] =
            BLAKE2b.hash256(
                self.story.circle.realm.hash.bytes + Array("agora".utf8), personal: .room
            ).bytes
        for (name, room) in self.story.rooms {
            self.lines["room.\(name)"] = room.conversation.hash.bytes
        }
    }

    mutating func write(_ name: String, _ body: (inout WireWriter) -> Void) {
        var writer = WireWriter()
        body(&writer)
        self.lines[name] = writer.bytes
    }

    private mutating func logs() {
        for (name, place) in self.story.places {
            if case .present(let payload) = place.entry.payload, name != "d2" {
                self.lines["payload.\(name)"] = payload
            }
            self.lines["payloadHash.\(name)"] = place.entry.payload.hash.bytes
            self.lines["header.\(name)"] = place.entry.header(
                key: place.log.key, seq: place.seq, prev: place.prev)
            self.lines["id.\(name)"] = place.id.hash.bytes
        }
        for name in ["a1", "a5", "b3"] {
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
        self.lines["forkProof.middle"] = self.story.proof("a3-5", "f3").encoded
        self.lines["forkProof.first"] = self.story.proof("c1", "e1").encoded
        for (name, record) in self.story.records {
            self.lines["record.\(name)"] = record.encoded
            self.lines["recordHash.\(name)"] = record.hash.bytes
        }
    }

    private mutating func seals() {
        self.lines["seal.key"] = fixed32(0x5e).bytes
        self.lines["seal.epoch"] = self.story.sealKey(.xchacha20Poly1305).id.bytes
        for count in [1, 64, 65, 100, 1_000, 4_097, 65_000, 65_472] {
            let padded = UInt32(SealedPayload.paddedBytes(count))
            self.lines["seal.padded.\(count)"] = (0..<4).map {
                UInt8(truncatingIfNeeded: padded >> UInt32(24 - 8 * $0))
            }
        }
        for name in ["s2", "s3", "s4", "s5"] {
            let place = self.story.place(name)
            self.lines["seal.associated.\(name)"] = place.entry.headerStart(
                key: place.log.key, seq: place.seq, prev: place.prev)
        }
    }

    private mutating func preface() {
        let ours = Preface.ours
        self.lines["preface"] = ours.encoded
        var dialogue = Dialogue(ofInitiator: [self.story.circle, .open])
        dialogue.deliver(dialogue.initiator.output(limit: 1_000), from: .initiator)
        let refusal = dialogue.responder.output(limit: 1_000)
        self.lines["preface.wrongRealm"] = refusal
        dialogue.deliver(refusal, from: .responder)
        dialogue.deliver(dialogue.initiator.output(limit: 1_000), from: .initiator)
        self.lines["preface.answer"] = Array(dialogue.responder.output(limit: 1_000).prefix(1))
        var refusing = Dialogue()
        refusing.deliver(Preface(lowest: 3, highest: 4).encoded, from: .initiator)
        self.lines["preface.noVersion"] = refusing.responder.output(limit: 1_000)
        for (role, number) in [("initiator", UInt8(0x11)), ("responder", 0x21)] {
            self.lines["handshake.static.\(role)"] = keyPair(number).publicKey.bytes
            self.lines["handshake.ephemeral.\(role)"] = keyPair(number + 1).publicKey.bytes
        }
    }

    private mutating func persons() {
        let certificates = [
            ("ada", self.story.ada, self.story.certificateOfAda),
            ("bea", self.story.bea, self.story.certificateOfBea),
        ]
        for (name, device, certificate) in certificates {
            self.lines["key.\(name)"] = device.publicKey.bytes
            self.lines["key.\(name).person"] = certificate.person.bytes
            self.lines["key.\(name).address"] = certificate.address.bytes
            self.lines["key.\(name).deviceAddress"] = certificate.deviceAddress.bytes
            self.lines["person.\(name)"] = certificate.personID.hash.bytes
            self.lines["certificate.\(name).signed"] = Certificate.message(
                device: PeerID(device.publicKey), deviceAddress: certificate.deviceAddress,
                address: certificate.address, added: certificate.added)
            self.lines["certificate.\(name)"] = certificate.encoded
        }
    }

    private mutating func realms() {
        for (name, secret) in [("open", RealmSecret.open), ("circle", self.story.circle)] {
            self.lines["realm.\(name).tag"] = secret.handshakeTag(keyPair(0x12).publicKey)
            self.lines["realm.\(name).psk"] = secret.presharedKey.bytes
        }
    }
}
