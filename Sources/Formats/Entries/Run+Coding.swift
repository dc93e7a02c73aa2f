internal import Crypto

extension Entry {
    private enum Form {
        static let payloadOmitted: UInt8 = 1
        static let epoch: UInt8 = 2
        static let extensions: UInt8 = 4
        static let sameEpoch: UInt8 = 8
        static let nextNonce: UInt8 = 16
        static let all: UInt8 = 31
    }

    /// Appends the entry as it stands in a run; `previous` is the entry before it there.
    ///
    /// A key is named where it begins to be used, a nonce where it does not follow from the one before: in a
    /// sealed room these would be a third of a short message.
    func encode(into writer: inout WireWriter, after previous: Entry?) {
        var form: UInt8 = 0
        var following = 0
        switch self.payload {
        case .absent: form |= Form.payloadOmitted
        case .present(let bytes):
            following = SealedPayload.bytesFollowing(previous?.payload, in: bytes)
            if following > 0 { form |= Form.nextNonce }
        }
        if self.epoch != .zero {
            form |= self.epoch == previous?.epoch ? Form.sameEpoch : Form.epoch
        }
        if !self.extensions.isEmpty { form |= Form.extensions }
        writer.byte(self.entryClass)
        writer.byte(0)
        writer.byte(form)
        if let previous {
            precondition(self.time > previous.time, "time grows within a log")
            writer.varint(self.time.rawValue - previous.time.rawValue)
        } else {
            writer.u64(self.time.rawValue)
        }
        writer.byte(UInt8(self.deps.count))
        for dep in self.deps { writer.raw(dep.hash) }
        if form & Form.epoch != 0 { writer.raw(self.epoch) }
        switch self.payload {
        case .present(let bytes):
            writer.sized(bytes, from: following)
        case .absent(let length, let hash):
            writer.varint(length)
            writer.raw(hash)
        }
        if form & Form.extensions != 0 { writer.sized(self.extensions) }
    }

    /// Reads an entry as it stands in a run; `previous` is the entry before it there.
    init(from reader: inout WireReader, after previous: Entry?) throws(WireError) {
        let entryClass = try reader.byte("entry class")
        guard try reader.byte("entry flags") == 0 else { throw .value(field: "entry flags") }
        let form = try reader.byte("entry form")
        guard form & ~Form.all == 0 else { throw .value(field: "entry form") }
        let time: HybridTime
        if let previous {
            let step = try reader.varint("entry time")
            let (sum, overflow) = previous.time.rawValue.addingReportingOverflow(step)
            guard step > 0, !overflow else { throw .value(field: "entry time") }
            time = HybridTime(sum)
        } else {
            time = HybridTime(try reader.u64("entry hlc"))
        }
        let depCount = Int(try reader.byte("entry depCount"))
        guard depCount <= Limits.depCount else {
            throw .limit(field: "entry depCount", limit: Limits.depCount, got: UInt64(depCount))
        }
        var deps: [EntryID] = []
        for _ in 0..<depCount {
            let dep = EntryID(try reader.bytes32("entry dep"))
            if let last = deps.last, dep <= last { throw .order(field: "entry deps") }
            deps.append(dep)
        }
        var epoch = Bytes32.zero
        if form & Form.epoch != 0 {
            epoch = try reader.bytes32("entry epoch")
            // One way to write each run.
            guard epoch != .zero, epoch != previous?.epoch else {
                throw .value(field: "entry epoch")
            }
        }
        if form & Form.sameEpoch != 0 {
            guard epoch == .zero, let same = previous?.epoch, same != .zero else {
                throw .value(field: "entry form")
            }
            epoch = same
        }
        let payload: Payload
        if form & Form.nextNonce != 0 {
            guard form & Form.payloadOmitted == 0,
                let start = previous.flatMap({ SealedPayload.startFollowing($0.payload) })
            else { throw .value(field: "entry form") }
            payload = .present(
                try reader.sized("entry payload", after: start, limit: Limits.payloadBytes))
        } else if form & Form.payloadOmitted != 0 {
            let length = try reader.count("entry payloadLength", limit: Limits.payloadBytes)
            payload = .absent(length: length, hash: try reader.bytes32("entry payloadHash"))
        } else {
            let bytes = try reader.sized("entry payload", limit: Limits.payloadBytes)
            guard SealedPayload.bytesFollowing(previous?.payload, in: bytes) == 0 else {
                throw .value(field: "entry payload")
            }
            payload = .present(bytes)
        }
        self.init(entryClass: entryClass, time: time, deps: deps, payload: payload)
        self.epoch = epoch
        if form & Form.extensions != 0 {
            self.extensions = try reader.sized("entry extensions", limit: Limits.extensionBytes)
            guard !self.extensions.isEmpty else { throw .value(field: "entry extensions") }
            _ = try Extensions.types(of: self.extensions)
        }
    }

    /// What the entry counts for in a run, in bytes, where `previous` is the time of the entry before
    /// it there.
    ///
    /// As many as it takes, but a payload counts 32 bytes at least, so that leaving it out never makes
    /// a run too large, and so does each epoch, as each nonce counts, so that no part of a run is too large.
    package func runBytes(after previous: HybridTime?) -> Int {
        let payload = self.payload.count
        var bytes = 3 + 1 + 32 * self.deps.count + WireWriter.varintBytes(UInt64(payload))
        bytes += previous.map { WireWriter.varintBytes(self.time.rawValue &- $0.rawValue) } ?? 8
        bytes += max(payload, Limits.payloadHashBytes)
        if self.epoch != .zero { bytes += 32 }
        let extensions = self.extensions.count
        if extensions > 0 { bytes += WireWriter.varintBytes(UInt64(extensions)) + extensions }
        return bytes
    }

    /// An upper bound of what the entry counts for in a run, wherever it stands there.
    package var runBytes: Int { self.runBytes(after: nil) + 2 }
}

extension Run {
    /// An upper bound of what its frame takes, in bytes.
    package var frameBytes: Int {
        let around = Limits.runFrameBytes - Limits.runEntryBytes
        return self.entries.reduce(around) { $0 + $1.runBytes }
    }

    /// The run as it stands in a frame.
    package var encoded: [UInt8] {
        var writer = WireWriter(capacity: 256 + self.entries.reduce(0) { $0 + $1.runBytes })
        writer.raw(self.key.conversation.hash)
        writer.raw(self.key.name.author.key)
        writer.u64(self.key.name.incarnation)
        writer.varint(self.first)
        writer.varint(self.entries.count)
        if let prev = self.prev { writer.raw(prev.hash) }
        writer.raw(self.attestation)
        var previous: Entry?
        for entry in self.entries {
            entry.encode(into: &writer, after: previous)
            previous = entry
        }
        return writer.bytes
    }

    /// Reads a run to the end of the reader; its signature is not checked here.
    package init(from reader: inout WireReader) throws(WireError) {
        let conversation = ConversationID(try reader.bytes32("run conversation"))
        let author = PeerID(try reader.bytes32("run author"))
        let incarnation = try reader.u64("run incarnation")
        let first = try reader.varint("run first")
        let count = try reader.count("run count", limit: Limits.runEntries)
        guard count > 0 else { throw .value(field: "run count") }
        guard first > 0, first <= UInt64(Int64.max) - UInt64(count) else {
            throw .value(field: "run first")
        }
        // So that the first entry of every log, which says whose it is, can be sent alone.
        guard first > 1 || count == 1 else { throw .value(field: "run count") }
        let prev = first == 1 ? nil : EntryID(try reader.bytes32("run prev"))
        let attestation = try reader.bytes64("run signature")
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        var size = 0
        for _ in 0..<count {
            let previous = entries.last
            let entry = try Entry(from: &reader, after: previous)
            size += entry.runBytes(after: previous?.time)
            entries.append(entry)
        }
        guard size <= Limits.runEntryBytes else {
            throw .limit(field: "run entries", limit: Limits.runEntryBytes, got: UInt64(size))
        }
        try reader.finish("run")
        self.init(
            key: LogKey(
                conversation: conversation, name: LogName(author: author, incarnation: incarnation)),
            first: first, prev: prev, attestation: attestation, entries: entries)
    }
}
