import ControlAPI
import Testing

extension IntegrationTests {
    @Suite("a pinned peer") struct PinnedPeerTests {
        // Shows: wire.pinned
        @Test("that shows another key is refused, and both the log and `stoa peers` say why")
        func anotherKey() throws {
            let scratch = try Scratch()
            let other = try Node.onLoopback("other", in: scratch)
            let third = try Node.onLoopback("third", in: scratch)
            try other.start()
            try third.start()
            // The key of one at the address of the other.
            let pin = try third.identity() + "@" + other.address()
            let dialler = try Node.onLoopback("dialler", in: scratch, peers: [pin])
            try dialler.start()
            try dialler.await("the refusal is listed", .fiveTimes(2_000)) { node in
                try node.list("refusals").isEmpty == false
            }
            let refusals = try dialler.list("refusals")
            let reason = refusals.first?["reason"]?.stringValue ?? ""
            let address = try other.address()
            #expect(refusals.first?["address"]?.stringValue == address)
            let shown = try dialler.stoa("peers")
            #expect(shown.contains("refused"))
            #expect(shown.contains(reason))
            #expect(dialler.log.contains(address))
            #expect(dialler.log.contains("key"), "\(dialler.log)")
            print("MEASURED refusal: \(reason)")
            // The stranger learned nothing: no name, no key, no link.
            #expect(try other.list("peers").isEmpty)
            #expect(try dialler.linked() == [])
            for node in [other, third, dialler] { try node.stop() }
        }

        @Test("that shows its key is linked")
        func itsKey() throws {
            let scratch = try Scratch()
            let other = try Node.onLoopback("other", in: scratch)
            try other.start()
            let pin = try other.identity() + "@" + other.address()
            let dialler = try Node.onLoopback("dialler", in: scratch, peers: [pin])
            try dialler.start()
            try dialler.await("the link", .fiveTimes(2_000)) { try $0.linked().count == 1 }
            for node in [other, dialler] { try node.stop() }
        }
    }
}
