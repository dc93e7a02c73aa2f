internal import Engine
internal import Posix
internal import Storage

extension NodeShell {
    /// Asks the store, and goes on with its answer in a turn of its own.
    ///
    /// The task is kept until it is done, so that stopping can wait for it. Urgent work comes before
    /// all that waits for the store.
    func ask<Value: Sendable>(
        isUrgent: Bool = false,
        _ work: @escaping @Sendable (MessageStore) async throws(StoreFailure) -> Value,
        then: @escaping (Result<Value, StoreFailure>) -> Void
    ) {
        guard let store = self.store else {
            then(.failure(Self.closed))
            return
        }
        let number = self.nextTask
        self.nextTask += 1
        self.tasks[number] = Task(priority: isUrgent ? .high : .medium) {
            let result: Result<Value, StoreFailure>
            do throws(StoreFailure) {
                result = .success(try await work(store))
            } catch {
                result = .failure(error)
            }
            self.tasks[number] = nil
            self.turn { then(self.noticing(result)) }
        }
    }

    /// Answers a small query on this thread if the store's is idle, else as ``ask(_:then:)``.
    ///
    /// `then` may run before this returns. `Docs/Decisions/0009-small-queries-on-the-loop.md`.
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
        if self.readPace.allowsQuery, let store = self.store, let executor = self.storeExecutor {
            let found = executor.runIfIdle {
                store.assumeIsolated { (store) -> Timed<Value> in Timed(query, store) }
            }
            if let found {
                self.readPace.note(microseconds: found.microseconds, isOnLoop: true)
                self.turn { then(self.noticing(found.result)) }
                return
            }
        }
        self.ask { (store) async -> Timed<Value> in
            await Self.timed(query, store)
        } then: { answer in
            switch answer {
            case .success(let found):
                self.readPace.note(microseconds: found.microseconds, isOnLoop: false)
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
    ///
    /// `isFollowed` says that the node has much to do first: then the disk works meanwhile, and what
    /// gathers goes into the next batch.
    func commit(_ batch: Batch, isFollowed: Bool) {
        if batch.isBesideLive { self.bulkPace.began(at: SystemClock.monotonicMicroseconds()) }
        if !isFollowed, self.pace.allows(batch) {
            self.lateBatch = batch
        } else {
            self.handOver(batch)
        }
    }

    /// Writes the batch that was kept, on this thread if the store's is idle.
    ///
    /// A message is on its way two wake-ups earlier so; ``CommitPace`` sees to it that the loop
    /// stands still for less than they take. `Docs/Decisions/0006-small-commits-on-the-loop.md`.
    func commitLateBatch() {
        guard let batch = self.lateBatch.take() else { return }
        guard let store = self.store, let executor = self.storeExecutor else {
            self.handOver(batch)
            return
        }
        let start = SystemClock.monotonicMicroseconds()
        let result = executor.runIfIdle {
            store.assumeIsolated { store -> Result<BatchOutcome, StoreFailure>? in
                do throws(StoreFailure) {
                    return try store.commitQuickly(batch).map { .success($0) }
                } catch {
                    return .failure(error)
                }
            }
        }
        guard let result, let result else {
            self.handOver(batch)
            return
        }
        self.pace.note(microseconds: SystemClock.monotonicMicroseconds() - start, of: batch)
        self.committed(result)
    }

    private func handOver(_ batch: Batch) {
        self.commitsUnderWay += 1
        let start = SystemClock.monotonicMicroseconds()
        // People wait for what is committed; what is read beside it is mostly history for peers.
        self.ask(isUrgent: true) { (store) async throws(StoreFailure) in
            try await store.commit(batch)
        } then: { result in
            self.commitsUnderWay -= 1
            self.pace.note(microseconds: SystemClock.monotonicMicroseconds() - start, of: batch)
            self.committed(result)
        }
    }

    private func committed(_ result: Result<BatchOutcome, StoreFailure>) {
        switch result {
        case .success(let outcome):
            if outcome.isCheckpointDue { self.checkpoint() } else { self.bulkEnded() }
            self.happened(.committed(outcome))
        case .failure(let failure):
            self.bulkEnded()
            if failure.reason == .corrupt {
                self.noteDamage("\(failure.detail); \(failure.remedy)")
            } else {
                self.log(.error, "\(failure.detail); \(failure.remedy)")
            }
            self.happened(.commitFailed(failure))
        }
    }

    /// Has the store put its log away behind what waits already; no history comes meanwhile.
    private func checkpoint() {
        guard !self.isCheckpointing else { return }
        self.isCheckpointing = true
        self.ask { (store) async in
            await store.checkpoint()
        } then: { _ in
            self.isCheckpointing = false
            self.bulkEnded()
        }
    }

    private func bulkEnded() {
        guard !self.isCheckpointing else { return }
        self.bulkPace.ended(at: SystemClock.monotonicMicroseconds())
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

    func lookUp(_ request: RequestID, key: String) {
        self.ask { (store) async throws(StoreFailure) in
            try await store.lookUp(idempotencyKey: key)
        } then: { result in
            switch result {
            case .success(let entry):
                self.happened(.lookedUp(request, entry.map { SentMessage($0) }))
            case .failure(let failure): self.happened(.lookUpFailed(request, failure))
            }
        }
    }
}

extension SentMessage {
    /// What the store remembers of an entry; its cursor is 0 while it is held.
    fileprivate init(_ entry: StoredEntry) {
        self.init(
            id: entry.id, conversation: entry.key.conversation,
            cursor: entry.cursor > Cursor(0) ? entry.cursor : nil, time: entry.time)
    }
}
