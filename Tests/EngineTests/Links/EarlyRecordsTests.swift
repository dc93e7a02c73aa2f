import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Records before their authors") struct EarlyRecordsTests {
    private static func record(_ author: UInt8, at time: UInt64, _ name: String = "ada") -> Record {
        let own = signer(author)
        return Record(
            kind: Record.Kind.profile, author: PeerID(own.publicKey), conversation: nil,
            time: HybridTime(time), value: Profile(name: name, status: "").encoded, signer: own)
    }

    @Test("are kept until they are taken, of each key the latest")
    func keep() {
        var early = EarlyRecords()
        let (old, new) = (Self.record(1, at: 1), Self.record(1, at: 2))
        let other = Self.record(2, at: 1)
        for record in [old, new, old, other] { early.keep(record) }
        #expect(early.count == 2)
        let taken = [new, new, other].map { early.take(of: $0.author) }
        #expect(taken == [[new], [], [other]] && early.isEmpty)
    }

    @Test("are bounded; a later one of a kept key has its place")
    func bounded() {
        var early = EarlyRecords()
        let signers = (0..<Limits.earlyRecords + 9).map { _ in Signer(SigningKey.generate()) }
        let records = signers.map {
            Record(
                kind: 9, author: PeerID($0.publicKey), conversation: nil, time: HybridTime(1),
                value: [], signer: $0)
        }
        for record in records { early.keep(record) }
        #expect(early.count == Limits.earlyRecords)
        let later = Record(
            kind: 9, author: records[0].author, conversation: nil, time: HybridTime(2), value: [],
            signer: signers[0])
        early.keep(later)
        let taken = early.take(of: later.author)
        let none = early.take(of: records[Limits.earlyRecords].author)
        #expect(taken == [later] && none.isEmpty)
    }

    @Test("are remembered as right by all that they are, and not without end")
    func checked() {
        var checked = CheckedRecords()
        let record = Self.record(1, at: 1)
        checked.insert(record)
        #expect(checked.contains(record))
        #expect(!checked.contains(Self.record(1, at: 2)))
        #expect(!checked.contains(Self.record(1, at: 1, "eve")))
        for time in 0..<UInt64(Limits.checkedRecords) { checked.insert(Self.record(2, at: time)) }
        #expect(!checked.contains(record))
    }
}
