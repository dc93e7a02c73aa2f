import Testing

@testable import Engine
@testable import Formats

@Suite("Digests of a conversation on a link") struct DigestExchangeTests {
    private static func digest(_ logs: UInt8, _ records: UInt8 = 0) -> ConversationDigest {
        ConversationDigest(logs: fixed32(logs), records: fixed32(records))
    }

    @Test("an unchanged digest is sent again ever more rarely while the peer's differs")
    func backoff() {
        var digests = DigestExchange()
        let (own, theirs) = (Self.digest(1), Self.digest(2))
        var due: [UInt64] = []
        for second in 0..<UInt64(4_000) {
            guard digests.isDue(own, at: second * 1_000) else { continue }
            due.append(second)
            digests.noteSent(own)
            _ = digests.receive(theirs, own: own, at: second * 1_000)
        }
        #expect(due == [0, 31, 91, 211, 451, 931, 1_891, 2_851, 3_811])
        let answer = digests.receive(own, own: own, at: 9_000_000)
        #expect(answer == .equal)
        let isDue = digests.isDue(own, at: 9_000_000)
        #expect(!isDue)
    }

    @Test("a peer that says again what is equal here is told so, once")
    func repeated() {
        var digests = DigestExchange()
        let own = Self.digest(1)
        digests.noteSent(own)
        var due: [Bool] = []
        for _ in 0..<3 {
            _ = digests.receive(own, own: own, at: 0)
            due.append(digests.isDue(own, at: 0))
            digests.noteSent(own)
            due.append(digests.isDue(own, at: 0))
        }
        #expect(due == [false, false, true, false, false, false])
    }

    @Test("is told again after a part, where the peer lacks less than the last time")
    func again() {
        var digests = DigestExchange()
        let own = Self.digest(1)
        var due: [Bool] = []
        for count in [5_000, 4_000, 4_000, 9_000, 8_000] {
            digests.noteSent(own)
            digests.noteLacking(count)
            digests.tellAgain()
            due.append(digests.isDue(own, at: 0))
        }
        #expect(due == [true, true, false, false, true])
    }

    @Test("what differs is told once, and again only when either side has changed")
    func told() {
        var digests = DigestExchange()
        var answers: [DigestAnswer] = []
        let pairs: [(UInt8, UInt8)] = [(1, 2), (1, 2), (1, 3), (1, 3), (4, 3), (4, 3), (1, 2)]
        for (index, (own, theirs)) in pairs.enumerated() {
            answers.append(
                digests.receive(
                    Self.digest(theirs), own: Self.digest(own),
                    at: UInt64(index) * Limits.pingMilliseconds))
        }
        let (tell, again) = (
            DigestAnswer.differs(logs: true, records: false), DigestAnswer.told(records: false)
        )
        #expect(answers == [tell, again, tell, again, tell, again, tell])
    }

    @Test("records are told whenever they differ, since one may have come too early")
    func records() {
        var digests = DigestExchange()
        var answers: [DigestAnswer] = []
        let all = [Self.digest(1, 1), Self.digest(1, 1), Self.digest(2, 1), Self.digest(2, 1)]
        for (index, theirs) in all.enumerated() {
            answers.append(
                digests.receive(
                    theirs, own: Self.digest(1, 0), at: UInt64(index) * Limits.pingMilliseconds))
        }
        let records = DigestAnswer.differs(logs: false, records: true)
        #expect(
            answers == [
                records, records, .differs(logs: true, records: true), .told(records: true),
            ])
    }

    @Test("who says ever another digest is told what is here once in a while")
    func flood() {
        var digests = DigestExchange()
        var answers: [DigestAnswer] = []
        let half = Limits.pingMilliseconds / 2
        for (index, now) in [0, 0, half - 1, half, half].enumerated() {
            answers.append(
                digests.receive(
                    Self.digest(UInt8(index + 2), UInt8(index + 2)), own: Self.digest(1, 1),
                    at: now))
        }
        let (told, nothing) = (
            DigestAnswer.differs(logs: true, records: true),
            DigestAnswer.differs(logs: false, records: false)
        )
        #expect(answers == [told, nothing, nothing, told, nothing])
        digests.noteSent(Self.digest(1, 1))
        let answer = digests.receive(Self.digest(9, 9), own: Self.digest(1, 1), at: half)
        #expect(answer == told)
    }

    @Test("all pages of a clock are looked at twice, and again once in a while")
    func pages() {
        var digests = DigestExchange()
        func taken(at now: UInt64) -> Int {
            (0..<4 * LogBucket.count).count { _ in digests.pages.take(at: now) }
        }
        let half = Limits.pingMilliseconds / 2
        let counts = [taken(at: 0), taken(at: half - 1), taken(at: half)]
        #expect(counts == [4 * LogBucket.count, 0, 2 * LogBucket.count])
        digests.noteSent(Self.digest(1))
        let after = taken(at: half)
        #expect(after == 2 * LogBucket.count)
    }
}
