import Crypto
import Glibc
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Keys of a group")
struct GroupEpochTests {
    /// The filed questions, and more of a file that `STOA_EPOCH_CASES` names.
    private static var files: [String] {
        ["\(TestFiles.tests)/EngineTests/Groups/EpochCases.txt"]
            + [getenv("STOA_EPOCH_CASES").map { String(cString: $0) }].compactMap { $0 }
    }

    @Test("are used, given and made as the model says")
    func model() throws {
        for file in Self.files {
            let bytes = try #require(TestFiles.read(file))
            let cases = try #require(EpochCase.all(in: String(decoding: bytes, as: UTF8.self)))
            try #require(cases.map(\.questions.count).reduce(0, +) >= 900)
            for one in cases {
                let all = GroupView(one.acts, history: one.history)
                for question in one.questions {
                    #expect(
                        one.answer(question, knowing: all) == question.answer, "\(question.line)")
                }
            }
        }
    }

    /// A group of its owner, an admin and a member, whom the admin has then removed.
    private struct Story {
        let owner = PersonID(fixed32(1))
        let admin = PersonID(fixed32(2))
        let member = PersonID(fixed32(3))
        let log = LogName(author: PeerID(fixed32(13)), incarnation: 1)
        var acts: [ActID: ActStatement] = [:]

        init() {
            let group = Group(
                owner: PublicPerson(signing: .zero, address: .zero), nonce: .zero, realm: .open,
                history: .all, suite: .xchacha20Poly1305, name: room("ops").name)
            self.add(1, self.owner, .create(group))
            self.add(2, self.owner, .admin(self.admin, 1), after: 1)
            self.add(3, self.owner, .add(self.member), after: 2)
        }

        mutating func add(_ number: UInt8, _ author: PersonID, _ kind: ActKind, after: UInt8...) {
            self.acts[Self.id(number)] = ActStatement(
                author: author, device: PeerID(author.hash), basis: after.map(Self.id),
                time: UInt64(number), kind: kind)
        }

        mutating func remove() {
            self.add(
                4, self.admin, .remove(self.member, seen: [LogPosition(log: self.log, seq: 5)]),
                after: 3)
        }

        static func id(_ number: UInt8) -> ActID { ActID(fixed32(number)) }

        var view: GroupView { GroupView(self.acts, history: .all) }

        func key(for people: [PersonID], after: UInt8) -> Epoch {
            Epoch(
                id: fixed32(99), maker: self.owner, device: PeerID(fixed32(1)),
                basis: [Self.id(after)], people: Epoch.digest(of: people))
        }
    }

    @Test("are for nobody where their maker names others than the acts do")
    func void() {
        let story = Story()
        let all = [story.owner, story.admin, story.member]
        #expect(story.view.finding(story.key(for: all, after: 3)) == .people(Set(all)))
        #expect(story.view.finding(story.key(for: all, after: 2)) == .void)
        #expect(story.view.finding(story.key(for: [story.owner], after: 3)) == .void)
        #expect(story.view.finding(story.key(for: all, after: 4)) == .waits)
    }

    @Test("are made anew once a removal is known, and not before")
    func renewed() {
        var story = Story()
        let all = [story.owner, story.admin, story.member]
        let old = story.key(for: all, after: 3)
        #expect(story.view.pick([(old, Set(all))]) == old)
        story.remove()
        let view = story.view
        #expect(view.pick([(old, Set(all))]) == nil)
        let new = view.announcement(of: fixed32(98), by: story.admin, on: PeerID(fixed32(2)))
        #expect(new.basis == [Story.id(4)])
        #expect(view.finding(new) == .people([story.owner, story.admin]))
        #expect(view.mayUse(new, for: [story.owner, story.admin]))
        #expect(view.mayGive(new, for: [], to: story.owner, on: PeerID(fixed32(1))))
        #expect(!view.mayGive(new, for: [], to: story.member, on: PeerID(fixed32(3))))
    }

    @Test("do not show what somebody wrote whom its remover had not read so far")
    func positions() {
        var story = Story()
        func showing(_ seq: UInt64, incarnation: UInt64 = 1, wasShown: Bool = false) -> Showing {
            let log = LogName(author: story.log.author, incarnation: incarnation)
            return story.view.showing(seq, of: log, by: story.member, wasShown: wasShown)
        }
        #expect(showing(9) == .shown)
        story.remove()
        #expect(showing(5) == .shown)
        #expect(showing(6) == .waits)
        #expect(showing(6, wasShown: true) == .marked)
        // A log that the remover has never seen.
        #expect(showing(1, incarnation: 2) == .waits)
        #expect(story.view.roster.removals[story.member] == [Story.id(4)])
        // Added again.
        story.add(5, story.admin, .add(story.member), after: 4)
        #expect(showing(6) == .shown)
        #expect(story.view.roster.removals.isEmpty)
    }
}
