package import ControlAPI

/// What this node has for other sites, until the servers have it.
///
/// What this device wrote goes out at once. Of what others wrote the author's own node has ten seconds to publish it first;
/// what has not been seen by then is looked for, and published where it is missing.
package struct SiteOutgoing: Sendable {
    /// How long others' items wait for their authors.
    package static let patienceMilliseconds: UInt64 = 10_000
    /// What others' items may take here while they wait, in bytes: beyond it the oldest are looked at early.
    package static let heldBytes = 8 << 20
    /// How many are looked for at once.
    private static let looksAtOnce = 32
    /// The subjects that are remembered of what the servers gave or took.
    package static let rememberedSubjects = 32_768

    /// A sealed item.
    package struct Item: Equatable, Sendable {
        package var subject: String
        package var data: [UInt8]
        /// Whether it takes the place of another one that the daemon knows.
        package var replaces = false

        package init(subject: String, data: [UInt8]) { (self.subject, self.data) = (subject, data) }

        /// Whether it is the same where it was published.
        package func isSame(as other: Item) -> Bool {
            self.subject == other.subject && self.data == other.data
        }
    }

    private struct Held: Sendable {
        var item: Item
        var due: UInt64
        var page: UInt64
    }

    /// A page of items, until all of them are settled.
    private struct Page: Sendable {
        var number: UInt64
        var cursor: String
        var left: Int
    }

    private var pages: [Page] = []
    private var lastPage: UInt64 = 0
    private var held: [Held] = []
    /// How many of these are settled.
    private var heldFrom = 0
    private var bytes = 0
    private var seen = RecentSubjects(limit: Self.rememberedSubjects)
    /// Up to where everything is settled: the cursor from which a start goes on; nil for nothing yet.
    package private(set) var cursor: String?

    package init(cursor: String? = nil) { self.cursor = cursor }

    /// Whether more may be asked for.
    package var hasRoom: Bool { self.bytes < Self.heldBytes }

    /// Takes a page, and gives what is to be published at once.
    ///
    /// ``settled(_:of:)`` ends that.
    package mutating func take(
        _ items: [ExportItemsMethod.Item], cursor: String, at now: UInt64
    ) -> (page: UInt64, items: [Item]) {
        self.lastPage += 1
        var own: [Item] = []
        var others = 0
        for given in items {
            var item = Item(subject: given.subject, data: given.data.bytes)
            item.replaces = given.replaces == true
            if given.mine == true {
                if !self.seen.has(item) { own.append(item) }
            } else if !self.seen.has(item) {
                self.bytes += item.data.count
                self.held.append(
                    Held(item: item, due: now + Self.patienceMilliseconds, page: self.lastPage))
                others += 1
            }
        }
        self.pages.append(
            Page(number: self.lastPage, cursor: cursor, left: own.count + others))
        self.settlePages()
        return (self.lastPage, own)
    }

    /// The servers have these items, of a page or of none.
    package mutating func settled(_ items: [Item], of page: UInt64?) {
        for item in items { self.seen.note(item) }
        if let page { self.settle(items.count, of: page) }
    }

    /// Whether the servers have this very item, as far as is remembered.
    package func has(_ item: Item) -> Bool { self.seen.has(item) }

    /// An item of a page is not to be published after all.
    package mutating func dropped(of page: UInt64) { self.settle(1, of: page) }

    /// The servers have given this.
    package mutating func saw(_ item: Item) { self.seen.note(item) }

    /// Takes out the items that are due to be looked up; ``settled(_:of:)`` ends each.
    package mutating func due(at now: UInt64) -> [(page: UInt64, item: Item)] {
        var due: [(UInt64, Item)] = []
        while self.heldFrom < self.held.count, due.count < Self.looksAtOnce {
            let next = self.held[self.heldFrom]
            guard next.due <= now || self.bytes > Self.heldBytes else { break }
            self.heldFrom += 1
            self.bytes -= next.item.data.count
            if self.seen.has(next.item) {
                self.settle(1, of: next.page)
            } else {
                due.append((next.page, next.item))
            }
        }
        if self.heldFrom == self.held.count {
            (self.held, self.heldFrom) = ([], 0)
        } else if self.heldFrom > 1_024 {
            self.held.removeFirst(self.heldFrom)
            self.heldFrom = 0
        }
        return due
    }

    /// Whether an item is to be published in the place of another one of which the daemon says this.
    package static func replaces(_ item: Item, _ verdict: ImportItemsMethod.Verdict) -> Bool {
        switch verdict {
        case .taken, .waits, .early: false
        case .known: item.replaces
        // What nobody with the keys has signed took its place.
        case .unsealed, .forged: true
        case .foreign, .forked, .room: false
        }
    }

    /// When the next item is due; nil where none waits.
    package var nextDue: UInt64? {
        self.heldFrom < self.held.count ? self.held[self.heldFrom].due : nil
    }

    private mutating func settle(_ count: Int, of page: UInt64) {
        guard let place = self.pages.firstIndex(where: { $0.number == page }) else { return }
        self.pages[place].left -= count
        self.settlePages()
    }

    private mutating func settlePages() {
        while let first = self.pages.first, first.left <= 0 {
            self.cursor = first.cursor
            self.pages.removeFirst()
        }
    }
}

/// Which items were seen last, by their subjects and what was under these.
struct RecentSubjects: Sendable {
    private let limit: Int
    private var prints: [String: Int] = [:]
    private var order: [String] = []

    init(limit: Int) { self.limit = limit }

    /// Whether this very item was seen.
    func has(_ item: SiteOutgoing.Item) -> Bool {
        self.prints[item.subject] == Self.print(item)
    }

    mutating func note(_ item: SiteOutgoing.Item) {
        if self.prints.updateValue(Self.print(item), forKey: item.subject) == nil {
            self.order.append(item.subject)
        }
        guard self.order.count > 2 * self.limit else { return }
        for subject in self.order.prefix(self.limit) { self.prints[subject] = nil }
        self.order.removeFirst(self.limit)
    }

    private static func print(_ item: SiteOutgoing.Item) -> Int {
        var hasher = Hasher()
        hasher.combine(item.data)
        return hasher.finalize()
    }
}
