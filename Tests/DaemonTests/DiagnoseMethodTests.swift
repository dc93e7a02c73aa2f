import ControlAPI
import Engine
import Formats
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("What a daemon finds out for the doctor", .serialized, .timeLimit(.minutes(5)))
struct DiagnoseMethodTests {
    @Test("nobody is asked where nobody is linked, and that is answered at once")
    func alone() throws {
        let ada = try TestDaemon(name: "ada")
        let found = try ada.ask("diagnose")
        #expect(found["reach"]?.arrayValue?.isEmpty == true)
        #expect(found["unheard"]?.arrayValue?.isEmpty == true && found["follows"] == false)
        #expect((found["used"]?.integerValue ?? 0) > 0)
        #expect(found["limit"]?.integerValue ?? 0 >= 256 << 20)
        let address = try ada.address()
        #expect(address.hasSuffix(":\(found["port"]?.integerValue ?? 0)"))
        // Port 0 is no choice.
        #expect(found["portIsChosen"] == false)
    }

    @Test("a port of the settings that another user's daemon has; the next free one is used")
    func taken() throws {
        let other = try TCPListener(on: SocketAddress(ip: .loopbackIPv4, port: 0))
        let said = BlockingQueue<String>()
        let ada = try TestDaemon(listen: other.localAddress) { _ = said.append($0) }
        let found = try ada.ask("diagnose")
        #expect(found["taken"] == [.string(other.localAddress.description)])
        #expect(found["portIsChosen"] == false)
        let port = Int64(other.localAddress.port)
        let used = try #require(found["port"]?.integerValue)
        #expect(used > port && used <= port + 16)
    }

    @Test("what the next start would refuse, or a realm that is not there, is among it")
    func settings() throws {
        let refused = try TestDaemon(rereading: { (_) throws(ConfigurationError) in
            throw ConfigurationError(
                "stoad.conf:3: there is no key \"Reelm\"", remedy: "did you mean Realm?",
                isFromFile: true)
        })
        #expect(
            try refused.ask("diagnose")["settings"] == [
                [
                    "check": "settings", "severity": "problem",
                    "text":
                        "the next start would be refused: stoad.conf:3: there is no key \"Reelm\"",
                    "remedy": "did you mean Realm?",
                ]
            ])
        let doubtful = try TestDaemon(defaultRealm: "nosuch")
        let found = try doubtful.ask("diagnose")["settings"]?.arrayValue
        #expect(found?.map { $0["severity"] } == ["warning"])
    }

    @Test("once somebody is missed the daemon looks by itself, and finds what the doctor finds")
    func byItself() async throws {
        let ben = try TestDaemon(name: "ben")
        let alone = try TestDaemon(name: "ada")
        // The key is another daemon's, so that no link comes about.
        let key = try #require(try alone.ask("status")["id"]?.stringValue)
        let found = try await #require(alone.run.shell).examined()
        #expect(
            found.filter { !$0.contains("network") } == ["discovery is off, and there are no links"]
        )
        let ada = try TestDaemon(name: "ada", peers: ["\(key)@\(try ben.address())"])
        try ada.ask("status")
        let deadline = SystemClock.monotonicMilliseconds() + 60_000
        while true {
            let found = try await #require(ada.run.shell).examined()
            if found.contains(where: { $0.contains(" has a different key: ") }) { break }
            try #require(SystemClock.monotonicMilliseconds() < deadline, "\(found)")
        }
    }

    @Test("a client waits for as long as it may take")
    func wait() {
        let pings = Limits.packetTrialPings + Limits.packetTrialMorePings
        let most =
            Limits.dialBackAnswerMilliseconds + UInt64(pings) * Limits.packetTrialMilliseconds
            + 2 * Limits.packetSettleMilliseconds
        #expect(UInt64(DiagnoseMethod.waitMilliseconds) >= most + 1_000)
    }

    @Test("a linked peer dials back, comes in and is told of, whichever of the two had dialled")
    func reached() throws {
        let ada = try TestDaemon(name: "ada")
        let ben = try TestDaemon(name: "ben")
        _ = try ada.ask(
            "connect", ["address": .string(ben.address()), "waitMilliseconds": 60_000])
        for (asker, other) in [(ada, ben), (ben, ada)] {
            let id = try other.ask("status")["id"]
            // The link at the other end may be a moment behind.
            try awaitThat { try asker.ask("status")["links"] == 1 }
            let found = try asker.ask("diagnose")
            let reach = found["reach"]?.arrayValue
            #expect(reach?.map { $0["outcome"] } == ["reached"])
            #expect(reach?.first?["peer"] == id && reach?.first?["tier"] == "stranger")
            // Each ping was a packet of its own, or nearly each where this process had no turn.
            let packets = try #require(found["packets"]?.arrayValue?.first)
            #expect(packets["peer"] == id && packets["lost"] == 0 && packets["early"] == 0)
            for way in ["sent", "received"] {
                #expect(packets[way]?.integerValue ?? 0 > Limits.packetTrialPings / 2)
            }
        }
    }
}

extension NodeShell {
    /// What it finds by itself at this moment, once it has started.
    fileprivate func examined() async -> [String] {
        await withCheckedContinuation { continuation in
            self.turn { self.examine { continuation.resume(returning: $0) } }
        }
    }
}
