package import Formats

/// Somebody whom the user does not know, and who has written to them.
///
/// One row of the store; nothing else of what such a person writes is kept before the user has accepted.
package struct DirectRequest: Hashable, Sendable {
    /// The device that wrote.
    package var device: PeerID
    /// The person's keys.
    package var person: PublicPerson
    /// What was written first, at most ``Limits/requestTextBytes``; nothing once it is declined.
    package var text: String
    /// When it came, wall-clock milliseconds.
    package var time: UInt64
    /// From where it came.
    package var source: String
    /// Whether the user has declined it, of which the person is not told.
    package var isDeclined = false

    /// Describes a request; the text is cut to its limit.
    package init(device: PeerID, person: PublicPerson, text: String, time: UInt64, source: String) {
        self.device = device
        self.person = person
        self.text = text.cut(toBytes: Limits.requestTextBytes)
        self.time = time
        self.source = source
    }
}

/// Who may start direct conversations with the user; from others they are requests.
package enum DirectPolicy: String, Hashable, Sendable, CaseIterable {
    /// Anybody.
    case anyone
    /// Whom the user knows.
    case known
    /// Whom the user has verified.
    case verified

    /// Whether somebody may start one without being accepted.
    func admits(_ tier: Tier) -> Bool {
        #if MUTANTS
            if Mutant.letAnybodyIn.isActive { return true }
        #endif
        return switch self {
        case .anyone: true
        case .known: tier >= .known
        case .verified: tier >= .verified
        }
    }
}

extension DirectRequest: WaitingRequest {
    var key: PersonID { self.person.id }
}
