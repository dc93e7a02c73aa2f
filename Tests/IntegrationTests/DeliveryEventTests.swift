import ControlAPI
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("What becomes of a message at those who get it") struct DeliveryEventTests {
        /// Ada and Cleo are linked with Ben alone, and know one another.
        private static func line(_ scratch: Scratch) throws -> (Node, Node, Node) {
            let ben = try Node.onLoopback("Ben", in: scratch)
            try ben.start()
            let ada = try Node.onLoopback("Ada", in: scratch, peers: [try ben.address()])
            let cleo = try Node.onLoopback("Cleo", in: scratch, peers: [try ben.address()])
            for node in [ada, cleo] { try node.start() }
            for node in [ada, ben, cleo] { try node.join("ops") }
            for (node, name) in [(ada, "@Cleo"), (cleo, "@Ada"), (ada, "@Ben")] {
                try node.await("\(name) is known") {
                    try $0.list("people").contains { "@" + $0.shownName == name }
                        || (try? $0.know(name)) != nil
                }
            }
            return (ada, ben, cleo)
        }

        /// The user of a node reads what is there, as a front end says it.
        private static func read(_ node: Node) throws {
            let last = try node.call("history", ["to": "ops", "limit": 1])["messages"]?.arrayValue
            let cursor = last?.first?["cursor"] ?? .null
            _ = try node.call("acknowledge", ["conversation": "ops", "cursor": cursor])
        }

        private static func outcome(_ result: JSON, _ name: String) -> String? {
            result["members"]?.arrayValue?.first { $0.shownName == name }?["outcome"]?.stringValue
        }

        @Test("delivered and read are known through a relay, over restarts, and told as events")
        func relayed() throws {
            let scratch = try Scratch()
            let (ada, ben, cleo) = try Self.line(scratch)
            #expect(try !ada.linked().contains(cleo.identity()))
            let follower = try ada.control()
            _ = try follower.call("subscribe", ["kinds": ["delivery"]])
            let sent = try ada.call(
                "send",
                [
                    "to": "ops", "text": "hello", "wait": "delivered", "members": "@Cleo",
                    "timeoutMilliseconds": 30_000,
                ])
            #expect(Self.outcome(sent, "Cleo") == "delivered")
            let id = sent["id"] ?? .null
            try follower.awaitChange("Cleo has it") {
                $0["event"] == "delivered" && $0["message"] == id && $0["peerName"] == "Cleo"
            }
            try Self.read(cleo)
            try follower.awaitChange("Cleo has read it") {
                $0["event"] == "read" && $0["message"] == id && $0["peerName"] == "Cleo"
            }
            try ada.await("it stands with the message") {
                Self.outcome(try $0.call("info", ["id": id]), "Cleo") == "read"
            }
            for node in [cleo, ben] { try node.stop() }
            try ada.kill()
            try ada.start()
            #expect(Self.outcome(try ada.call("info", ["id": id]), "Cleo") == "read")
            let late = try ada.stoa("send", "ops", "anybody?")
            #expect(late == "sent; no other member of ops is linked: it goes out when one is\n")
            let status = try ada.stoa("status")
            #expect(status.contains("1 of your messages that nobody has yet, since "))
            #expect(status.contains("for Ben and Cleo") || status.contains("for Cleo and Ben"))
            try ben.start()
            try cleo.start()
            // An address that was given by a name changes with each start.
            _ = try ada.stoa("connect", try ben.address())
            _ = try cleo.stoa("connect", try ben.address())
            let again = try ada.call(
                "send",
                [
                    "to": "ops", "text": "there?", "wait": "delivered", "members": "all",
                    "timeoutMilliseconds": 60_000,
                ])
            #expect(Self.outcome(again, "Cleo") == "delivered")
            #expect(try ada.call("status")["waiting"] == nil)
        }

        @Test(
            "through one node delivery is known within three seconds, and before that who passes it on"
        )
        func passing() throws {
            let scratch = try Scratch()
            let (ada, ben, cleo) = try Self.line(scratch)
            #expect(try !ada.linked().contains(cleo.identity()))
            for number in 0..<3 {
                let watch = Stopwatch()
                let sent = try ada.call(
                    "send",
                    [
                        "to": "ops", "text": .string("number \(number)"), "wait": "delivered",
                        "members": "@Cleo", "timeoutMilliseconds": 60_000,
                    ])
                #expect(Self.outcome(sent, "Cleo") == "delivered")
                print("MEASURED delivered through one node after \(watch.milliseconds) ms")
            }
            try cleo.kill()
            let id = try ada.call("send", ["to": "ops", "text": "later"])["id"] ?? .null
            try ada.await("Ben has it for Cleo") {
                Self.outcome(try $0.call("info", ["id": id]), "Cleo") == "onItsWay"
            }
            let member = try ada.call("info", ["id": id])["members"]?.arrayValue?
                .first { $0.shownName == "Cleo" }
            #expect(member?["throughNames"] == ["Ben"])
            let shown = try ada.stoa("info", id.stringValue ?? "")
            #expect(shown.contains("on its way  through Ben to Cleo, since "))
            try ben.stop()
        }

        @Test("send waits until it is read; who keeps that private delivers and says no more")
        func waits() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "ops", scratch)
            try ada.await("Ben is known") {
                (try? $0.know("@Ben")) != nil
            }
            let waiting = try ada.startStoa(
                "--timeout", "60", "--json", "send", "ops", "read me", "--wait", "read",
                "--members", "@Ben")
            try ben.await("it has come") {
                let rooms = try $0.list("conversations")
                return rooms.contains { $0["unread"]?.integerValue == 1 }
            }
            try Self.read(ben)
            #expect(try waiting.waitForExit() == .code(0))
            #expect(try waiting.rest().contains("\"outcome\":\"read\""))
            try ben.stop()
            ben.add(["--read-marks", "private"])
            try ben.start()
            _ = try ben.stoa("connect", try ada.address())
            let failed = try ada.stoa(
                "--timeout", "3", "--json", "send", "ops", "and this?", "--wait", "read",
                expecting: 75)
            _ = failed
            try Self.read(ben)
            let delivered = try ada.call(
                "send", ["to": "ops", "text": "third", "wait": "delivered"])
            #expect(Self.outcome(delivered, "Ben") == "delivered")
        }
    }
}

extension JSON {
    fileprivate var shownName: String { self["name"]?.stringValue ?? "" }
}
