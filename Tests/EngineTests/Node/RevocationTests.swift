import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Revocations of devices")
struct RevocationTests {
    private static let ops = room("ops")
    private static let device: UInt8 = 9
    private var harness = Harness()

    /// In a room with a device that has written there, and somebody else.
    init() {
        self.harness.join(Self.ops)
        self.harness.settle()
        for peer: UInt8 in [2, Self.device] { self.harness.link(peer, in: [Self.ops]) }
        let log = TestLog(signer(Self.device), in: Self.ops.conversation)
        self.harness.give(.liveRun(log.opening().run), from: Self.device)
        self.harness.settle()
    }

    private static func revocation(
        by person: PersonKeys, at milliseconds: UInt64 = 0
    ) -> Record {
        let certificate = person.certify(signer(Self.device), at: 1)
        return Record(
            revoking: Harness.peer(Self.device), Revocation(of: certificate, stands: false),
            at: HybridTime(wallMilliseconds: Harness().now.wall + milliseconds), by: person)
    }

    private func stored(_ record: Record) -> Record? { self.harness.node.record(record.key) }

    @Test("are kept whoever brings them, if the person whose device it is has signed them")
    func own() throws {
        var test = self
        let keys = Harness.peer(Self.device).key
        let own = keys.bytes + keys.bytes.reversed()
        let person = try PersonKeys(own.span.bytes)
        let certificates = [
            test.harness.node.links[LinkID(UInt64(Self.device))].info.certificate
        ]
        try #require(certificates.allSatisfy { $0.personID == person.id })
        let record = Self.revocation(by: person)
        test.harness.give(.records([record]), from: 2)
        test.harness.settle()
        #expect(test.stored(record) == record)
        #expect(test.harness.closed == [LinkID(UInt64(Self.device)): .blocked])
    }

    @Test("of somebody else's device take the place of none, though they are signed")
    func others() {
        var test = self
        let record = Self.revocation(by: personKeys(0x77, 0x78), at: 1)
        #expect(record.isValid && record.isUsable)
        test.harness.give(.records([record]), from: 2)
        test.harness.settle()
        #expect(test.stored(record) == nil)
        #expect(test.harness.closed.isEmpty)
    }

    @Test("that the device itself has signed are forged")
    func bySelf() {
        var test = self
        let word = Self.revocation(by: personKeys(0x77, 0x78))
        let forged = Record(
            kind: Record.Kind.revocation, author: word.author, conversation: nil, time: word.time,
            value: word.value, signer: signer(Self.device))
        test.harness.give(.records([forged]), from: 2)
        #expect(!test.harness.closed.isEmpty)
    }
}
