internal import Engine
internal import Formats
internal import Posix
internal import Storage

/// The index of messages: made with the first search, then kept current behind the commits.
extension NodeShell {
    /// How many messages, and bytes of them, are indexed at a time.
    private static let pageMessages = 512
    private static let pageBytes = 524_288

    /// Opens an index that an earlier start has made: what is erased must go from it.
    func startSearch() {
        self.removeSearchBesideSocket()
        let path = "\(self.searchDirectory)/\(SearchIndex.fileName)"
        if Files.exists(path) { self.openSearch() }
    }

    /// Where the index is: beside the store, but where that cannot be written, beside the socket.
    private var searchDirectory: String {
        self.birth.isOnlyReading
            ? Files.parent(of: self.configuration.socket) : self.configuration.dataDirectory
    }

    /// Removes the index made while the store could only be read, which may contain erased texts.
    private func removeSearchBesideSocket() {
        let folder = Files.parent(of: self.configuration.socket)
        guard !self.birth.isOnlyReading, folder != self.configuration.dataDirectory else { return }
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? Files.remove("\(folder)/\(SearchIndex.fileName)\(suffix)")
        }
    }

    private func openSearch() {
        guard case .unused = self.search.phase else { return }
        self.search.phase = .opening
        let executor: ThreadExecutor
        do throws(SystemError) { executor = try ThreadExecutor(name: "stoad-search") } catch {
            return self.searchFailed(
                StoreFailure(
                    reason: .inputOutput, detail: "\(error)", remedy: "allow another thread"))
        }
        let directory = self.configuration.dataDirectory
        let store = (try? FileIdentity(path: "\(directory)/stoa.db"))?.inode ?? 0
        let newest = self.clients.newestShown
        let place = self.searchDirectory
        self.work { () async throws(StoreFailure) in
            try await SearchIndex.open(
                directory: place, store: store, newest: newest, executor: executor)
        } then: { result in
            switch result {
            case .success(let index):
                self.search.phase = .open(index)
                self.feedSearch()
            case .failure(let failure): self.searchFailed(failure)
            }
        }
    }

    private func searchFailed(_ failure: StoreFailure) {
        self.log(.warning, "messages cannot be searched: \(failure.detail); \(failure.remedy)")
        self.search.phase = .failed(failure)
        for body in self.search.takeWaiting() { body() }
    }

    /// Does something off the loop, and goes on with its outcome in a turn of its own.
    private func work<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(StoreFailure) -> Value,
        then: @escaping (Result<Value, StoreFailure>) -> Void
    ) {
        let number = self.disk.tasks.number()
        let task = Task {
            let result: Result<Value, StoreFailure>
            do throws(StoreFailure) { result = .success(try await body()) } catch {
                result = .failure(error)
            }
            self.disk.tasks.ended(number)
            self.turn { then(result) }
        }
        self.disk.tasks.keep(task, as: number)
    }

    // MARK: Keeping current

    /// Notes what a batch has changed, so that the index follows.
    func noteForSearch(_ outcome: BatchOutcome) {
        if case .unused = self.search.phase { return }
        for erasure in outcome.erased {
            self.search.removals.append(SearchDocument.place(erasure.key, erasure.target.seq))
        }
        for place in outcome.expired?.entries ?? [] {
            self.search.removals.append(SearchDocument.place(place.key, place.seq))
        }
        for drop in outcome.drops {
            self.search.removals += drop.shown.map { SearchDocument.place(drop.key, $0) }
        }
        self.search.pace.committed(at: SystemClock.monotonicMilliseconds())
        self.planSearchFeed()
    }

    /// What comes until then is indexed with what has come.
    private func planSearchFeed() {
        guard !self.search.isPlanned else { return }
        self.search.isPlanned = true
        self.after(IndexPace.pauseMilliseconds) {
            self.search.isPlanned = false
            self.feedSearch()
        }
    }

    /// Puts into the index what it lacks, and takes out what is gone.
    private func feedSearch() {
        guard self.life.isRunning, let index = self.search.index else { return }
        guard !self.search.isFeeding else { return self.search.isBehind = true }
        self.search.isFeeding = true
        self.search.isBehind = false
        self.search.pace.beginPass(at: SystemClock.monotonicMilliseconds())
        let removals = self.search.removals
        self.search.removals = []
        self.work { () async throws(StoreFailure) in
            if !removals.isEmpty { try await index.remove(removals) }
            return try await index.cursor()
        } then: { result in
            switch result {
            case .success(let cursor): self.feedSearch(index, after: cursor)
            case .failure(let failure): self.fed(failure)
            }
        }
    }

    private func feedSearch(_ index: SearchIndex, after cursor: Cursor) {
        let keyring = self.keyring
        self.ask { (store) async throws(StoreFailure) in
            try await store.searchDocuments(
                after: cursor, limit: Self.pageMessages, byteLimit: Self.pageBytes, by: keyring)
        } then: { result in
            switch result {
            case .success(let page):
                guard page.through > cursor else { return self.fed(nil) }
                self.work { () async throws(StoreFailure) in
                    try await index.put(page.documents, through: page.through)
                } then: { result in
                    guard case .success = result, self.life.isRunning else {
                        if case .failure(let failure) = result { return self.fed(failure) }
                        return
                    }
                    self.fed(index, through: page)
                }
            case .failure(let failure): self.fed(failure)
            }
        }
    }

    /// Goes on with the next page, or later.
    private func fed(_ index: SearchIndex, through page: SearchPage) {
        guard page.hasMore || self.clients.newestShown > page.through else { return self.fed(nil) }
        let now = SystemClock.monotonicMilliseconds()
        let goesOn = self.search.pace.goesOn(
            at: now, isAwaited: !self.search.waiting.isEmpty,
            hasRemovals: !self.search.removals.isEmpty)
        if goesOn {
            return self.feedSearch(index, after: page.through)
        }
        self.search.isFeeding = false
        self.planSearchFeed()
    }

    private func fed(_ failure: StoreFailure?) {
        self.search.isFeeding = false
        if let failure { return self.searchFailed(failure) }
        // What was erased while a page was on its way may be in the index by it.
        if self.search.isBehind || !self.search.removals.isEmpty { return self.feedSearch() }
        for body in self.search.takeWaiting() { body() }
    }

    // MARK: Searching

    /// Goes on once all messages are indexed, or the time is over; true where they are.
    func withSearch(
        within milliseconds: UInt64,
        _ body: @escaping (Result<SearchIndex, StoreFailure>, _ isComplete: Bool) -> Void
    ) {
        var isDone = false
        func goOn(isComplete: Bool) {
            guard !isDone else { return }
            isDone = true
            switch self.search.phase {
            case .open(let index): body(.success(index), isComplete)
            case .failed(let failure): body(.failure(failure), isComplete)
            case .unused, .opening: body(.failure(Self.notReady), false)
            }
        }
        // What failed may have passed.
        if case .failed = self.search.phase { self.search.phase = .unused }
        self.search.waiting.append { goOn(isComplete: true) }
        self.after(milliseconds) { goOn(isComplete: false) }
        self.openSearch()
        self.feedSearch()
    }

    private static let notReady = StoreFailure(
        reason: .inputOutput, detail: "the message index is still being opened",
        remedy: "search again in a moment")
}
