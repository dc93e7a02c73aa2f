import ControlAPI
import TestSupport
import Testing

@testable import Daemon

@Suite("What the list of conversations says of what is unread", .timeLimit(.minutes(5)))
struct FirstUnreadTests {
    @Test("it names the first unread message, until that is read, and says which are secret")
    func first() throws {
        let ada = try TestDaemon(name: "ada")
        let bob = try TestDaemon(name: "bob", peers: [try ada.address()])
        for daemon in [ada, bob] { try daemon.ask("join", ["room": "ops"]) }
        let client = try ada.connect()
        try client.ask("subscribe", ["to": "ops"])
        func listed() throws -> JSON? { try ada.list("conversations").first }
        #expect(try listed()?["firstUnread"] == nil && listed()?["secret"] == nil)
        var sent: [JSON] = []
        for text in ["one", "two", "three"] {
            let answer = try bob.ask("send", .members(["to": "ops", "text": .string(text)]))
            sent.append(try #require(answer["id"]))
        }
        var last = try client.message()
        while last["text"] != "three" { last = try client.message() }
        // What the user writes is never unread.
        try ada.ask("send", ["to": "ops", "text": "mine"])
        #expect(try listed()?["unread"] == 3 && listed()?["firstUnread"] == sent[0])
        let page = try ada.ask("history", ["to": "ops"])["messages"]?.arrayValue ?? []
        let one = try #require(page.first { $0["text"] == "one" })
        try ada.ask(
            "acknowledge", .members(["conversation": "ops", "cursor": one["cursor"]]))
        #expect(try listed()?["firstUnread"] == sent[1])
        try ada.ask(
            "acknowledge", .members(["conversation": "ops", "cursor": last["cursor"]]))
        #expect(try listed()?["unread"] == 0 && listed()?["firstUnread"] == nil)
        try ada.ask("createConversation", ["room": "plans"])
        let plans = try ada.list("conversations").first { $0["kind"] == "secret" }
        #expect(plans == nil || plans?["secret"] == true)
    }
}
