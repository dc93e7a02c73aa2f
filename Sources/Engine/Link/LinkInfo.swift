package import Crypto

/// Which side of a link: it stands in signatures and tags, so that none can be sent back as one's own.
package enum LinkRole: UInt8, Hashable, Sendable {
    /// The side that dialled.
    case initiator = 1
    /// The side that was dialled.
    case responder = 2

    /// The other side.
    package var other: LinkRole { self == .initiator ? .responder : .initiator }
}

/// What both ends of a link know of it once the handshake is done.
package struct LinkInfo: Hashable, Sendable {
    /// Who is at the other end, proven.
    package var peer: PeerID
    /// Whose device that is, proven.
    package var certificate: Certificate
    /// The peer's daemon's start, random.
    package var boot: UInt64
    /// The side that this node is.
    package var role: LinkRole
    /// The initiator's dial counter.
    package var dial: UInt64
    /// The realm by whose secret the handshake was made.
    package var realm: RealmID
    /// The protocol version in use.
    package var version: UInt8
    /// The optional parts of the protocol that the peer knows.
    package var features: Features
    /// The port that the peer listens on, if it said so.
    package var listenPort: UInt16?
    /// Keys the link's tags; only the two ends know it.
    package var exporter: Bytes64

    package init(
        peer: PeerID, certificate: Certificate, boot: UInt64, role: LinkRole, dial: UInt64,
        realm: RealmID, version: UInt8, features: Features, listenPort: UInt16?, exporter: Bytes64
    ) {
        self.peer = peer
        self.certificate = certificate
        self.boot = boot
        self.role = role
        self.dial = dial
        self.realm = realm
        self.version = version
        self.features = features
        self.listenPort = listenPort
        self.exporter = exporter
    }

    /// Whether this node dialled.
    package var isInitiator: Bool { self.role == .initiator }
}

/// What a session needs to know of its own node.
package struct SessionIdentity: Sendable {
    /// The identity key.
    package let signer: Signer
    /// Whose device this is.
    package let certificate: Certificate
    /// Random per start of the daemon.
    package let boot: UInt64
    /// The port that this node listens on, if any.
    package let listenPort: UInt16?
    /// The secrets that links may be made with, in the order in which a dial tries them: the newest
    /// first, the open realm last.
    package var realms: [RealmSecret]
    /// The optional parts of the protocol that this node knows.
    package let features: Features

    /// Describes this node.
    ///
    /// Traps on more secrets than the other side of a dial would let it try.
    package init(
        signer: Signer, certificate: Certificate, boot: UInt64, listenPort: UInt16?,
        realms: [RealmSecret], features: Features = Features()
    ) {
        precondition(realms.count <= Limits.handshakeAttempts, "a dial may try so many secrets")
        self.signer = signer
        self.certificate = certificate
        self.boot = boot
        self.listenPort = listenPort
        self.realms = realms
        self.features = features
    }
}
