internal import Engine
package import Formats

/// The files that entries tell of: each stays as long as one of them does.
extension StoreFile {
    /// Notes the file that an entry tells of, if any.
    func attach(_ attachment: Attachment?, to row: EntryRow) throws(SQLiteError) {
        guard case .file(let blob, let size)? = attachment else { return }
        try self.statements.files.attach.bind(.blob, blob.hash)
            .bind(.conversation, row.conversation).bind(.log, row.log).bind(.seq, row.seq)
            .bind(.size, Int64(clamping: size)).run()
    }

    /// An entry that told of a file has gone.
    func detach(_ row: EntryRow, _ progress: inout Progress) throws(SQLiteError) {
        let statement = self.statements.files.detach
        let blob = try statement.bind(.log, row.log).bind(.seq, row.seq)
            .first { (row) throws(SQLiteError) in BlobID(try row.bytes32(.blob)) }
        if let blob { progress.detached[blob, default: []].insert(row.conversation) }
    }

    /// Notes of which files no entry tells any longer, or none of a conversation, in order.
    func noteDetached(_ progress: Progress, in outcome: inout BatchOutcome) throws(SQLiteError) {
        for (blob, conversations) in progress.detached.sorted(by: { $0.key < $1.key }) {
            let isAttached =
                try self.statements.files.isAttached.bind(.blob, blob.hash).int() != nil
            guard isAttached else {
                outcome.withdrawn.append(FileWithdrawal(blob: blob, conversation: nil))
                continue
            }
            for conversation in conversations.sorted() {
                let gone = try self.statements.files.withdrawn.bind(.blob, blob.hash)
                    .bind(.conversation, conversation)
                    .first { (row) throws(SQLiteError) in try row.bytes32(.hash) }
                guard let gone else { continue }
                outcome.withdrawn.append(
                    FileWithdrawal(blob: blob, conversation: ConversationID(gone)))
            }
        }
    }

    /// The size of a file as a conversation tells of it; nil where no entry of it does.
    func size(
        of blob: BlobID, in conversation: ConversationID
    ) throws(SQLiteError) -> UInt64? {
        try self.statements.files.sizeIn.bind(.blob, blob.hash).bind(.hash, conversation.hash)
            .int().map { UInt64(clamping: $0) }
    }

    /// A message that tells of a file, the first that came; nil where none does.
    func entry(attaching blob: BlobID) throws(SQLiteError) -> StoredEntry? {
        let arrival = try self.statements.files.firstAttaching.bind(.blob, blob.hash).int()
        guard let arrival else { return nil }
        return try self.statements.reading.stored.bind(.arrival, arrival)
            .first { (row) throws(SQLiteError) in try self.shownEntry(row) }
    }

    /// In which conversations a file is told of, and its size as it is told there.
    func attachments(of blob: BlobID) throws(SQLiteError) -> [FileAttachment] {
        var found: [FileAttachment] = []
        try self.statements.files.attachments.bind(.blob, blob.hash)
            .forEach { (row) throws(SQLiteError) in
                found.append(
                    FileAttachment(
                        conversation: ConversationID(try row.bytes32(.hash)),
                        size: UInt64(clamping: row.int(.size))))
            }
        return found
    }
}

/// That a conversation tells of a file, and how large it says that it is.
package struct FileAttachment: Hashable, Sendable {
    package var conversation: ConversationID
    /// The bytes of the file.
    package var size: UInt64
}
