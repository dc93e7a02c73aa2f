import ControlAPI
import Posix
import Synchronization
import Testing

@testable import stoa

@Suite("Calls that are repeated until they are answered", .timeLimit(.minutes(5)))
struct RepeatableCallsTests {
    /// Answers sends only where this many wait for it, or all of them have come, and then at once.
    private static func daemon(batch: Int, of count: Int) throws -> FakeDaemon {
        let waiting = Mutex<[JSON]>([])
        let sends = Mutex(0)
        return try FakeDaemon { request in
            guard request.method == "send" else { return [.result([:])] }
            let number = sends.withLock { number -> Int in
                number += 1
                return number
            }
            let answers = waiting.withLock { waiting -> [JSON] in
                waiting.append(["jsonrpc": "2.0", "id": .integer(Int64(number)), "result": [:]])
                guard waiting.count == batch || number == count else { return [] }
                defer { waiting = [] }
                return waiting
            }
            return answers.isEmpty ? [] : [.raw(answers.map { $0.text + "\n" }.joined())]
        }
    }

    @Test("lines are sent on where all that were under way are answered at once")
    func answeredAtOnce() throws {
        let count = 300
        let daemon = try Self.daemon(batch: 64, of: count)
        let lines = (1...count).map { "\($0)\n" }.joined()
        let run = try CommandRun(
            ["send", "ops", "--lines"], daemon: daemon, input: Array(lines.utf8))
        #expect(run.code == .done, "\(run.errors)")
        #expect(run.output == "sent \(count) messages\n")
        #expect(daemon.params("send").count == count)
    }

    /// What a client is told that is one too many, before the connection is closed.
    private static let busy = FakeDaemon.Step.raw(
        String(decoding: RPCResponse(error: .busy("much to do")).line, as: UTF8.self))

    @Test(
        "a daemon that has much to do is asked again a moment later, not at once",
        arguments: [true, false])
    func asksAgain(turnsClientsAway: Bool) throws {
        let first = Mutex<UInt64?>(nil)
        let daemon = try FakeDaemon { request in
            let now = SystemClock.monotonicMilliseconds()
            let began = first.withLock { moment -> UInt64 in
                let began = moment ?? now
                moment = began
                return began
            }
            guard now < began + 500 else { return [.result([:])] }
            return turnsClientsAway ? [Self.busy, .close] : [.failure(.busy("much to do"))]
        }
        let run = try CommandRun(
            ["send", "ops", "--lines"], daemon: daemon, input: Array("one\ntwo\n".utf8))
        #expect(run.code == .done, "\(run.errors)")
        #expect(run.output == "sent 2 messages\n")
        // Both lines now, after 200 and 400 ms, and at last.
        #expect(daemon.params("send").count <= 8)
    }

    @Test(
        "a daemon that turns all calls away is given up, though it takes connections",
        arguments: [true, false])
    func givesUp(saysWhy: Bool) throws {
        let daemon = try FakeDaemon { _ in saysWhy ? [Self.busy, .close] : [.close] }
        var calls = RepeatableCalls<SendMethod>(
            path: daemon.path, window: 1, patienceMilliseconds: 5_000)
        calls.add(SendMethod.Params())
        let failure = #expect(throws: Failure.self) {
            while true {
                try calls.proceed { _, _ in }
                try calls.receive()
            }
        }
        let due: ExitCode = saysWhy ? .temporary : .noDaemon
        #expect(failure?.code == due)
    }
}
