import ControlAPI
import Testing

extension IntegrationTests {
    @Suite("a message to one person") struct DirectTests {
        // Shows: told.direct
        @Test("reaches that person once they accept, and nothing of it is on a third node")
        func direct() throws {
            let scratch = try Scratch()
            let (ada, ben, cleo) = try Node.three(in: "agora", scratch)
            for node in [ada, ben, cleo] {
                try node.await("all know one another") { node in
                    try Set(node.list("peers").compactMap { $0["name"]?.stringValue }).count == 2
                }
            }
            let (secret, open) = ("zyxw-for-ben-alone", "zyxw-for-everybody")
            let key = try ada.key(of: "@ben")
            #expect(try ada.stoa("send", "@ben", secret, expecting: 77).isEmpty)
            #expect(try ada.stoa("send", key, secret).hasPrefix("sent"))
            try ben.await("it waits") { try !$0.list("requests").isEmpty }
            #expect(try ben.stoa("requests").contains(secret))
            #expect(try ben.stoa("history", "@ada", expecting: 77).isEmpty)
            #expect(try ada.stoa("send", "@ben", "hello?").contains("has not accepted you yet"))
            #expect(try ben.stoa("accept", "@ada").contains("@Ada"))
            try ben.await("it has come") { node in
                try node.call("history", ["to": "@ada"])["messages"]?.arrayValue?.count == 2
            }
            let answer = try ben.stoa(
                "send", "@ada", "zyxw-answer", "--wait", "delivered", "--timeout", "60")
            #expect(answer.contains("delivered to 1"))
            _ = try ada.stoa("send", "agora", open)
            try cleo.await("what is for everybody has come") { node in
                try node.texts(in: "agora").contains(open)
            }
            let histories = try [ada.stoa("history", "@ben"), ben.stoa("history", "@ada")]
            #expect(histories[0] == histories[1])
            #expect(histories[0].contains(secret) && histories[0].contains("zyxw-answer"))
            // What everybody has said is found on each disk, and what the room is called in each memory,
            // so the search can find something. What is sealed is in clear only while it is shown.
            try ben.await("what is for everybody has come") { node in
                try node.texts(in: "agora").contains(open)
            }
            for node in [ada, ben, cleo] {
                #expect(try node.hasOnDisk(open) && node.hasInMemory("agora"), "\(node.name)")
            }
            #expect(try !ada.hasOnDisk(secret))
            try ben.await("what the request said is in no file") { try !$0.hasOnDisk(secret) }
            #expect(try !cleo.holds(secret) && !cleo.holds("zyxw-answer"))
            #expect(try cleo.list("conversations").count == 1)
            for node in [ada, ben, cleo] { try node.stop() }
            #expect(try !cleo.hasOnDisk(secret) && cleo.hasOnDisk(open))
            for node in [ada, ben, cleo] { #expect(try node.stoad("--check").exit == .code(0)) }
        }

        @Test("of somebody who was forgotten is a request again, and once accepted both go on")
        func forgotten() throws {
            let scratch = try Scratch()
            let (ada, ben) = try Node.two(in: "agora", scratch)
            try ada.await("both know each other") { try $0.stoa("peers").contains("Ben") }
            _ = try ada.stoa("send", ada.key(of: "@ben"), "an old text")
            try ben.await("it waits") { try !$0.list("requests").isEmpty }
            _ = try ben.stoa("accept", "@ada")
            _ = try ben.stoa("send", "@ada", "an old answer", "--wait", "delivered")
            _ = try ben.stoa("people", "remove", "@ada")
            let forgotten = try ben.stoa("forget", "@ada", "--yes")
            #expect(forgotten.contains("2 messages were deleted"), "\(forgotten)")
            #expect(try !ben.stoa("conversations").contains("@Ada"))
            #expect(try ben.list("requests").isEmpty)
            try ben.stop()
            try ben.start()
            try ben.await("both are linked again") { try $0.isLinked(to: ada) }
            #expect(try ben.list("requests").isEmpty)
            #expect(try !ben.stoa("conversations").contains("@Ada"))
            _ = try ada.stoa("send", "@ben", "may I?")
            _ = try ada.stoa("send", "@ben", "please")
            try ben.await("it waits again") { try $0.stoa("requests").contains("may I?") }
            #expect(try ben.stoa("history", "@ada", expecting: 77).isEmpty)
            #expect(try ada.stoa("send", "@ben", "hello?").contains("has not accepted you yet"))
            _ = try ben.stoa("accept", "@ada")
            let answer = try ben.stoa(
                "send", "@ada", "a new answer", "--wait", "delivered", "--timeout", "60")
            #expect(answer.contains("delivered to 1"))
            _ = try ada.stoa("send", "@ben", "thanks", "--wait", "delivered", "--timeout", "60")
            func texts(_ node: Node, _ person: String) throws -> [String] {
                try node.call("history", ["to": .string(person)])["messages"]?.arrayValue?
                    .compactMap { $0["text"]?.stringValue } ?? []
            }
            let new = ["may I?", "please", "hello?", "a new answer", "thanks"]
            #expect(try texts(ben, "@ada").suffix(5) == new)
            #expect(try texts(ada, "@ben") == ["an old text", "an old answer"] + new)
            #expect(try !ben.hasOnDisk("an old text"))
            for node in [ada, ben] {
                #expect(try !node.stoa("status").contains("fork"))
                try node.stop()
                #expect(try node.stoad("--check").exit == .code(0))
            }
        }
    }
}
