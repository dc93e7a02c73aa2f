import Testing

@testable import Engine

/// The machine behind a reference, so that an expectation may hold a call that changes it.
private final class Asking {
    private(set) var wants = PayloadWants()

    func change(_ body: (inout PayloadWants) -> Void) { body(&self.wants) }

    func takeDue() -> LinkID? { self.wants.takeDue() }

    func ask(
        _ link: LinkID, at now: UInt64 = 0, whole: (LogKey) -> UInt64? = { _ in .max }
    ) -> PayloadWants.Ask? {
        self.wants.ask(link, at: now, whole: whole)
    }

    func receive(_ key: LogKey, from seq: UInt64, count: Int, on link: LinkID) -> Bool {
        self.wants.receive(key, from: seq, count: count, on: link, at: 0)
    }

    func nextWake() -> UInt64? { self.wants.nextWake(after: 0) }
}

@Suite("Asking for payloads") struct PayloadWantsTests {
    private static let keys = [2, 3].map { TestLog(signer($0), in: room("ops").conversation).key }
        .sorted()
    private static let one = LinkID(1)
    private static let other = LinkID(2)

    /// Payloads of entries 3 to 9 of a log are wanted, and two links may be asked.
    private static func wants() -> Asking {
        let wants = Asking()
        wants.change {
            $0.look(at: Self.one)
            $0.look(at: Self.other)
            $0.want(Self.keys[0], 3...9)
        }
        return wants
    }

    @Test("one link is asked for all of them, and no other for the same")
    func once() {
        let wants = Self.wants()
        #expect(wants.takeDue() == Self.one)
        #expect(wants.ask(Self.one)?.rest == 3...9)
        #expect(wants.ask(Self.one) == nil, "one question at a time")
        #expect(wants.ask(Self.other) == nil)
        wants.change { $0.want(Self.keys[1], 1...1) }
        #expect(wants.ask(Self.other)?.key == Self.keys[1])
    }

    @Test("what a peer says that it has all of is asked for first")
    func claimed() {
        let wants = Self.wants()
        wants.change { $0.want(Self.keys[1], 4...4) }
        let asked = wants.ask(Self.one) { $0 == Self.keys[0] ? 2 : 9 }
        #expect(asked?.key == Self.keys[1])
        // The rest it may have in parts.
        #expect(wants.ask(Self.other) { _ in 5 }?.rest == 3...5)
        #expect(wants.ask(LinkID(3)) == nil, "a link that shares nothing")
    }

    @Test("an answer may come in parts; then another link is asked for what it did not bring")
    func parts() {
        let wants = Self.wants()
        _ = wants.ask(Self.one)
        #expect(!wants.receive(Self.keys[0], from: 4, count: 1, on: Self.one), "not due")
        #expect(!wants.receive(Self.keys[0], from: 3, count: 1, on: Self.other))
        #expect(wants.receive(Self.keys[0], from: 3, count: 5, on: Self.one))
        wants.change { $0.settle(Self.keys[0], 3...6) }
        #expect(wants.ask(Self.other)?.rest == 7...7)
        #expect(wants.receive(Self.keys[0], from: 8, count: 2, on: Self.one))
        #expect(wants.ask(Self.one) == nil, "within the hour")
        let hour = Limits.payloadWantMilliseconds
        #expect(wants.ask(Self.one, at: hour)?.rest == 8...9)
    }

    @Test("a peer that has nothing, is silent or goes holds up nobody for long")
    func gone() {
        let wants = Self.wants()
        _ = wants.ask(Self.one)
        #expect(wants.receive(Self.keys[0], from: 3, count: 0, on: Self.one))
        #expect(wants.ask(Self.other)?.rest == 3...9)
        #expect(wants.nextWake() == Limits.wantMilliseconds)
        wants.change { $0.wake(at: Limits.wantMilliseconds) }
        #expect(wants.wants.openCount == 0)
        wants.change { $0.look(at: LinkID(3)) }
        _ = wants.ask(LinkID(3))
        wants.change { $0.drop(LinkID(3)) }
        #expect(wants.wants.openCount == 0)
        #expect(wants.wants.count.tried == 2)
    }

    @Test("what is on its way to the disk is asked of nobody, and again if it does not get there")
    func arriving() {
        let wants = Self.wants()
        _ = wants.ask(Self.one)
        _ = wants.receive(Self.keys[0], from: 3, count: 7, on: Self.one)
        wants.change { $0.arrive(Self.keys[0], 3...9) }
        #expect(wants.ask(Self.other) == nil)
        wants.change { $0.settle(Self.keys[0], 3...5) }
        wants.change { $0.arrived(Self.keys[0], 3...9) }
        #expect(wants.ask(Self.other)?.rest == 6...9)
        #expect(wants.wants.lowest(of: Self.keys[0]) == 6)
    }

    @Test("a peer that has got them since is asked again at once")
    func heard() {
        let wants = Self.wants()
        _ = wants.ask(Self.one)
        _ = wants.receive(Self.keys[0], from: 3, count: 0, on: Self.one)
        #expect(wants.ask(Self.one) == nil)
        wants.change { $0.hear(Self.keys[0], on: Self.one) }
        #expect(wants.ask(Self.one)?.rest == 3...9)
    }

    @Test("nothing is left of what is settled, or lies behind the end of a log")
    func settled() {
        let wants = Self.wants()
        _ = wants.ask(Self.one)
        wants.change { $0.end(Self.keys[0], before: 5) }
        #expect(wants.ask(Self.other) == nil)
        wants.change { $0.settle(Self.keys[0], 3...4) }
        #expect(wants.wants.isEmpty && wants.wants.count == (0, 0))
    }
}
