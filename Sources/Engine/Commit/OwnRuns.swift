internal import Crypto
internal import Formats

extension Content {
    var isEpoch: Bool { if case .epoch = self { true } else { false } }
}

/// Gives drafts their places in an own log, seals them where that is due, and attests them run by
/// run.
struct OwnRuns {
    let key: LogKey
    let own: OwnNode
    let time: NodeTime
    /// What payloads are sealed with, but for those that are in clear beside epochs; nil where none is.
    let sealing: ConversationKey?
    /// The last entry of the log.
    private(set) var tail: Head
    private(set) var appends: [Append] = []

    private var gathered: [Entry] = []
    private var ids: [EntryID] = []
    private var verdicts: [EntryVerdict] = []
    private var contents: [Content?] = []
    private var idempotencyKeys: [Int: String] = [:]
    private var bytes = 0
    /// Behind what the run that is being gathered begins.
    private var start: Head

    init(
        _ key: LogKey, after tail: Head, of own: OwnNode, time: NodeTime,
        sealing: ConversationKey? = nil
    ) {
        self.key = key
        self.own = own
        self.time = time
        self.sealing = sealing
        self.tail = tail
        self.start = tail
    }

    /// Adds drafts in their order; the first follows `deps`, and all are later than `floor`.
    mutating func add(
        _ drafts: [Draft], deps: [EntryID], floor: HybridTime,
        using random: inout some RandomNumberGenerator
    ) {
        var (deps, floor) = (deps, floor)
        for (index, draft) in drafts.enumerated() {
            let content = draft.content
            let time = self.time.own(
                after: max(self.tail.time, floor, self.time.answered(by: draft)))
            let (entry, id) = self.entry(content, at: time, deps, using: &random)
            // What one run can hold stays one: a peer writes each run that it gets at once. But the
            // first entry of a log is attested by itself, and before a new key a run ends: who lacks the
            // key takes what is before it.
            let left = drafts.count - index
            let isPart = self.gathered.count == Limits.attestedEntries
            if isPart && self.gathered.count + left > Limits.runEntries
                || self.gathered.count == Limits.runEntries
                || self.bytes + entry.runBytes > Limits.runEntryBytes
                || self.tail.seq == 1 && !self.gathered.isEmpty
                || content.isEpoch && !self.gathered.isEmpty
            {
                self.attest()
            }
            if let key = draft.outgoing?.idempotencyKey {
                self.idempotencyKeys[self.gathered.count] = key
            }
            self.gathered.append(entry)
            self.ids.append(id)
            self.verdicts.append(EntryVerdict(ofOwn: content))
            self.contents.append(content)
            self.bytes += entry.runBytes
            self.tail = Head(seq: self.tail.seq + 1, id: id, time: time)
            (deps, floor) = ([], HybridTime(0))
        }
        self.attest()
    }

    /// An entry that goes on behind the tail, and its id.
    private func entry(
        _ content: Content, at time: HybridTime, _ deps: [EntryID],
        using random: inout some RandomNumberGenerator
    ) -> (Entry, EntryID) {
        let (seq, prev) = (self.tail.seq + 1, self.tail.seq == 0 ? nil : self.tail.id)
        var entry = Entry(
            entryClass: content.entryClass, time: time, deps: deps, payload: .present([]))
        if case .erase(let targets) = content {
            entry.extensions = EntryTarget.extensions(targets, by: self.key.name.author)
        }
        guard let sealing = self.sealing, !(sealing.isEpoch && content.isClearBesideEpochs) else {
            entry.payload = .present(content.payload(using: &random))
            return (entry, entry.id(key: self.key, seq: seq, prev: prev))
        }
        let start = entry.seal(
            content, with: sealing, at: (self.key, seq, prev), following: self.gathered.last,
            using: &random)
        return (entry, entry.id(headerStart: start))
    }

    /// Ends the run that is being gathered with an attestation.
    private mutating func attest() {
        let attestation = Attestation.sign(
            key: self.key, seq: self.tail.seq, id: self.tail.id, by: self.own.signer)
        let run = Run(
            key: self.key, first: self.start.seq + 1,
            prev: self.start.seq == 0 ? nil : self.start.id, attestation: attestation,
            entries: self.gathered)
        var append = Append(
            run: VerifiedRun(run: run, ids: self.ids), verdicts: self.verdicts,
            person: self.own.certificate.personID,
            heldFrom: self.time.heldFrom(self.gathered, isOfKnown: true),
            idempotencyKeys: self.idempotencyKeys)
        append.isOfKnown = true
        if run.first == 1 { append.keys = self.own.certificate.keys }
        append.contents = self.contents
        self.appends.append(append)
        self.start = self.tail
        (self.gathered, self.ids, self.verdicts, self.contents) = ([], [], [], [])
        (self.idempotencyKeys, self.bytes) = ([:], 0)
    }
}
