import ControlAPI
import Testing

extension IntegrationTests {
    @Suite("Who is blocked") struct BlockTests {
        /// Cleo gets it while Eve is off, Dora while Eve and Cleo are: both are linked with Ben, who has
        /// blocked Eve, and with nobody else.
        // Shows: shown.blocked
        @Test("is stored for others, who get all of it by the one that has blocked them")
        func stored() throws {
            let scratch = try Scratch()
            let (eve, ben) = try Node.two(in: "ops", scratch)
            try eve.send("before", to: "ops")
            try ben.awaitNewest("before", in: "ops")
            _ = try ben.call("block", ["person": .string("@" + eve.identity())])
            try ben.await("no link with who is blocked") { try $0.isLinked() }
            #expect(try ben.texts(in: "ops").filter { $0 == "before" }.isEmpty)
            let bens = try ben.address()
            try eve.stop()
            let cleo = try Node.onLoopback("Cleo", in: scratch, peers: [bens])
            try cleo.start()
            try cleo.join("ops")
            try cleo.awaitTexts(["before"], in: "ops")

            // What is said afterwards comes to Ben by Cleo.
            try eve.start()
            _ = try cleo.call("connect", ["address": .string(try eve.address())])
            try eve.send("afterwards", to: "ops")
            try cleo.awaitTexts(["before", "afterwards"], in: "ops")
            try cleo.send("heard", to: "ops")
            try ben.awaitNewest("heard", in: "ops")
            try ben.await("Ben has what he does not see") { try $0.hasOnDisk("afterwards") }
            try eve.stop()
            try cleo.stop()
            let dora = try Node.onLoopback("Dora", in: scratch, peers: [bens])
            try dora.start()
            try dora.join("ops")
            try dora.awaitTexts(["before", "afterwards", "heard"], in: "ops")
            #expect(try ben.isLinked(to: dora))
            let shown = try ben.texts(in: "ops")
            #expect(!shown.contains("before") && !shown.contains("afterwards"))
            #expect(try ben.stoa("history", "ops").contains("heard"))
            #expect(try !ben.stoa("history", "ops").contains("afterwards"))
            for node in [ben, dora] { try node.stop() }
        }
    }
}
