import Crypto

@testable import Engine
@testable import Formats

/// The logs, entries, runs and records of `Docs/Protocol/Vectors.md`.
struct GoldenStory {
    /// 2026-01-01T00:00:00Z in milliseconds.
    static let milliseconds: UInt64 = 1_767_225_600_000

    struct Place {
        let log: TestLog
        let seq: UInt64
        let prev: EntryID?
        let entry: Entry
        let id: EntryID
    }

    let ada = signer(1)
    let bea = signer(2)
    let certificateOfAda = Self.certificate(of: signer(1), 0xa1, 0xa2, 0xa3, Self.milliseconds)
    let certificateOfBea = Self.certificate(of: signer(2), 0xb1, 0xb2, 0xb3, Self.milliseconds + 1)
    let circle = realmSecret(0xc1, 0xc2)
    /// The features 1 and 12, of which this version knows the first.
    static let features: Features = {
        var reader = WireReader([2, 0x02, 0x10])
        guard let features = try? Features(from: &reader) else {
            preconditionFailure("these are features")
        }
        return features
    }()
    let agora = room("agora")
    let rooms = [
        "agora": room("agora"), "cafe": room("caf\u{e9}-2"),
        "machi": room("\u{307e}\u{3061}_\u{663}."),
        "longest": room(String(repeating: "a", count: 64)),
    ]
    let logs: [String: TestLog]
    private(set) var places: [String: Place] = [:]
    private(set) var runs: [String: VerifiedRun] = [:]
    private(set) var records: [String: Record] = [:]

    static func time(_ after: UInt64, _ counter: UInt64) -> HybridTime {
        HybridTime((Self.milliseconds + after) << 16 | counter)
    }

    private static func certificate(
        of device: Signer, _ person: UInt8, _ address: UInt8, _ deviceAddress: UInt8,
        _ added: UInt64
    ) -> Certificate {
        Certificate(
            device: PeerID(device.publicKey), deviceAddress: keyPair(deviceAddress).publicKey,
            address: keyPair(address).publicKey, added: added, by: signer(person))
    }

    init() {
        let conversation = self.agora.conversation
        self.logs = [
            "a": TestLog(self.ada, incarnation: 0x0102_0304_0506_0708, in: conversation),
            "b": TestLog(self.bea, incarnation: 1, in: conversation),
            "c": TestLog(self.ada, incarnation: .max, in: conversation),
            "d": TestLog(self.bea, incarnation: 2, in: conversation),
            "m": TestLog(self.bea, incarnation: 3, in: conversation),
            "s": TestLog(self.ada, incarnation: 4, in: conversation),
            "u": TestLog(self.ada, incarnation: 5, in: conversation),
            "x": TestLog(self.ada, incarnation: 6, in: conversation),
        ]
        self.writeEntries()
        self.writeRuns()
        self.writeRecords()
    }

    func log(_ name: String) -> TestLog {
        guard let log = self.logs[name] else { preconditionFailure("no log \(name)") }
        return log
    }

    func place(_ name: String) -> Place {
        guard let place = self.places[name] else { preconditionFailure("no entry \(name)") }
        return place
    }

    func run(_ name: String) -> VerifiedRun {
        guard let run = self.runs[name] else { preconditionFailure("no run \(name)") }
        return run
    }

    func record(_ name: String) -> Record {
        guard let record = self.records[name] else { preconditionFailure("no record \(name)") }
        return record
    }

    // MARK: Entries

    /// Puts an entry into its log; `change` may change all but its place.
    private mutating func put(
        _ name: String, _ log: String, after prev: String?, _ entry: Entry,
        _ change: (inout Entry, (LogKey, UInt64, EntryID?)) -> Void = { _, _ in }
    ) {
        var entry = entry
        let before = prev.map { self.place($0) }
        let seq = (before?.seq ?? 0) + 1
        let key = self.log(log).key
        change(&entry, (key, seq, before?.id))
        self.places[name] = Place(
            log: self.log(log), seq: seq, prev: before?.id, entry: entry,
            id: entry.id(key: key, seq: seq, prev: before?.id))
    }

    private mutating func write(
        _ name: String, _ log: String, after prev: String? = nil, _ content: Content, salt: UInt8,
        _ time: HybridTime, deps: [String] = [], extensions: [UInt8] = []
    ) {
        var salt = RepeatedByte(byte: salt)
        self.write(
            name, log, after: prev, entryClass: content.entryClass,
            content.payload(using: &salt), time, deps: deps, extensions: extensions)
    }

    private mutating func write(
        _ name: String, _ log: String, after prev: String?, entryClass: UInt8,
        _ payload: [UInt8], _ time: HybridTime, deps: [String] = [], extensions: [UInt8] = []
    ) {
        var entry = Entry(
            entryClass: entryClass, time: time, deps: deps.map { self.place($0).id }.sorted(),
            payload: .present(payload))
        entry.extensions = extensions
        self.put(name, log, after: prev, entry)
    }

    private func opening(_ certificate: Certificate, closes: [UInt64] = []) -> Content {
        .open(LogOpening(certificate: certificate, closes: closes))
    }

    private mutating func writeEntries() {
        let t = Self.time
        let (ada, bea) = (
            self.opening(self.certificateOfAda), self.opening(self.certificateOfBea)
        )
        self.write("a1", "a", ada, salt: 0xa1, t(0, 0))
        self.write("a2", "a", after: "a1", .join(self.agora.name), salt: 0xa2, t(0, 1))
        self.write("a3", "a", after: "a2", .text("hello, agora"), salt: 0xa3, t(1, 0))
        self.write("b1", "b", bea, salt: 0xb1, t(0, 1), deps: ["a1"])
        self.write(
            "b2", "b", after: "b1", .join(self.agora.name), salt: 0xb2, t(0, 2), deps: ["a2"])
        self.write(
            "b3", "b", after: "b2", entryClass: 2,
            Self.payload(
                0xb3, 32, [(1, Array("hello, ada".utf8)), (2, Self.fallback)]), t(2, 0),
            deps: ["a3"])
        self.write(
            "c1", "c", self.opening(self.certificateOfAda, closes: [5, 0x0102_0304_0506_0708]),
            salt: 0xc1, t(3, 0))
        self.write(
            "a4", "a", after: "a3", .text("Gr\u{fc}\u{df}e \u{1f3db}"), salt: 0xa4, t(2_000, 5),
            deps: ["b3", "c1"], extensions: [2, 2] + Array("xy".utf8) + [0xac, 0x02, 0])
        self.write("a5", "a", after: "a4", .leave, salt: 0xa5, t(2_000, 6))
        self.write("d1", "d", bea, salt: 0xd1, t(5, 0))
        self.write(
            "d2", "d", after: "d1", .text(String(repeating: "x", count: 16_384)), salt: 0xd2,
            t(6, 0))
        self.write("e1", "c", ada, salt: 0xe1, t(4, 0))
        self.write("f3", "a", after: "a2", .text("hello, stoa"), salt: 0xf3, t(1, 0))
        self.write("m1", "m", bea, salt: 0xc0, t(0, 0))
        self.write("s1", "s", ada, salt: 0x51, t(0, 0))
        self.write("u1", "u", ada, salt: 0x71, t(0, 0))
        self.writeSealed()
        self.writeUnknown()
        self.writeErasing()
    }

    static let fallback = Array("from a later version".utf8)

    static func payload(_ salt: UInt8, _ kind: UInt64, _ fields: [(UInt64, [UInt8])]) -> [UInt8] {
        var writer = WireWriter()
        writer.byte(0)
        writer.raw([UInt8](repeating: salt, count: 16))
        writer.varint(kind)
        for (type, value) in fields { writer.field(type, value) }
        return writer.bytes
    }

    /// The key of the seals, for either suite.
    func sealKey(_ suite: ConversationKey.Suite) -> ConversationKey {
        conversationKey(0x5e, of: self.agora.conversation, suite: suite)
    }

    private mutating func writeSealed() {
        let sealed: [(String, String, ConversationKey.Suite, UInt8, UInt64)] = [
            ("s2", "behind a seal", .xchacha20Poly1305, 0x52, 2),
            ("s3", "behind a seal", .aes256GCM, 0x53, 3),
            ("s4", String(repeating: "y", count: 1_000), .xchacha20Poly1305, 0x54, 4),
            ("s5", "behind a seal", .xchacha20Poly1305, 0, 5),
        ]
        var prev = "s1"
        for (name, text, suite, salt, after) in sealed {
            let key = self.sealKey(suite)
            let entry = Entry(
                entryClass: 2, time: Self.time(after, 0), deps: [], payload: .present([]))
            let previous = name == "s5" ? self.place(prev).entry : nil
            self.put(name, "s", after: prev, entry) { entry, place in
                var salt = RepeatedByte(byte: salt)
                entry.seal(
                    .text(text), with: key, at: place, following: previous,
                    using: &salt)
            }
            prev = name
        }
    }

    private mutating func writeUnknown() {
        func text(_ text: String) -> (UInt64, [UInt8]) { (1, Array(text.utf8)) }
        let fallback = (UInt64(2), Self.fallback)
        let written: [(entryClass: UInt8, kind: UInt64, fields: [(UInt64, [UInt8])])] = [
            (9, 200, [text("a class of its own")]),
            (2, 200, [fallback, (3, Array("a kind of its own".utf8))]),
            (2, 32, [text("an odd field"), fallback, (5, [])]),
            (2, 32, [text("even fields"), (8, Array("x".utf8)), (600, [])]),
            (2, 32, [text("an odd extension"), fallback]), (1, 31, [fallback]),
            (3, 64, [fallback]),
        ]
        for (index, entry) in written.enumerated() {
            let number = index + 2
            self.write(
                "u\(number)", "u", after: "u\(number - 1)", entryClass: entry.entryClass,
                Self.payload(0x70 + UInt8(number), entry.kind, entry.fields),
                Self.time(UInt64(number), 0), extensions: number == 6 ? [3, 1, 0x7a] : [])
        }
        var last = Entry(
            entryClass: 2, time: Self.time(9, 0), deps: [],
            payload: .present([0x77] + Array("a suite of its own".utf8)))
        last.epoch = fixed32(0x99)
        self.put("u9", "u", after: "u8", last)
    }

    /// What x2 wants erased, as it stands in the body.
    var erased: [EntryTarget] {
        ["a3", "b3", "u5"].map { name in
            let place = self.place(name)
            return EntryTarget(log: place.log.key.name, seq: place.seq, id: place.id)
        }.sorted { ($0.log, $0.seq) < ($1.log, $1.seq) }
    }

    private mutating func writeErasing() {
        let targets = self.erased
        self.write("x1", "x", self.opening(self.certificateOfAda), salt: 0x61, Self.time(10, 0))
        self.write(
            "x2", "x", after: "x1", .erase(targets), salt: 0x62, Self.time(11, 0), deps: ["b3"],
            extensions: EntryTarget.extensions(targets, by: PeerID(self.ada.publicKey)))
    }

    // MARK: Runs and records

    private func run(of names: [String]) -> VerifiedRun {
        let places = names.map { self.place($0) }
        return places[0].log.run(
            places.map(\.entry), first: places[0].seq, prev: places[0].prev)
    }

    private mutating func writeRuns() {
        for name in ["a1", "a2", "b1", "c1", "d1", "e1", "f3", "m1", "s1", "u1", "x1", "x2"] {
            self.runs[name] = self.run(of: [name])
        }
        self.runs["a2-5"] = self.run(of: ["a2", "a3", "a4", "a5"])
        self.runs["a3-5"] = self.run(of: ["a3", "a4", "a5"])
        self.runs["b2-3"] = self.run(of: ["b2", "b3"])
        self.runs["large"] = self.run(of: ["d2"])
        self.runs["sealed"] = self.run(of: ["s2", "s3", "s4", "s5"])
        self.runs["unknown"] = self.run(of: (2...9).map { "u\($0)" })
        let m1 = self.place("m1").id
        let many = (0..<UInt64(128)).map { number in
            var salt = RepeatedByte(byte: UInt8(number))
            let time = HybridTime(Self.time(0, 1).rawValue + number * (number + 1) / 2)
            return Entry(
                entryClass: EntryClass.content.rawValue, time: time, deps: [],
                payload: .present(Content.text("\(number)").payload(using: &salt)))
        }
        self.runs["many"] = self.log("m").run(many, first: 2, prev: m1)
        let empty = BLAKE2b.hash256([UInt8](), personal: .payload)
        let full = [65_536, 65_513].enumerated().map { index, length in
            Entry(
                entryClass: 2, time: Self.time(1, UInt64(index)), deps: [],
                payload: .absent(length: length, hash: empty))
        }
        self.runs["full"] = self.log("m").run(full, first: 2, prev: m1)

        let whole = self.run("a2-5")
        var entries = whole.run.entries
        entries[1].payload = entries[1].payload.omitted
        self.runs["a2-5.erased"] = VerifiedRun(
            run: Run(
                key: whole.run.key, first: 2, prev: whole.run.prev,
                attestation: whole.run.attestation, entries: entries), ids: whole.ids)
        self.runs["a2-5.empty"] = VerifiedRun(run: whole.run.withoutPayloads, ids: whole.ids)
    }

    private mutating func writeRecords() {
        func profile(_ signer: Signer, _ value: [UInt8], _ counter: UInt64) -> Record {
            Record(
                kind: Record.Kind.profile, author: PeerID(signer.publicKey), conversation: nil,
                time: Self.time(0, counter), value: value, signer: signer)
        }
        func ofAda(_ kind: UInt8, in conversation: ConversationID?, _ value: [UInt8]) -> Record {
            Record(
                kind: kind, author: PeerID(self.ada.publicKey), conversation: conversation,
                time: Self.time(0, 0), value: value, signer: self.ada)
        }
        let name = "\u{392}\u{3ad}\u{3b1}"
        self.records["ada"] = profile(
            self.ada, Profile(name: "Ada", status: "in the stoa").encoded, 0)
        self.records["bea"] = profile(self.bea, Profile(name: name, status: "").encoded, 1)
        self.records["nameless"] = profile(self.bea, Profile(name: "", status: "").encoded, 2)
        var fields = WireWriter()
        fields.field(1, text: name)
        fields.field(2, text: "x")
        fields.field(600, [])
        self.records["unknownField"] = profile(self.bea, fields.bytes, 3)
        var pictured = Profile(name: "Ada", status: "")
        pictured.picture = ProfilePicture(blob: BlobID(fixed32(0x55)), size: 262_144)
        self.records["pictured"] = profile(self.ada, pictured.encoded, 4)
        self.records["unknownKind"] = ofAda(
            9, in: self.agora.conversation, Array("abc".utf8))
        self.records["unknownKind.wide"] = ofAda(255, in: nil, [])
        let ada = personKeys(0xa1, 0xa2)
        for (name, stands, time) in [
            ("revocation", false, UInt64(7)), ("revocation.stands", true, 8),
        ] {
            self.records[name] = Record(
                revoking: PeerID(self.ada.publicKey),
                Revocation(of: self.certificateOfAda, stands: stands), at: Self.time(time, 0),
                by: ada)
        }
        let addresses: [ReachableAddress] = [
            .v6([0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [1]),
            .v4([192, 0, 2, 1]),
        ]
        if let reach = Reach(port: 4_242, addresses: addresses) {
            self.records["address"] = ofAda(Record.Kind.address, in: nil, reach.encoded)
        }
        self.records["longest"] = ofAda(8, in: nil, [UInt8](repeating: 0, count: 4_096))
    }

    /// The proof that two of the runs make.
    func proof(_ one: String, _ other: String) -> ForkProof {
        guard let proof = ForkProof(self.run(one), self.run(other)) else {
            preconditionFailure("\(one) and \(other) prove a fork")
        }
        return proof
    }
}
