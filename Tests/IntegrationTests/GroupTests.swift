import ControlAPI
import Testing

extension IntegrationTests {
    @Suite("a group") struct GroupTests {
        /// The members as a node shows them: person, role and who brought them.
        private static func members(_ node: Node) throws -> [String] {
            let found = try node.call("groupInfo", ["group": "+ops"])["members"]?.arrayValue ?? []
            return found.map { member in
                ["person", "role"].map { member[$0]?.stringValue ?? "" }.joined(separator: " ")
            }
        }

        private static func bring(_ node: Node, to group: String, by host: Node) throws {
            _ = try host.stoa("group", "invite", group, host.key(of: "@\(node.name)"))
            try node.await("the invitation has come") { try !$0.list("requests").isEmpty }
            #expect(try node.stoa("requests").contains("+ops"))
            #expect(try !node.stoa("conversations").contains("+ops"))
            #expect(try node.stoa("accept", "+ops").contains("you are in +ops"))
        }

        // Shows: told.removed
        @Test("is read by who was invited and has accepted, and no longer by who was removed")
        func removed() throws {
            let scratch = try Scratch()
            let (ada, ben, cleo) = try Node.three(in: "agora", scratch)
            for node in [ada, ben, cleo] {
                try node.await("all know one another") { node in
                    try Set(node.list("peers").compactMap { $0["name"]?.stringValue }).count == 2
                }
            }
            #expect(try ada.stoa("group", "create", "ops").contains("created +ops"))
            try Self.bring(ben, to: "+ops", by: ada)
            try Self.bring(cleo, to: "+ops", by: ada)
            for node in [ada, ben, cleo] {
                try node.await("all are members") { try Self.members($0).count == 3 }
            }
            for (node, text) in [(ada, "zyxw-one"), (ben, "zyxw-two"), (cleo, "zyxw-three")] {
                _ = try node.stoa("send", "+ops", text)
                for other in [ada, ben, cleo] {
                    try other.await("\(text) has come") { try $0.texts(in: "+ops").contains(text) }
                }
            }
            #expect(try Self.members(ada) == Self.members(ben))
            #expect(try Self.members(ada) == Self.members(cleo))
            let key = try ada.key(of: "@cleo")
            #expect(try ada.stoa("group", "remove", "+ops", key, expecting: 64).isEmpty)
            #expect(
                try cleo.stoa(
                    "group", "remove", "+ops", cleo.key(of: "@ben"), "--yes", expecting: 77
                ).isEmpty)
            #expect(try ada.stoa("group", "remove", "+ops", key, "--yes").contains("removed"))
            for node in [ada, ben] {
                try node.await("one is out") { try Self.members($0).count == 2 }
            }
            let secret = "zyxw-not-for-cleo"
            _ = try ada.stoa("send", "+ops", secret)
            try ben.await("it has come") { try $0.texts(in: "+ops").contains(secret) }
            try cleo.await("she knows that she is out") { node in
                try node.list("conversations").allSatisfy { $0["name"]?.stringValue != "+ops" }
            }
            _ = try cleo.stoa("send", "+ops", "let me in", expecting: 77)
            #expect(try !cleo.holds(secret))
            #expect(try Self.members(ada) == Self.members(ben))
            for node in [ada, ben, cleo] { try node.stop() }
            #expect(try !cleo.hasOnDisk(secret))
            for node in [ada, ben, cleo] { #expect(try node.stoad("--check").exit == .code(0)) }
            for node in [ada, ben] { try node.start() }
            #expect(
                try Self.members(ada) == Self.members(ben) && ada.texts(in: "+ops").contains(secret)
            )
        }
    }
}
