import Crypto
import TestSupport

@testable import Engine
@testable import Formats

/// Machines of groups, one for each of some people, on links that come and go; each has a disk that writes when it is
/// told to.
struct GroupNetwork {
    struct Member {
        let keys: PersonKeys
        let signer: Signer
        let certificate: Certificate
        var groups: Groups
        /// What waits for the disk.
        var disk: [GroupWrites] = []
        /// What this one's log tells of keys.
        var log: [EpochAnnouncement] = []
        /// Keys that entries of this one are sealed with.
        var used: Set<Bytes32> = []

        var id: PersonID { self.keys.id }
        var device: PeerID { PeerID(self.signer.publicKey) }
        var logName: LogName { LogName(author: self.device, incarnation: 1) }
    }

    struct Violation: Error {
        var what: String
        init(_ what: String) { self.what = what }
    }

    private(set) var members: [Member] = []
    private(set) var group: ConversationID
    private let founded: Group
    private var random: SeededRandom
    private var time: UInt64 = 1_000
    /// The acts that the maker of each key knew.
    private var made: [Bytes32: Set<ActID>] = [:]
    /// The members by what the maker of each key knew.
    private var people: [Bytes32: Set<PersonID>] = [:]
    private var links: Set<[Int]> = []
    private var shared: Set<[Int]> = []
    private var frames: [(from: Int, to: Int, frame: Frame)] = []
    /// How many keys were given.
    private(set) var given = 0
    private(set) var violations: [String] = []

    init(_ count: Int, seed: UInt64, history: Group.History = .all) throws {
        self.random = SeededRandom(seed: seed)
        for number in 0..<count {
            let keys = personKeys(UInt8(100 + number), UInt8(150 + number))
            let device = signer(UInt8(50 + number))
            let certificate = keys.certify(device, at: 1_767_225_600_000)
            self.members.append(
                Member(
                    keys: keys, signer: device, certificate: certificate,
                    groups: Groups(own: keys.id, device: PeerID(device.publicKey))))
        }
        self.founded = Group(
            owner: self.members[0].keys.publicKeys, nonce: fixed32(9), realm: .open,
            history: history, suite: .xchacha20Poly1305, name: room("ops").name)
        self.group = self.founded.id
        let founding = Act(
            .create(self.founded), in: self.group, basis: [], time: HybridTime(1 << 16),
            certificate: self.members[0].certificate, by: self.members[0].signer)
        self.members[0].disk.append(
            self.members[0].groups.begin(self.founded, with: [founding]))
        try self.write(0)
    }

    func link(from: Int, to: Int) -> LinkID { LinkID(UInt64(1 + from * 100 + to)) }

    private func isLinked(_ one: Int, _ other: Int) -> Bool {
        self.links.contains([min(one, other), max(one, other)])
    }

    func isInside(_ index: Int) -> Bool {
        self.members[index].groups.isInside(self.group)
            && self.members[index].groups.table[self.group]?.isActive == true
    }

    // MARK: Links

    mutating func connect(_ one: Int, _ other: Int) throws {
        guard one != other, !self.isLinked(one, other) else { return }
        self.links.insert([min(one, other), max(one, other)])
        for (from, to) in [(one, other), (other, one)] {
            var info = LinkInfo(to: self.members[to].device)
            info.certificate = self.members[to].certificate
            self.members[from].groups.linked(self.link(from: from, to: to), info)
        }
        try self.settleShares()
        for (from, to) in [(one, other), (other, one)] {
            try self.perform(
                self.members[from].groups.greet(on: self.link(from: from, to: to)), by: from)
        }
    }

    mutating func disconnect(_ one: Int, _ other: Int) {
        let pair = [min(one, other), max(one, other)]
        guard self.links.remove(pair) != nil else { return }
        self.shared.remove(pair)
        self.frames.removeAll { [min($0.from, $0.to), max($0.from, $0.to)] == pair }
        self.members[one].groups.unlinked(self.link(from: one, to: other))
        self.members[other].groups.unlinked(self.link(from: other, to: one))
    }

    /// Shares where both show the group, as nodes do by tags.
    private mutating func settleShares() throws {
        for pair in self.links.sorted(by: { $0[0] * 100 + $0[1] < $1[0] * 100 + $1[1] }) {
            let ends = [(pair[0], pair[1]), (pair[1], pair[0])]
            let isShared = ends.allSatisfy { from, to in
                self.members[from].groups.concerns(self.group, self.link(from: from, to: to))
            }
            guard isShared != self.shared.contains(pair) else { continue }
            if isShared { self.shared.insert(pair) } else { self.shared.remove(pair) }
            for (from, to) in ends {
                let link = self.link(from: from, to: to)
                if isShared {
                    try self.perform(
                        self.members[from].groups.exchange(self.group, on: link), by: from)
                } else {
                    self.members[from].groups.endExchange(self.group, on: link)
                    try self.perform(self.members[from].groups.greet(on: link), by: from)
                }
            }
        }
        // As nodes do once they have taken the entries of each other's logs.
        for pair in self.shared.sorted(by: { $0[0] * 100 + $0[1] < $1[0] * 100 + $1[1] }) {
            for (from, to) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                try self.read(from, of: to)
            }
        }
    }

    /// Reads in all logs that somebody has what they tell of keys.
    private mutating func read(_ reader: Int, of _: Int) throws {
        for author in self.members.indices where author != reader {
            for announcement in self.members[author].log {
                try self.perform(
                    self.members[reader].groups.announced(
                        announcement, in: self.members[author].logName,
                        of: self.members[author].id, in: self.group), by: reader)
                let placed = self.members[reader].groups.placing(
                    announcement, by: self.members[author].device, in: self.group)
                if let placed { self.members[reader].disk.append(placed) }
            }
        }
    }

    // MARK: What machines want

    private mutating func perform(_ actions: [GroupAction], by index: Int) throws {
        for action in actions {
            switch action {
            case .write(let writes): self.members[index].disk.append(writes)
            case .violation(_, let what): self.violations.append(what)
            case .asked(let request, _, _):
                self.members[index].disk.append(self.members[index].groups.ask(request))
            case .entered(let request, _, let host):
                if let entered = self.members[index].groups.enter(
                    request, host: host, at: .max - Limits.joinMilliseconds)
                {
                    self.members[index].disk.append(entered.writes)
                }
            case .joinAnswered(let id, let obstacle, let link):
                _ = self.members[index].groups.answered(id, obstacle, on: link)
            case .send(let frame, let link):
                let to = Int(link.rawValue - 1) % 100
                if case .epochKeys(_, let keys) = frame {
                    for key in keys { try self.check(key, givenBy: index, to: to) }
                }
                self.frames.append((index, to, frame))
            }
        }
    }

    /// No key reaches a device that its giver or its maker knew to be out.
    private mutating func check(_ key: EpochKey, givenBy giver: Int, to: Int) throws {
        self.given += 1
        guard let state = self.members[giver].groups.table[self.group] else {
            throw Violation("a key of a group that is not here is given")
        }
        guard let known = self.made[key.id] else { throw Violation("a key of nobody is given") }
        guard known.isSubset(of: Set(state.acts.keys)) else {
            throw Violation("a key is given without what its maker knew")
        }
        let roster = Roster(state.acts.mapValues(\.statement))
        guard roster.members[self.members[to].id] != nil else {
            throw Violation("a key is given to somebody who is out")
        }
        guard self.isFor(to, key.id) else {
            throw Violation("a key is given to somebody who came after it")
        }
    }

    /// Whether a key is for somebody, by what its maker knew.
    func isFor(_ index: Int, _ key: Bytes32) -> Bool {
        self.founded.history == .all || self.people[key]?.contains(self.members[index].id) == true
    }

    /// Writes all that waits for the disk of one.
    mutating func write(_ index: Int) throws {
        let waiting = self.members[index].disk
        self.members[index].disk = []
        var all = GroupWrites()
        for writes in waiting { all.add(writes) }
        let (changes, actions) = self.members[index].groups.stored(all)
        try self.perform(actions, by: index)
        for change in changes {
            if change.went.contains(self.members[index].id) {
                self.members[index].groups.end(self.group)
            }
            if change.needsTie { _ = self.act(.tie, by: index) }
        }
        try self.settleShares()
    }

    /// Delivers a frame; false where there is none.
    mutating func deliver() throws -> Bool {
        guard !self.frames.isEmpty else { return false }
        // In order on each link, in any between links.
        let picked = self.frames[Int(self.random.next() % UInt64(self.frames.count))]
        guard
            let index = self.frames.firstIndex(where: {
                $0.from == picked.from && $0.to == picked.to
            })
        else { return false }
        let (from, to, frame) = self.frames.remove(at: index)
        guard case let frame? = try ReceivedFrame(whole: frame.encoded.bytes).frame else {
            throw Violation("a frame that is sent cannot be read")
        }
        try self.perform(
            self.members[to].groups.receive(
                frame, on: self.link(from: to, to: from), at: self.time),
            by: to)
        return true
    }

    /// Delivers and writes all.
    mutating func settle() throws {
        var rounds = 0
        var isMore = true
        while isMore {
            isMore = false
            while try self.deliver() { isMore = true }
            for index in self.members.indices where !self.members[index].disk.isEmpty {
                try self.write(index)
                isMore = true
            }
            rounds += 1
            guard rounds < 1_000 else { throw Violation("machines never come to rest") }
        }
    }

    // MARK: What people do

    mutating func act(_ kind: ActKind, by index: Int) -> Roster.Reason? {
        self.time += 1
        do throws(ActRefusal) {
            let member = self.members[index]
            let writes = try self.members[index].groups.sign(
                kind, in: self.group, at: HybridTime(wallMilliseconds: self.time),
                by: ActSigner(certificate: member.certificate, device: member.signer))
            self.members[index].disk.append(writes)
            return nil
        } catch { return error.reason }
    }

    mutating func accept(_ index: Int) throws -> Bool {
        guard
            let writes = self.members[index].groups.accept(
                self.group, at: .max - Limits.joinMilliseconds)
        else { return false }
        self.members[index].disk.append(writes)
        try self.settleShares()
        return true
    }

    mutating func decline(_ index: Int) -> Bool {
        guard let writes = self.members[index].groups.decline(self.group) else { return false }
        self.members[index].disk.append(writes)
        return true
    }

    /// Somebody writes a message; gives the key.
    @discardableResult
    mutating func say(_ index: Int) throws -> Bytes32? {
        let member = self.members[index]
        guard let state = member.groups.table[self.group], state.isActive else { return nil }
        switch state.writing {
        case .root, .none: return nil
        case .use(let held):
            if self.founded.history == .joined,
                self.people[held.epoch.id] != Set(state.view.roster.members.keys)
            {
                throw Violation("a key is used that is for others than the members")
            }
            self.members[index].used.insert(held.epoch.id)
            return held.epoch.id
        case .make(let basis, let people):
            let key = self.random.bytes32()
            let announcement = EpochAnnouncement(
                of: key, in: self.group, by: member.device, basis: basis, people: people)
            let held = HeldEpoch(
                group: self.group,
                epoch: Epoch(
                    id: announcement.id, maker: member.id, device: member.device,
                    basis: announcement.basis, people: people), key: key, isPlaced: true)
            self.made[announcement.id] = Set(state.acts.keys)
            self.people[announcement.id] = Set(state.view.roster.members.keys)
            self.members[index].log.append(announcement)
            self.members[index].used.insert(announcement.id)
            var writes = GroupWrites()
            writes.epochs = [held]
            self.members[index].disk.append(writes)
            try self.write(index)
            return announcement.id
        }
    }

    mutating func must(_ kind: ActKind, by index: Int) throws {
        if let reason = self.act(kind, by: index) { throw Violation("not signed: \(reason)") }
    }

    mutating func mustAccept(_ index: Int) throws {
        guard try self.accept(index) else { throw Violation("nothing asks") }
    }

    mutating func mustDecline(_ index: Int) throws {
        guard self.decline(index) else { throw Violation("nothing asks") }
    }

    mutating func mustSay(_ index: Int) throws -> Bytes32 {
        guard let key = try self.say(index) else { throw Violation("nothing can be written") }
        return key
    }

    // MARK: Chance

    mutating func chance(_ count: Int) -> Int { Int(self.random.next() % UInt64(count)) }

    /// Somebody does something.
    mutating func step() throws {
        let count = self.members.count
        let (one, other) = (self.chance(count), self.chance(count))
        let subject = self.members[other].id
        switch self.chance(20) {
        case 0, 1, 2: _ = self.act(.add(subject), by: one)
        case 3: _ = self.act(.remove(subject, seen: []), by: one)
        case 4: _ = self.act(.admin(subject, Rank(256 * (1 + self.chance(8)))), by: one)
        case 5: _ = self.act(.demote(subject), by: one)
        case 6 where one != 0 && self.chance(3) == 0: _ = self.act(.leave, by: one)
        case 7, 8: try self.say(one)
        case 9, 10: _ = try self.accept(one)
        case 11, 12: try self.connect(one, other)
        case 13: self.disconnect(one, other)
        case 14, 15: try self.write(one)
        default: for _ in 0..<4 where try !self.deliver() { break }
        }
    }

    /// What each of them has.
    var description: String {
        self.members.indices.map { index in
            guard let state = self.members[index].groups.table[self.group] else {
                return "\(index): nothing"
            }
            let members = self.members.indices.filter {
                state.view.roster.members[self.members[$0].id] != nil
            }
            return "\(index): \(state.isActive) \(state.acts.count) acts, members \(members)"
        }.joined(separator: "; ")
    }

    /// All are linked, and who is asked accepts, until nothing happens any longer.
    mutating func heal() throws {
        for one in self.members.indices {
            for other in self.members.indices { try self.connect(one, other) }
        }
        try self.settle()
        var isMore = true
        while isMore {
            isMore = false
            for index in self.members.indices where try self.accept(index) { isMore = true }
            try self.settle()
        }
    }
}
