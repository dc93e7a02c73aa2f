package import Formats

/// Names a dial target: something that may turn out to be a peer.
package enum TargetID: Hashable, Comparable, Sendable {
    /// A peer that was linked before, at remembered addresses.
    case remembered(PeerID)
    /// A service that discovery sees.
    case service(String)
    /// An address from the configuration or from `connect`.
    case fixed(String)
    /// A device, where its own record says that it can be dialled.
    case told(PeerID)

    var isTold: Bool { if case .told = self { true } else { false } }
}

/// Where something is that may turn out to be a peer, and how often it did not answer.
struct DialTarget: Sendable {
    var addresses: [String]
    /// The only key that may answer; nil for any.
    var expecting: PeerID?
    /// Who answered last, and at which address.
    var peer: PeerID?
    var peerAddress: String?
    /// Dials under way, by address.
    var attempts: [DialID: String] = [:]
    var nextAddress = 0
    var backoffSteps = 0
    /// Whether the address turned out to be this node.
    var isSelf = false
    /// Whether discovery has lost sight of it.
    var isGone = false
    /// Whether it was announced at addresses of other networks, where nobody is dialled.
    var isForeign = false
    /// When the dial that is under way beside a doubted link began.
    var besideSince: UInt64?
    /// How dials have failed since the last link.
    var failedDial: FailedDial?

    /// Notes whether it is announced from another network only, which is why it is not dialled then.
    mutating func setForeign(_ isForeign: Bool, at now: Instant) {
        self.isForeign = isForeign
        if isForeign {
            self.failedDial = FailedDial(
                failure: DialFailure(
                    .otherNetwork, "it announces itself from a network this machine is not in"),
                time: now.wall, count: 1, nextTry: nil)
        } else if self.failedDial?.failure.reason == .otherNetwork {
            self.failedDial = nil
        }
    }

    /// Forgets who answered: somebody else may be there, or this node itself.
    mutating func forgetPeer() {
        self.peer = nil
        self.peerAddress = nil
        self.isSelf = false
    }
}
