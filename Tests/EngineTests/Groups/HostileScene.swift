import Crypto
import TestSupport

@testable import Engine
@testable import Formats

private func fixture(_ number: UInt8) -> Signer { signer(number) }

/// One machine, Victor's, in a group of Olga, and a link to Mallory; or the other end of it.
struct HostileScene {
    struct Person {
        let keys: PersonKeys
        let signer: Signer
        let certificate: Certificate

        init(_ number: UInt8) {
            self.keys = personKeys(number, number + 50)
            self.signer = fixture(number)
            self.certificate = self.keys.certify(self.signer, at: 1)
        }

        var id: PersonID { self.keys.id }
        var device: PeerID { PeerID(self.signer.publicKey) }
    }

    let olga = Person(100)
    let victor = Person(101)
    let mallory = Person(102)
    let link = LinkID(1)
    let group: Group
    var groups: Groups
    let founding: Act
    /// The act behind which all three are members.
    private(set) var last: Act
    var time: UInt64 = 10

    /// Whether the last batch has said that a tie is due.
    private(set) var needsTie = false

    /// - Parameter isBrought: false where Victor has only the founding, and Mallory is a stranger.
    init(isBrought: Bool = true, isMallorys: Bool = false) {
        self.group = Group(
            owner: self.olga.keys.publicKeys, nonce: fixed32(9), realm: .open, history: .all,
            suite: .xchacha20Poly1305, name: room("ops").name)
        let (own, peer) = isMallorys ? (self.mallory, self.victor) : (self.victor, self.mallory)
        self.groups = Groups(own: own.id, device: own.device)
        self.founding = Act(
            .create(self.group), in: self.group.id, basis: [], time: HybridTime(1 << 16),
            certificate: self.olga.certificate, by: self.olga.signer)
        self.last = self.founding
        var acts = [self.founding]
        for person in isBrought ? [self.victor, self.mallory] : [] {
            self.last = self.act(.add(person.id), by: self.olga)
            acts.append(self.last)
        }
        self.write(self.groups.begin(self.group, with: acts))
        self.connect(to: peer, on: self.link)
    }

    mutating func connect(to person: Person, on link: LinkID) {
        var info = LinkInfo(to: person.device)
        info.certificate = person.certificate
        self.groups.linked(link, info)
        _ = self.groups.exchange(self.group.id, on: link)
    }

    /// Olga makes somebody an admin.
    mutating func promote(_ person: Person) {
        self.last = self.act(.admin(person.id, 256), by: self.olga)
        self.receive([self.last])
    }

    var state: GroupState {
        guard let state = self.groups.table[self.group.id] else {
            preconditionFailure("it was begun")
        }
        return state
    }

    func act(
        _ kind: ActKind, by person: Person, basis: [ActID]? = nil, at time: UInt64 = 10
    ) -> Act {
        Act(
            kind, in: self.group.id, basis: basis ?? [self.last.id],
            time: HybridTime(wallMilliseconds: time), certificate: person.certificate,
            by: person.signer)
    }

    @discardableResult
    mutating func write(_ writes: GroupWrites) -> Int {
        let (changes, actions) = self.groups.stored(writes)
        self.needsTie = changes.contains(where: \.needsTie)
        var count = writes.acts.count + writes.epochs.count
        for case .write(let more) in actions { count += self.write(more) }
        return count
    }

    /// Mallory, or somebody else, sends a frame; gives how much is written for that and how often the link is ended.
    mutating func receive(
        _ frame: Frame, on link: LinkID? = nil, at wall: UInt64 = 20
    ) -> (written: Int, ended: Int) {
        var (written, ended) = (0, 0)
        for action in self.groups.receive(frame, on: link ?? self.link, at: wall) {
            switch action {
            case .write(let writes): written += self.write(writes)
            case .violation: ended += 1
            default: break
            }
        }
        return (written, ended)
    }

    @discardableResult
    mutating func receive(_ acts: [Act], at wall: UInt64 = 20) -> (written: Int, ended: Int) {
        self.receive(.acts(self.group.id, acts), at: wall)
    }

    /// Acts come in as many frames as they need; gives how many are written for that.
    mutating func receive(all acts: [Act]) -> Int {
        stride(from: 0, to: acts.count, by: Limits.groupFrameItems).reduce(0) {
            $0 + self.receive(Array(acts[$1...].prefix(Limits.groupFrameItems)), at: 10_000).written
        }
    }

    /// Acts that change nothing, beside each other or each behind the one before.
    func junk(
        _ count: Int, by person: Person? = nil, from time: UInt64, isChain: Bool = false
    ) -> [Act] {
        var acts: [Act] = []
        for number in 0..<UInt64(count) {
            let basis = isChain ? acts.last.map { [$0.id] } : nil
            acts.append(
                self.act(.tie, by: person ?? self.mallory, basis: basis, at: time + number))
        }
        return acts
    }

    /// All acts that are on the disk, each behind those that it follows.
    var all: [Act] {
        self.state.view.graph.reach(of: self.state.view.heads).map(self.state.acts(in:)) ?? []
    }

    /// The run in which a log tells of a key is on the disk.
    mutating func place(_ announcement: EpochAnnouncement, by person: Person) {
        let writes = self.groups.placing(announcement, by: person.device, in: self.group.id)
        if let writes { self.write(writes) }
    }

    /// What somebody announces of a key that they make for the members.
    func made(_ key: Bytes32, by person: Person, for people: Set<PersonID>? = nil)
        -> EpochAnnouncement
    {
        EpochAnnouncement(
            of: key, in: self.group.id, by: person.device, basis: self.state.view.heads,
            people: people ?? Set(self.state.view.roster.members.keys))
    }

    /// A log tells of a key; gives how much is written for that.
    mutating func announce(_ announcement: EpochAnnouncement, by person: Person) -> Int {
        let actions = self.groups.announced(
            announcement, in: LogName(author: person.device, incarnation: 1), of: person.id,
            in: self.group.id)
        var written = 0
        for case .write(let writes) in actions { written += self.write(writes) }
        return written
    }
}

extension Groups {
    /// The run is on the disk in which a device announces a key; gives what is to be written of the key.
    mutating func placing(
        _ announcement: EpochAnnouncement, by device: PeerID, in id: ConversationID
    ) -> GroupWrites? {
        self.table[id]?.notePlaced(announcement, by: device)
        guard var held = self.table[id]?.epochs[announcement.id], !held.isPlaced,
            held.epoch.isTold(by: announcement, of: device),
            self.table[id]?.pendingEpochs[announcement.id] == nil
        else { return nil }
        held.isPlaced = true
        var writes = GroupWrites()
        writes.epochs = [held]
        return writes
    }
}
