import ControlAPI
import Posix
import Testing

@testable import Daemon

/// What clients of the control socket may send without harm to others.
@Suite(.serialized) struct HostileClientTests {
    private static let status = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\"}\n"

    private func code(_ json: JSON) -> Int64? { json["error"]?["code"]?.integerValue }

    // Shows: daemon.clients
    @Test("a line of 10 MiB is refused with its reason and the connection closed")
    func longLine() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        let part = String(repeating: "a", count: 1 << 20)
        // The daemon may close before all is sent.
        for _ in 0..<10 { try? client.write(part) }
        let answer = try client.read()
        #expect(self.code(answer) == -32600)
        #expect(answer["error"]?["data"]?["reason"] == "lineTooLong")
        #expect(client.isClosed())
        try daemon.ask("status")
    }

    @Test("100,000 brackets are a parse error and the connection goes on")
    func deepNesting() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        try client.write(String(repeating: "[", count: 100_000) + "\n")
        #expect(self.code(try client.read()) == -32700)
        try client.ask("status")
    }

    @Test(
        "bytes that are no JSON-RPC are answered with id null and the connection goes on",
        arguments: [
            ([0xff, 0xfe, 0x0a], Int64(-32700)), ([0x00, 0x0a], -32700),
            (Array("{\"jsonrpc\":\"2.0\"\0}\n".utf8), -32700), (Array("[]\n".utf8), -32600),
            (Array("7\n".utf8), -32600), (Array("{}\n".utf8), -32600),
        ] as [([UInt8], Int64)])
    func noise(bytes: [UInt8], code: Int64) throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        try client.connection.writeAll(bytes)
        let answer = try client.read()
        #expect(self.code(answer) == code)
        #expect(answer["id"] == .null)
        try client.ask("status")
    }

    @Test("a request that comes one byte at a time is answered")
    func slowWriter() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        for byte in Self.status.utf8 { try client.connection.writeAll([byte]) }
        #expect(try client.read()["result"] != nil)
    }

    @Test("a client that has finished sending still gets its answers")
    func halfClosed() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        try client.write(String(repeating: Self.status, count: 20))
        client.connection.descriptor.finishSending()
        for _ in 0..<20 { #expect(try client.read()["result"] != nil) }
        #expect(client.isClosed())
    }

    @Test("clients that go without reading their answers leave nothing behind")
    func vanishing() throws {
        let daemon = try TestDaemon()
        for _ in 0..<50 { try daemon.connect().write(Self.status) }
        try daemon.ask("status")
    }

    @Test("200 clients at once are all served")
    func manyClients() throws {
        let daemon = try TestDaemon()
        let clients = try (0..<200).map { _ in try daemon.connect() }
        for client in clients { try client.write(Self.status) }
        for client in clients { #expect(try client.read()["result"] != nil) }
    }

    // Shows: daemon.clients
    @Test("a client beyond the limit is told that the daemon is busy")
    func tooManyClients() throws {
        var bounds = ControlBounds()
        bounds.clients = 4
        let daemon = try TestDaemon(bounds: bounds)
        let clients = try (0..<4).map { _ in try daemon.connect() }
        for client in clients { try client.ask("status") }
        let late = try daemon.connect()
        #expect(self.code(try late.read()) == -32008)
        #expect(late.isClosed())
        try clients[0].ask("status")
    }

    // Shows: daemon.clients
    @Test("a client that asks without reading stops itself and is then closed with the reason")
    func neverReads() throws {
        var bounds = ControlBounds()
        bounds.stallMilliseconds = 300
        bounds.lingerMilliseconds = 60_000
        let daemon = try TestDaemon(bounds: bounds)
        let client = try daemon.connect()
        let request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rpc.discover\"}\n"
        try client.write(String(repeating: request, count: 200))
        // Another client is served meanwhile, until the first one has been given up.
        let other = try daemon.connect()
        let deadline = SystemClock.monotonicMilliseconds() + 10_000
        while SystemClock.monotonicMilliseconds() < deadline {
            try other.ask("status")
            _ = try waitUntilReadable([], timeoutMilliseconds: 5)
        }
        var answers = 0
        var last = try client.read()
        while last["result"] != nil {
            answers += 1
            last = try client.read()
        }
        #expect(self.code(last) == -32010)
        #expect(answers < 200)
        #expect(client.isClosed())
    }

    @Test("all requests of a client that reads late are answered, in bounded portions")
    func readsLate() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        let request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rpc.discover\"}\n"
        try client.write(String(repeating: request, count: 100))
        try daemon.ask("status")
        for _ in 0..<100 { #expect(try client.read()["result"] != nil) }
    }

    @Test("a batch is answered as a whole, and notifications in it are not")
    func batch() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        try client.write(
            """
            [{"jsonrpc":"2.0","id":1,"method":"status"},{"jsonrpc":"2.0","method":"status"},7,\
            {"jsonrpc":"2.0","id":"two","method":"nothing"},{"jsonrpc":"2.0","id":3,"method":"rooms"}]

            """)
        let answers = try #require(try client.read().arrayValue)
        #expect(answers.count == 4)
        #expect(answers[0]["result"]?["version"] != nil)
        #expect(self.code(answers[1]) == -32600)
        #expect(answers[2]["id"] == "two")
        #expect(self.code(answers[2]) == -32601)
        #expect(answers[3]["result"] == ["items": []])
    }

    @Test("a batch of nothing but faults is answered; one of notifications is not")
    func silentBatch() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        try client.write("[1,2]\n")
        #expect(try client.read().arrayValue?.count == 2)
        try client.write("[{\"jsonrpc\":\"2.0\",\"method\":\"status\"}]\n")
        try client.ask("rooms")
    }

    @Test("a batch of too many large answers gets some and an error for the rest")
    func largeBatch() throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect()
        let one = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rpc.discover\"}"
        try client.write("[" + Array(repeating: one, count: 40).joined(separator: ",") + "]\n")
        let answers = try #require(try client.read().arrayValue)
        #expect(answers.count { $0["result"] != nil } == 4)
        #expect(answers.count { self.code($0) == -32008 } == 36)
    }
}
