import Testing

@testable import Engine
@testable import Formats

@Suite("Messages that call the user") struct MentionVerdictTests {
    private static let user = MentionedUser(
        name: "Ada Lovelace", device: Harness.ownKey, person: personKeys(40, 41).id)

    private static func verdict(
        _ content: Content, by author: PersonKeys = personKeys(50, 51)
    ) -> EntryVerdict {
        let log = TestLog(signer(2), in: room("ops").conversation)
        let opening = log.opening(of: author)
        let run = log.run(
            [TestLog.entry(content, at: 10)], first: 2, prev: opening.ids[0])
        let (_, person) = opening.verdicts(by: Keyring(), person: nil)
        let (verdicts, _) = run.verdicts(by: Keyring(), person: person, calling: self.user)
        return verdicts[0]
    }

    private static func isMention(_ content: Content) -> Bool { Self.verdict(content).isMention }

    @Test("call by name or answer them; what nobody reads as a message never does")
    func calls() {
        let theirs = EntryTarget(
            log: LogName(author: Harness.ownKey, incarnation: 1), seq: 2, id: EntryID(fixed32(1)))
        let others = EntryTarget(
            log: LogName(author: Harness.peer(3), incarnation: 1), seq: 2, id: EntryID(fixed32(1)))
        #expect(
            Self.isMention(.text("look, @ada")) && Self.isMention(.action("hugs @Ada Lovelace")))
        #expect(Self.isMention(.reply("yes", to: theirs)))
        #expect(!Self.isMention(.reply("yes", to: others)) && !Self.isMention(.text("ada?")))
        #expect(!Self.isMention(.edit("@ada", of: others)))
    }

    @Test("are theirs where another device of theirs wrote them, and then call nobody")
    func own() {
        let verdict = Self.verdict(.text("look, @ada"), by: personKeys(40, 41))
        #expect(verdict.isOfUser && verdict.countsAsUnread && !verdict.isMention)
        #expect(!Self.verdict(.text("look, @ada")).isOfUser)
    }
}
