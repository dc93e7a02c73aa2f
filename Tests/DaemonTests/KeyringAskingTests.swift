import ControlAPI
import Testing

@testable import Daemon

@Suite("Asking the desktop's keyring") struct KeyringAskingTests {
    @Test("begins at a start where there is a slot, and not after a lock")
    func beginning() throws {
        var none = KeyringAsking(hasSlot: false, wasLocked: false)
        var locked = KeyringAsking(hasSlot: true, wasLocked: true)
        #expect(!none.isAsking && none.status == nil)
        #expect(!locked.isAsking && locked.status?.state == .passedOver)
        #expect(throws: RPCError.self) { try none.begin() }
        #expect(throws: RPCError.self) { try locked.begin() }
        let pauses = [none.pause(), locked.pause()]
        #expect(pauses == [nil, nil])
        var asking = KeyringAsking(hasSlot: true, wasLocked: false)
        #expect(asking.isAsking && asking.status?.state == .asking)
        // A call that comes meanwhile waits for the same answer.
        try asking.begin()
        #expect(asking.isAsking)
    }

    @Test("goes on for two minutes by itself, ever more rarely, and tells each reason once")
    func again() throws {
        var asking = KeyringAsking(hasSlot: true, wasLocked: false)
        let isFirst = asking.end(.locked)
        #expect(isFirst)
        #expect(asking.status?.why == "the desktop's keyring is locked")
        var pauses: [UInt64] = []
        while let pause = asking.pause() {
            pauses.append(pause)
            try asking.begin()
            #expect(asking.isAsking)
            let isNews = asking.end(.locked)
            #expect(!isNews)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64].map { $0 * 1_000 })
        // Somebody who asks is answered all the same.
        try asking.begin()
        #expect(asking.isAsking)
        let (isNews, pause) = (asking.end(.absent), asking.pause())
        #expect(isNews && pause == nil)
    }

    @Test("ends with a key that is another one, which stays so by itself")
    func changed() {
        var asking = KeyringAsking(hasSlot: true, wasLocked: false)
        let (isNews, pause) = (asking.end(.changed), asking.pause())
        #expect(isNews && pause == nil && asking.status?.state == .refused)
    }

    @Test("each refusal says what to do next, and none what is private")
    func words() {
        let all: [KeyringRefusal] = [
            .noBus("no"), .absent, .locked, .noDefault, .missing, .changed, .failed("no"),
        ]
        for refusal in all {
            #expect(refusal.reason.hasPrefix("keyring") && !refusal.remedy.isEmpty)
            #expect(refusal.error.reason == refusal.reason && !refusal.text.hasSuffix("."))
        }
        #expect(Set(all.map(\.text)).count == all.count)
    }
}
