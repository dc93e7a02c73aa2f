internal import Engine
internal import Formats
internal import Posix
internal import Storage

extension NodeShell {
    /// How long what was erased may stand in the write-ahead log: half of the ten seconds in which it
    /// is to be off the disk.
    private static let emptyLogMilliseconds: UInt64 = 5_000

    /// How long what comes to the disk may gather before other sites get it.
    static let exportMilliseconds: UInt64 = 5

    /// Asks the store, and goes on with its answer in a turn of its own.
    ///
    /// The task is kept until it is done, so that stopping can wait for it. Urgent work comes before
    /// all that waits for the store.
    func ask<Value: Sendable>(
        isUrgent: Bool = false,
        _ work: @escaping @Sendable (MessageStore) async throws(StoreFailure) -> Value,
        then: @escaping (Result<Value, StoreFailure>) -> Void
    ) {
        guard let store = self.disk.open else {
            then(.failure(Self.closed))
            return
        }
        self.noteStoreUse()
        let number = self.disk.tasks.number()
        let task = Task(priority: isUrgent ? .high : .medium) {
            let result: Result<Value, StoreFailure>
            do throws(StoreFailure) {
                result = .success(try await work(store))
            } catch {
                result = .failure(error)
            }
            self.disk.tasks.ended(number)
            self.turn { then(self.noticing(result)) }
        }
        self.disk.tasks.keep(task, as: number)
    }

    /// Answers a small query on this thread if the store's is idle, else as ``ask(_:then:)``.
    ///
    /// `then` may run before this returns. `Docs/Decisions/0006-disk-and-loop.md`.
    func look<Value: Sendable>(
        isSmall: Bool,
        _ query: @escaping @Sendable (isolated MessageStore) throws(StoreFailure) -> Value,
        then: @escaping (Result<Value, StoreFailure>) -> Void
    ) {
        guard isSmall else {
            self.ask { (store) async throws(StoreFailure) in
                try await query(store)
            } then: {
                then($0)
            }
            return
        }
        if self.disk.scheduler.allowsQuery, let found = self.disk.ifIdle({ Timed(query, $0) }) {
            self.noteStoreUse()
            self.disk.scheduler.queried(microseconds: found.microseconds, isOnLoop: true)
            self.turn { then(self.noticing(found.result)) }
            return
        }
        self.ask { (store) async -> Timed<Value> in
            await Self.timed(query, store)
        } then: { answer in
            switch answer {
            case .success(let found):
                self.disk.scheduler.queried(microseconds: found.microseconds, isOnLoop: false)
                then(self.noticing(found.result))
            case .failure(let failure): then(.failure(failure))
            }
        }
    }

    /// An answer of the store, and how long it took there.
    private struct Timed<Value: Sendable>: Sendable {
        let result: Result<Value, StoreFailure>
        let microseconds: UInt64

        init(
            _ query: (isolated MessageStore) throws(StoreFailure) -> Value,
            _ store: isolated MessageStore
        ) {
            let start = SystemClock.monotonicMicroseconds()
            do throws(StoreFailure) {
                self.result = .success(try query(store))
            } catch {
                self.result = .failure(error)
            }
            self.microseconds = SystemClock.monotonicMicroseconds() - start
        }
    }

    private static func timed<Value: Sendable>(
        _ query: @Sendable (isolated MessageStore) throws(StoreFailure) -> Value,
        _ store: isolated MessageStore
    ) -> Timed<Value> {
        Timed(query, store)
    }

    /// Tells people of damage that a query met.
    private func noticing<Value>(
        _ result: Result<Value, StoreFailure>
    ) -> Result<Value, StoreFailure> {
        if case .failure(let failure) = result, failure.reason == .corrupt {
            self.noteDamage("\(failure.detail); \(failure.remedy)")
        }
        return result
    }

    private static let closed = StoreFailure(
        reason: .locked, detail: "the store is closed", remedy: "start stoad again")

    /// Has a batch written by the store's thread, or keeps it for the end of the round.
    func commit(_ batch: Batch, isFollowed: Bool) {
        let now = SystemClock.monotonicMicroseconds()
        var batch = batch
        if let expiry = batch.expiry, case .streams = expiry.bound {
            batch.expiry?.readThrough = self.clients.streamsReadThrough(in: expiry.conversation)
        }
        if let batch = self.disk.scheduler.place(batch, isFollowed: isFollowed, at: now) {
            self.handOver(batch)
        }
    }

    /// Writes the batch that was kept, on this thread if the store's is idle.
    ///
    /// A message is on its way two wake-ups earlier so; ``CommitPace`` sees to it that the loop
    /// stands still for less than they take. `Docs/Decisions/0006-disk-and-loop.md`.
    func commitLateBatch() {
        guard let batch = self.disk.scheduler.takeLateBatch() else { return }
        self.noteStoreUse()
        let start = SystemClock.monotonicMicroseconds()
        let result = self.disk.ifIdle { store -> Result<BatchOutcome, StoreFailure>? in
            do throws(StoreFailure) {
                return try store.commitQuickly(batch).map { .success($0) }
            } catch {
                return .failure(error)
            }
        }
        guard let result = result ?? nil else { return self.handOver(batch) }
        self.disk.scheduler.committedOnLoop(
            batch, microseconds: SystemClock.monotonicMicroseconds() - start)
        self.committed(result)
    }

    private func handOver(_ batch: Batch) {
        self.disk.scheduler.handOver(batch, at: SystemClock.monotonicMicroseconds())
        // People wait for what is committed; what is read beside it is mostly history for peers.
        self.ask(isUrgent: true) { (store) async throws(StoreFailure) in
            try await store.commit(batch)
        } then: { result in
            self.disk.scheduler.handedBack(at: SystemClock.monotonicMicroseconds())
            self.committed(result)
        }
    }

    private func committed(_ result: Result<BatchOutcome, StoreFailure>) {
        let isCheckpointDue =
            if case .success(let outcome) = result { outcome.isCheckpointDue } else { false }
        let now = SystemClock.monotonicMicroseconds()
        if self.disk.scheduler.batchEnded(isCheckpointDue: isCheckpointDue, at: now) {
            self.ask { (store) async in
                await store.checkpoint()
            } then: { _ in
                self.disk.scheduler.checkpointed(at: SystemClock.monotonicMicroseconds())
            }
        }
        switch result {
        case .success(let outcome):
            _ = self.disk.isNewFailure(nil)
            if outcome.hasErased { self.emptyLogSoon() }
            self.noteForSearch(outcome)
            self.happened(.committed(outcome))
            if self.clients.waitingExport != nil {
                self.resumeExportSoon()
            } else {
                self.clients.isExportStale = true
            }
        case .failure(let failure):
            let text = "\(failure.detail); \(failure.remedy)"
            let isNew = self.disk.isNewFailure(failure.reason)
            if failure.reason == .corrupt {
                self.noteDamage(text)
            } else if isNew {
                self.log(.error, text)
            }
            self.happened(.commitFailed(failure))
        }
    }

    /// Has what was erased taken out of the write-ahead log as well, once for what some seconds bring.
    func emptyLogSoon() {
        guard self.disk.planLogEmptying() else { return }
        self.after(Self.emptyLogMilliseconds) {
            self.disk.logEmptyingDue()
            self.ask { (store) async in
                await store.emptyLog()
            } then: { result in
                if case .success(false) = result { self.emptyLogSoon() }
                self.removeRepairedCopies()
            }
        }
    }

    /// Removes what repairs have kept of damaged files, which may contain erased texts.
    func removeRepairedCopies() {
        let folder = self.configuration.dataDirectory
        let names = (try? Files.names(in: folder)) ?? []
        for name in names where name.hasPrefix(StoreRepair.keptPrefix) {
            do throws(SystemError) {
                try Files.remove("\(folder)/\(name)")
                self.log(
                    .notice,
                    "deleted \(name), a copy kept by a repair: it may hold messages deleted since")
            } catch { self.log(.error, "\(error); delete it by hand, it may hold deleted text") }
        }
    }

    func readRuns(
        _ read: ReadID, _ key: LogKey, from: UInt64, through: UInt64, byteLimit: Int
    ) {
        self.ask { (store) async throws(StoreFailure) in
            try await store.runs(key, from: from, through: through, byteLimit: byteLimit)
        } then: { result in
            switch result {
            case .success(let runs): self.happened(.runsRead(read, runs))
            case .failure(let failure): self.happened(.readFailed(read, failure))
            }
        }
    }

    func readPayloads(_ read: ReadID, _ key: LogKey, from: UInt64, through: UInt64) {
        self.ask { (store) async throws(StoreFailure) in
            try await store.payloads(key, from: from, through: through)
        } then: { result in
            switch result {
            case .success(let stored): self.happened(.payloadsRead(read, stored))
            case .failure(let failure): self.happened(.readFailed(read, failure))
            }
        }
    }

    func readProof(_ read: ReadID, _ key: LogKey) {
        self.ask { (store) async throws(StoreFailure) in
            try await store.forkProof(key)
        } then: { result in
            switch result {
            case .success(let proof): self.happened(.proofRead(read, proof))
            case .failure(let failure): self.happened(.readFailed(read, failure))
            }
        }
    }

    func lookUp(_ request: RequestID, key: String, in conversation: ConversationID) {
        self.ask { (store) async throws(StoreFailure) in
            try await store.lookUp(idempotencyKey: key, in: conversation)
        } then: { result in
            switch result {
            case .success(let entry):
                let keyring = self.keyring
                self.happened(.lookedUp(request, entry.map { EarlierSend($0, by: keyring) }))
            case .failure(let failure): self.happened(.lookUpFailed(request, failure))
            }
        }
    }
}

extension EarlierSend {
    /// What the store remembers of an entry; its cursor is 0 while it is held.
    fileprivate init(_ entry: StoredEntry, by keyring: Keyring) {
        let message = SentMessage(
            id: entry.id, conversation: entry.key.conversation,
            cursor: entry.cursor > Cursor(0) ? entry.cursor : nil, time: entry.time)
        self.init(message: message, content: Message(entry, by: keyring)?.content)
    }
}
