package import Crypto

/// How far a member has received and read a conversation, as it says of itself: the value of a record of
/// kind 3.
///
/// Members who are linked learn from each other's clocks what has been received; a mark tells those who
/// are linked through others only, and everybody what was read. `Docs/Protocol/Sync.md` section 10.
package struct Mark: Hashable, Sendable {
    /// How far one log is here.
    package struct Row: Hashable, Sendable {
        /// Names the log; see ``Mark/tag(of:)``.
        package var tag: UInt64
        /// Through which entry it can be read there; 0 where nothing is said of it.
        package var stored: UInt64
        /// Through which entry it was read; 0 for nothing, or where nobody is told.
        package var read: UInt64
        /// Shows the entry at ``stored``; 0 where it is not at hand.
        package var headTag: UInt64

        package init(tag: UInt64, stored: UInt64, read: UInt64, headTag: UInt64) {
            self.tag = tag
            self.stored = stored
            self.read = read
            self.headTag = headTag
        }
    }

    /// At most ``Limits/markRows``, by ascending tags.
    package var rows: [Row] = []
    /// The members whom its author is not linked with, so that others are to pass it on to them; at most
    /// ``Limits/markMembers``, ascending.
    package var passOn: [UInt64] = []

    private static let rowsType: UInt64 = 1
    private static let passOnType: UInt64 = 2

    /// Gathers what is said.
    package init(rows: [Row] = [], passOn: [UInt64] = []) {
        self.rows = rows.sorted { $0.tag < $1.tag }
        self.passOn = passOn.sorted()
    }

    /// Its fields.
    package var encoded: [UInt8] {
        var list = WireWriter(capacity: 28 * self.rows.count)
        for row in self.rows {
            list.u64(row.tag)
            list.varint(row.stored)
            list.varint(row.read)
            list.u64(row.headTag)
        }
        var members = WireWriter(capacity: 8 * self.passOn.count)
        for tag in self.passOn { members.u64(tag) }
        var writer = WireWriter(capacity: list.bytes.count + members.bytes.count + 8)
        writer.field(Self.rowsType, list.bytes)
        if !self.passOn.isEmpty { writer.field(Self.passOnType, members.bytes) }
        return writer.bytes
    }

    /// Reads ``encoded``; throws where that is malformed, over a limit or out of order.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        let fields = try FieldList(decoding: bytes)
        guard fields.isUnderstood(by: [Self.rowsType]),
            let list = fields.value(of: Self.rowsType)
        else { throw .value(field: "mark field") }
        var reader = WireReader(Array(list))
        while reader.remaining > 0 {
            guard self.rows.count < Limits.markRows else {
                throw .limit(
                    field: "mark rows", limit: Limits.markRows, got: UInt64(Limits.markRows) + 1)
            }
            let row = Row(
                tag: try reader.u64("mark log"), stored: try reader.varint("mark stored"),
                read: try reader.varint("mark read"), headTag: try reader.u64("mark head"))
            if let last = self.rows.last, row.tag <= last.tag { throw .order(field: "mark log") }
            self.rows.append(row)
        }
        reader = WireReader(fields.value(of: Self.passOnType).map { Array($0) } ?? [])
        while reader.remaining > 0 {
            guard self.passOn.count < Limits.markMembers else {
                throw .limit(
                    field: "mark members", limit: Limits.markMembers,
                    got: UInt64(Limits.markMembers) + 1)
            }
            let tag = try reader.u64("mark member")
            if let last = self.passOn.last, tag <= last { throw .order(field: "mark member") }
            self.passOn.append(tag)
        }
    }

    // MARK: Tags

    /// Names a log in marks; the same for everybody.
    package static func tag(of key: LogKey) -> UInt64 {
        var writer = WireWriter(capacity: 72)
        writer.raw(key.conversation.hash)
        writer.raw(key.name.author.key)
        writer.u64(key.name.incarnation)
        return Self.tag(writer.bytes, .markLog)
    }

    /// Names a member of a conversation in marks.
    package static func tag(of member: PeerID, in conversation: ConversationID) -> UInt64 {
        var writer = WireWriter(capacity: 64)
        writer.raw(conversation.hash)
        writer.raw(member.key)
        return Self.tag(writer.bytes, .markMember)
    }

    /// Shows that an entry is at hand; never 0.
    package static func tag(of entry: EntryID) -> UInt64 {
        max(1, Self.tag(entry.hash.bytes, .markHead))
    }

    private static func tag(_ bytes: [UInt8], _ personal: BLAKE2b.Personal) -> UInt64 {
        BLAKE2b.hash256(bytes, personal: personal).bytes.prefix(8)
            .reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// How a record's value holds a mark: in clear, or sealed where the conversation is.
///
///     00 ‖ fields
///     01 ‖ key id 32 ‖ sealed payload, bound to the record without its value
extension Mark {
    private static let isClear: UInt8 = 0
    private static let isSealed: UInt8 = 1

    /// Signs a mark as a record; nil where what is said in the conversation is sealed and this machine
    /// has nothing to seal it with.
    ///
    /// `random` must not be predictable.
    package func record(
        in conversation: ConversationID, at time: HybridTime, by signer: Signer,
        _ keyring: Keyring, using random: inout some RandomNumberGenerator
    ) -> Record? {
        let author = PeerID(signer.publicKey)
        let key = RecordKey(author: author, conversation: conversation, kind: Record.Kind.mark)
        var value = [Self.isClear] + self.encoded
        if keyring.isSealed(conversation) {
            guard let secret = keyring.current(in: conversation) else { return nil }
            value = [Self.isSealed] + secret.id.bytes
            value += SealedPayload.seal(
                self.encoded, with: secret, header: Record.header(key, at: time), using: &random)
        }
        return Record(
            kind: key.kind, author: author, conversation: conversation, time: time, value: value,
            signer: signer)
    }

    /// Reads what a record says; nil where that is no mark, or one that cannot be opened here.
    package init?(_ record: Record, by keyring: Keyring) {
        guard record.kind == Record.Kind.mark, let conversation = record.conversation,
            let form = record.value.first
        else { return nil }
        let fields: [UInt8]
        switch (form, keyring.isSealed(conversation)) {
        case (Self.isClear, false): fields = Array(record.value.dropFirst())
        case (Self.isSealed, true):
            var reader = WireReader(record.value, from: 1, to: record.value.count)
            guard let id = try? reader.bytes32("mark key"),
                let key = keyring.key(id, of: conversation),
                let opened = SealedPayload.open(
                    Array(record.value[reader.position...]), with: key,
                    header: Record.header(record.key, at: record.time))
            else { return nil }
            fields = opened
        default: return nil
        }
        guard let mark = try? Mark(decoding: fields) else { return nil }
        self = mark
    }
}
