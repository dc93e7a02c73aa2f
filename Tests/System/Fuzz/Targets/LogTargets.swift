import Crypto

@testable import Engine
@testable import Formats

/// One entry as it stands in a run.
enum EntryTarget {
    private static let conversation = ConversationID(Bytes32.zero)

    static func run(_ bytes: [UInt8]) throws -> Verdict {
        var feed = Feed(bytes)
        let flags = feed.byte()
        var previous: Entry?
        if flags & 1 != 0 {
            previous = Entry(
                entryClass: 2, time: HybridTime(feed.u64()), deps: [], payload: .present([]))
            if flags & 2 != 0 { previous?.epoch = BLAKE2b.hash256([], personal: .payload) }
            // A nonce of zeros, whose last byte an input chooses.
            if flags & 4 != 0 {
                let nonce = [UInt8](repeating: 0, count: 23) + [feed.byte()]
                previous?.payload = .present([1] + nonce)
            }
        }
        let raw = feed.remainder()
        var reader = WireReader(raw)
        guard let entry = try? Entry(from: &reader, after: previous) else { return .refused }
        if let previous { try demand(entry.time > previous.time, "time stands still") }
        let read = Array(raw.prefix(reader.position))
        var writer = WireWriter()
        entry.encode(into: &writer, after: previous)
        try demand(writer.bytes == read, "an entry is taken in a second form")
        try demand(read.count <= entry.runBytes, "an entry is longer than its bound")

        let key = LogKey(
            conversation: Self.conversation, name: LogName(author: PeerID(.zero), incarnation: 1))
        let id = entry.id(key: key, seq: 1, prev: nil)
        let next = entry.id(key: key, seq: 2, prev: id)
        try demand(id != next, "two places have one id")
        var omitted = entry
        omitted.payload = omitted.payload.omitted
        try demand(omitted.id(key: key, seq: 1, prev: nil) == id, "an id hangs on the payload")
        try Self.content(of: entry)
        try Self.targets(of: entry)
        return .accepted
    }

    /// What a header names in clear to be erased.
    private static func targets(of entry: Entry) throws {
        let device = PeerID(.zero)
        let targets = Formats.EntryTarget.inExtensions(entry.extensions, by: device)
        try demand(targets.count <= Limits.eraseTargets, "more is erased than may be")
        try demand(
            targets.allSatisfy { $0.log.author == device && $0.seq >= 1 },
            "what another device wrote is erased")
        let area = Formats.EntryTarget.extensions(targets, by: device)
        try demand(
            Formats.EntryTarget.inExtensions(area, by: device) == targets,
            "targets do not survive their encoding")
        try demand(area.count <= entry.extensions.count, "targets grow when they are written again")
    }

    private static func content(of entry: Entry) throws {
        let key = LogKey(
            conversation: Self.conversation, name: LogName(author: PeerID(.zero), incarnation: 1))
        let reading = Keyring().read(Envelope(entry, key: key, seq: 1, prev: nil))
        guard let content = reading.content else { return }
        try demand(entry.epoch == .zero, "a sealed entry is read without a key")
        guard case .present(let payload) = entry.payload else {
            throw Finding("nothing has content")
        }
        guard let kind = content.kind else { return }
        try demand(
            Extensions.areUnderstood(entry.extensions), "an entry is read that is not understood")
        try demand(kind.rawValue == reading.kind, "content changes its kind")
        try demand(content.entryClass == entry.entryClass, "content is read in another class")
        var zeros = Zeros()
        let again = Envelope(
            plain: content.payload(using: &zeros), entryClass: entry.entryClass,
            in: Self.conversation)
        try demand(Keyring().read(again) == reading, "content does not survive its encoding")
        try demand(payload.first == 0, "a payload of another suite is read")
    }
}

/// Salts of zeros.
private struct Zeros: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0 }
}

/// A run, with its signature as it comes or with one that holds.
enum RunTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        var feed = Feed(bytes)
        let isSigned = feed.byte() & 1 != 0
        let raw = feed.remainder()
        var reader = WireReader(raw)
        guard let plain = try? Run(from: &reader) else { return .refused }
        try demand(plain.encoded == raw, "a run is taken in a second form")
        try demand(plain.last <= UInt64(Int64.max), "a seq is larger than a seq may be")
        let run = isSigned ? Self.signed(plain) : plain
        let ids = run.ids
        try demand(ids.count == run.entries.count, "an entry has no id")

        guard let verified = run.verified() else {
            try demand(!isSigned, "an honest signature is refused")
            return .accepted
        }
        try demand(verified.ids == ids && verified.head.id == ids[ids.count - 1], "other ids")
        for seq in [run.first, run.first + 1, run.last, run.last + 1] {
            guard let suffix = verified.suffix(from: seq) else {
                try demand(seq > run.last, "a part of a run is lost")
                continue
            }
            try Self.survives(suffix)
        }
        try Self.bare(run, ids)
        return .accepted
    }

    /// The same run, signed by somebody whose key is here.
    static func signed(_ run: Run) -> Run {
        let key = LogKey(
            conversation: run.key.conversation,
            name: LogName(
                author: PeerID(Keys.ada.publicKey), incarnation: run.key.name.incarnation))
        let bare = Run(
            key: key, first: run.first, prev: run.prev, attestation: run.attestation,
            entries: run.entries)
        guard let id = bare.ids.last else { return bare }
        return Run(
            key: key, first: run.first, prev: run.prev,
            attestation: Attestation.sign(key: key, seq: run.last, id: id, by: Keys.ada),
            entries: run.entries)
    }

    private static func survives(_ verified: VerifiedRun) throws {
        var reader = WireReader(verified.run.encoded)
        let again = try Run(from: &reader)
        try demand(again == verified.run, "a part of a run does not survive its encoding")
        try demand(again.verified() == verified, "a part of a run loses its signature")
    }

    /// A run that is taken makes a proof that is taken.
    private static func bare(_ run: Run, _ ids: [EntryID]) throws {
        let bare = run.withoutPayloads
        try demand(bare.ids == ids, "ids hang on payloads")
        var reader = WireReader(bare.encoded)
        let again = try Run(from: &reader)
        try demand(again == bare, "a run without payloads does not survive its encoding")
        try demand(
            run.encoded.count <= Limits.runFrameBytes - 8, "a run does not fit its frame")
    }
}

/// A proof of a fork, with its signatures as they come or with ones that hold.
enum ForkProofTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        var feed = Feed(bytes)
        let isSigned = feed.byte() & 1 != 0
        let raw = feed.remainder()
        var reader = WireReader(raw)
        guard let proof = try? ForkProof(from: &reader) else { return .refused }
        try demand(proof.encoded == raw, "a proof is taken in a second form")
        guard isSigned else {
            if proof.isValid { try Self.proves(proof) }
            return .accepted
        }
        let left = RunTarget.signed(proof.left)
        let right = RunTarget.signed(proof.right)
        guard let one = left.verified(), let other = right.verified() else {
            throw Finding("an honest signature is refused")
        }
        let made = ForkProof(one, other)
        try demand(made == ForkProof(other, one), "a proof hangs on the order of its runs")
        let differs =
            left.key == right.key && left.first == right.first && one.ids[0] != other.ids[0]
        try demand((made != nil) == differs, "a proof proves something else")
        if let made { try Self.proves(made) }
        return .accepted
    }

    private static func proves(_ proof: ForkProof) throws {
        try demand(proof.isValid, "a proof that was made does not hold")
        try demand(
            proof.left.key == proof.right.key && proof.left.first == proof.right.first
                && proof.left.ids[0] < proof.right.ids[0], "a proof of nothing holds")
        var reader = WireReader(proof.encoded)
        try demand(try ForkProof(from: &reader) == proof, "a proof does not survive its encoding")
        // Both ends of the log hold what the frame holds.
        try FramesTarget.canonical(.forkProof(proof), Frame.forkProof(proof).encoded.bytes)
    }
}

/// A record, its signature as it comes or one that holds, and the profile in it.
enum RecordTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        var feed = Feed(bytes)
        let flags = feed.byte()
        let raw = feed.remainder()
        if flags & 2 != 0 {
            guard let profile = try? Profile(decoding: raw) else { return .refused }
            try Self.survives(profile, raw)
            return .accepted
        }
        guard let record = try? Record(decoding: raw) else { return .refused }
        try demand(record.encoded == raw, "a record is taken in a second form")
        if let revocation = record.revocation {
            try demand(
                Revocation(decoding: revocation.encoded) == revocation,
                "a revocation does not survive its encoding")
        }
        if let reach = Reach(decoding: record.value) {
            try demand(
                Reach(decoding: reach.encoded) == reach, "a reach does not survive its encoding")
        }
        if let profile = try? Profile(decoding: record.value) {
            try Self.survives(profile, record.value)
        }
        if flags & 1 != 0 {
            let ada = PeerID(Keys.ada.publicKey)
            let signed =
                record.kind == Record.Kind.revocation
                ? Record(
                    revoking: ada,
                    Revocation(
                        of: Keys.certificates[0], stands: record.revocation?.stands ?? false),
                    at: record.time, by: Keys.person)
                : Record(
                    kind: record.kind, author: ada, conversation: record.conversation,
                    time: record.time, value: record.value, signer: Keys.ada)
            try demand(signed.isValid, "an honest signature is refused")
            try demand(
                try Record(decoding: signed.encoded) == signed, "a record is not what was signed")
            try demand(signed.hash != record.hash || signed == record, "two records have one hash")
            let stands = [signed.supersedes(record), record.supersedes(signed), signed == record]
            try demand(stands.count { $0 } == 1, "neither or both of two records stand")
        } else {
            _ = record.isValid
        }
        return .accepted
    }

    private static func survives(_ profile: Profile, _ raw: [UInt8]) throws {
        try demand(
            try Profile(decoding: profile.encoded) == profile,
            "a profile does not survive its encoding")
        try demand(profile.encoded.count <= raw.count, "a profile grows when it is written again")
        try demand(profile.isWithinLimits, "a profile is taken beyond its limits")
        let same = Profile(name: profile.name, status: profile.status)
        try demand(same == profile, "a profile says something else")
    }
}
