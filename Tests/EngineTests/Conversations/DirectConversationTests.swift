import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("A conversation of two people") struct DirectConversationTests {
    private static let (ada, bea, cleo) = (personKeys(1, 2), personKeys(3, 4), personKeys(5, 6))

    private static func direct(_ own: PersonKeys, _ other: PersonKeys) throws -> DirectConversation
    {
        try DirectConversation(of: own, with: other.publicKeys, at: PeerID(fixed32(9)))
    }

    @Test("has one id and one key, whoever makes it, and another one with anybody else")
    func one() throws {
        let (here, there) = (
            try Self.direct(Self.ada, Self.bea), try Self.direct(Self.bea, Self.ada)
        )
        #expect(here.id == there.id && here.root == there.root)
        #expect(here.id.hash != here.root)
        let others = [
            try Self.direct(Self.ada, Self.cleo), try Self.direct(Self.bea, Self.cleo),
            try Self.direct(Self.ada, Self.ada),
            // Who has the X of one under another P is somebody else.
            try Self.direct(Self.ada, personKeys(7, 4)),
        ]
        let ids = Set(others.map(\.id) + [here.id])
        #expect(ids.count == 5)
        #expect(Set(others.map(\.root) + [here.root]).count == 5)
    }

    @Test("cannot be made with a key of small order")
    func smallOrder() {
        let person = PublicPerson(signing: fixed32(3), address: .zero)
        #expect(throws: CryptoError.unusablePublicKey) {
            try DirectConversation(of: Self.ada, with: person, at: PeerID(fixed32(9)))
        }
    }

    @Test("is sealed: what is not is nobody's word in it, also where its suite cannot be used here")
    func sealed() throws {
        let direct = try Self.direct(Self.ada, Self.bea)
        var keyring = Keyring()
        keyring.add(.direct(direct))
        #expect(keyring.current(in: direct.id)?.conversation == direct.id)
        var random = SeededRandom(seed: 1)
        let payload = Content.text("plain").payload(using: &random)
        let envelope = Envelope(plain: payload, entryClass: 2, in: direct.id)
        #expect(keyring.read(envelope).content == nil)
        #expect(Keyring().read(envelope).content == .text("plain"))
    }

    @Test("never shows its key in words")
    func description() throws {
        let direct = try Self.direct(Self.ada, Self.bea)
        #expect(!"\(direct)".contains("\(direct.root)"))
        let room = SecretRoom(
            realm: .open, name: room("war").name, suite: .xchacha20Poly1305, root: fixed32(7))
        #expect(!"\(room)".contains("\(room.root)"))
    }
}

@Suite("Conversations that are no open rooms") struct PrivateConversationsTests {
    @Test("with a person are forgotten whole, by whichever device they are named")
    func devices() throws {
        let (ada, bea) = (personKeys(1, 2), personKeys(3, 4))
        let (phone, laptop) = (PeerID(fixed32(8)), PeerID(fixed32(9)))
        let one = try DirectConversation(of: ada, with: bea.publicKeys, at: phone)
        let other = try DirectConversation(of: ada, with: bea.publicKeys, at: laptop)
        var known = PrivateConversations()
        known.add(.direct(one))
        known.remove(other)
        #expect(known.direct(at: phone) == nil)
        known.add(.direct(one))
        // What is not forgotten would come back with the person.
        known.add(.direct(other))
        #expect(known.direct(at: phone) == nil && known.direct(at: laptop) == other)
        #expect(known.allDirects.count == 1)
    }
}

@Suite("Requests of people whom the user does not know") struct DirectRequestTests {
    private static func request(
        _ number: Int, from source: String = "10.0.0.1", at time: UInt64 = 0, declined: Bool = false
    ) -> DirectRequest {
        var request = DirectRequest(
            device: PeerID(fixed32(1)),
            person: PublicPerson(
                signing: BLAKE2b.hash256(Array("\(number)".utf8)), address: fixed32(2)),
            text: "text \(number)", time: time, source: source)
        request.isDeclined = declined
        return request
    }

    /// Who gives way to a newcomer where nobody who waits is linked.
    private static func gone(
        for newcomer: DirectRequest, in requests: DirectRequests, at wall: UInt64 = 0,
        comesFirst: Bool = true
    ) -> [String]? {
        func claim(_ request: DirectRequest, _ comesFirst: Bool) -> FairShare<PersonID>.Claim {
            FairShare.Claim(
                key: request.person.id, tier: .stranger, comesFirst: comesFirst,
                source: Source(description: request.source), author: request.device,
                number: Int64(request.time))
        }
        return requests.room(for: newcomer.person.id, from: newcomer.source, at: wall) {
            $0.map { claim($0, false) } + [claim(newcomer, comesFirst)]
        }?.map(\.text)
    }

    // Shows: daemon.requests
    @Test(
        "are so many at most, over all keys and sources: the newest of the source with most gives way"
    )
    func total() throws {
        var requests = DirectRequests([])
        for number in 0..<Limits.requests {
            let source = number < 4 ? "few" : "source \(number / 4)"
            let request = Self.request(number, from: source, at: UInt64(number))
            #expect(Self.gone(for: request, in: requests) == [])
            #expect(requests.add(request).isEmpty)
        }
        let one = Self.request(-1, from: "another", at: 1_000)
        #expect(Self.gone(for: one, in: requests) == ["text 255"])
        #expect(Self.gone(for: one, in: requests, comesFirst: false) == ["text 255"])
        // Of the same source who would be the newest is turned away, unless it comes first.
        let more = Self.request(-2, from: "source 63", at: 1_000)
        #expect(Self.gone(for: more, in: requests, comesFirst: false) == nil)
        #expect(Self.gone(for: more, in: requests) == ["text 255"])
        // Who waits already may show it again.
        #expect(Self.gone(for: Self.request(0, from: "another"), in: requests) == [])
        _ = requests.remove(Self.request(0).person.id)
        #expect(Self.gone(for: one, in: requests) == [])
    }

    // Shows: daemon.requests
    @Test("of one source are so many an hour, those that were declined counted")
    func bySource() {
        var requests = DirectRequests([])
        for number in 0..<Limits.requestsPerSource {
            _ = requests.add(Self.request(number, at: 5_000, declined: number.isMultiple(of: 2)))
        }
        let next = Self.request(-1)
        let hour = Limits.requestSourceMilliseconds
        #expect(Self.gone(for: next, in: requests, at: 5_000) == nil)
        #expect(Self.gone(for: next, in: requests, at: 5_000 + hour) == nil)
        #expect(Self.gone(for: next, in: requests, at: 5_001 + hour) == [])
        let other = Self.request(-1, from: "10.0.0.2")
        #expect(Self.gone(for: other, in: requests, at: 5_000) == [])
    }

    @Test("that were declined are forgotten one day, the oldest first")
    func forgotten() {
        var requests = DirectRequests(
            (0..<Limits.declinedRequests).map {
                Self.request($0, at: UInt64($0), declined: true)
            })
        let gone = requests.add(Self.request(-1, at: 9_999_999, declined: true)).map(\.person.id)
        #expect(gone == [Self.request(0).person.id])
        #expect(requests.all.count == Limits.declinedRequests && requests.pending.isEmpty)
    }

    @Test("keep no more than the beginning of a text, cut between characters")
    func text() {
        let text = String(repeating: "é", count: Limits.requestTextBytes)
        let request = DirectRequest(
            device: PeerID(fixed32(1)),
            person: PublicPerson(signing: fixed32(1), address: fixed32(2)), text: text, time: 0,
            source: "")
        #expect(request.text.utf8.count <= Limits.requestTextBytes)
        #expect(request.text.allSatisfy { $0 == "é" })
    }
}
