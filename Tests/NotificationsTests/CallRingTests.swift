import ControlAPI
import ControlClient
import Testing

@testable import Notifications

@Suite("Calls at the desktop")
struct CallRingTests {
    private func ring(_ kind: UInt8, call: UInt8 = 7, _ extra: [UInt8] = []) -> NotifierEvent {
        let bytes = [kind] + [UInt8](repeating: call, count: 8) + extra
        let data = String(decoding: Base64(bytes).text, as: UTF8.self)
        return .received(
            .notification(
                RPCRequest(
                    method: CallEvent.name,
                    params: .named([
                        .init("conversation", .string(Desk.ben)), .init("peer", "bbbb"),
                        .init("data", .string(data)),
                    ]))))
    }

    @Test("a call rings once, with a way to answer, until the caller is not heard or gives up")
    func ringing() {
        let desk = Desk()
        _ = desk.begin()
        let shown = desk.give(self.ring(1, [0]))
        guard case .show(let tag, let note)? = shown.first else {
            Issue.record("\(shown)")
            return
        }
        #expect(note.title == "@ben is calling" && note.actions == [.answer])
        #expect(desk.give(self.ring(1, [0])).isEmpty)
        let answer = desk.give(.chosen(tag: tag, .answer))
        #expect(answer == [.answer(conversation: Desk.ben, call: "0707070707070707")])
        #expect(desk.give(.chosen(tag: tag, .open)) == [.open(conversation: Desk.ben)])
        #expect(desk.give(self.ring(5, call: 8)).isEmpty)
        #expect(desk.give(self.ring(5)) == [.close(tag: tag)])
        #expect(desk.give(self.ring(1, [0])).isEmpty)
        desk.now += 10_000
        #expect(desk.give(self.ring(1, call: 8, [0])).count == 1)
        desk.now += 7_000
        #expect(desk.give(.due) == [.close(tag: tag)])
    }

    @Test("a caller who never stops is shown for 52 seconds, once")
    func endlessRing() {
        let desk = Desk()
        _ = desk.begin()
        let effects = self.ringing(desk, seconds: 300) { _ in 7 }
        #expect(effects.map(\.isShown) == [true, false])
        #expect(effects.last?.second == 54)
    }

    @Test("a caller with ever new calls is shown once in ten seconds at most")
    func newCalls() {
        let desk = Desk()
        _ = desk.begin()
        let effects = self.ringing(desk, seconds: 60) { UInt8($0) }
        #expect(effects.filter(\.isShown).map(\.second) == [0, 10, 20, 30, 40, 50])
    }

    /// Rings every two seconds, and looks at the time as the notifier asks for it.
    private func ringing(
        _ desk: Desk, seconds: Int, call: (Int) -> UInt8
    ) -> [(second: Int, isShown: Bool)] {
        let begun = desk.now
        return stride(from: 0, to: seconds, by: 2).flatMap { second in
            desk.now = begun + Int64(second) * 1_000
            let isDue = desk.state.nextDue.map { $0 <= desk.now } == true
            let effects = isDue ? desk.give(.due) : []
            return (effects + desk.give(self.ring(1, call: call(second), [0]))).map { effect in
                if case .show = effect { (second, true) } else { (second, false) }
            }
        }
    }
}
