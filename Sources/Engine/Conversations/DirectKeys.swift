internal import Crypto
internal import Formats

/// The keys of conversations of two people, and of notes, from when on a device of theirs is known to be revoked: which
/// one is used, and who gets which.
///
/// All devices of both people can make the root of the conversation, also one that was revoked. Nothing is kept of a
/// conversation whose people have revoked none. Disk is a peer like any other: what is taken is used and given on once it
/// is on the disk. `Docs/Protocol/Groups.md` section 8.
struct DirectKeys: Sendable {
    /// What is exchanged of one conversation on one link.
    private struct DirectKeyExchange: Sendable {
        /// Keys that the peer was given, or has.
        var given: Set<Bytes32> = []
        /// Keys that wait until their makers' logs announce them.
        var keys: [Bytes32: Bytes32] = [:]
        /// How many it may be given before the link is looked at again.
        var due = Limits.keysAtOnce
    }

    private(set) var table: [ConversationID: DirectEpochs] = [:]
    private var exchanges: [LinkID: [ConversationID: DirectKeyExchange]] = [:]

    /// Whether any conversation has keys, or is to have some.
    var isUsed: Bool { !self.table.isEmpty }

    func keyToWrite(in id: ConversationID) -> KeyToWrite { self.table[id]?.writing ?? .root }

    /// Whether a key is here that another device has made.
    func isOfAnother(_ name: Bytes32, than device: PeerID, in id: ConversationID) -> Bool {
        self.table[id]?.held[name].map { $0.epoch.device != device } ?? false
    }

    // MARK: What is here

    /// Takes the keys on the disk at a start, and what logs there announce of others.
    mutating func restore(
        _ epochs: [HeldEpoch], _ announced: [AnnouncedEpoch] = [], of id: ConversationID,
        for people: Set<PersonID>
    ) {
        guard !epochs.isEmpty || !announced.isEmpty else { return }
        self.begin(id, for: people)
        for epoch in epochs { self.table[id]?.store(epoch) }
        for told in announced { _ = self.table[id]?.note(told) }
        if self.table[id]?.isIdle == true { self.table[id] = nil }
    }

    private mutating func begin(_ id: ConversationID, for people: Set<PersonID>) {
        guard self.table[id] == nil else { return }
        self.table[id] = DirectEpochs(of: people, RevocationWords([:]))
    }

    /// Takes what the two say of their devices by now, and chooses with which key the next own entry is sealed.
    mutating func choose(
        in id: ConversationID, of people: Set<PersonID>,
        _ words: [PersonID: [PeerID: RevocationWord]], for own: OwnedDevice
    ) {
        if words.isEmpty, self.table[id] == nil { return }
        self.begin(id, for: people)
        self.table[id]?.words = RevocationWords(words)
        self.table[id]?.choose(for: own)
    }

    /// Takes nothing for taken of a conversation of which nothing is on the disk; keys that wait stay.
    mutating func takeAnew(_ id: ConversationID) { self.table[id] = nil }

    /// Forgets a conversation of which nothing is on the disk.
    mutating func drop(_ id: ConversationID) {
        self.table[id] = nil
        for link in self.exchanges.keys { self.exchanges[link]?[id] = nil }
    }

    /// Keys are on the disk; gives those that are new by their conversations.
    mutating func stored(_ epochs: [HeldEpoch]) -> [ConversationID: [HeldEpoch]] {
        var changed: [ConversationID: [HeldEpoch]] = [:]
        for epoch in epochs where self.table[epoch.group] != nil {
            self.table[epoch.group]?.store(epoch)
            changed[epoch.group, default: []].append(epoch)
            for link in self.exchanges.keys {
                self.exchanges[link]?[epoch.group]?.keys[epoch.epoch.id] = nil
            }
        }
        return changed
    }

    mutating func notePlaced(
        _ announcement: EpochAnnouncement, of id: ConversationID, by device: PeerID
    ) {
        self.table[id]?.notePlaced(announcement, by: device)
    }

    // MARK: Taking

    /// Takes in that a log announces a key; returns the key if it is here.
    mutating func announced(
        _ announcement: EpochAnnouncement, by device: OwnedDevice, in id: ConversationID,
        of people: Set<PersonID>
    ) -> HeldEpoch? {
        self.begin(id, for: people)
        defer { if self.table[id]?.isIdle == true { self.table[id] = nil } }
        let isNews = self.table[id]?.note(
            AnnouncedEpoch(announcement, by: device.person, on: device.device))
        return isNews == true ? self.take(announcement.id, in: id) : nil
    }

    /// The peer of a link gives keys; gives those of which a log tells.
    mutating func receive(
        _ keys: [EpochKey], of id: ConversationID, on link: LinkID
    ) -> [HeldEpoch] {
        var exchange = self.exchanges[link]?[id] ?? DirectKeyExchange()
        for key in keys {
            // Who gives one has it.
            exchange.given.insert(key.id)
            guard self.table[id]?.has(key.id) != true, exchange.keys.count < Limits.waitingKeys
            else { continue }
            exchange.keys[key.id] = key.key
        }
        exchange.given.formIntersection(
            Set(exchange.keys.keys).union(self.table[id]?.held.keys.map { $0 } ?? []))
        self.exchanges[link, default: [:]][id] = exchange
        return keys.compactMap { self.take($0.id, in: id) }
    }

    /// Takes a key that some link has brought, if it is the one of which a log tells.
    private mutating func take(_ name: Bytes32, in id: ConversationID) -> HeldEpoch? {
        guard self.table[id] != nil else { return nil }
        for link in self.exchanges.keys.sorted() {
            guard let key = self.exchanges[link]?[id]?.keys[name],
                let held = self.table[id]?.take(EpochKey(id: name, key: key), in: id)
            else { continue }
            return held
        }
        return nil
    }

    // MARK: Giving

    /// Gives the device at the other end of a link what it may have and was not given, as much as is due.
    mutating func give(of id: ConversationID, on link: LinkID, to device: OwnedDevice) -> [Frame] {
        guard let state = self.table[id], !state.held.isEmpty else { return [] }
        var exchange = self.exchanges[link]?[id] ?? DirectKeyExchange()
        let keys = state.held.values.filter {
            $0.isPlaced && !exchange.given.contains($0.epoch.id)
                && state.words.mayGive($0.epoch, to: device)
        }.compactMap { held in held.key.map { EpochKey(id: held.epoch.id, key: $0) } }
            .sorted { $0.id < $1.id }.prefix(exchange.due)
        guard !keys.isEmpty else { return [] }
        exchange.due -= keys.count
        exchange.given.formUnion(keys.map(\.id))
        self.exchanges[link, default: [:]][id] = exchange
        return stride(from: 0, to: keys.count, by: Limits.groupFrameItems).map {
            .epochKeys(id, Array(keys[$0...].prefix(Limits.groupFrameItems)))
        }
    }

    /// The conversations on a link of which more keys may be given from here on.
    mutating func giveMore(on link: LinkID) -> [ConversationID] {
        guard let exchanges = self.exchanges[link] else { return [] }
        let spent = exchanges.filter { $0.value.due < Limits.keysAtOnce }.keys.sorted()
        for id in spent { self.exchanges[link]?[id]?.due = Limits.keysAtOnce }
        return spent
    }

    /// What the peer was given it may have to be given again; keys that wait here stay, since it does not know that.
    mutating func endExchange(_ id: ConversationID, on link: LinkID) {
        self.exchanges[link]?[id]?.given = []
        self.exchanges[link]?[id]?.due = Limits.keysAtOnce
    }

    mutating func unlinked(_ link: LinkID) { self.exchanges[link] = nil }
}
