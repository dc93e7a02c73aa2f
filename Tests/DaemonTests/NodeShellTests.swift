import ControlAPI
import Posix
import TestSupport
import Testing

@testable import Daemon

/// Whole nodes in this process, over loopback and their real control sockets.
@Suite(.serialized) struct NodeShellTests {
    /// Two nodes, the second of which keeps a link to the first.
    private func pair() throws -> (TestDaemon, TestDaemon) {
        let ada = try TestDaemon(name: "ada")
        let bob = try TestDaemon(name: "bob", peers: [try ada.address()])
        return (ada, bob)
    }

    private func send(
        _ text: String, to room: String = "ops", wait: String = "delivered"
    ) -> JSON {
        [
            "to": .string(room), "text": .string(text), "wait": .string(wait),
            "timeoutMilliseconds": 60_000,
        ]
    }

    @Test("a message goes from one node to the other and its delivery is said")
    func delivery() throws {
        let (ada, bob) = try self.pair()
        try ada.ask("join", ["room": "ops"])
        try bob.ask("join", ["room": "ops"])
        let reader = try bob.connect()
        try reader.ask("subscribe", ["to": "ops", "from": 0])
        let sent = try ada.ask("send", self.send("hello"))
        let bobID = try #require(try bob.ask("status")["id"])
        #expect(sent["deliveredTo"] == .array([bobID]))
        var message = try reader.message()
        while message["kind"] != "text" { message = try reader.message() }
        #expect(message["text"] == "hello")
        #expect(message["authorName"] == "ada")
        #expect(message["conversationName"] == "ops")
        #expect(message["id"] == sent["id"])
        let history = try bob.ask("history", ["to": "ops", "limit": 1])
        #expect(history["messages"]?.arrayValue?.first?["text"] == "hello")
        #expect(history["more"] == true)
    }

    @Test("a message sent while the other is away arrives when it is back, after both restarted")
    func storeAndForward() throws {
        let adaDirectory = try TestFolder()
        let bobDirectory = try TestFolder()
        do {
            let ada = try TestDaemon(name: "ada", directory: adaDirectory)
            try ada.ask("join", ["room": "ops"])
            try ada.ask("send", self.send("first", wait: "sent"))
            ada.stop()
        }
        let ada = try TestDaemon(name: "ada", directory: adaDirectory)
        let bob = try TestDaemon(
            name: "bob", peers: [try ada.address()], directory: bobDirectory)
        let reader = try bob.connect()
        try reader.ask("subscribe", ["from": 0])
        try bob.ask("join", ["room": "ops"])
        var texts: [JSON] = []
        while texts.isEmpty {
            let message = try reader.message()
            if message["kind"] == "text" { texts.append(try #require(message["text"])) }
        }
        #expect(texts == ["first"])
    }

    @Test("history comes to its end beside live messages, and none of either is lost")
    func historyBesideLive() throws {
        let ada = try TestDaemon(name: "ada")
        try ada.ask("join", ["room": "archive"])
        let archivist = try ada.connect()
        // Several checkpoints' worth, so that these are made beside the live messages, too.
        let count = 2_000
        for number in 1..<count {
            try archivist.write(
                """
                {"jsonrpc":"2.0","method":"send","params":{"to":"archive","text":"\(number)"}}

                """)
        }
        try archivist.ask("send", self.send("\(count)", to: "archive", wait: "sent"))

        let bob = try TestDaemon(name: "bob", peers: [try ada.address()])
        for daemon in [ada, bob] { try daemon.ask("join", ["room": "live"]) }
        let writer = try ada.connect()
        try writer.ask("send", self.send("0", to: "live"))
        let reader = try bob.connect()
        try reader.ask("subscribe", ["from": 0])
        try bob.ask("join", ["room": "archive"])
        var (history, live, sent) = (0, 0, 1)
        while history < count || live < sent {
            // A history that never ends must not be waited for as long.
            if history < count, sent < count {
                try writer.ask("send", self.send("\(sent)", to: "live", wait: "sent"))
                sent += 1
            }
            let message = try reader.message()
            guard message["kind"] == "text" else { continue }
            if message["conversationName"] == "live" {
                #expect(message["text"] == .string("\(live)"))
                live += 1
            } else {
                history += 1
                #expect(message["text"] == .string("\(history)"))
            }
        }
    }

    @Test("the same idempotency key sends one message, also after a restart")
    func idempotency() throws {
        let directory = try TestFolder()
        let params: JSON = ["to": "ops", "text": "once", "idempotencyKey": "k1"]
        let first: JSON
        do {
            let ada = try TestDaemon(directory: directory)
            try ada.ask("join", ["room": "ops"])
            first = try ada.ask("send", params)
            #expect(first["duplicate"] == false)
            #expect(try ada.ask("send", params)["duplicate"] == true)
            ada.stop()
        }
        let ada = try TestDaemon(directory: directory)
        let again = try ada.ask("send", params)
        #expect(again["duplicate"] == true)
        #expect(again["id"] == first["id"])
        let texts = try ada.ask("history", ["to": "ops"])["messages"]?.arrayValue?
            .filter { $0["kind"] == "text" }
        #expect(texts?.count == 1)
    }

    @Test("a subscriber gets every message once and in order, from the store and then live")
    func subscription() throws {
        let daemon = try TestDaemon()
        let writer = try daemon.connect()
        try writer.ask("join", ["room": "ops"])
        for number in 0..<600 { try writer.ask("send", self.send("\(number)", wait: "sent")) }
        let reader = try daemon.connect()
        try reader.ask("subscribe", ["to": "ops", "from": 0])
        for number in 600..<700 { try writer.ask("send", self.send("\(number)", wait: "sent")) }
        var cursor: Int64 = 0
        var texts: [String] = []
        while texts.count < 700 {
            let message = try reader.message()
            let next = try #require(message["cursor"]?.integerValue)
            #expect(next > cursor)
            cursor = next
            if message["kind"] == "text" {
                texts.append(try #require(message["text"]?.stringValue))
            }
        }
        #expect(texts == (0..<700).map { "\($0)" })
    }

    @Test("a subscriber that reads late loses nothing")
    func lateReader() throws {
        let daemon = try TestDaemon()
        let writer = try daemon.connect()
        try writer.ask("join", ["room": "ops"])
        let reader = try daemon.connect()
        try reader.ask("subscribe", ["to": "ops"])
        // 6 MB, far more than sockets and buffers hold.
        let filler = String(repeating: "x", count: 60_000)
        for number in 0..<100 {
            try writer.ask("send", self.send("\(number) \(filler)", wait: "sent"))
        }
        for number in 0..<100 {
            let text = try #require(try reader.message()["text"]?.stringValue)
            #expect(text.hasPrefix("\(number) "))
        }
    }

    @Test("a durable consumer goes on where it has acknowledged, over a restart of the daemon")
    func durableConsumer() throws {
        let directory = try TestFolder()
        var cursor: JSON = 0
        do {
            let daemon = try TestDaemon(directory: directory)
            let client = try daemon.connect()
            try client.ask("join", ["room": "ops"])
            try client.ask("subscribe", ["consumer": "bot"])
            for text in ["one", "two", "three"] {
                try client.ask("send", self.send(text, wait: "sent"))
            }
            let first = try client.message()
            #expect(first["text"] == "one")
            cursor = try #require(first["cursor"])
            try client.ask("acknowledge", ["consumer": "bot", "cursor": cursor])
            daemon.stop()
        }
        let daemon = try TestDaemon(directory: directory)
        let client = try daemon.connect()
        let subscribed = try client.ask("subscribe", ["consumer": "bot"])
        #expect(subscribed["cursor"] == cursor)
        #expect(try client.message()["text"] == "two")
        #expect(try client.message()["text"] == "three")
    }

    @Test(
        "a position that does not exist is not acknowledged: the error names what is wrong or missing"
    )
    func acknowledgeNothing() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        try client.ask("join", ["room": "ops"])
        try client.ask("subscribe", ["to": "ops", "consumer": "bot"])
        try client.ask("subscribe", ["consumer": "all", "from": 0])
        let sent = try client.ask("send", self.send("one", wait: "sent"))
        let cursor = try #require(sent["cursor"])
        func refusal(_ params: JSON) -> [String?] {
            do {
                try client.ask("acknowledge", params)
                return []
            } catch TestClientError.rpc(let error) {
                return [error.reason, error.param]
            } catch { return ["\(error)"] }
        }
        #expect(refusal(["consumer": "bot", "cursor": cursor]) == ["noPosition", "conversation"])
        #expect(
            refusal(["consumer": "all", "conversation": "ops", "cursor": cursor])
                == ["noPosition", "conversation"])
        #expect(refusal(["consumer": "bto", "cursor": cursor]) == ["unknownConsumer", "consumer"])
        #expect(refusal(["cursor": cursor]) == ["missingParam", "conversation"])
        #expect(refusal(["consumer": "bot", "conversation": "ops", "cursor": cursor]) == [])
        #expect(refusal(["consumer": "all", "cursor": cursor]) == [])
        // Nothing was made by what was refused.
        let consumers = try client.list("consumers")
        #expect(consumers.map { $0["cursor"] } == [cursor, cursor])
    }

    @Test("a cursor from the future is said as a gap, and acknowledging one is refused")
    func cursorAhead() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        try client.ask("join", ["room": "ops"])
        try client.ask("subscribe", ["from": 1_000])
        #expect(try client.read()["method"] == "gap")
        #expect(
            errorCode { try client.ask("acknowledge", ["consumer": "c", "cursor": 1_000]) }
                == .invalidParams)
        try client.ask("send", self.send("still live", wait: "sent"))
        #expect(try client.message()["text"] == "still live")
    }

    @Test("unread counts fall when the user has read")
    func unread() throws {
        let (ada, bob) = try self.pair()
        try ada.ask("join", ["room": "ops"])
        try bob.ask("join", ["room": "ops"])
        try ada.ask("send", self.send("one"))
        let sent = try ada.ask("send", self.send("two"))
        let before = try bob.list("conversations").first
        #expect(before?["lastMessage"]?["id"] == sent["id"])
        let cursor = try #require(before?["lastMessage"]?["cursor"])
        #expect(try #require(before?["unread"]?.integerValue) >= 2)
        try bob.ask("acknowledge", ["conversation": "ops", "cursor": cursor])
        #expect(try bob.list("conversations").first?["unread"] == 0)
    }

    @Test("history goes backwards and forwards page by page, within one line")
    func history() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        try client.ask("join", ["room": "ops"])
        let filler = String(repeating: "\u{1}", count: 60_000)
        for number in 0..<7 {
            try client.ask("send", self.send("\(number)\(filler)", wait: "sent"))
        }
        var seen: [String] = []
        var before: JSON?
        while true {
            let page = try client.ask("history", .members(["to": "ops", "before": before]))
            #expect(page.bytes.count < 1 << 20)
            let messages = try #require(page["messages"]?.arrayValue)
            seen =
                messages.filter { $0["kind"] == "text" }
                .compactMap { ($0["text"]?.stringValue?.prefix(1)).map { String($0) } } + seen
            before = messages.first?["id"]
            if page["more"] == false { break }
        }
        #expect(seen == (0..<7).map { "\($0)" })
        let first = try client.ask("history", ["to": "ops", "after": try #require(before)])
        #expect(first["messages"]?.arrayValue?.first?["text"]?.stringValue?.first == "0")
        #expect(
            errorCode {
                try client.ask(
                    "history", ["to": "ops", "before": .string(String(repeating: "a", count: 52))])
            } == .notFound)
    }

    // Shows: shown.names
    @Test("wrong names, rooms and addresses get errors that say what to do")
    func errors() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        #expect(errorCode { try client.ask("send", self.send("x", to: "nowhere")) } == .notFound)
        #expect(errorCode { try client.ask("join", ["room": "No Spaces"]) } == .invalidParams)
        #expect(errorCode { try client.ask("leave", ["room": "nowhere"]) } == .notFound)
        #expect(errorCode { try client.ask("whois", ["person": "@nobody"]) } == .notFound)
        #expect(errorCode { try client.ask("connect", ["address": "nowhere"]) } == .invalidParams)
        #expect(errorCode { try client.ask("unsubscribe", ["subscription": 7]) } == .notFound)
        #expect(errorCode { try client.ask("nothing") } == .methodNotFound)
        #expect(
            errorCode {
                try client.ask(
                    "send",
                    ["to": "ops", "text": .string(String(repeating: "x", count: 65_001))])
            } == .tooLarge)
    }

    @Test("the profile is changed, shown and kept over a restart")
    func profile() throws {
        let directory = try TestFolder()
        do {
            let daemon = try TestDaemon(name: "ada", directory: directory)
            #expect(try daemon.ask("profile")["name"] == "ada")
            let changed = try daemon.ask("profile", ["name": "Ada L.", "status": "at tea"])
            #expect(changed["name"] == "Ada L.")
            daemon.stop()
        }
        let daemon = try TestDaemon(name: "ada", directory: directory)
        let kept = try daemon.ask("profile")
        #expect(kept["name"] == "Ada L.")
        #expect(kept["status"] == "at tea")
        #expect(try daemon.ask("status")["name"] == "Ada L.")
    }

    @Test(
        "a picture is taken where it is one, kept over a restart, given to clients, and taken away")
    func picture() throws {
        let directory = try TestFolder()
        let files = "\(directory.path)/data/files"
        let png: [UInt8] =
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 7, count: 5_000)
        do {
            let daemon = try TestDaemon(name: "ada", directory: directory)
            let client = try daemon.connect()
            #expect(refusal { try client.ask("picture") } == "noPicture")
            #expect(refusal { try client.ask("profile", ["picture": true]) } == "noDescriptor")
            let wrong = [
                (Array("GIF89a, or so it says".utf8), "notPicture"), ([], "notPicture"),
                (png + [UInt8](repeating: 0, count: 262_144), "tooLarge"),
            ]
            for (bytes, reason) in wrong {
                let found = refusal {
                    do {
                        _ = try client.ask("profile", ["picture": true], passing: bytes)
                    } catch TestClientError.rpc(let error) {
                        #expect(error.data?["param"] == "picture")
                        throw TestClientError.rpc(error)
                    }
                }
                #expect(found == reason)
            }
            try client.ask("subscribe", ["kinds": ["picture"]])
            _ = try client.ask("profile", ["picture": true], passing: png)
            let event = try client.notification("picture")
            #expect(event["picture"] == ["type": "png", "size": 5_008])
            #expect(TestFiles.names(in: files).count { !$0.hasSuffix(".tree") } == 1)
            daemon.stop()
        }
        let daemon = try TestDaemon(name: "ada", directory: directory)
        let client = try daemon.connect()
        try client.ask("subscribe", ["kinds": ["picture"]])
        #expect(try client.notification("picture")["picture"]?["type"] == "png")
        #expect(try client.ask("picture")["size"] == 5_008)
        #expect(try client.ask("whois", ["person": "@me"])["picture"]?["type"] == "png")
        #expect(try client.ask("profile", ["name": "Ada L."])["picture"]?["size"] == 5_008)
        #expect(try client.ask("profile", ["picture": false])["picture"] == nil)
        #expect(try client.notification("picture")["picture"] == .null)
        // Its content goes right after that is said.
        try awaitThat("it is gone") { TestFiles.names(in: files).isEmpty }
    }

    @Test("stopping answers what was sent, says goodbye and takes less than a second")
    func stop() throws {
        let (ada, bob) = try self.pair()
        try ada.ask("join", ["room": "ops"])
        try bob.ask("join", ["room": "ops"])
        try ada.ask("send", self.send("warm up"))
        let client = try ada.connect()
        let request: JSON = [
            "jsonrpc": "2.0", "id": 1, "method": "send",
            "params": ["to": "ops", "text": "last words"],
        ]
        for _ in 0..<100 { try client.connection.writeAll(request.line) }
        // The first answer shows that the daemon has the rest in hand or in its socket.
        let answer = try client.read()
        #expect(answer["result"] != nil)
        let begin = SystemClock.monotonicMilliseconds()
        ada.stop()
        let took = SystemClock.monotonicMilliseconds() - begin
        print("MEASURED the end of a daemon: \(took) ms, due 1000 ms")
        // Ten times what is promised: other tests run beside this one.
        #expect(took < 10 * 1_000)
        var answers = 1
        while let answer = try? client.read() {
            #expect(answer["result"] != nil || answer["error"]?["code"] == -32009)
            answers += 1
        }
        #expect(answers > 1)
        #expect(!Files.exists(ada.socket))
        // The other one was told rather than left to find out.
        let state = try bob.list("peers").first?["state"]
        #expect(state != "linked")
    }

    // Shows: daemon.handshakes
    @Test("connections that never finish a handshake do not keep others out for long")
    func silentStrangers() throws {
        let (ada, bob) = try self.pair()
        let address = try #require(SocketAddress(try ada.address()))
        var strangers: [StreamHolder] = []
        for _ in 0..<40 { strangers.append(StreamHolder(try StreamSocket.connect(to: address))) }
        try ada.ask("join", ["room": "ops"])
        try bob.ask("join", ["room": "ops"])
        try ada.ask("send", self.send("through"))
        withExtendedLifetime(strangers) {}
    }

    @Test("a stranger that speaks another protocol is listed among the refusals")
    func otherProtocol() throws {
        let ada = try TestDaemon()
        let address = try #require(SocketAddress(try ada.address()))
        let stranger = try StreamSocket.connect(to: address)
        var buffer = [UInt8](repeating: 0, count: 100)
        while case .failed = stranger.send(Array("GET / HTTP/1.1\r\n\r\n".utf8)) {}
        // The end comes once the daemon has given it up.
        while stranger.read(into: &buffer) == .wouldBlock {
            _ = try waitUntilReadable([stranger.number], timeoutMilliseconds: 60_000)
        }
        let refusals = try ada.list("refusals")
        #expect(refusals.count == 1)
        #expect(refusals.first?["reason"]?.stringValue?.isEmpty == false)
    }

    @Test("who floods behind a goodbye is cut off after a bounded number of bytes")
    func floodBehindGoodbye() throws {
        let ada = try TestDaemon()
        let address = try #require(SocketAddress(try ada.address()))
        let stranger = try StreamSocket.connect(to: address)
        let flood = [UInt8](repeating: 0x47, count: 65_536)
        var sent = 0
        let start = SystemClock.monotonicMilliseconds()
        flooding: while sent < 8 * PeerStream.drainBytes {
            switch stranger.send(flood) {
            case .bytes(let count): sent += count
            case .wouldBlock:
                // A connection that is cut off becomes readable.
                _ = try waitUntilReadable([stranger.number], timeoutMilliseconds: 1)
            case .failed:
                // Before the connection stands nothing can be written either.
                if sent > 0 { break flooding }
            }
        }
        // The rest is what both systems' buffers hold.
        #expect(sent <= 2 * PeerStream.drainBytes)
        let milliseconds = SystemClock.monotonicMilliseconds() - start
        print("MEASURED a flood behind a goodbye is cut off after \(milliseconds) ms")
        #expect(milliseconds <= 10 * PeerStream.drainMillisecondsMost)
    }
}

/// Lets an array hold descriptors.
final class StreamHolder {
    let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
}
