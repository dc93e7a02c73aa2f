internal import Crypto
package import Engine
package import Formats

/// What of files goes to other sites, in the order in which it came here.
extension StoreFile {
    /// The entries looked at for one step, and the most steps for one answer.
    private static let rowsPerStep = 4_096
    private static let steps = 16

    /// The next own file, or own deletion, behind a place; see ``MessageStore/nextFile(since:in:by:upTo:)``.
    func nextFile(
        since arrival: Int64, in conversations: Set<ConversationID>, by devices: [PeerID],
        upTo bytes: UInt64
    ) throws(SQLiteError) -> ArrivedFiles {
        let newest = try self.statements.sites.newest.first { row in row.int(.arrival) } ?? 0
        // Of another time of this store: all is given again.
        var found = ArrivedFiles(through: arrival <= newest ? arrival : 0)
        for _ in 0..<Self.steps {
            let last = try self.statements.sites.lastOfNext.bind(.since, found.through)
                .bind(.limit, Int64(Self.rowsPerStep)).first { row in row.optionalInt(.arrival) }
            guard let last = last ?? nil else {
                found.isAll = true
                return found
            }
            let own = devices.flatMap { $0.key.bytes }
            try self.statements.sites.files.bind(.since, found.through).bind(.through, last)
                .bind(.owner, self.owner.key).bind(.devices, own)
                .forEach { (row) throws(SQLiteError) in
                    guard found.next == nil else { return }
                    let file = try self.arrivedFile(row)
                    guard conversations.contains(file.key.conversation),
                        file.sent.map({ $0.size <= bytes }) ?? true
                    else { return }
                    found.next = file
                }
            if found.next != nil { return found }
            found.through = last
        }
        return found
    }

    private func arrivedFile(_ row: Statement) throws(SQLiteError) -> ArrivedFiles.Element {
        let name = LogName(
            author: PeerID(try row.bytes32(.key)),
            incarnation: UInt64(stored: row.int(.incarnation)))
        var file = ArrivedFiles.Element(
            arrival: row.int(.arrival),
            key: LogKey(conversation: ConversationID(try row.bytes32(.hash)), name: name),
            seq: UInt64(bitPattern: row.int(.seq)))
        if let size = row.optionalInt(.size) {
            file.sent = (BlobID(try row.bytes32(.blob)), UInt64(clamping: size))
        }
        return file
    }

    /// Which of some own messages with a file are deleted, while no other one of their conversation tells of it.
    func goneFiles(_ files: [SentFile]) throws(SQLiteError) -> [SentFile] {
        var gone: [SentFile] = []
        for file in files {
            guard let log = try self.logRow(file.place.key),
                let row = try self.entryRow(log: log.id, seq: file.place.seq),
                row.flags.contains(.erased),
                try self.size(of: file.blob, in: file.place.key.conversation) == nil
            else { continue }
            gone.append(file)
        }
        return gone
    }
}

/// The next of the files and deletions that go to other sites.
package struct ArrivedFiles: Sendable {
    package struct Element: Sendable {
        package var arrival: Int64
        package var key: LogKey
        package var seq: UInt64
        /// The file that this node sent; nil for a deletion.
        package var sent: (blob: BlobID, size: UInt64)?
    }

    /// Nil where there is none that was looked at.
    package var next: Element?
    /// Up to where all was looked at.
    package var through: Int64
    /// Whether nothing is behind that.
    package var isAll = false

    init(through: Int64) { self.through = through }
}

/// A file that this node has sent.
package struct SentFile: Hashable, Sendable {
    /// Which message tells of it.
    package var place: EntryPlace
    package var blob: BlobID
    package var size: UInt64

    package init(_ place: EntryPlace, _ blob: BlobID, size: UInt64) {
        (self.place, self.blob, self.size) = (place, blob, size)
    }
}
