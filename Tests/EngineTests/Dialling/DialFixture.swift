import Crypto
import TestSupport

@testable import Engine
@testable import Formats

/// A dialling machine of its own, with a clock and what it has asked for.
struct DialFixture {
    var dialling: Dialling
    var now = Instant(monotonic: 1_000, wall: 500_000)
    var random = SeededRandom(seed: 1)
    /// What the last call gave.
    private(set) var actions: [DiallingAction] = []

    init(known: [KnownPeer] = [], budget: LinkBudget = LinkBudget()) {
        self.dialling = Dialling(own: Harness.ownKey, known: known, budget: budget)
    }

    /// Whether the last call wants to look for somebody among the services.
    var isSeekArmed: Bool {
        self.actions.contains {
            if case .perform(.arm(.seek, _)) = $0 { true } else { false }
        }
    }

    /// The dials of the last call, with their addresses.
    var dials: [(id: DialID, address: String)] {
        self.actions.compactMap {
            if case .perform(.dial(let id, let address, _, _)) = $0 { (id, address) } else { nil }
        }
    }

    /// The answers of the last call.
    var answers: [Answer] {
        self.actions.compactMap {
            if case .perform(.answer(_, let answer)) = $0 { answer } else { nil }
        }
    }

    /// The lines that people see of the last call.
    var lines: [String] {
        self.actions.compactMap {
            if case .perform(.log(let level, let text, _)) = $0, level <= .info {
                text
            } else {
                nil
            }
        }
    }

    /// How often the last call tells the user that too much is announced.
    var alerts: Int { self.actions.count { $0 == .alert } }

    /// When the last call wants a target to be dialled again.
    var redialAt: UInt64? {
        for case .perform(.arm(.redial, let moment)) in self.actions { return moment }
        return nil
    }

    mutating func connect(
        _ address: String, expecting key: PeerID? = nil, _ request: UInt64 = 1, by: UInt64? = nil
    ) {
        self.actions = self.dialling.connect(
            address, expecting: key, RequestID(request), by: by, at: self.now)
    }

    mutating func find(_ name: String, at addresses: [String], isForeign: Bool = false) {
        self.actions = self.dialling.serviceFound(
            Service(name: name, addresses: addresses, isForeign: isForeign), at: self.now,
            using: &self.random)
    }

    mutating func lose(_ name: String) {
        self.actions = self.dialling.serviceLost(name, at: self.now)
    }

    mutating func fail(_ dial: DialID, _ failure: DialFailure) {
        self.actions = self.dialling.dialFailed(dial, failure, at: self.now, using: &self.random)
    }

    mutating func reach(_ dial: DialID, _ peer: PeerID, _ obstacle: DialFailure? = nil) {
        self.actions = self.dialling.dialReached(
            dial, peer, obstacle, at: self.now, using: &self.random)
    }

    mutating func doubt(_ peer: PeerID) {
        self.actions = self.dialling.dialBeside(peer, at: self.now)
    }

    mutating func trust(_ peer: PeerID) { self.actions = self.dialling.trust(peer) }

    /// The dials that the last call has given up.
    var abandoned: [DialID] {
        self.actions.compactMap {
            if case .perform(.abandon(let id)) = $0 { id } else { nil }
        }
    }

    mutating func link(_ peer: PeerID, at address: String?) {
        self.actions = self.dialling.peerLinked(peer, address: address, at: self.now)
    }

    mutating func tell(_ peer: PeerID, at addresses: [String]) {
        self.actions = self.dialling.told(
            peer, at: addresses, at: self.now, using: &self.random)
    }

    mutating func start() { self.actions = self.dialling.start([], at: self.now) }

    mutating func block(_ peer: PeerID) { self.actions = self.dialling.block([peer]) }

    mutating func unblock(_ peer: PeerID) {
        self.actions = self.dialling.unblock(peer, at: self.now)
    }

    mutating func unlink(_ peer: PeerID, _ ending: LinkEnding = .ended) {
        self.actions = self.dialling.peerUnlinked(peer, address: nil, lastHeard: self.now.wall)
        self.actions += self.dialling.redialPeer(
            peer, ending, at: self.now, using: &self.random)
    }

    /// A peer without a place has ended being tried.
    mutating func endTrial(of peer: PeerID) {
        self.actions = self.dialling.peerUnlinked(peer, address: nil, lastHeard: nil)
        self.actions += self.dialling.redialPeer(peer, .tried, at: self.now, using: &self.random)
    }

    mutating func tryOut(_ peer: PeerID) { self.actions = self.dialling.peerTried(peer) }

    mutating func seek() { self.actions = self.dialling.seek(at: self.now) }

    mutating func seekDue(isSeeking: Bool = true) {
        self.actions = self.dialling.seekDue(
            isSeeking: isSeeking, at: self.now, using: &self.random)
    }

    mutating func redial(_ id: TargetID) {
        self.actions = self.dialling.redialDue(id, at: self.now, using: &self.random)
    }

    mutating func connectDue(_ request: UInt64) {
        self.actions = self.dialling.connectDue(RequestID(request))
    }
}
