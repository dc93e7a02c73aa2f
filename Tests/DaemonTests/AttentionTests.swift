import ControlAPI
import Engine
import Formats
import Testing

@testable import Daemon

@Suite("Whether the user is at a client") struct AttentionTests {
    @Test("who was away since nobody was there is back with the next sign of them")
    func unattended() {
        var attention = Attention()
        let presences = [
            attention.note(.away, isActive: false, at: 1),
            attention.note(nil, isActive: true, at: 2),
            attention.note(nil, isActive: true, at: 3),
        ]
        #expect(presences == [.away, .online, nil])
        #expect(attention.activeAt == 3)
    }

    @Test("what is sent, and a sign of the user, put off when nobody has done anything for long")
    func idle() {
        var attention = Attention()
        attention.act(at: 1_000)
        #expect(attention.idleIn(minutes: 10, at: 1_000) == 600_000)
        #expect(attention.idleIn(minutes: 10, at: 600_999) == 1)
        #expect(attention.idleIn(minutes: 10, at: 601_000) == 0)
        _ = attention.note(nil, isActive: true, at: 2_000)
        #expect(attention.idleIn(minutes: 10, at: 601_000) == 1_000)
        _ = attention.note(.away, isActive: false, at: 3_000)
        #expect(attention.idleIn(minutes: 10, at: 601_000) == 1_000)
        #expect(attention.planLock() != attention.planLock())
    }

    @Test("who is away by their own word stays so until they say otherwise")
    func own() {
        var attention = Attention()
        let presences = [
            attention.note(.away, isActive: nil, at: 1),
            attention.note(nil, isActive: true, at: 2),
            attention.note(.online, isActive: nil, at: 3),
        ]
        #expect(presences == [.away, nil, .online])
        #expect(attention.activeAt == 3)
    }
}
