import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Notices") struct NoticeTests {
    private static let room = EngineTests.room("ops")
    private static let realm = RealmID(Bytes32([UInt8](repeating: 7, count: 32)) ?? .zero)
    private static let all: [Notice] = [
        Notice(.joined(room.conversation), at: 1), Notice(.left(room.conversation), at: 2),
        Notice(.realmJoined(realm), at: 3), Notice(.realmLeft(realm), at: 4),
        Notice(.realmRenewed(realm), at: .max),
        Notice(.raised(.clock, about: nil, "late"), at: 6),
        Notice(.raised(.fork, about: Harness.peer(2), "two histories"), at: 7),
        Notice(.cleared(.clock), at: 8),
        Notice(.stood(Harness.peer(2), .verified), at: 9),
        Notice(.profiled(Harness.peer(2)), at: 10),
        Notice(.decided(Harness.peer(2), isAccepted: true), at: 11),
        Notice(.forgotten(.person), at: 12), Notice(.set("Presence", "private"), at: 13),
        Notice(.forgotten(.setting), at: 14),
        Notice(.invited(Harness.peer(2), to: room.conversation), of: .stranger, at: 15),
        Notice(.answered(room.conversation, isAccepted: false), at: 16),
        Notice(
            .turned(
                room.conversation,
                RosterTurn(
                    .removed, personKeys(1, 2).publicKeys.id, by: personKeys(3, 4).publicKeys.id)),
            at: 17),
        Notice(
            .turned(
                room.conversation, RosterTurn(.left, personKeys(1, 2).publicKeys.id, by: nil)),
            at: 18),
        Notice(.forgotten(.roster), at: 19),
    ]

    @Test("each is read back as it was written", arguments: all)
    func roundTrip(notice: Notice) {
        let read = Notice(
            number: Int64(notice.number), conversation: notice.conversation, body: notice.body)
        #expect(read == notice)
    }

    @Test("what is cut short, longer or unknown is none", arguments: all)
    func damaged(notice: Notice) {
        let (number, body) = (Int64(notice.number), notice.body)
        for count in 0..<body.count {
            #expect(
                Notice(
                    number: number, conversation: notice.conversation, body: Array(body[..<count]))
                    == nil)
        }
        #expect(
            Notice(number: number, conversation: notice.conversation, body: body + [0]) == nil)
        #expect(Notice(number: 99, conversation: notice.conversation, body: body) == nil)
    }

    @Test("the text of an alert is cut to its bound, not within a character")
    func longText() {
        let notice = Notice(
            .raised(.storage, about: nil, String(repeating: "\u{20AC}", count: 1_000)), at: 1)
        guard case .raised(_, _, let text) = notice.event else {
            Issue.record("it is an alert")
            return
        }
        #expect(text == String(repeating: "\u{20AC}", count: Limits.noticeTextBytes / 3))
    }

    @Test("a join is noted with the entry that says so, behind it, and a leave likewise")
    func joins() {
        var harness = Harness()
        harness.join(Self.room)
        #expect(harness.batch?.notices.map(\.event) == [.joined(Self.room.conversation)])
        harness.settle()
        let shown = harness.shown
        #expect(shown.map(\.kind) == [.message, .conversation])
        #expect(shown.map(\.cursor) == shown.map(\.cursor).sorted())
        harness.give(.request(RequestID(99), .leave(Self.room.conversation)))
        #expect(harness.batch?.notices.map(\.event) == [.left(Self.room.conversation)])
    }

    @Test("a join that is not on disk is not noted; what else was to be noted is tried again")
    func failed() throws {
        var harness = Harness()
        harness.give(.damage("page 3"))
        let batch = try #require(harness.batch)
        #expect(batch.notices.map(\.kind) == [.alert])
        harness.join(Self.room)
        harness.write()
        let second = try #require(harness.batch)
        harness.batch = nil
        #expect(second.notices.map(\.kind) == [.conversation])
        harness.give(.damage(nil))
        harness.give(
            .commitFailed(StoreFailure(reason: .full, detail: "full", remedy: "free some")))
        harness.give(.timer(.storage))
        let third = try #require(harness.batch)
        #expect(third.notices.map(\.number) == [6])
        #expect(
            third.notices.first.map(\.event) == .raised(.storage, about: nil, "full; free some"))
    }

    @Test("realms that are joined, renewed and left are noted")
    func realms() throws {
        var harness = Harness()
        var random = SeededRandom(seed: 3)
        let name = try #require(RealmName("office"))
        let realm = Realm.make(name, using: &random)
        let renewed = realm.renewed(until: 5_000_000, using: &random)
        var events: [Notice.Event] = []
        for realms in [Realms([realm]), Realms([renewed]), Realms([renewed]), Realms()] {
            harness.give(.realms(realms))
            events += harness.batch?.notices.map(\.event) ?? []
            harness.settle()
        }
        #expect(
            events == [.realmJoined(realm.id), .realmRenewed(realm.id), .realmLeft(realm.id)])
    }

    @Test("while the disk fails for long the oldest notices give way")
    func bounded() {
        var queue = CommitQueue()
        for number in 0..<UInt64(2 * Limits.waitingNotices) {
            queue.add([Notice(.cleared(.clock), at: number)])
        }
        #expect(queue.notices.count == Limits.waitingNotices)
        #expect(queue.notices.first?.time == UInt64(Limits.waitingNotices))
    }
}
