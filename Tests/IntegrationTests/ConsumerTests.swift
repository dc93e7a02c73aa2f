import ControlAPI
import Glibc
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("a durable consumer") struct ConsumerTests {
        private static let rooms = ["ops", "alerts", "den"]

        /// Sends lines into all rooms, each by a process of its own.
        private static func senders(_ count: Int, to node: Node) throws -> [ChildProcess] {
            let program = "\(try Surroundings.programs())/stoa"
            return try Self.rooms.map { room in
                try ChildProcess(
                    [
                        "sh", "-c",
                        "seq 1 \(count) | '\(program)' --socket '\(node.socket)' send \(room) --lines",
                    ], environment: node.environment, errors: node.folder + "/said")
            }
        }

        @Test(
            "sees each message at least once and in order, however often it and the daemon are killed"
        )
        func killed() throws {
            let scratch = try Scratch()
            let node = try Node.onLoopback("Ada", in: scratch)
            try node.start()
            for room in Self.rooms { try node.join(room) }
            let seed = UInt64.random(in: 0...(.max))
            var random = SeededRandom(seed: seed)
            let count = Surroundings.number("CONSUMER_MESSAGES", long: 3_334, short: 300)
            let kills = Surroundings.number("CONSUMER_KILLS", long: 100, short: 10)
            // Its position is kept from the first moment on.
            let first = try node.startStoa("--json", "tail", "--consumer", "watcher")
            try node.await("it listens") {
                try $0.list("consumers").contains { $0["live"] == true }
            }
            try first.kill()
            let senders = try Self.senders(count, to: node)
            var seen: [String: [Int]] = [:]
            var left = kills
            var gaps = 0
            while Self.rooms.contains(where: { Set(seen[$0] ?? []).count < count }) {
                let tail = try node.startStoa(
                    "--json", "tail", "--consumer", "watcher", "--take-over", "--kind", "text")
                let lines =
                    left > 0 ? Int.random(in: 0...(2 * 3 * count / kills), using: &random) : .max
                func take(_ line: String) throws {
                    let message = try JSON(parsing: Array(line.utf8))
                    guard message["gap"] == nil else { return gaps += 1 }
                    let room = message["conversationName"]?.stringValue ?? ""
                    let number = message["text"]?.stringValue.flatMap { Int($0) } ?? 0
                    seen[room, default: []].append(number)
                }
                var read = 0
                // Who sends before the daemon is there is told so, and does not wait for it.
                while read < lines || Self.rooms.contains(where: { seen[$0] == nil }),
                    Self.rooms.contains(where: { Set(seen[$0] ?? []).count < count }),
                    let line = try tail.nextLine()
                {
                    try take(line)
                    read += 1
                }
                left -= 1
                let killsDaemon = left > 0 && left.isMultiple(of: 3)
                if killsDaemon { try node.kill() }
                try tail.kill()
                // What was written is acknowledged, though nobody has read it yet.
                while let line = try tail.nextLine() { try take(line) }
                if killsDaemon { try node.start() }
            }
            for sender in senders { #expect(try sender.waitForExit() == .code(0)) }
            #expect(gaps == 0)
            for room in Self.rooms {
                let numbers = seen[room] ?? []
                #expect(Set(numbers) == Set(1...count), "seed \(seed)")
                // What comes again goes back, and nothing is left out on the way.
                var last = 0
                for number in numbers {
                    #expect(number <= last + 1, "\(room): \(number) after \(last), seed \(seed)")
                    last = number
                }
            }
        }
    }
}
