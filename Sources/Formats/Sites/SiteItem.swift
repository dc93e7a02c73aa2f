package import Crypto

/// What goes from site to site: signed by its author, as links bring it, and checked in the same way.
///
/// `Docs/Protocol/Sites.md` section 3.
package enum SiteItem: Hashable, Sendable {
    case run(Run)
    case record(Record)
    case act(Act)
    case key(SealedKey, of: ConversationID)
    case letter(SiteLetter)
    case part(SitePart)
    case invitation(SiteInvitation)
    case signal(SiteSignal)
    case ask(SiteAsk)
    case fork(ForkProof)

    /// The kind of an item is its first byte.
    private enum Kind {
        static let run: UInt8 = 1
        static let record: UInt8 = 2
        static let act: UInt8 = 3
        static let key: UInt8 = 4
        static let fork: UInt8 = 5
        static let letter: UInt8 = 6
        static let part: UInt8 = 7
        static let invitation: UInt8 = 8
        static let signal: UInt8 = 9
        static let ask: UInt8 = 10
    }

    /// What an item is called, whoever publishes it.
    package enum Name: Hashable, Sendable {
        /// The run that ends with this entry: a run says which entry is before it, and so which run is missing.
        case run(through: EntryID)
        case record(RecordKey)
        case act(ActID)
        case key(Bytes32, device: PeerID, giver: PeerID)
        /// By its id.
        case letter(Bytes32)
        case part(SitePart.Name)
        /// By the act that brings somebody.
        case invitation(ActID)
        /// One for all, and for what is asked for: by their names a server cannot tell them apart, but by their sizes.
        case signal
        /// Whichever two histories prove it, of a log that ends at the smallest point.
        case fork(LogName)

        var encoded: [UInt8] {
            switch self {
            case .run(let last): return [Kind.run] + last.hash.bytes
            case .act(let id): return [Kind.act] + id.hash.bytes
            case .invitation(let id): return [Kind.invitation] + id.hash.bytes
            case .signal: return [Kind.signal]
            case .fork(let log):
                var writer = WireWriter(capacity: 48)
                writer.byte(Kind.fork)
                writer.raw(log.author.key)
                writer.u64(log.incarnation)
                return writer.bytes
            case .key(let epoch, let device, let giver):
                return [Kind.key] + epoch.bytes + device.key.bytes + giver.key.bytes
            case .letter(let id): return [Kind.letter] + id.bytes
            case .record(let key):
                var writer = WireWriter(capacity: 112)
                writer.byte(Kind.record)
                writer.byte(key.kind)
                writer.raw(key.author.key)
                writer.byte(key.scope)
                if let conversation = key.conversation { writer.raw(conversation.hash) }
                if let person = key.person { writer.raw(person.hash) }
                return writer.bytes
            case .part(let name):
                var writer = WireWriter(capacity: 48)
                writer.byte(Kind.part)
                name.write(to: &writer)
                return writer.bytes
            }
        }
    }

    /// What it is called.
    package var name: Name {
        switch self {
        case .run(let run):
            guard let last = run.ids.last else { preconditionFailure("a run has entries") }
            return .run(through: last)
        case .record(let record): return .record(record.key)
        case .act(let act): return .act(act.id)
        case .key(let key, _): return .key(key.epoch, device: key.device, giver: key.giver)
        case .invitation(let invitation): return .invitation(invitation.act.id)
        case .letter(let letter): return .letter(letter.id)
        case .part(let part): return .part(part.name)
        case .signal, .ask: return .signal
        case .fork(let proof): return .fork(proof.key.name)
        }
    }

    /// As it is sealed.
    package var encoded: [UInt8] {
        switch self {
        case .run(let run): [Kind.run] + run.encoded
        case .record(let record): [Kind.record] + record.encoded
        case .act(let act): [Kind.act] + act.encoded
        case .key(let key, let group): [Kind.key] + group.hash.bytes + key.encoded
        case .invitation(let invitation): [Kind.invitation] + invitation.encoded
        case .letter(let letter): [Kind.letter] + letter.encoded
        case .part(let part): [Kind.part] + part.encoded
        case .signal(let signal): [Kind.signal] + signal.encoded
        case .ask(let ask): [Kind.ask] + ask.encoded
        case .fork(let proof): [Kind.fork] + proof.encoded
        }
    }

    /// Reads an item; no signature is checked here.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        let rest = Array(bytes.dropFirst())
        switch bytes.first {
        case Kind.run:
            var reader = WireReader(rest)
            self = .run(try Run(from: &reader))
        case Kind.record: self = .record(try Record(decoding: rest))
        case Kind.act: self = .act(try Act(decoding: rest))
        case Kind.key:
            var reader = WireReader(rest)
            let group = ConversationID(try reader.bytes32("sealed key group"))
            self = .key(try SealedKey(from: &reader), of: group)
            try reader.finish("sealed key")
        case Kind.invitation: self = .invitation(try SiteInvitation(decoding: rest))
        case Kind.letter: self = .letter(try SiteLetter(decoding: rest))
        case Kind.part: self = .part(try SitePart(decoding: rest))
        case Kind.fork:
            var reader = WireReader(rest)
            self = .fork(try ForkProof(from: &reader))
        case Kind.signal: self = .signal(try SiteSignal(decoding: rest))
        case Kind.ask: self = .ask(try SiteAsk(decoding: rest))
        default: throw .value(field: "site item kind")
        }
    }
}
