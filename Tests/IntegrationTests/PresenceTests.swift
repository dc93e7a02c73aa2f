import ControlAPI
import Glibc
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("who is there and who writes") struct PresenceTests {
        private static func presence(of name: String, at node: Node) throws -> String? {
            try node.list("peers").first { $0["name"]?.stringValue == name }?["presence"]?
                .stringValue
        }

        @Test("is told to members, shown by the commands, and gone with the daemon")
        func told() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "ops", scratch)
            try ben.await("Ada is there") { try Self.presence(of: "Ada", at: $0) == "online" }
            let follower = try ben.control()
            _ = try follower.call("subscribe", ["kinds": ["presence", "typing"]])
            try follower.awaitEvent("Ada is there, said at first") {
                $0.method == "presence" && $1["name"] == "Ada" && $1["presence"] == "online"
            }
            let told = try ada.call("typing", ["to": "ops"])
            #expect(told["told"] == 1)
            try follower.awaitEvent("Ada writes") {
                $0.method == "typing" && $1["name"] == "Ada" && $1["typing"] == .bool(true)
                    && $1["conversationName"] == "ops"
            }
            _ = try ada.stoa("send", "ops", "done")
            try follower.awaitEvent("Ada writes no longer") {
                $0.method == "typing" && $1["typing"] == .bool(false)
            }
            #expect(try ada.stoa("presence", "away").contains("you are away"))
            #expect(try ben.stoa("members", "ops").contains("online"))
            try ada.kill()
            let began = Deadline(afterMilliseconds: 50_000)
            try follower.awaitEvent("Ada is gone", began) {
                $0.method == "presence" && $1["presence"] == "offline"
            }
            #expect(try Self.presence(of: "Ada", at: ben) == "offline")
            #expect(try ben.stoa("peers").contains("offline"))
        }

        @Test("a restart is told in the room once as gone and once as back, with the reason")
        func restart() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "ops", scratch)
            try ada.await("Ben is there") { try Self.presence(of: "Ben", at: $0) == "online" }
            try ada.know("Ben")
            let room = try ada.call("conversations")["items"]?.arrayValue?.first?["id"]
            let follower = try ada.control()
            _ = try follower.call("subscribe", ["kinds": ["presence", "peer"]])
            let begin: [(isGoodbye: Bool, reason: JSON)] = [(true, "left"), (false, "interrupted")]
            for (isGoodbye, reason) in begin {
                if isGoodbye { try ben.stop() } else { try ben.kill() }
                try ben.start()
                var events: [JSON] = []
                var changes: [JSON] = []
                try follower.awaitEvent("Ben is back", Deadline(afterMilliseconds: 60_000)) {
                    if $0.method == "presence", let event = $1["event"] {
                        events.append(event)
                        #expect($1["conversations"] == .array([room ?? .null]))
                        if event == "back" { #expect($1["after"] == reason) }
                    }
                    if $0.method == "change", let change = $1["change"], let event = change["event"]
                    {
                        changes.append(event)
                        if event == "unlinked" { #expect(change["reason"] == reason) }
                    }
                    return events.contains("back") && changes.contains("linked")
                }
                #expect(events == [reason, "back"])
                #expect(changes == ["unlinked", "linked"])
            }
        }

        @Test("is told to nobody where both are private")
        func privacy() throws {
            let scratch = try Scratch()
            let ada = try Node.onLoopback("Ada", in: scratch)
            ada.add(["--presence", "private", "--typing", "private"])
            try ada.start()
            let ben = try Node.onLoopback("Ben", in: scratch, peers: [try ada.address()])
            try ben.start()
            for node in [ada, ben] { try node.join("ops") }
            // What Ben tells came behind what Ada would have told.
            try ada.await("Ben is there") { try Self.presence(of: "Ben", at: $0) == "online" }
            _ = try ada.call("typing", ["to": "ops"])
            _ = try ada.call("send", ["to": "ops", "text": "hello", "wait": "delivered"])
            #expect(try Self.presence(of: "Ada", at: ben) == nil)
            #expect(try ada.stoa("presence").contains("others are not told"))
        }
    }
}
