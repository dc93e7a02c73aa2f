package import Crypto

/// A realm that this node is in: people who hold one secret, without which nobody can link to them,
/// see their rooms or join them.
///
/// `Docs/Protocol/Entries.md` section 1. The open realm has no secret and is none of these.
package struct Realm: Hashable, Sendable {
    /// The secret before a renewal, which counts until a moment.
    package struct Previous: Hashable, Sendable {
        /// The 32 bytes.
        package var secret: Bytes32
        /// Until when it counts, wall-clock milliseconds.
        package var until: UInt64

        package init(secret: Bytes32, until: UInt64) {
            self.secret = secret
            self.until = until
        }
    }

    /// Its id, which is the same for all who are in it.
    package let id: RealmID
    /// What it is called on this machine.
    package var name: RealmName
    /// The secret, which all who are in it hold.
    package var secret: Bytes32
    /// The secret before it, while that counts.
    package var previous: Previous?

    package init(id: RealmID, name: RealmName, secret: Bytes32, previous: Previous? = nil) {
        precondition(id != .open, "the open realm has no secret")
        self.id = id
        self.name = name
        self.secret = secret
        self.previous = previous
    }

    /// Makes a realm that nobody is in yet; `random` must not be predictable.
    package static func make(
        _ name: RealmName, using random: inout some RandomNumberGenerator
    ) -> Realm {
        Realm(
            id: RealmID(Self.bytes(using: &random)), name: name,
            secret: Self.bytes(using: &random))
    }

    /// The realm with a new secret; the one that it had counts until a moment of the wall clock.
    package func renewed(
        until end: UInt64, using random: inout some RandomNumberGenerator
    ) -> Realm {
        Realm(
            id: self.id, name: self.name, secret: Self.bytes(using: &random),
            previous: Previous(secret: self.secret, until: end))
    }

    /// The realm without an earlier secret whose time is over.
    package func settled(at wall: UInt64) -> Realm {
        var realm = self
        if let previous, previous.until <= wall { realm.previous = nil }
        return realm
    }

    /// The secrets that count at a moment of the wall clock, the newest first.
    package func secrets(at wall: UInt64) -> [RealmSecret] {
        let settled = self.settled(at: wall)
        return [settled.secret, settled.previous?.secret].compactMap { bytes in
            bytes.map { RealmSecret(realm: self.id, bytes: $0) }
        }
    }

    private static func bytes(using random: inout some RandomNumberGenerator) -> Bytes32 {
        var writer = WireWriter(capacity: 32)
        for _ in 0..<4 { writer.u64(random.next()) }
        guard let bytes = Bytes32(writer.bytes) else {
            preconditionFailure("four words have 32 bytes")
        }
        return bytes
    }
}

extension Realm: CustomStringConvertible {
    /// Its name; the secret is never shown.
    package var description: String { "realm \(self.name)" }
}
