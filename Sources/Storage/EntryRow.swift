internal import Engine
internal import Formats
internal import Crypto

/// What is known of an entry beyond what its author wrote.
struct EntryFlags: OptionSet {
    let rawValue: Int64

    /// It arrived long after newer ones had been shown.
    static let late = EntryFlags(rawValue: 1)
    /// It stands at or behind a proven fork point.
    static let disputed = EntryFlags(rawValue: 2)
    /// It was disputed before it was shown, and never is.
    static let withheld = EntryFlags(rawValue: 4)
    /// Nobody sees it: it only has effects, or it cannot be read.
    static let hidden = EntryFlags(rawValue: 8)
    /// It counts as unread once it is shown.
    static let counted = EntryFlags(rawValue: 16)
    /// It says whether its author is a member.
    static let attendance = EntryFlags(rawValue: 32)
    /// Its author is.
    static let present = EntryFlags(rawValue: 64)
    /// It is sealed with a key that was not here.
    static let locked = EntryFlags(rawValue: 128)
    /// Its payload is not here, and asked for.
    static let wanted = EntryFlags(rawValue: 256)
    /// Its payload was erased.
    static let erased = EntryFlags(rawValue: 512)
    /// Its payload is not kept any longer.
    static let expired = EntryFlags(rawValue: 1_024)
    /// It says something of a message, and stands with that one instead of in the conversation.
    static let aside = EntryFlags(rawValue: 2_048)
    /// There are such entries about it.
    static let referenced = EntryFlags(rawValue: 4_096)

    /// It calls the user by name.
    static let mention = EntryFlags(rawValue: 8_192)
    /// It tells of a file.
    static let file = EntryFlags(rawValue: 16_384)
    /// It is for programs, and stands in no history.
    static let stream = EntryFlags(rawValue: 32_768)

    /// What keeps people from seeing an entry.
    static let unseen: EntryFlags = [.withheld, .hidden]
    /// What keeps it out of the conversation's history.
    static let unlisted: EntryFlags = [.withheld, .hidden, .aside, .stream]
    /// What stands in no conversation's order, whatever becomes of it.
    static let beside: EntryFlags = [.aside, .stream]
    /// The conditions of the two indexes by time: a page of a conversation passes over nothing that
    /// never stands in one.
    static let isInPlaceSQL = "flags & \(Self.beside.rawValue) = 0"
    static let isBesideSQL = "flags & \(Self.beside.rawValue)"
    /// The condition that an entry brings data of a stream, here or still wanted: its class says so, also
    /// where its payload cannot be read.
    static let isOfStreamSQL =
        "class = \(EntryClass.stream.rawValue) "
        + "AND flags & \(EntryFlags([.erased, .expired]).rawValue) = 0"
    /// The user has written it with another device.
    static let ofUser = EntryFlags(rawValue: 65_536)

    /// It was held when it came, and the user knows its author.
    static let ofKnown = EntryFlags(rawValue: 131_072)

    /// All that are in use.
    static let all = EntryFlags(rawValue: 262_143)
    /// What a verdict says.
    static let judged: EntryFlags = [
        .hidden, .counted, .attendance, .present, .locked, .aside, .file, .stream,
    ]

    /// What says why a payload is absent: one of these where it is.
    static let absent: EntryFlags = [.wanted, .erased, .expired]

    /// How many of the entries `e` call the user by name.
    static let mentionsSQL =
        "coalesce(sum(e.flags & \(Self.mention.rawValue) <> 0), 0) AS mentions"
    /// The condition that people see an entry `e` and that it counts as unread for all but its author.
    static let isCountedSQL =
        "e.flags & \(Self.unseen.union(.counted).rawValue) = \(Self.counted.rawValue)"
    /// The condition that it counts as unread for the user, if this device has not written it.
    static let isUnreadSQL =
        "e.flags & \(Self.unseen.union([.counted, .ofUser]).rawValue) = \(Self.counted.rawValue)"
}

extension EntryFlags {
    /// What the node has said of an entry.
    init(_ verdict: EntryVerdict) {
        self = []
        if !verdict.isSeen { self.insert(.hidden) }
        if verdict.countsAsUnread { self.insert(.counted) }
        if let isPresent = verdict.attendance {
            self.insert(.attendance)
            if isPresent { self.insert(.present) }
        }
        if verdict.isLocked { self.insert(.locked) }
        if verdict.refersTo != nil { self.insert(.aside) }
        if verdict.isMention { self.insert(.mention) }
        if verdict.isOfUser { self.insert(.ofUser) }
        if verdict.isStream { self.insert(.stream) }
        if verdict.attaches != nil { self.insert(.file) }
        self.formUnion(EntryFlags(verdict.payload))
    }

    /// What is stored of a payload's state.
    init(_ state: PayloadState) {
        switch state {
        case .present: self = []
        case .wanted: self = .wanted
        case .erased: self = .erased
        case .expired: self = .expired
        }
    }

    /// The state of the payload; nil where the flags contradict each other.
    var payloadState: PayloadState? {
        PayloadState.allCases.first { EntryFlags($0) == self.intersection(.absent) }
    }

    /// Whether its author is a member by it; nil where it does not say.
    var attendance: Bool? {
        self.contains(.attendance) ? self.contains(.present) : nil
    }
}

extension Visibility {
    /// What is stored of an entry for which this holds; ``EntryFlags`` and the sign of its arrival
    /// number hold both.
    var flags: EntryFlags {
        switch self {
        case .held, .shown: []
        case .disputed(wasShown: true): .disputed
        case .disputed(wasShown: false): [.disputed, .withheld]
        }
    }

    /// Reads back what is stored; the number of a held entry is negative.
    init(arrival: Int64, flags: EntryFlags) {
        if flags.contains(.disputed) {
            self = .disputed(wasShown: !flags.contains(.withheld))
        } else {
            self = arrival < 0 ? .held : .shown
        }
    }
}

extension UInt64 {
    /// The signed integer whose order is this one's: the top bit is flipped.
    var stored: Int64 { Int64(bitPattern: self ^ 1 << 63) }

    /// Reads back what ``stored`` gave.
    init(stored: Int64) { self = UInt64(bitPattern: stored) ^ 1 << 63 }
}

extension HybridTime {
    var stored: Int64 { self.rawValue.stored }
    init(stored: Int64) { self.init(UInt64(stored: stored)) }
}

extension EntryID {
    /// The first eight bytes: what the index over ids holds.
    var prefix: Int64 {
        self.hash.withBytes { bytes in
            // Any eight bytes are an Int64, and the load checks its bounds.
            Int64(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: Int64.self))
        }
    }

    /// Puts both parts together.
    init(prefix: Int64, suffix: [UInt8]) throws(SQLiteError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for shift in stride(from: Int64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: prefix >> shift))
        }
        bytes += suffix
        guard let hash = Bytes32(bytes) else { throw .damaged("an id has another length") }
        self.init(hash)
    }
}

extension Entry {
    private enum Form {
        static let absent: UInt8 = 1
        static let epoch: UInt8 = 2
        static let extensions: UInt8 = 4
    }

    /// The rest of the header in one blob, nil where all of it is empty, as in most rows.
    ///
    /// `form ‖ depCount ‖ dep * ‖ [epoch] ‖ [length ‖ hash] ‖ [extensions]`
    var extra: [UInt8]? {
        var form: UInt8 = 0
        if case .absent = self.payload { form |= Form.absent }
        if self.epoch != .zero { form |= Form.epoch }
        if !self.extensions.isEmpty { form |= Form.extensions }
        if form == 0 && self.deps.isEmpty { return nil }
        var writer = WireWriter(capacity: 2 + 32 * (self.deps.count + 1))
        writer.byte(form)
        writer.byte(UInt8(self.deps.count))
        for dep in self.deps { writer.raw(dep.hash) }
        if form & Form.epoch != 0 { writer.raw(self.epoch) }
        if case .absent(let length, let hash) = self.payload {
            writer.varint(length)
            writer.raw(hash)
        }
        if form & Form.extensions != 0 { writer.sized(self.extensions) }
        return writer.bytes
    }

    /// Reads an entry back from its columns.
    init(
        entryClass: Int64, time: HybridTime, extra: [UInt8]?, payload: [UInt8]?
    ) throws(SQLiteError) {
        guard let entryClass = UInt8(exactly: entryClass) else {
            throw .damaged("a class is not a byte")
        }
        do throws(WireError) {
            var reader = WireReader(extra ?? [0, 0])
            let form = try reader.byte("form")
            var deps: [EntryID] = []
            for _ in 0..<(try reader.byte("depCount")) {
                deps.append(EntryID(try reader.bytes32("dep")))
            }
            let epoch = form & Form.epoch == 0 ? Bytes32.zero : try reader.bytes32("epoch")
            let content: Payload
            if form & Form.absent != 0 {
                content = .absent(
                    length: try reader.count("payloadLength", limit: Limits.payloadBytes),
                    hash: try reader.bytes32("payloadHash"))
            } else {
                content = .present(payload ?? [])
            }
            self.init(entryClass: entryClass, time: time, deps: deps, payload: content)
            self.epoch = epoch
            if form & Form.extensions != 0 {
                self.extensions = try reader.sized("extensions", limit: Limits.extensionBytes)
            }
            try reader.finish("extra")
        } catch {
            throw .damaged("the rest of a header cannot be read: \(error)")
        }
    }

    /// Whether the rest of a header says that the payload is sealed.
    static func isSealed(extra: UnsafeRawBufferPointer) -> Bool {
        extra.first.map { $0 & Form.epoch != 0 } ?? false
    }

    /// Whether the rest of a header holds what it takes to read the entry; in most rows it does not.
    static func isNeeded(extra: UnsafeRawBufferPointer) -> Bool {
        extra.first.map { $0 & (Form.epoch | Form.extensions) != 0 } ?? false
    }
}
