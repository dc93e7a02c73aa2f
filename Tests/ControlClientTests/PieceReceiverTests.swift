import ControlAPI
import Testing

@testable import stoa

@Suite("Receiving a durable stream", .timeLimit(.minutes(1)))
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
        #expect(run.errors.ranges(of: "sends this stream, too").count == 2)
        #expect(run.errors.ranges(of: "has begun before this").count == 1)
    }
}
