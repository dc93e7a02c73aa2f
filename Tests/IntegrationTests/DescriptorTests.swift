import ControlAPI
import Testing

extension IntegrationTests {
    @Suite("a daemon without a free descriptor") struct DescriptorTests {
        /// Whether the daemon answers a client, and not that it has no descriptor for it.
        private static func isServed(_ client: ControlConnection) -> Bool {
            guard let id = try? client.post("status"), let outcome = try? client.outcome(of: id),
                case .result = outcome
            else { return false }
            return true
        }

        @Test("says so to whoever comes, writes one line of it, and goes on when there are some")
        func out() throws {
            let scratch = try Scratch()
            let node = try Node.onLoopback("node", in: scratch)
            node.wrap(in: ["/bin/sh", "-c", "ulimit -n 64; exec \"$0\" \"$@\""])
            try node.start()
            var held: [ControlConnection] = []
            var refusal: String?
            while refusal == nil, held.count < 64 {
                let client = try ControlConnection(path: node.socket)
                if Self.isServed(client) {
                    held.append(client)
                    continue
                }
                refusal = try ChildProcess.run(
                    ["/bin/sh", "-c", "exec \"$0\" --socket \"$1\" status 2>&1"]
                        + ["\(Surroundings.programs())/stoa", node.socket],
                    environment: node.environment, expecting: 75)
            }
            #expect(refusal?.contains("no file descriptor left") == true, "\(refusal ?? "")")
            #expect(refusal?.contains("LimitNOFILE=") == true)
            for _ in 0..<20 { _ = try? ControlConnection(path: node.socket).post("status") }
            let lines = node.log.split(separator: "\n")
                .filter { $0.contains("cannot take clients") }
            #expect(lines.count == 1, "\(lines)")
            held = []
            let deadline = Deadline.patient
            var isServed = false
            while !isServed, !deadline.hasPassed {
                isServed = Self.isServed(try ControlConnection(path: node.socket))
            }
            #expect(isServed, "it takes clients again")
            try node.stop()
        }
    }
}
