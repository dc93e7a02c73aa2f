internal import Blobs
internal import ControlAPI
internal import Crypto
internal import Engine
internal import Formats
internal import Loop
internal import Posix
internal import Storage

/// Does with files what the node decides.
extension NodeShell {
    /// Goes on with what was not whole, and removes that of which no message tells any longer.
    func startFiles() {
        self.onFiles { (files) async throws(BlobFailure) in
            try await files.all()
        } then: { result in
            guard case .success(let all) = result else { return }
            for (blob, presence) in all { self.takeUp(blob, presence) }
        }
    }

    private func takeUp(_ blob: BlobID, _ presence: BlobPresence) {
        self.ask { (store) async throws(StoreFailure) in
            try await store.attachments(of: blob)
        } then: { result in
            guard case .success(let attachments) = result else { return }
            // That of a backup may be here before the profile that names it.
            let isPicture =
                self.node.ask { $0.isPicture(blob) }
                || self.birth.restored?.profile.picture?.blob == blob
            // A part of a picture is no part worth keeping: it has one chunk.
            if attachments.isEmpty && !(isPicture && presence == .whole) {
                return self.perform(.close(blob, isRemoved: true))
            }
            if isPicture && presence == .whole { self.findPicture(blob) }
            if presence == .lost { return self.fileDamaged(blob) }
            for attachment in attachments {
                guard let layout = BlobLayout(size: attachment.size) else { continue }
                guard presence == .partial else {
                    // One of another size is not what was stored.
                    self.onFile(blob) { (files) async throws(BlobFailure) in
                        try await files.standing(of: blob, layout)
                    } then: { _ in
                    }
                    continue
                }
                self.goOn(blob, layout, in: .conversation(attachment.conversation))
            }
        }
    }

    private func goOn(_ blob: BlobID, _ layout: BlobLayout, in place: BlobPlace) {
        self.onFile(blob) { (files) async throws(BlobFailure) in
            await files.writtenBytes(of: blob, layout)
        } then: { result in
            let stored = (try? result.get()) ?? 0
            self.happened(
                .transfer(.fetch(blob, layout, in: place, isAwaited: false, stored: stored)))
        }
    }

    private func findPicture(_ blob: BlobID) {
        self.onFile(blob) { (files) async throws(BlobFailure) in
            try await files.beginning(of: blob)
        } then: { result in
            guard case .success(let beginning) = result else { return }
            self.happened(.transfer(.found(blob, beginning: beginning)))
        }
    }

    /// Asks the files' thread, and goes on with its answer in a turn of its own.
    func onFiles<Value: Sendable>(
        _ work: @escaping @Sendable (BlobStore) async throws(BlobFailure) -> Value,
        then: @escaping (Result<Value, BlobFailure>) -> Void
    ) {
        guard let files = self.files.open else { return }
        let number = self.disk.tasks.number()
        let task = Task {
            let result: Result<Value, BlobFailure>
            do throws(BlobFailure) {
                result = .success(try await work(files))
            } catch { result = .failure(error) }
            self.disk.tasks.ended(number)
            self.turn { then(result) }
        }
        self.disk.tasks.keep(task, as: number)
    }

    // MARK: Own files

    /// Copies a file that a client sends; where the conversation is sealed its content is, too.
    func take(
        _ source: RandomAccessFile, _ file: OutgoingFile, saying text: String,
        in conversation: ConversationID, _ reply: Reply,
        then send: @escaping (AttachedFile) -> Void
    ) {
        let isSealed = self.node.ask { $0.keyring.isSealed(conversation) }
        let key = isSealed ? XChaCha20.makeKey() : nil
        reply.holdUp()
        self.onFiles { (files) async throws(BlobFailure) in
            try await files.take(source, key: key)
        } then: { result in
            switch result {
            case .success(let taken):
                // It may have been on its way here, and is whole by this.
                if self.node.ask({ $0.transfer(of: taken.blob) }) != nil {
                    self.perform(.finish(taken.blob))
                }
                let attached = AttachedFile(
                    blob: taken.blob, size: taken.size, name: file.name,
                    type: file.type ?? "application/octet-stream",
                    caption: text.isEmpty ? nil : text, key: key)
                guard let attached else {
                    preconditionFailure("what is beyond a limit was refused before")
                }
                send(attached)
            case .failure(let failure): reply.fail(failure.rpcError)
            }
        }
    }

    /// Removes a file that was to be sent and was not, or that was a picture.
    func removeUnlessTold(of blob: BlobID) {
        self.ask { (store) async throws(StoreFailure) in
            try await store.attachments(of: blob)
        } then: { result in
            guard case .success([]) = result, !self.node.ask({ $0.isPicture(blob) }) else {
                return
            }
            self.perform(.close(blob, isRemoved: true))
        }
    }

    // MARK: What the node decides

    func perform(_ task: FileTask) {
        switch task {
        case .note(let blob):
            // Where it cannot be noted it is fetched all the same, unless the daemon stops before.
            self.onFiles { (files) async throws(BlobFailure) in
                try await files.note(blob)
            } then: { _ in
            }
        case .open(let blob, let layout):
            self.onFiles { (files) async throws(BlobFailure) in
                try await files.open(blob, layout)
            } then: { result in
                self.tell(blob, result) { .opened(blob, $0) }
                if case .success(let standing) = result { self.learn(standing.chunks, of: blob) }
            }
        case .store(let blob, let part, let bytes, let link):
            self.onFiles { (files) async throws(BlobFailure) in
                try await files.store(bytes, as: part, of: blob)
            } then: { result in
                switch result {
                case .success(let isRight):
                    if isRight { self.give(bytes, part, of: blob) }
                    self.happened(.transfer(.stored(blob, part, from: link, isRight: isRight)))
                case .failure(let failure):
                    self.happened(.transfer(.unstored(blob, TransferFailure(failure))))
                }
                self.pumpDeliveries(of: blob)
            }
        case .finish(let blob):
            self.onFile(blob) { (files) async throws(BlobFailure) in
                try await files.finish(blob)
                return try await files.beginning(of: blob)
            } then: { result in
                self.tell(blob, result) { .finished(blob, beginning: $0) }
                for delivery in self.files.deliveries[blob] ?? [] {
                    delivery.learn(ChunkSet(all: delivery.layout.chunkCount))
                }
                self.pumpDeliveries(of: blob)
            }
        case .close(let blob, let isRemoved):
            self.onFiles { (files) async throws(BlobFailure) in
                try await files.close(blob, isRemoved: isRemoved)
            } then: { result in
                if case .failure(let failure) = result {
                    self.log(.error, "file \(blob.description.prefix(8)): \(failure.text)")
                }
            }
        case .release(let blob): self.removeUnlessTold(of: blob)
        case .look(let link, let conversation, let blob):
            self.look(for: blob, in: conversation, asked: link)
        case .read(let link, let number, let blob, let part):
            self.onFile(blob) { (files) async throws(BlobFailure) in
                try await files.read(part, of: blob)
            } then: { result in
                self.happened(
                    .transfer(.read(link, number: number, (try? result.get()) ?? nil)))
            }
        case .tell(let report):
            self.tell(report)
            self.wantsMayChange()
        }
    }

    private func tell<Value>(
        _ blob: BlobID, _ result: Result<Value, BlobFailure>, _ event: (Value) -> FileEvent
    ) {
        switch result {
        case .success(let value): self.happened(.transfer(event(value)))
        // It is looked at anew.
        case .failure(.damaged): break
        case .failure(let failure):
            self.happened(.transfer(.failed(blob, TransferFailure(failure))))
        }
    }

    /// Says what of a file is here, where a conversation tells of it.
    private func look(
        for blob: BlobID, in conversation: ConversationID, asked link: LinkID
    ) {
        self.ask { (store) async throws(StoreFailure) in
            try await store.size(of: blob, in: conversation)
        } then: { result in
            let size = (try? result.get()) ?? nil
            guard let layout = size.flatMap({ BlobLayout(size: $0) }) else {
                return self.happened(.transfer(.looked(link, blob, nil)))
            }
            self.onFile(blob) { (files) async throws(BlobFailure) in
                try await files.standing(of: blob, layout)
            } then: { result in
                // Who asks is told again once some of it is here.
                let standing =
                    (try? result.get()) ?? BlobStanding(chunks: ChunkSet(of: layout.chunkCount))
                self.happened(.transfer(.looked(link, blob, standing)))
            }
        }
    }

    // MARK: What clients are told

    private func tell(_ report: TransferReport) {
        let blob = report.blob
        switch report.state {
        case .waiting, .seeking, .fetching: break
        case .done: self.files.endPicture(blob, nil)
        case .failed(let failure): self.files.endPicture(blob, failure)
        }
        // Of pictures that come by themselves nobody follows how far they are.
        guard !report.place.isProfile else { return }
        let now = self.now.monotonic
        var running = self.files.running[blob] ?? FileTransfers.Running(report: report)
        running.report = report
        running.pace.note(report.stored, at: now)
        self.files.running[blob] = running
        switch report.state {
        case .waiting, .seeking, .fetching: break
        case .done: self.files.end(blob, running)
        case .failed(let failure):
            self.files.end(blob, running)
            for delivery in self.files.deliveries.removeValue(forKey: blob) ?? [] {
                delivery.close()
            }
            if failure != .cancelled && failure != .gone {
                self.log(
                    .warning, "file \(blob.description.prefix(8)) is not fetched: \(failure.text)")
            }
        }
        self.nameFile(blob)
        self.tellFollowers(blob)
    }

    /// Learns which message tells of a file, for clients.
    private func nameFile(_ blob: BlobID) {
        guard let running = self.files.running[blob], running.named == nil else { return }
        self.ask { (store) async throws(StoreFailure) in
            try await store.entry(attaching: blob)
        } then: { result in
            guard case .success(let entry?) = result,
                let message = Message(entry, by: self.keyring),
                case .file(let file) = message.content
            else { return }
            let named = FileTransfers.Named(
                message: message.id, conversation: message.conversation, name: file.name)
            if self.files.name(blob, named) { self.tellFollowers(blob) }
        }
    }

    private func tellFollowers(_ blob: BlobID) {
        // What has no name yet is told once it has one.
        guard !self.files.clients.isEmpty else { return }
        let now = self.now.monotonic
        guard var running = self.files.running[blob] else {
            // The last word comes at once.
            if let last = self.files.ended.last(where: { $0.blob == blob }),
                last.running.named != nil
            {
                self.send(last.running)
            }
            return
        }
        guard !running.isToBeTold, running.named != nil else { return }
        let due = running.toldAt + FileTransfers.tellMilliseconds
        if now >= due {
            running.toldAt = now
            self.files.running[blob] = running
            return self.send(running)
        }
        self.files.running[blob]?.isToBeTold = true
        self.after(due - now, accuracy: .milliseconds(20)) {
            // If it has ended meanwhile, its last word is said.
            guard self.files.running[blob] != nil else { return }
            self.files.running[blob]?.isToBeTold = false
            self.tellFollowers(blob)
        }
    }

    private func send(_ running: FileTransfers.Running) {
        let line = TransferEvent { $0.transfer = self.transferResult(running) }.line
        for client in self.files.clients where client.hasRoom { client.write(line) }
    }

    /// How far a file is, as clients see it.
    func transferResult(_ running: FileTransfers.Running) -> TransferResult {
        let report = running.report
        return TransferResult {
            $0.id = running.named?.message.description ?? ""
            if let conversation = report.place.conversation {
                $0.conversation = conversation.description
                $0.conversationName = self.name(of: conversation)
            }
            $0.name = running.named?.name ?? ""
            $0.size = Int64(clamping: report.size)
            $0.stored = Int64(clamping: report.stored)
            $0.sources = Int64(report.sources)
            switch report.state {
            case .waiting: $0.state = .waiting
            case .seeking: $0.state = .seeking
            case .fetching: $0.state = .fetching
            case .done: $0.state = .done
            case .failed(let failure):
                $0.state = .failed
                $0.reason = failure.word
            }
            guard $0.state == .fetching, let rate = running.pace.bytesPerSecond, rate > 0 else {
                return
            }
            $0.rate = Int64(clamping: rate)
            $0.secondsLeft = Int64(clamping: (report.size - report.stored + rate - 1) / rate)
        }
    }

    // MARK: Content for clients

    /// Writes the content of a file into a client's descriptor, as it comes.
    func deliver(_ delivery: FileDelivery) {
        let (blob, layout) = (delivery.blob, delivery.layout)
        self.files.deliveries[blob, default: []].append(delivery)
        self.onFile(blob) { (files) async throws(BlobFailure) in
            try await files.standing(of: blob, layout)
        } then: { result in
            guard case .success(let standing?) = result else { return }
            delivery.learn(standing.chunks)
            self.pump(delivery)
        }
    }

    private func learn(_ chunks: ChunkSet, of blob: BlobID) {
        for delivery in self.files.deliveries[blob] ?? [] { delivery.learn(chunks) }
        self.pumpDeliveries(of: blob)
    }

    /// Clients for whom a part that was just stored is the next one get it as it came: what is read again
    /// comes too late to keep up.
    private func give(_ bytes: [UInt8], _ part: BlobPart, of blob: BlobID) {
        guard part.isChunk else { return }
        for delivery in self.files.deliveries[blob] ?? []
        where delivery.stored(bytes, as: part.index, besides: self.files.heldParts) {
            self.write(delivery)
        }
    }

    private func pumpDeliveries(of blob: BlobID) {
        for delivery in self.files.deliveries[blob] ?? [] { self.pump(delivery) }
    }

    private func pump(_ delivery: FileDelivery) {
        let blob = delivery.blob
        guard !delivery.isOver else {
            self.files.deliveries[blob]?.removeAll { $0 === delivery }
            if self.files.deliveries[blob]?.isEmpty == true { self.files.deliveries[blob] = nil }
            return
        }
        guard let part = delivery.wanted else { return }
        delivery.isReading = true
        self.onFile(blob) { (files) async throws(BlobFailure) in
            try await files.read(part, of: blob)
        } then: { result in
            delivery.isReading = false
            switch result {
            case .success(let bytes?):
                delivery.take(bytes)
                self.write(delivery)
            case .success(nil), .failure(.damaged): break  // it comes, for the first time or again
            case .failure(let failure):
                self.log(.error, "file \(blob.description.prefix(8)): \(failure.text)")
                delivery.close()
                self.pump(delivery)
            }
        }
    }

    private func write(_ delivery: FileDelivery) {
        let isReady = delivery.write(on: self.loop) { [weak delivery] in
            self.turn {
                if let delivery { self.write(delivery) }
            }
        }
        if isReady || delivery.isOver { self.pump(delivery) }
    }
}
