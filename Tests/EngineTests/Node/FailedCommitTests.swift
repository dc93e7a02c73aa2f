import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Commits that fail") struct FailedCommitTests {
    private static let ops = room("ops")

    /// A request that the disk refuses; gives what is written once there is room.
    @discardableResult
    private static func refuse(_ request: Request, harness: inout Harness) -> Batch? {
        let failure = StoreFailure(reason: .full, detail: "full", remedy: "free some")
        harness.give(.request(RequestID(80), request))
        harness.batch = nil
        harness.give(.commitFailed(failure))
        #expect(harness.answers(of: RequestID(80)) == [.failed(.storage(failure))])
        harness.give(.timer(.storage))
        harness.say("once there is room", in: Self.ops)
        defer { harness.settle() }
        return harness.batch
    }

    @Test("how much of a conversation is kept stays as it was where the disk refuses another bound")
    func retention() {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        let (id, size) = (Self.ops.conversation, Retention(bytes: 1_000))
        Self.refuse(.retain(id, size), harness: &harness)
        #expect(harness.node.retentionBounds(at: harness.now.wall).isEmpty)
        harness.give(.request(RequestID(91), .retain(id, size)))
        harness.settle()
        #expect(harness.node.retentionBounds(at: harness.now.wall).count == 1)
    }

    @Test("what is said of a conversation in the list stays as it was where the disk refuses it")
    func arrangement() throws {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        let id = Self.ops.conversation
        let mute = Request.arrange(id, ArrangementChange(adding: .muted))
        let later = try #require(Self.refuse(mute, harness: &harness))
        #expect(harness.conversations.map(\.arrangement) == [[]])
        #expect(later.arrangements.isEmpty)
        #expect(later.notices.allSatisfy { $0.conversation == nil })
    }

    @Test("a room that could not be entered is not there")
    func join() throws {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        Self.refuse(.join(room("typo")), harness: &harness)
        #expect(harness.node.rooms.values.map(\.name.text) == ["ops"])
        let secret = SecretRoom(
            realm: .open, name: room("typo").name, suite: .aes256GCM, root: fixed32(6))
        harness = Harness()
        Self.refuse(.joinSecret(secret), harness: &harness)
        #expect(throws: NameError.notFound("&typo")) {
            try harness.node.conversation(named: "&typo")
        }
    }

    @Test("the own name stays as it was where the disk refuses another")
    func profile() {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        let name = harness.node.profile(of: harness.node.id).name
        Self.refuse(.profile(name: "Refused", status: nil, picture: .keep), harness: &harness)
        #expect(harness.node.profile(of: harness.node.id).name == name)
    }

    @Test("what was to be read is unread where the disk refuses it")
    func read() throws {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        let read = Request.read(Self.ops.conversation, through: Cursor(3))
        #expect(try #require(Self.refuse(read, harness: &harness)).reads.isEmpty)
    }

    @Test(
        "who waits still does where the disk refuses that they are turned down",
        arguments: [Request.decline(Harness.peer(9)), .stand(Harness.peer(9), .blocked)])
    func decline(_ refusal: Request) throws {
        let asker = DirectRequest(
            device: Harness.peer(9), person: personKeys(42, 43).publicKeys, text: "let me in",
            time: 1, source: "192.0.2.9")
        var snapshot = Snapshot()
        snapshot.requests = [asker]
        var harness = Harness(snapshot: snapshot)
        harness.join(Self.ops)
        harness.settle()
        let later = try #require(Self.refuse(refusal, harness: &harness))
        #expect(harness.node.pendingRequests == [asker])
        #expect(later.requests.ended.isEmpty && later.requests.kept.allSatisfy { !$0.isDeclined })
        harness.give(.request(RequestID(81), refusal))
        harness.settle()
        #expect(harness.node.pendingRequests.isEmpty)
    }

    @Test("where somebody was is still known where the disk refuses that they are forgotten")
    func forget() throws {
        var snapshot = Snapshot()
        snapshot.peers = [
            KnownPeer(id: Harness.peer(9), addresses: ["192.0.2.9:4100"], lastSeen: 1)
        ]
        snapshot.people = [Harness.peer(9): .known]
        var harness = Harness(snapshot: snapshot)
        harness.join(Self.ops)
        harness.settle()
        let later = try #require(Self.refuse(.forget(Harness.peer(9)), harness: &harness))
        #expect(later.forgotten.isEmpty)
        #expect(harness.node.peers == [Harness.peer(9)])
        harness.give(.request(RequestID(81), .forget(Harness.peer(9))))
        harness.settle()
        #expect(harness.node.peers.isEmpty)
    }

    @Test("what a link that is gone had brought is asked of another one")
    func askedAgain() {
        let log = TestLog(signer(20), in: Self.ops.conversation)
        let opening = log.opening(at: 1 << 16)
        let texts = log.run(
            [TestLog.text("text", at: 2 << 16)], first: 2, prev: opening.ids.last)
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        for number in UInt8(2)...3 { harness.link(number, in: [Self.ops]) }
        harness.give(.syncRun(opening.run), from: 2)
        harness.settle()
        harness.give(.syncRun(texts.run), from: 2)
        harness.give(.linkClosed(LinkID(2), nil))
        // While it is on its way to the disk, the other peer has nothing more.
        let row = ClockRow(
            tag: Harness.tags.log(log.key.name, in: Self.ops.conversation), state: .open, seq: 2,
            headTag: Harness.tags.head(texts.ids[0], by: Harness.tags.peer))
        harness.give(.delta(Self.ops.conversation, [row]), from: 3)
        _ = harness.take(from: 3)
        harness.batch = nil
        harness.give(
            .commitFailed(StoreFailure(reason: .full, detail: "full", remedy: "free some")))
        harness.pass(milliseconds: Limits.relayMilliseconds + Limits.relayJitterMilliseconds)
        let wants = harness.take(from: 3).compactMap { frame -> Want? in
            if case .want(let want) = frame { want } else { nil }
        }
        #expect(wants.map(\.from) == [2])
    }
}
