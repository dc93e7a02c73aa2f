import ControlAPI
import Testing

extension IntegrationTests {
    /// How nodes find each other on a network.
    enum Finding: String, CaseIterable, CustomTestStringConvertible {
        case avahi
        case embedded
        case staticPeers

        var testDescription: String {
            switch self {
            case .avahi: "each with its own Avahi daemon"
            case .embedded: "with the embedded responder, without Avahi and D-Bus"
            case .staticPeers: "without discovery, by --peer"
            }
        }

        var mode: String {
            switch self {
            case .avahi: "auto"
            case .embedded: "embedded"
            case .staticPeers: "off"
            }
        }

        var backend: String? {
            switch self {
            case .avahi: "system"
            case .embedded: "embedded"
            case .staticPeers: nil
            }
        }
    }

    @Suite("three hosts on a network", Surroundings.labs) struct DiscoveryLabTests {
        /// How soon after a start the peers are seen.
        static let findingMilliseconds: UInt64 = 2_000

        @Test(
            "see each other, talk, and give one that was off what it missed",
            arguments: Finding.allCases)
        func threeHosts(finding: Finding) throws {
            let scratch = try Scratch()
            let lab = try NetworkLab(hosts: 3, avahi: finding == .avahi)
            let nodes = try (1...3).map { host in
                try Node(
                    "n\(host)", in: scratch, on: lab.prefix(host),
                    ["--discovery", finding.mode, "--interface", "eth0"])
            }
            try Self.startTheFirstTwo(nodes, finding)
            try Self.startTheThird(nodes, finding)
            for node in nodes {
                try node.join("agora")
                let backend = try node.call("status")["discovery"]?["backend"]
                if let due = finding.backend { #expect(backend == .string(due)) }
            }
            try Self.tailShowsWhatOthersSend(nodes)
            try Self.oneThatWasOffCatchesUp(nodes)
            try Self.oneIsServedByAnother(nodes, lab)
            let histories = try nodes.map { try $0.agreedHistory(of: "agora") }
            #expect(histories[0] == histories[1])
            #expect(histories[0] == histories[2])
            for node in nodes { try node.stop() }
        }

        @Test("find each other again after an Avahi daemon was killed and started anew")
        func avahiRestart() throws {
            let scratch = try Scratch()
            let lab = try NetworkLab(hosts: 3, avahi: true)
            let nodes = try (1...3).map { host in
                try Node(
                    "n\(host)", in: scratch, on: lab.prefix(host), ["--interface", "eth0"])
            }
            try Self.startTheFirstTwo(nodes, .avahi)
            try lab.restartAvahi(2)
            // The first one leaves, so that the third can only be found by the second's Avahi.
            try nodes[0].stop()
            let stopwatch = Stopwatch()
            try nodes[2].start()
            try nodes[2].await("n2 is linked", .fiveTimes(5_000)) { try $0.isLinked(to: nodes[1]) }
            print("MEASURED Avahi restart: linked after \(stopwatch.milliseconds) ms")
            for node in nodes[1...] { try node.stop() }
        }

        @Test(
            "go on when a host gets another address",
            arguments: [Finding.avahi, Finding.embedded])
        func otherAddress(finding: Finding) throws {
            let scratch = try Scratch()
            let lab = try NetworkLab(hosts: 2, avahi: finding == .avahi)
            let nodes = try (1...2).map { host in
                try Node(
                    "n\(host)", in: scratch, on: lab.prefix(host),
                    ["--discovery", finding.mode, "--interface", "eth0"])
            }
            try Self.startTheFirstTwo(nodes, finding)
            for node in nodes { try node.join("agora") }
            try lab.move(2, to: "10.77.0.99")
            let stopwatch = Stopwatch()
            try nodes[0].send("to the new address", to: "agora")
            try nodes[1].awaitTexts(["to the new address"], in: "agora", .fiveTimes(10_000))
            try nodes[1].send("from the new address", to: "agora")
            try nodes[0].awaitTexts(["from the new address"], in: "agora", .fiveTimes(10_000))
            print("MEASURED \(finding), new address: talking after \(stopwatch.milliseconds) ms")
            for node in nodes { try node.stop() }
        }

        @Test("can be dialled at an address that the host got later")
        func dialledAtTheNewAddress() throws {
            let scratch = try Scratch()
            let lab = try NetworkLab(hosts: 2, avahi: false)
            let nodes = try (1...2).map { host in
                try Node(
                    "n\(host)", in: scratch, on: lab.prefix(host),
                    ["--discovery", "off", "--interface", "eth0"])
            }
            for node in nodes { try node.start() }
            let port = try nodes[1].address().split(separator: ":").last ?? ""
            try lab.move(2, to: "10.77.0.99")
            let address = JSON.string("10.77.0.99:\(port)")
            try nodes[1].await("it listens there", .fiveTimes(2_000)) {
                try $0.call("status")["listen"]?.arrayValue?.contains(address) == true
            }
            _ = try nodes[0].call("connect", ["address": address])
            try nodes[0].await("n2 is linked", .fiveTimes(2_000)) { try $0.isLinked(to: nodes[1]) }
            for node in nodes { try node.stop() }
        }

        static func startTheFirstTwo(_ nodes: [Node], _ finding: Finding) throws {
            try nodes[0].start()
            if finding == .staticPeers {
                let first = try nodes[0].address()
                nodes[1].add(["--peer", first])
                nodes[2].add(["--peer", first])
            }
            try nodes[1].start()
            if finding == .staticPeers { nodes[2].add(["--peer", try nodes[1].address()]) }
            try nodes[1].await("n1 is linked", .fiveTimes(self.findingMilliseconds)) {
                try $0.isLinked(to: nodes[0])
            }
        }

        static func startTheThird(_ nodes: [Node], _ finding: Finding) throws {
            let stopwatch = Stopwatch()
            let deadline = Deadline.fiveTimes(self.findingMilliseconds)
            try nodes[2].start()
            let ready = stopwatch.milliseconds
            try nodes[2].await("both are linked", deadline) {
                try $0.isLinked(to: nodes[0], nodes[1])
            }
            try nodes[1].await("both are linked", deadline) {
                try $0.isLinked(to: nodes[0], nodes[2])
            }
            try nodes[0].await("both are linked", deadline) {
                try $0.isLinked(to: nodes[1], nodes[2])
            }
            print(
                "MEASURED \(finding): all linked \(stopwatch.milliseconds) ms after the third "
                    + "start (ready after \(ready) ms), due \(self.findingMilliseconds) ms")
        }

        static func tailShowsWhatOthersSend(_ nodes: [Node]) throws {
            let tails = try nodes[1...].map { node in
                // The members are known everywhere before anything is sent.
                try node.await("all three are members") {
                    try $0.history(of: "agora").count { $0["kind"] == "join" } == 3
                }
                return try node.startStoa("--json", "tail", "agora", "--from", "0")
            }
            let stopwatch = Stopwatch()
            _ = try nodes[0].stoa("send", "agora", "seen by all")
            for tail in tails {
                var seen = false
                while !seen, let line = try tail.nextLine(.fiveTimes(1_000)) {
                    seen = line.contains("\"text\":\"seen by all\"")
                }
                #expect(seen)
            }
            print("MEASURED tail: the line was there \(stopwatch.milliseconds) ms after the call")
        }

        static func oneThatWasOffCatchesUp(_ nodes: [Node]) throws {
            try nodes[2].stop()
            let missed = (1...20).map { "while n3 was off \($0)" }
            for text in missed { try nodes[0].send(text, to: "agora") }
            let stopwatch = Stopwatch()
            try nodes[2].start()
            try nodes[2].awaitTexts(missed, in: "agora")
            print("MEASURED catch-up: \(stopwatch.milliseconds) ms from start to the last message")
        }

        static func oneIsServedByAnother(_ nodes: [Node], _ lab: NetworkLab) throws {
            try nodes[2].stop()
            let missed = (1...20).map { "kept by n2 \($0)" }
            for text in missed { try nodes[0].send(text, to: "agora") }
            try nodes[1].awaitTexts(missed, in: "agora")
            try lab.unplug(1)
            try nodes[2].start()
            try nodes[2].awaitTexts(missed, in: "agora")
            // What is said on one side of the cut comes to the other when it is mended.
            try nodes[0].send("said alone", to: "agora")
            try nodes[2].send("said meanwhile", to: "agora")
            try lab.plug(1)
            let stopwatch = Stopwatch()
            for node in nodes {
                try node.awaitTexts(["said alone", "said meanwhile"], in: "agora")
            }
            print("MEASURED mended cable: all have all after \(stopwatch.milliseconds) ms")
        }
    }
}
