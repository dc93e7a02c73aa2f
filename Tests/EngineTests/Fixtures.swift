import Crypto
import Engine
import Formats
import TestSupport

extension SeededRandom {
    /// Any 32 bytes.
    mutating func bytes32() -> Bytes32 { fixed32(self.bytes(32)) }
}

/// A generator that gives the same byte for ever: the salts of the golden vectors.
struct RepeatedByte: RandomNumberGenerator {
    let byte: UInt8

    mutating func next() -> UInt64 { UInt64(self.byte) * 0x0101_0101_0101_0101 }
}

/// The 32 bytes of an array that has so many.
func fixed32(_ bytes: [UInt8]) -> Bytes32 {
    guard let fixed = Bytes32(bytes) else { preconditionFailure("32 bytes are due") }
    return fixed
}

extension ConversationDigest {
    /// One that no replica has.
    static var zeros: ConversationDigest { ConversationDigest(logs: .zero, records: .zero) }
}

/// One byte, thirty-two times.
func fixed32(_ byte: UInt8) -> Bytes32 { fixed32([UInt8](repeating: byte, count: 32)) }

/// The signer whose seed is one byte, thirty-two times.
func signer(_ byte: UInt8) -> Signer {
    let seed = [UInt8](repeating: byte, count: 32)
    guard let key = try? SigningKey(seed: seed.span.bytes) else {
        preconditionFailure("every 32 bytes are a seed")
    }
    return Signer(key)
}

/// The keys of the person whose two secrets are one byte, thirty-two times each.
func personKeys(_ signing: UInt8, _ address: UInt8) -> PersonKeys {
    let bytes = [UInt8](repeating: signing, count: 32) + [UInt8](repeating: address, count: 32)
    guard let keys = try? PersonKeys(bytes.span.bytes) else {
        preconditionFailure("64 bytes make a person")
    }
    return keys
}

/// The certificate of a device whose person has the secrets 40 and 41, thirty-two times each.
func testCertificate(of device: Signer) -> Certificate {
    personKeys(40, 41).certify(device, at: 1_767_225_600_000)
}

/// A secret of a realm whose id is one byte, thirty-two times.
func realmSecret(_ realm: UInt8, _ secret: UInt8) -> RealmSecret {
    RealmSecret(realm: RealmID(fixed32(realm)), bytes: fixed32(secret))
}

extension SessionIdentity {
    /// A node with the certificate that all devices of tests have.
    init(
        signer: Signer, boot: UInt64, listenPort: UInt16?, realms: [RealmSecret] = [.open]
    ) {
        self.init(
            signer: signer, certificate: testCertificate(of: signer), boot: boot,
            listenPort: listenPort, realms: realms)
    }
}

extension LinkInfo {
    /// A link in the open realm to a device of a person of its own, or of the given one.
    init(
        to peer: PeerID, of person: PersonKeys? = nil, boot: UInt64 = 7,
        role: LinkRole = .responder, dial: UInt64 = 1, listenPort: UInt16? = nil,
        exporter: Bytes64 = .zero
    ) {
        let own = peer.key.bytes + peer.key.bytes.reversed()
        guard let person = person ?? (try? PersonKeys(own.span.bytes)) else {
            preconditionFailure("64 bytes make a person")
        }
        self.init(
            peer: peer, certificate: person.certify(signer(0), at: 1_767_225_600_000), boot: boot,
            role: role,
            dial: dial, realm: .open, version: 2, features: Features(), listenPort: listenPort,
            exporter: exporter)
    }
}

/// The X25519 key pair whose secret is one byte, thirty-two times.
func keyPair(_ byte: UInt8) -> KeyPair {
    let secret = [UInt8](repeating: byte, count: 32)
    guard let key = try? SecretKey(secret.span.bytes) else {
        preconditionFailure("every 32 bytes are a secret")
    }
    return KeyPair(secret: key)
}

/// The room of that name in the open realm.
func room(_ text: String) -> Room {
    guard let name = RoomName(text) else { preconditionFailure("\(text) is a room name") }
    return Room(name, in: .open)
}

/// A log of which a test writes entries.
struct TestLog {
    let signer: Signer
    let key: LogKey

    init(_ signer: Signer, incarnation: UInt64 = 1, in conversation: ConversationID) {
        self.signer = signer
        self.key = LogKey(
            conversation: conversation,
            name: LogName(author: PeerID(signer.publicKey), incarnation: incarnation))
    }

    /// A signed run of these entries.
    func run(_ entries: [Entry], first: UInt64 = 1, prev: EntryID? = nil) -> VerifiedRun {
        let bare = Run(
            key: self.key, first: first, prev: prev, attestation: .zero, entries: entries)
        let ids = bare.ids
        let run = Run(
            key: self.key, first: first, prev: prev,
            attestation: Attestation.sign(
                key: self.key, seq: bare.last, id: ids[ids.count - 1], by: self.signer),
            entries: entries)
        return VerifiedRun(run: run, ids: ids)
    }

    /// What the log begins with, in a run of its own.
    func opening(at time: UInt64 = 1, of person: PersonKeys = personKeys(40, 41)) -> VerifiedRun {
        let certificate = person.certify(self.signer, at: 1_767_225_600_000)
        let opening = LogOpening(certificate: certificate, closes: [])
        return self.run([Self.entry(.open(opening), at: time)])
    }

    /// An entry with a payload of suite 0 and a salt of zeros.
    static func entry(_ content: Content, at time: UInt64, deps: [EntryID] = []) -> Entry {
        var salt = RepeatedByte(byte: 0)
        return Entry(
            entryClass: content.entryClass, time: HybridTime(time), deps: deps,
            payload: .present(content.payload(using: &salt)))
    }

    /// A message with a payload of suite 0 and a salt of zeros.
    static func text(_ text: String, at time: UInt64, deps: [EntryID] = []) -> Entry {
        Self.entry(.text(text), at: time, deps: deps)
    }
}

extension Append {
    /// An append of a log of a node's, with what the node says of its entries.
    init(run: VerifiedRun, heldFrom: Int) {
        let (verdicts, person) = run.verdicts(by: Keyring(), person: nil)
        self.init(run: run, verdicts: verdicts, person: person, heldFrom: heldFrom)
    }
}

/// The key of a conversation that is one byte, thirty-two times.
func conversationKey(
    _ byte: UInt8, of conversation: ConversationID,
    suite: ConversationKey.Suite = .xchacha20Poly1305
) -> ConversationKey {
    let secret = [UInt8](repeating: byte, count: 32)
    guard let key = try? SecretKey(secret.span.bytes),
        let made = try? ConversationKey(key, suite: suite, of: conversation)
    else { preconditionFailure("every 32 bytes are a secret") }
    return made
}
