import Testing

@testable import Daemon

@Suite("How a daemon ends") struct LifeTests {
    private static let failure = StartError("the disk is gone", remedy: "", exitCode: .system)

    @Test("a restart that comes first ends in another start")
    func restart() {
        var life = Life()
        let isBegun = life.stop(then: .restart)
        #expect(isBegun && life.outcome == .restart)
    }

    @Test("a signal that comes after a restart stops it for good")
    func signal() {
        var life = Life()
        _ = life.stop(then: .restart)
        life.begin(.finishingWork)
        let isBegun = life.stop(then: .stopped)
        #expect(!isBegun && life.outcome == .stopped)
    }

    @Test("a restart that comes while it stops does not start it again")
    func late() {
        var life = Life()
        _ = life.stop(then: .stopped)
        life.begin(.goodbyes)
        let isBegun = life.stop(then: .restart)
        #expect(!isBegun && life.outcome == .stopped)
    }

    @Test("the first failure is the one that counts")
    func failures() {
        var life = Life()
        _ = life.stop(then: .restart)
        life.fail(Self.failure)
        life.fail(StartError("another", remedy: "", exitCode: .software))
        life.end()
        #expect(life.outcome == .failed(Self.failure))
    }

    @Test("the node is told things until the store is to be closed")
    func closed() {
        var life = Life()
        var isClosed: [Bool] = []
        for step in [Life.Step.finishingWork, .goodbyes, .closing] {
            life.begin(step)
            isClosed.append(life.isClosed)
        }
        #expect(isClosed == [false, false, true])
    }
}
