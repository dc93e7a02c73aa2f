import ControlAPI
import Posix
import Testing

extension IntegrationTests {
    @Suite("a secret room") struct SecretRoomTests {
        // Shows: told.secret-room
        @Test(
            "is read by who has its phrase or its invitation, and a third node has neither text nor name of it"
        )
        func secret() throws {
            let scratch = try Scratch()
            let (ada, ben, cleo) = try Node.three(in: "agora-of-all", scratch)
            let (name, secret) = ("zyxw-war-room", "zyxw-for-few")
            let made = try ada.call("createConversation", ["room": .string(name)])
            let phrase = try #require(made["phrase"]?.stringValue)
            let invite = try #require(made["invite"]?.stringValue)
            let file = scratch.path + "/phrase"
            try Files.writeAtomically(Array((phrase + "\n").utf8), to: file, mode: 0o600)
            #expect(
                try ben.stoa("join", name, "--phrase-file", file).contains("you are in &\(name)"))
            _ = try ada.stoa("send", name, secret)
            _ = try ada.stoa("send", "agora-of-all", "zyxw-for-all")
            try ben.await("it has come") { try $0.texts(in: name).contains(secret) }
            try cleo.await("the rest has come") {
                try $0.texts(in: "agora-of-all").contains("zyxw-for-all")
            }
            // Members keep its name sealed.
            for node in [ada, ben] { #expect(try !node.hasOnDisk(name), "\(node.name)") }
            // What everybody may have is found there, so the search can find something.
            #expect(try cleo.holds("zyxw-for-all") && cleo.holds("agora-of-all"))
            #expect(try !cleo.holds(secret) && !cleo.holds(name))
            #expect(try cleo.list("conversations").count == 1)
            #expect(try cleo.stoa("join", invite).contains("you are in &\(name)"))
            try cleo.await("it has all of it") { try $0.texts(in: name).contains(secret) }
            #expect(try ada.stoa("invite", name) == invite + "\n")
            // Names may come after what was said.
            try cleo.await("all have one history") { _ in
                Set(try [ada, ben, cleo].map { try $0.stoa("history", name) }).count == 1
            }
            for node in [ada, ben, cleo] { try node.stop() }
            for node in [ada, ben, cleo] { #expect(try node.stoad("--check").exit == .code(0)) }
        }
    }
}
