import ControlAPI
import Testing

@testable import Chat

@Suite("a node that is locked under the client")
struct ChatLockTests {
    private static let wrong = RPCError.refused(
        "the passphrase does not open the lock", reason: "wrongPassphrase", remedy: "try again")

    /// A client in which something was said and something is typed, whose node was locked then.
    private static func locked(isTyping: Bool = true) -> Client {
        var client = Client(history: [], columns: 120)
        client.show(client.message("m1", "the secret plan"))
        if isTyping { client.type("half a thought") }
        client.give(.lost("the daemon closed the connection"))
        Self.meetLocked(&client)
        return client
    }

    private static func meetLocked(_ client: inout Client) {
        client.asked = []
        client.give(.connected)
        client.answer("status", ["version": "0.1.0", "lock": "locked"])
    }

    @Test("it shows that, asks for the passphrase, and shows nothing of the conversations")
    func hidden() {
        let client = Self.locked()
        let screen = client.screen().joined(separator: "\n")
        #expect(screen.contains("This node is locked"))
        #expect(client.screen().last?.contains("passphrase (not shown)") == true)
        for text in ["the secret plan", "half a thought", "ops", "ben"] {
            #expect(!screen.contains(text), "\(text)")
        }
        #expect(client.state.conversations.isEmpty)
    }

    @Test("a wrong passphrase is told, the right one opens it, and the client goes on where it was")
    func unlocked() {
        var client = Self.locked()
        client.say("not it")
        #expect(client.waiting("unlock") == [["passphrase": "not it"]])
        client.refuse("unlock", Self.wrong)
        #expect(client.screen().joined().contains("the passphrase does not open the lock"))
        client.type("plover quartz ")
        client.give(.keys([.paste("hinterland\n")]))
        #expect(!client.screen().joined().contains("plover"))
        client.enter()
        #expect(client.waiting("unlock") == [["passphrase": "plover quartz hinterland\n"]])
        #expect(client.state.unseen?.text.isEmpty == true)
        client.answer("unlock", [:])
        client.give(.lost("the daemon closed the connection"))
        client.asked = []
        client.connect(history: [client.message("m1", "the secret plan")])
        let screen = client.screen().joined(separator: "\n")
        #expect(screen.contains("the secret plan"))
        #expect(client.screen().last == "> half a thought")
        #expect(client.state.current == Client.ops)
        client.give(.keys([.control("r")]))
        client.type("plover")
        #expect(client.screen().joined().contains("not found"))
    }

    @Test("what was entered goes out once the node is open, and nothing is asked of it before")
    func entered() {
        var client = Client()
        client.give(.lost("gone"))
        client.say("hello")
        Self.meetLocked(&client)
        client.asked = []
        client.wait(60)
        #expect(client.asked.isEmpty)
        client.give(.lost("the daemon closed the connection"))
        client.asked = []
        client.give(.connected)
        client.answer("status", ["version": "0.1.0", "id": .string(Client.ada), "name": "ada"])
        #expect(client.waiting("send").map { $0["text"] } == ["hello"])
    }

    @Test("what is typed of the passphrase while somebody else unlocks it never becomes a message")
    func elsewhere() {
        var client = Self.locked(isTyping: false)
        client.type("plover ")
        client.give(.lost("the daemon closed the connection"))
        client.type("quartz")
        client.asked = []
        client.connect()
        client.type(" anvil")
        #expect(client.screen().joined().contains("passphrase (not shown)"))
        client.enter()
        #expect(client.screen().last == "> ")
        #expect(client.waiting("send").isEmpty)
        #expect(client.waiting("unlock").isEmpty)
    }

    @Test("Ctrl-D quits, Esc begins the passphrase anew, and a daemon that is gone is told")
    func keys() {
        var client = Self.locked(isTyping: false)
        client.type("plover")
        client.give(.keys([.control("d")]))
        #expect(!client.effects.contains(.quit))
        client.give(.keys([.escape]))
        client.enter()
        #expect(client.waiting("unlock").isEmpty)
        client.give(.lost("gone"))
        client.say("plover")
        #expect(client.screen().joined().contains("no daemon"))
        client.give(.keys([.control("d")]))
        #expect(client.effects.contains(.quit))
    }

    @Test("under a lock, open or not, nothing typed may be kept on the disk")
    func kept() {
        var client = Client()
        #expect(client.state.mayKeep)
        for (word, mayKeep) in [("open", false), ("locked", false), (nil, true)]
            as [(String?, Bool)]
        {
            client.give(.lost("gone"))
            client.asked = []
            client.give(.connected)
            client.answer(
                "status", .members(["id": .string(Client.ada), "lock": word.map { .string($0) }]))
            #expect(client.state.mayKeep == mayKeep, "\(word ?? "none")")
        }
    }

    @Test("a screen of any size has room for the passphrase", arguments: [1, 2, 3, 24])
    func sizes(rows: Int) {
        var client = Self.locked(isTyping: false)
        client.give(.resized(columns: 20, rows: rows))
        var state = client.state
        let frame = state.frame()
        #expect(frame.rows.count == rows)
        #expect(frame.cursor.row == rows - 1)
        #expect(frame.rows.allSatisfy { $0.columns <= 20 })
    }
}
