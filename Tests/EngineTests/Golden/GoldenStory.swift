import Crypto

@testable import Engine

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

    init() {
        let conversation = self.agora.conversation
        self.logs = [
            "a": TestLog(self.ada, incarnation: 0x0102_0304_0506_0708, in: conversation),
            "b": TestLog(self.bea, incarnation: 1, in: conversation),
            "c": TestLog(self.ada, incarnation: .max, in: conversation),
            "d": TestLog(self.bea, incarnation: 2, in: conversation),
            "m": TestLog(self.bea, incarnation: 3, in: conversation),
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

    private mutating func write(
        _ name: String, _ log: String, after prev: String? = nil, _ content: Content, salt: UInt8,
        _ time: HybridTime, deps: [String] = [], epoch: Bytes32 = .zero, extensions: [UInt8] = []
    ) {
        var salt = RepeatedByte(byte: salt)
        var entry = Entry(
            kind: content.kind.rawValue, time: time, deps: deps.map { self.place($0).id }.sorted(),
            payload: .present(content.payload(using: &salt)))
        entry.epoch = epoch
        entry.extensions = extensions
        let before = prev.map { self.place($0) }
        let seq = (before?.seq ?? 0) + 1
        self.places[name] = Place(
            log: self.log(log), seq: seq, prev: before?.id, entry: entry,
            id: entry.id(key: self.log(log).key, seq: seq, prev: before?.id))
    }

    private mutating func writeEntries() {
        let (join, t) = (Content.join(self.agora), Self.time)
        self.write("a1", "a", join, salt: 0xa1, t(0, 0))
        self.write("a2", "a", after: "a1", .text("hello, agora"), salt: 0xa2, t(1, 0))
        self.write("b1", "b", join, salt: 0xb1, t(0, 1), deps: ["a1"])
        self.write("b2", "b", after: "b1", .text("hello, ada"), salt: 0xb2, t(2, 0), deps: ["a2"])
        self.write("c1", "c", join, salt: 0xc1, t(3, 0))
        self.write(
            "a3", "a", after: "a2", .text("Gr\u{fc}\u{df}e \u{1f3db}"), salt: 0xa3, t(2_000, 5),
            deps: ["b2", "c1"], epoch: fixed32(0x33),
            extensions: [2, 2] + Array("xy".utf8) + [0xac, 0x02, 0])
        self.write("a4", "a", after: "a3", .leave, salt: 0xa4, t(2_000, 6))
        self.write(
            "d1", "d", .text(String(repeating: "x", count: 16_384)), salt: 0xd1, t(5, 0))
        self.write("e1", "c", join, salt: 0xe1, t(4, 0))
        self.write("f2", "a", after: "a1", .text("hello, stoa"), salt: 0xf2, t(1, 0))
    }

    private mutating func writeRuns() {
        func run(_ names: [String]) -> VerifiedRun {
            let places = names.map { self.place($0) }
            return places[0].log.run(
                places.map(\.entry), first: places[0].seq, prev: places[0].prev)
        }
        let single = ["a1", "a2", "c1", "e1", "f2"]
        for name in single { self.runs[name] = run([name]) }
        self.runs["a1-4"] = run(["a1", "a2", "a3", "a4"])
        self.runs["a2-4"] = run(["a2", "a3", "a4"])
        self.runs["b1-2"] = run(["b1", "b2"])
        self.runs["large"] = run(["d1"])
        let many = (0..<UInt64(128)).map { number in
            var salt = RepeatedByte(byte: UInt8(number))
            let time = HybridTime(Self.time(0, 0).rawValue + number * (number + 1) / 2)
            return Entry(
                kind: EntryKind.text.rawValue, time: time, deps: [],
                payload: .present(Content.text("\(number)").payload(using: &salt)))
        }
        self.runs["many"] = self.log("m").run(many)

        let whole = self.run("a1-4")
        var entries = whole.run.entries
        entries[1].payload = entries[1].payload.omitted
        self.runs["a1-4.erased"] = VerifiedRun(
            run: Run(
                key: whole.run.key, first: 1, prev: nil, attestation: whole.run.attestation,
                entries: entries), ids: whole.ids)
        self.runs["a1-4.empty"] = VerifiedRun(run: whole.run.withoutPayloads, ids: whole.ids)
    }

    private mutating func writeRecords() {
        func profile(_ signer: Signer, _ name: String, _ status: String, _ counter: UInt64)
            -> Record
        {
            Record(
                kind: Record.Kind.profile, author: PeerID(signer.publicKey), conversation: nil,
                time: Self.time(0, counter),
                value: Profile(name: name, status: status).encoded, signer: signer)
        }
        self.records["ada"] = profile(self.ada, "Ada", "in the stoa", 0)
        self.records["bea"] = profile(self.bea, "\u{392}\u{3ad}\u{3b1}", "", 1)
        self.records["unknownKind"] = Record(
            kind: 9, author: PeerID(self.ada.publicKey), conversation: self.agora.conversation,
            time: Self.time(0, 0), value: Array("abc".utf8), signer: self.ada)
    }

    /// The proof that two of the runs make.
    func proof(_ one: String, _ other: String) -> ForkProof {
        guard let proof = ForkProof(self.run(one), self.run(other)) else {
            preconditionFailure("\(one) and \(other) prove a fork")
        }
        return proof
    }
}
