import Loop

/// An instance on one interface: what a backend sees, and looks up.
struct SightingKey: Hashable, Comparable {
    let name: String
    let interface: UInt32

    static func < (left: SightingKey, right: SightingKey) -> Bool {
        (left.name, left.interface) < (right.name, right.interface)
    }
}

/// Which instances a backend sees, and of which it is to look up where they are.
///
/// Every instance is looked up when it appears, and again when somebody asks, but only some at a
/// time. Which come first is left to chance, so that who announces thousands of names does not put
/// all of them before an honest one.
struct Sightings {
    private struct Sighting {
        /// How often it is seen: the library and the service tell of it once per IP version.
        var count = 0
        /// Seen since the search was begun.
        var isFresh = true
        var tries = 0
        var retry: LoopTimer?
    }

    private var seen: [SightingKey: Sighting] = [:]
    private var waiting: Set<SightingKey> = []

    /// Looks that fail one after another until the instance is seen anew.
    ///
    /// Instances of hosts that lost power stay announced for over an hour, and every host that asks
    /// for one makes all others listen.
    static let maximumTries = 3

    /// How many are seen.
    var count: Int { self.seen.count }

    var keys: [SightingKey] { self.seen.keys.sorted() }

    /// One of them by chance, to give way where there are too many: most are of who announces most.
    var anyKey: SightingKey? { self.seen.keys.randomElement() }

    /// Begins a search: what it does not come upon is ``stale``.
    mutating func beginSearch() {
        for key in self.seen.keys {
            self.seen[key]?.count = 0
            self.seen[key]?.isFresh = false
            self.seen[key]?.tries = 0
        }
    }

    /// What the search has not come upon.
    var stale: [SightingKey] { self.seen.filter { !$0.value.isFresh }.keys.sorted() }

    /// Notes that an instance is seen; true when it was not before.
    mutating func appear(_ key: SightingKey) -> Bool {
        let isNew = self.seen[key] == nil
        self.seen[key, default: Sighting()].count += 1
        self.seen[key]?.isFresh = true
        return isNew
    }

    /// Notes that it is no longer seen over one IP version; true when it is over none.
    mutating func disappear(_ key: SightingKey) -> Bool {
        guard let count = self.seen[key]?.count else { return false }
        self.seen[key]?.count = count - 1
        return count <= 1
    }

    /// Forgets an instance.
    mutating func remove(_ key: SightingKey) {
        self.seen[key] = nil
        self.waiting.remove(key)
    }

    /// Has an instance looked up, if it is seen.
    mutating func want(_ key: SightingKey) {
        if self.seen[key] != nil { self.waiting.insert(key) }
    }

    /// The next instance to look up, by chance.
    mutating func takeWaiting() -> SightingKey? {
        guard let key = self.waiting.randomElement() else { return nil }
        return self.waiting.remove(key)
    }

    /// A look has brought nothing; tries again later, unless that is enough.
    mutating func fail(_ key: SightingKey, on loop: EventLoop, again: @escaping () -> Void) {
        guard let tries = self.seen[key]?.tries, tries + 1 < Self.maximumTries else { return }
        self.seen[key]?.tries = tries + 1
        var backoff = Backoff()
        for _ in 0..<tries { _ = backoff.next() }
        let timer = try? loop.makeTimer(again)
        timer?.set(afterMilliseconds: backoff.next())
        self.seen[key]?.retry = timer
    }

    /// A look has found it.
    mutating func succeed(_ key: SightingKey) {
        self.seen[key]?.tries = 0
        self.seen[key]?.retry = nil
    }
}
