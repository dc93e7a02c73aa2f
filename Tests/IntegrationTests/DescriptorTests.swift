import ControlAPI
import Testing

extension IntegrationTests {
    @Suite("a daemon without a free descriptor") struct DescriptorTests {
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
                let id = try client.post("status")
                if case .result? = try client.outcome(of: id) {
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
            try node.await("it takes clients again") { _ in
                let client = try ControlConnection(path: node.socket)
                guard let id = try? client.post("status") else { return false }
                if case .result? = try client.outcome(of: id) { return true }
                return false
            }
            try node.stop()
        }
    }
}
