/// Why a dial has not become a link.
package struct DialFailure: Error, Hashable, Sendable {
    /// The kinds of failure that a program may tell apart.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// Nobody listens at that address and port.
        case refused
        /// The network does not lead there.
        case noRoute
        /// It was only announced, and is in no network that this machine is in; it is not dialled.
        case otherNetwork
        /// Nothing came back in time.
        case timedOut
        /// Another key than the expected one answered.
        case wrongKey
        /// There is no realm that both are in.
        case wrongRealm
        case ownAddress
        /// Something answered, but no link with it can be.
        case rejected
        /// The dial could not be made, or ended early.
        case failed
    }

    /// Which kind of failure this is.
    package var reason: Reason
    /// What happened, in words.
    package var detail: String
    /// What ended the session where one had begun; such an address is asked less often.
    package var session: SessionFailure?

    /// Describes a dial that ended before a session began.
    package init(_ reason: Reason, _ detail: String) {
        (self.reason, self.detail, self.session) = (reason, detail, nil)
    }

    /// Describes a dial whose session has failed.
    package init(_ session: SessionFailure) {
        self.session = session
        self.detail = session.description
        self.reason =
            switch session {
            case .otherKey: .wrongKey
            case .wrongRealm: .wrongRealm
            case .timedOut: .timedOut
            case .notStoa, .version, .badSignature, .badCertificate, .decryptFailed,
                .handshakeTooLarge, .length, .wire, .notReading, .overloaded:
                .rejected
            }
    }
}

/// How the dials of a target have failed since one became a link.
package struct FailedDial: Hashable, Sendable {
    /// Why the last one failed.
    package var failure: DialFailure
    /// When, wall-clock milliseconds.
    package var time: UInt64
    /// How many have failed in a row.
    package var count: Int
    /// When the next one is due, wall-clock milliseconds; nil while one is under way, or none is due.
    package var nextTry: UInt64?
}
