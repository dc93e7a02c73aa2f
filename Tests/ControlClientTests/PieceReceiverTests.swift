import ControlAPI
import Testing

@testable import stoa

@Suite("Receiving a durable stream", .timeLimit(.minutes(5)))
struct PieceReceiverTests {
    /// Their line is more than one reading brings, so what stands before it is dealt with alone.
    private static let many = [UInt8](repeating: 0x61, count: 49_500)

    private static func piece(
        _ cursor: Int64, _ peer: Character = "a", at offset: Int64,
        _ bytes: [UInt8] = Array("hello".utf8), end: Bool? = nil
    ) -> FakeDaemon.Step {
        .event(
            StreamPieceEvent {
                $0.subscription = 1
                $0.cursor = cursor
                $0.conversation = CommandTests.id
                $0.peer = String(repeating: peer, count: 52)
                $0.peerName = "ada"
                $0.name = "dump"
                $0.session = 1
                $0.offset = offset
                $0.data = Base64(bytes)
                $0.end = end
            })
    }

    /// What ends a reading that goes on otherwise.
    private static let gap = FakeDaemon.Step.event(
        GapEvent {
            $0.subscription = 1
            $0.from = 20
            $0.to = 21
            $0.reason = "pruned"
        })

    /// A daemon that gives these to whoever subscribes.
    private static func daemon(_ steps: [FakeDaemon.Step]) throws -> FakeDaemon {
        try FakeDaemon { request in
            guard request.method == "subscribe" else { return [.result([:])] }
            return [CommandTests.subscribed(4)] + steps
        }
    }

    private static func acknowledged(_ cursor: Int64) -> String {
        #"{"consumer":"bot","conversation":"ops","cursor":\#(cursor)}"#
    }

    @Test("a consumer's position stays before a sending until that is whole")
    func whole() throws {
        let daemon = try Self.daemon([
            Self.piece(5, at: 0), Self.piece(6, at: 5),
            Self.piece(7, at: 10, Self.many, end: true),
        ])
        let run = try CommandRun(
            ["stream", "recv", "ops", "dump", "--consumer", "bot"], daemon: daemon)
        #expect(run.code == .done, "\(run.errors)")
        #expect(run.output.utf8.count == 10 + Self.many.count)
        #expect(daemon.params("acknowledge") == [Self.acknowledged(7)])
    }

    @Test("a sending that is cut off is not acknowledged, and the whole one before it is")
    func cutOff() throws {
        let daemon = try Self.daemon([
            Self.piece(5, at: 0, end: true), Self.piece(6, "b", at: 0),
            Self.piece(7, "b", at: 5, Self.many), Self.gap,
        ])
        let run = try CommandRun(
            ["stream", "recv", "ops", "dump", "--consumer", "bot", "--follow"], daemon: daemon)
        #expect(run.code == .inputOutput, "\(run.errors)")
        // Connections are served in turn: once a second one is answered, all of the first is read.
        _ = try CommandRun(["status"], daemon: daemon)
        #expect(daemon.params("acknowledge") == [Self.acknowledged(5)])
    }

    @Test("leaves out whom the user does not know, and says so; --by takes them")
    func strangers() throws {
        let steps = [
            Self.piece(5, "b", at: 0, end: true), Self.piece(6, "a", at: 0, end: true),
        ]
        func daemon() throws -> FakeDaemon {
            try FakeDaemon { request in
                switch request.method {
                case "people":
                    [
                        .result([
                            "items": [
                                ["id": .string(String(repeating: "a", count: 52)), "tier": "known"]
                            ]
                        ])
                    ]
                case "subscribe": [CommandTests.subscribed(4)] + steps
                default: [.result([:])]
                }
            }
        }
        let words = ["stream", "recv", "ops", "dump"]
        let known = try daemon()
        let run = try CommandRun(words + ["--consumer", "bot"], daemon: known)
        #expect(run.code == .done && run.output == "hello", "\(run.errors)")
        #expect(
            run.errors.contains(
                "is not a contact of yours; their data is left out (name them with --by)"))
        // What comes in two readings is acknowledged twice.
        #expect(known.params("acknowledge").last == Self.acknowledged(6))
        let chosen = try daemon()
        let named = try CommandRun(words + ["--by", "@b"], daemon: chosen)
        #expect(named.code == .done && named.errors.isEmpty)
        #expect(chosen.params("subscribe")[0].contains(#""authors":["@b"]"#))
        #expect(chosen.params("people").isEmpty)
    }

    @Test("packets of nobody are taken by the bare name of a stranger")
    func strangersPackets() throws {
        let id = String(repeating: "b", count: 52)
        let daemon = try FakeDaemon { _ in
            [.result(["id": .string(id), "name": "ben", "tier": "stranger"])]
        }
        let words = ["stream", "recv", "ops", "dump", "--ephemeral", "--by", "@ben"]
        let run = try CommandRun(words, daemon: daemon)
        #expect(run.code == .refused && run.errors.contains("@" + id.prefix(12)))
        #expect(daemon.params("openStream").isEmpty)
    }

    @Test("a sending that brings too little while another one waits gives way")
    func stalls() {
        var stall = StreamStall(
            waiting: StreamPieceEvent { ($0.peer, $0.peerName, $0.cursor) = ("b", "ben", 9) },
            at: 1_000)
        // One byte more renews nothing.
        for second in 1...29 { stall.note(1, at: 1_000 + UInt64(second) * 1_000) }
        #expect(!stall.isOver(at: 30_999) && stall.isOver(at: 31_000))
        #expect(stall.millisecondsLeft(at: 30_000) == 1_000)
        stall.note(1_024, at: 30_500)
        #expect(!stall.isOver(at: 60_499) && stall.isOver(at: 60_500))
    }

    @Test("whose pieces are left out is said once, and once more when a sending has ended")
    func leftOut() throws {
        let daemon = try Self.daemon([
            Self.piece(5, at: 0),
            Self.piece(6, "b", at: 0), Self.piece(7, "c", at: 0),
            Self.piece(8, "b", at: 5), Self.piece(9, "c", at: 5),
            Self.piece(10, at: 5, end: true),
            Self.piece(11, "b", at: 10), Self.piece(12, "b", at: 15), Self.gap,
        ])
        let run = try CommandRun(["stream", "recv", "ops", "dump", "--follow"], daemon: daemon)
        #expect(run.code == .inputOutput && run.output == "hellohello")
        #expect(run.errors.ranges(of: "sends this stream too").count == 2)
        #expect(run.errors.ranges(of: "started sending before this").count == 1)
    }
}
