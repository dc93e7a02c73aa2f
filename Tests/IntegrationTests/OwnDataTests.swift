import ControlAPI
import Posix
import Testing

extension IntegrationTests {
    @Suite("what is mine") struct OwnDataTests {
        /// Whom a node's user knows, and where they are, a line each.
        private static func mine(_ node: Node) throws -> [String] {
            let people = try node.list("people").filter {
                ["known", "verified", "blocked"].contains($0["tier"]?.stringValue)
            }.map { "\($0["name"]?.stringValue ?? "") \($0["tier"]?.stringValue ?? "")" }
            let places = try node.list("conversations").map { place in
                let marks = ["muted", "archived"].filter { place[$0] == true }
                return ([place["name"]?.stringValue ?? ""] + marks).joined(separator: " ")
            }
            return (people + places).sorted()
        }

        /// Waits until two nodes say the same of what is the user's, and all of this.
        private static func awaitSame(_ one: Node, _ other: Node, _ lines: String...) throws {
            for node in [one, other] {
                try node.await("\(lines) on both; not \(Self.mine(one)) and \(Self.mine(other))") {
                    _ in
                    let found = try (Self.mine(one), Self.mine(other))
                    return found.0 == found.1 && lines.allSatisfy(found.0.contains)
                }
            }
        }

        private static func unread(_ node: Node, in name: String) throws -> JSON? {
            try node.list("conversations").first { $0["name"] == .string(name) }?["unread"]
        }

        private static func arrange(_ node: Node, _ method: String, _ place: String) throws {
            _ = try node.call(method, ["to": .string(place)])
        }

        /// Ben on two machines, and Ada, whom he has met in a room.
        private static func benTwice(_ scratch: Scratch) throws -> (Node, Node, ada: Node) {
            let (ada, old) = try Node.two(in: "agora", scratch)
            let new = try Node.onLoopback("new", in: scratch, peers: [try old.address()])
            try new.start()
            try new.await("it is linked") { try $0.list("peers").count == 1 }
            try DeviceTests.link(new, to: old, in: scratch)
            return (old, new, ada)
        }

        // Shows: device.own
        @Test("contacts, blocks and rooms follow to a linked device, from it, and over a partition")
        func follows() throws {
            let scratch = try Scratch()
            let (old, new, ada) = try Self.benTwice(scratch)
            try Self.awaitSame(old, new, "agora")
            // A person who was met here alone is known there, by name.
            try old.know("Ada")
            try Self.awaitSame(old, new, "Ada known", "agora")
            #expect(try new.stoa("whois", "@Ada").contains("Ada"))
            try new.join("lab")
            try Self.arrange(new, "mute", "lab")
            _ = try old.stoa("create", "war", "--secret")
            // What is founded on one is entered on the other.
            _ = try old.stoa("group", "create", "crew")
            try Self.awaitSame(old, new, "Ada known", "agora", "lab muted", "&war", "+crew")
            try new.send("from the other one", to: "+crew")
            try old.awaitTexts(["from the other one"], in: "+crew")
            // What Ada writes comes to both, and through the other one she gets the answer.
            try ada.know("Ben")
            try ada.send("a word", to: "@Ben")
            try Self.awaitSame(old, new, "Ada known", "@Ada", "lab muted")
            try new.awaitTexts(["a word"], in: "@Ada")
            try new.send("an answer", to: "@Ada")
            try old.awaitTexts(["a word", "an answer"], in: "@Ada")
            try ada.awaitTexts(["an answer"], in: "@Ben")
            // What is read on one is read on the other, whatever others are told.
            try old.await("unread") { try Self.unread($0, in: "@Ada") == 1 }
            let read = try new.history(of: "@Ada").last?["cursor"] ?? 0
            _ = try new.call("acknowledge", ["conversation": "@Ada", "cursor": read])
            for node in [new, old] {
                try node.await("read") { try Self.unread($0, in: "@Ada") == 0 }
            }

            // While the other one is away, each changes something; then both have all of it.
            try old.stop()
            _ = try new.stoa("block", "@Ada")
            _ = try new.stoa("leave", "lab")
            try new.join("new-alone")
            try new.stop()
            try old.start()
            try old.join("old-alone")
            try Self.arrange(old, "archive", "agora")
            new.add(["--peer", try old.address()])
            try new.start()
            try Self.awaitSame(
                old, new, "Ada blocked", "agora archived", "new-alone", "old-alone", "&war")
            #expect(try !Self.mine(old).contains { $0.hasPrefix("lab") })
            // Nobody sees any of it as a message, and after another start all is as it was.
            for node in [old, new] {
                let before = try Self.mine(node)
                try node.stop()
                try node.start()
                #expect(try Self.mine(node) == before)
                #expect(try node.history(of: "@me").isEmpty)
                #expect(try node.list("conversations").allSatisfy { $0["unread"] == 0 })
            }
        }

        private static func realms(_ node: Node) throws -> [String: JSON] {
            let realms = try node.list("realms").filter { $0["joined"] == true }
            return try Dictionary(
                uniqueKeysWithValues: realms.compactMap { realm in
                    guard let name = realm["name"]?.stringValue, name != "open" else { return nil }
                    let invite = try node.call("realmInvite", ["name": .string(name)])["invite"]
                    return (name, invite ?? .null)
                })
        }

        // Shows: device.own
        @Test("a realm joined on one device is joined on the other, with the rooms in it")
        func realmsFollow() throws {
            let scratch = try Scratch()
            let (old, new, ada) = try Self.benTwice(scratch)
            func awaitRealms(_ names: String..., on nodes: Node...) throws {
                for node in nodes {
                    try node.await("\(names); not \(Self.realms(node))") {
                        try Self.realms($0).keys.sorted() == names
                    }
                }
            }
            _ = try old.call("realmNew", ["name": "office"])
            try awaitRealms("office", on: old, new)
            #expect(try Self.realms(old) == Self.realms(new))
            // What the other device was told of is as good as the first one's invitation.
            let invite = try #require(try Self.realms(new)["office"])
            _ = try ada.call("realmJoin", ["invite": invite])
            try old.join("office/desk")
            try Self.awaitSame(old, new, "agora", "office/desk")
            try ada.join("office/desk")
            try ada.send("in the office", to: "office/desk")
            try new.awaitTexts(["in the office"], in: "office/desk")
            // Two realms have one name, since each device makes one while the other is away.
            try old.stop()
            _ = try new.call("realmNew", ["name": "lab"])
            try new.stop()
            try old.start()
            _ = try old.call("realmNew", ["name": "lab"])
            new.add(["--peer", try old.address()])
            try new.start()
            try awaitRealms("lab", "lab-2", "office", on: old, new)
            // It is left where it is left, also after a start.
            _ = try old.call("realmLeave", ["name": "office"])
            try old.stop()
            try old.start()
            try new.await("it is linked") {
                try $0.list("peers").contains { $0["state"] == "linked" }
            }
            try awaitRealms("lab", "lab-2", on: old)
            try awaitRealms("lab", "lab-2", "office", on: new)
        }
    }
}
