public import Crypto

/// A realm that this node is in: people who hold one secret, without which nobody can link to them,
/// see their rooms or join them.
///
/// `Docs/Protocol/Entries.md` section 1. The open realm has no secret and is none of these.
public struct Realm: Hashable, Sendable {
    /// The secret before a renewal, which counts until a moment.
    public struct Previous: Hashable, Sendable {
        /// The 32 bytes.
        public var secret: Bytes32
        /// Until when it counts, wall-clock milliseconds.
        public var until: UInt64

        /// Describes an earlier secret.
        public init(secret: Bytes32, until: UInt64) {
            self.secret = secret
            self.until = until
        }
    }

    /// Its id, which is the same for all who are in it.
    public let id: RealmID
    /// What it is called on this machine.
    public var name: RealmName
    /// The secret, which all who are in it hold.
    public var secret: Bytes32
    /// The secret before it, while that counts.
    public var previous: Previous?

    /// Describes a realm.
    public init(id: RealmID, name: RealmName, secret: Bytes32, previous: Previous? = nil) {
        precondition(id != .open, "the open realm has no secret")
        self.id = id
        self.name = name
        self.secret = secret
        self.previous = previous
    }

    /// Makes a realm that nobody is in yet; `random` must not be predictable.
    public static func make(
        _ name: RealmName, using random: inout some RandomNumberGenerator
    ) -> Realm {
        Realm(
            id: RealmID(Self.bytes(using: &random)), name: name,
            secret: Self.bytes(using: &random))
    }

    /// The realm with a new secret; the one that it had counts until a moment of the wall clock.
    public func renewed(
        until end: UInt64, using random: inout some RandomNumberGenerator
    ) -> Realm {
        Realm(
            id: self.id, name: self.name, secret: Self.bytes(using: &random),
            previous: Previous(secret: self.secret, until: end))
    }

    /// The realm without an earlier secret whose time is over.
    public func settled(at wall: UInt64) -> Realm {
        var realm = self
        if let previous, previous.until <= wall { realm.previous = nil }
        return realm
    }

    /// The secrets that count at a moment of the wall clock, the newest first.
    public func secrets(at wall: UInt64) -> [RealmSecret] {
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
    public var description: String { "realm \(self.name)" }
}
