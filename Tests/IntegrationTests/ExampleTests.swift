import ControlAPI
import Glibc
import Posix
import Testing

extension IntegrationTests {
    @Suite("the examples") struct ExampleTests {
        /// Starts one as its user would, with `stoa` where programs are looked for.
        private static func start(_ words: [String], as node: Node) throws -> ChildProcess {
            var environment = node.environment
            environment["STOA_SOCKET"] = node.socket
            environment["PATH"] =
                "\(try Surroundings.programs()):\(environment["PATH"] ?? "/usr/bin:/bin")"
            return try ChildProcess(words, environment: environment, errors: node.folder + "/said")
        }

        private static func path(_ name: String) -> String {
            "\(Surroundings.project)/Examples/\(name)"
        }

        @Test("a bot answers who calls it by name")
        func bot() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "ops", scratch)
            let bot = try Self.start(
                [
                    "\(try Surroundings.programs())/stoa", "on", "mention", "--in", "ops", "--",
                    Self.path("answer.sh"),
                ], as: ada)
            try ada.await("it listens") {
                try $0.list("consumers").contains { $0["live"] == true }
            }
            _ = try ben.stoa("send", "ops", "what is the load?")
            _ = try ben.stoa("send", "ops", "@Ada, what is the load?")
            try ben.await("it answers") {
                try $0.texts(in: "ops").contains { $0.hasPrefix("The load is ") }
            }
            #expect(try ben.texts(in: "ops").count == 3)
            bot.signal(SIGTERM)
            #expect(try bot.waitForExit() == .code(0))
        }

        @Test("a relay hands messages on, each once, though it and the daemon are killed")
        func relay() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "ops", scratch)
            for node in [ada, ben] { try node.join("alerts") }
            func start() throws -> ChildProcess {
                let relay = try Self.start(
                    ["python3", Self.path("relay.py"), "alerts", "ops"], as: ada)
                guard try relay.nextLine() == "ready" else { throw Broken("no relay") }
                return relay
            }
            var relay = try start()
            for number in 1...3 { _ = try ben.stoa("send", "alerts", "a\(number)") }
            try ada.await("they are handed on") { try $0.texts(in: "ops").count == 3 }
            try relay.kill()
            for number in 4...6 { _ = try ben.stoa("send", "alerts", "a\(number)") }
            relay = try start()
            try ada.await("they are handed on") { try $0.texts(in: "ops").count == 6 }
            try ada.kill()
            try ada.start()
            guard try relay.nextLine() == "ready" else { throw Broken("no relay") }
            try ben.await("linked again") { try $0.isLinked(to: ada) }
            _ = try ben.stoa("send", "alerts", "a7")
            try ada.await("it is handed on") { try $0.texts(in: "ops").count >= 7 }
            #expect(try ada.texts(in: "ops") == (1...7).map { "Ben: a\($0)" })
            try relay.kill()
        }

        @Test("a job deletes what somebody lets it delete")
        func approval() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "ops", scratch)
            _ = try ben.stoa("send", "ops", "hello")
            try ada.await("who is there is known") { try $0.texts(in: "ops") == ["hello"] }
            // Whoever is asked must be somebody whom the user knows.
            try ada.await("the name has come") { (try? $0.know("@Ben")) != nil }
            let folder = try scratch.folder("backups")
            for number in 1...5 {
                let name = "\(folder)/b\(number) $(x)"
                close(open(name, O_WRONLY | O_CREAT, 0o600))
                var times = [
                    timeval(tv_sec: number, tv_usec: 0), timeval(tv_sec: number, tv_usec: 0),
                ]
                guard utimes(name, &times) == 0 else { throw Broken("no times") }
            }
            let job = try Self.start([Self.path("backup.sh"), "ops", "@Ben", folder], as: ada)
            try ben.await("it asks") { try $0.texts(in: "ops").count == 2 }
            let last = try ben.call("history", ["to": "ops", "limit": 1])
            let id = last["messages"]?.arrayValue?.last?["id"]?.stringValue ?? ""
            _ = try ben.stoa("react", id, "\u{2705}")
            #expect(try job.waitForExit() == .code(0))
            #expect(!Files.exists("\(folder)/b1 $(x)") && !Files.exists("\(folder)/b2 $(x)"))
            #expect((3...5).allSatisfy { Files.exists("\(folder)/b\($0) $(x)") })
            try ben.await("it tells") {
                try $0.texts(in: "ops").last?.hasPrefix("Deleted 2 old backups") == true
            }
        }
    }
}
