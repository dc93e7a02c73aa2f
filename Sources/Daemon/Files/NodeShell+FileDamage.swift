internal import Blobs
internal import ControlAPI
internal import Engine
internal import Formats
internal import Posix
internal import Storage

/// Files whose copies on disk are not what was stored: found on reading, and by reading all through.
extension NodeShell {
    /// Asks the files' thread about a file; where its copy is damaged the node learns of it, too.
    func onFile<Value: Sendable>(
        _ blob: BlobID,
        _ work: @escaping @Sendable (BlobStore) async throws(BlobFailure) -> Value,
        then: @escaping (Result<Value, BlobFailure>) -> Void
    ) {
        self.onFiles(work) { result in
            if case .failure(.damaged) = result { self.fileDamaged(blob) }
            then(result)
        }
    }

    /// Has a damaged file fetched again, where something tells of it, and people told.
    func fileDamaged(_ blob: BlobID) {
        self.ask { (store) async throws(StoreFailure) in
            (try await store.attachments(of: blob), try await store.entry(attaching: blob))
        } then: { result in
            guard case .success(let (attachments, entry)) = result else { return }
            let owner = self.node.ask { $0.pictureOwner(of: blob) }
            guard !attachments.isEmpty || owner != nil else {
                return self.perform(.close(blob, isRemoved: true))
            }
            let told = attachments.compactMap { attachment in
                BlobLayout(size: attachment.size).map {
                    FileTold(.conversation(attachment.conversation), $0)
                }
            }
            let name =
                entry.flatMap { self.nameOfFile($0) }
                ?? owner.map { "the picture of \(self.markedName(of: $0))" }
                ?? "file \(blob.description.prefix(8))"
            self.happened(.transfer(.damaged(blob, told, called: TerminalText.line(name))))
        }
    }

    /// What people call the file of a message.
    private func nameOfFile(_ entry: StoredEntry) -> String? {
        guard let message = Message(entry, by: self.keyring), case .file(let file) = message.content
        else { return nil }
        return "\"\(file.name)\" (message \(message.id.description.prefix(12)) in "
            + "\(self.name(of: message.conversation)))"
    }

    /// Reads a share of the files through, so that all of them have their turn within half a day.
    func scrubFiles() {
        let place = self.files.scrubbed
        self.onFiles { (files) async throws(BlobFailure) in
            let share = await files.usedBytes / ScrubSchedule.fileSteps + 1
            return try await files.scrub(from: place, bytes: share)
        } then: { result in
            switch result {
            case .success(let (damaged, next)):
                self.files.scrubbed = next
                for blob in damaged { self.fileDamaged(blob) }
            case .failure(let failure):
                self.log(.warning, "the files cannot be checked: \(failure.text)")
            }
        }
    }
}
