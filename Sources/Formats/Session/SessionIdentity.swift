package import Crypto

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
