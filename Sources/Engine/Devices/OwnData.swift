internal import Crypto
internal import Formats

/// What the user's devices have told each other: of each item whether it is in its set, and its value.
///
/// Something is written only where a change differs from what is told, and something is changed only where it differs
/// from what is told: so taking over what another device says never writes anything. `Docs/Protocol/Entries.md`
/// section 13.
struct OwnData: Sendable {
    /// What is told of an item.
    struct State: Hashable, Sendable {
        var isIn: Bool
        var value: [UInt8] = []
    }

    private struct Word: Sendable {
        let entry: OwnEntry
        let log: LogName
        let time: HybridTime
    }

    private var words: [OwnItem: [EntryID: Word]] = [:]
    /// What other devices have filled of their share.
    private var bytes: [PeerID: Int] = [:]
    /// From when on devices do not count.
    private var revoked: [PeerID: HybridTime] = [:]
    /// Whether the user has, or had, another device: otherwise nothing is written.
    var isShared = false
    /// The sets of which what nothing is told of is still to be written, since another device was linked.
    var offers: Set<OwnSet> = []
    /// The realms that the user has left here, until that is told.
    var leftRealms: Set<RealmID> = []
    /// What the user has read on other devices.
    var reads = OwnReads()

    /// Takes what a device of the user says; of another one no more than its share, since it may be a thief's.
    mutating func take(
        _ entry: OwnEntry, _ id: EntryID, by log: LogName, at time: HybridTime, isBounded: Bool
    ) {
        self.isShared = true
        if isBounded {
            let filled = self.bytes[log.author, default: 0] + entry.storedBytes
            guard filled <= Limits.ownDeviceBytes else { return }
            self.bytes[log.author] = filled
        }
        self.words[OwnItem(entry), default: [:]][id] = Word(entry: entry, log: log, time: time)
    }

    /// A device does not count from a time on; nil where it counts again.
    mutating func revoke(_ device: PeerID, from time: HybridTime?) { self.revoked[device] = time }

    /// What counts of an item: of each log the last word, where no other one which counts replaces it.
    private func heads(of item: OwnItem) -> [(key: EntryID, value: Word)] {
        guard let words = self.words[item] else { return [] }
        let counting = words.filter { word in
            self.revoked[word.value.log.author].map { word.value.time <= $0 } ?? true
        }
        let replaced = Set(counting.values.flatMap(\.entry.replaced))
        let last = counting.values.reduce(into: [LogName: HybridTime]()) {
            $0[$1.log] = max($0[$1.log] ?? $1.time, $1.time)
        }
        return counting.filter { !replaced.contains($0.key) && last[$0.value.log] == $0.value.time }
            .sorted { ($0.value.time, $0.key) < ($1.value.time, $1.key) }
    }

    /// What is told of an item; nil where nothing is.
    func state(of item: OwnItem) -> State? {
        let heads = self.heads(of: item)
        guard !heads.isEmpty else { return nil }
        let last = heads.last { $0.value.entry.isIn }
        return State(isIn: last != nil, value: last?.value.entry.value ?? [])
    }

    /// All items of which something is told, in order.
    var all: [(item: OwnItem, state: State)] {
        self.words.keys.sorted().compactMap { item in self.state(of: item).map { (item, $0) } }
    }

    /// What is to be written so that this is told of an item; nil where it is told already.
    func entry(_ item: OwnItem, _ wanted: State) -> OwnEntry? {
        let heads = self.heads(of: item)
        let now = self.state(of: item) ?? State(isIn: false)
        // A profile is its value, and a device's is its name; of all else that is known well enough.
        let isValue = item == .profile || item.set == OwnSet.devices.rawValue
        let isSame = !isValue || now.value == wanted.value
        guard now.isIn != wanted.isIn || !isSame else { return nil }
        return OwnEntry(
            set: item.set, item: item.item, isIn: wanted.isIn,
            value: wanted.isIn ? wanted.value : [],
            replacing: heads.suffix(Limits.ownReplaced).map(\.key))
    }
}

extension OwnEntry {
    /// What it takes of memory, about.
    fileprivate var storedBytes: Int {
        128 + self.item.count + self.value.count + 32 * self.replaced.count
    }
}

extension Limits {
    /// What each other device of the user may say of what is the user's: tens of thousands of changes.
    package static let ownDeviceBytes = 16_777_216
}
