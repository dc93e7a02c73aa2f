package import Crypto
package import Formats

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
