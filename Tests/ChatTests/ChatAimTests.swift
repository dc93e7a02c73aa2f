import ControlAPI
import Testing

@testable import Chat

@Suite("What commands are about")
struct ChatAimTests {
    private func client() -> Client {
        var client = Client(history: [])
        client.show(client.message("m1", "lunch?", cursor: 1))
        return client
    }

    @Test("/reply names what it answers before Enter, and keeps it whatever comes in")
    func reply() {
        var client = self.client()
        client.type("/reply")
        #expect(client.screen()[22].contains("reply to ben: \"lunch?\""))
        client.type(" yes")
        client.show(client.message("m2", "or a fight?", cursor: 2))
        #expect(client.screen()[22].contains("reply to ben: \"lunch?\""))
        client.enter()
        #expect(client.waiting("send").map { $0["replyTo"] } == ["m1"])
        #expect(!client.screen()[22].contains("reply to"))
    }

    @Test("/react, /edit and /delete keep theirs, too")
    func others() {
        for (command, method, by) in [
            ("/react 👍", "react", Client.ben), ("/edit no", "edit", Client.ada),
            ("/delete", "delete", Client.ada),
        ] {
            var client = Client(history: [])
            client.show(client.message("m1", "lunch?", by: by, cursor: 1))
            client.type(command)
            #expect(client.screen()[22].contains("\"lunch?\""), "\(command)")
            client.show(client.message("m2", "or not", by: by, cursor: 2))
            client.enter()
            #expect(client.waiting(method).first?["id"] == "m1", "\(command)")
        }
    }

    @Test("a message that is chosen later is meant, and the newest again once none is")
    func chosen() {
        var client = self.client()
        client.show(client.message("m2", "dinner?", cursor: 2))
        client.type("/reply yes")
        #expect(client.screen()[22].contains("dinner?"))
        client.give(.keys([.altUp, .altUp]))
        #expect(client.screen()[22].contains("lunch?"))
        client.enter()
        #expect(client.waiting("send").map { $0["replyTo"] } == ["m1"])
    }

    @Test("what is answered stays named where it was erased, and where /reply alone began it")
    func begun() {
        var client = self.client()
        client.say("/reply")
        client.show(client.message("m2", "next", cursor: 2))
        #expect(client.screen()[22].contains("reply to ben: \"lunch?\""))
        client.say("yes")
        #expect(client.waiting("send").map { $0["replyTo"] } == ["m1"])
    }

    @Test(
        "where there is nothing to answer that is said before Enter, and what comes then is not meant"
    )
    func nothing() {
        var client = Client(history: [])
        client.type("/react 👍")
        #expect(client.screen()[22].contains("there is no message for /react"))
        client.show(client.message("m1", "late", cursor: 1))
        client.enter()
        #expect(client.waiting("react").isEmpty)
    }
}
