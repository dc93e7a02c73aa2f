/// What a node remembers of a peer across restarts.
package struct KnownPeer: Hashable, Sendable {
    package var id: PeerID
    /// Addresses at which it was linked, newest first; `HOST:PORT` in numbers.
    package var addresses: [String]
    /// Wall-clock milliseconds when it was last linked.
    package var lastSeen: UInt64
    /// Whose device it said to be; nil where that was not kept.
    package var person: PublicPerson?

    /// Creates a memory of a peer.
    package init(id: PeerID, addresses: [String], lastSeen: UInt64, person: PublicPerson? = nil) {
        self.id = id
        self.addresses = addresses
        self.lastSeen = lastSeen
        self.person = person
    }
}
