package import Crypto
package import Formats

/// A key of a group, as its maker has announced it.
package struct Epoch: Hashable, Sendable {
    /// Names the key, in the headers of entries; it follows from all below.
    package let id: Bytes32
    package let maker: PersonID
    /// The device whose log has the announcement.
    package let device: PeerID
    /// Heads of the acts that its maker knew.
    package let basis: [ActID]
    /// Of the members at that basis; see ``digest(of:)``.
    package let people: Bytes32

    /// The device of the maker.
    var owner: OwnedDevice { OwnedDevice(person: self.maker, device: self.device) }

    package init(
        id: Bytes32, maker: PersonID, device: PeerID, basis: [ActID], people: Bytes32
    ) {
        self.id = id
        self.maker = maker
        self.device = device
        self.basis = basis
        self.people = people
    }

    /// Whether a device's log says this of the key: it may say something else as well, which is wrong.
    package func isTold(by announcement: EpochAnnouncement, of device: PeerID) -> Bool {
        self.id == announcement.id && self.device == device && self.basis == announcement.basis
            && self.people == announcement.people
    }

    private static let personal = BLAKE2b.Personal("stoa people")

    package static func digest(of people: some Sequence<PersonID>) -> Bytes32 {
        var hasher = BLAKE2b.Hasher(personal: self.personal)
        for person in people.sorted() { hasher.update(person.hash) }
        return hasher.finalize()
    }
}

/// What is known here of whom a key is for.
enum EpochFinding: Hashable {
    /// An act that its maker knew is not here.
    case waits
    /// Its maker took others for the members than the acts say, or is none; the key is for nobody.
    case void
    /// Whom its maker knew to be members.
    case people(Set<PersonID>)
}

/// What becomes of an entry in a group, by who wrote it.
enum Showing: Hashable {
    case shown
    /// It was shown before its author turned out to be no member; it stays, with a mark.
    case marked
    /// It is not shown unless its author turns out to be a member after all.
    case waits
}

/// Who may use and get which key: `Docs/Protocol/Rosters.md` section 4.
///
/// An act that takes somebody away matters as soon as it is *known*: it may not count here, and still count for
/// somebody with more acts.
extension GroupView {
    func finding(_ epoch: Epoch) -> EpochFinding {
        guard let past = self.graph.reach(of: epoch.basis) else { return .waits }
        let members = self.members(knowing: past)
        let isRight = members.contains(epoch.maker) && Epoch.digest(of: members) == epoch.people
        return isRight ? .people(members) : .void
    }

    /// The members as somebody saw them who knew these acts alone.
    func members(knowing past: ActSet) -> Set<PersonID> {
        // Most often nothing has happened since.
        let roster =
            past.count == self.graph.count
            ? self.roster : Roster(self.graph.statements(past), places: self.places)
        return Set(roster.members.keys)
    }

    /// Whether own entries may be sealed with a key.
    ///
    /// - Parameter people: whom it is for, as ``finding(_:)`` says.
    func mayUse(_ epoch: Epoch, for people: Set<PersonID>) -> Bool {
        guard let past = self.graph.reach(of: epoch.basis) else { return false }
        let device = OwnedDevice(person: epoch.maker, device: epoch.device)
        guard people.contains(epoch.maker), !self.roster.cutDevices.contains(device) else {
            return false
        }
        guard self.takings.isSubset(of: past) else { return false }
        switch self.history {
        case .all: return people.allSatisfy { self.roster.members[$0] != nil }
        case .joined:
            return people.count == self.roster.members.count
                && people.allSatisfy { self.roster.members[$0] != nil }
        }
    }

    /// The best of keys that may be used: whose maker knew most; nil where a new one is due.
    func pick(_ epochs: [(epoch: Epoch, people: Set<PersonID>)]) -> Epoch? {
        epochs.filter { self.mayUse($0.epoch, for: $0.people) }.map(\.epoch).max {
            let known = (self.reachCount(of: $0), self.reachCount(of: $1))
            return known.0 == known.1 ? $0.id > $1.id : known.0 < known.1
        }
    }

    private func reachCount(of epoch: Epoch) -> Int {
        self.graph.reach(of: epoch.basis)?.count ?? 0
    }

    /// Whether a key may be handed to a device that is linked.
    ///
    /// Who does not know all that its maker knew might not know yet that the person is out.
    func mayGive(
        _ epoch: Epoch, for people: Set<PersonID>, to person: PersonID, on device: PeerID
    ) -> Bool {
        self.isMember(person, on: device) && self.graph.reach(of: epoch.basis) != nil
            && (self.history == .all || people.contains(person))
    }

    /// The new key's basis and people, for its maker to announce.
    func announcement(of id: Bytes32, by maker: PersonID, on device: PeerID) -> Epoch {
        Epoch(
            id: id, maker: maker, device: device, basis: self.heads,
            people: Epoch.digest(of: self.roster.members.keys))
    }
}
