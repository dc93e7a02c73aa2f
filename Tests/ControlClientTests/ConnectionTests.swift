import ControlAPI
import ControlClient
import Posix
import Testing

@Suite("Connections to a daemon", .timeLimit(.minutes(5)))
struct ConnectionTests {
    private static func error(_ body: () throws -> Void) -> ClientError? {
        do {
            try body()
            return nil
        } catch {
            return error as? ClientError
        }
    }

    @Test("a daemon that does not answer in time is told from one that is not there")
    func noAnswer() throws {
        let silent = try FakeDaemon { _ in [] }
        let error = Self.error {
            let connection = try DaemonConnection(path: silent.path, answerMilliseconds: 50)
            _ = try connection.call(StatusMethod.self, EmptyValue())
        }
        #expect(error == .noAnswer)
        let absent = Self.error { _ = try DaemonConnection(path: "/nonexistent/s") }
        #expect(absent == .noDaemon(path: "/nonexistent/s"))
        #expect(absent?.remedy.hasPrefix("start it with") == true)
    }

    @Test("patience waits for a daemon that is starting")
    func patience() throws {
        let first = try FakeDaemon { _ in [.vanish] }
        let path = first.path
        // Vanishes with its socket, which another daemon then takes.
        let connection = try DaemonConnection(path: path)
        #expect(Self.error { _ = try connection.call(StatusMethod.self, EmptyValue()) } == .closed)
        try OSThread.start(name: "late-daemon") {
            guard let listener = try? UnixListener(path: path) else { return }
            _ = try? waitUntilReadable([listener.descriptor.number], timeoutMilliseconds: 30_000)
        }
        _ = try DaemonConnection(path: path, patienceMilliseconds: 30_000)
    }

    @Test("a follower tells its losses, connects again and misses nothing")
    func follower() throws {
        let daemon = try FakeDaemon { request in
            guard let params = try? SubscribeMethod.read(request.params) else {
                return [.result([:])]
            }
            let from = params.from ?? 4
            let subscribed = FakeDaemon.Step.result(
                SubscribeMethod.Result {
                    $0.subscription = 1
                    $0.cursor = from
                }.json)
            let message = MessageEvent { $0.message.cursor = from + 1 }
            return [subscribed, .event(message), .close]
        }
        let follower = try MessageFollower(
            path: daemon.path,
            params: SubscribeMethod.Params {
                $0.consumer = "c"
                $0.takeOver = true
            })
        var cursors: [Int64] = []
        var losses = 0
        while cursors.count < 3 {
            _ = try waitUntilReadable(
                follower.descriptor.map { [$0] } ?? [],
                timeoutMilliseconds: follower.pauseMilliseconds.map { Int($0) })
            for event in try follower.receive() + follower.takeEvents() {
                switch event {
                case .message(let message):
                    let cursor = message.cursor
                    cursors.append(cursor)
                    try follower.settle(cursor)
                case .lost: losses += 1
                case .change, .piece, .missing, .gap, .connected: continue
                }
            }
        }
        #expect(cursors == [5, 6, 7])
        #expect(losses >= 2)
        // To take over is asked for once.
        let asked = daemon.params("subscribe")
        #expect(asked.first == #"{"consumer":"c","takeOver":true}"#)
        #expect(asked.dropFirst().allSatisfy { !$0.contains("takeOver") })
    }

    @Test("a reader that is taken over ends and does not connect again")
    func takenOver() throws {
        let daemon = try FakeDaemon { _ in
            [
                .result(SubscribeMethod.Result { $0.subscription = 1 }.json),
                .event(EndedEvent { $0.reason = "takenOver" }),
            ]
        }
        let error = Self.error {
            let follower = try MessageFollower(
                path: daemon.path, params: SubscribeMethod.Params { $0.consumer = "c" })
            while try follower.takeEvents().isEmpty { _ = try follower.receive() }
        }
        #expect(error == .takenOver)
    }
}
