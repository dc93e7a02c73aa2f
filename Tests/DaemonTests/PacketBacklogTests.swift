import Testing

@testable import Daemon

@Suite("Packets that wait for a client")
struct PacketBacklogTests {
    private func item(_ number: UInt8, missing: Int64 = 1) -> PacketBacklog.Item {
        PacketBacklog.Item(line: [number], isPacket: true, missing: missing)
    }

    @Test("are the newest; what gave way is counted")
    func newest() {
        var backlog = PacketBacklog()
        for number in 0..<UInt8(PacketBacklog.limit + 3) { backlog.add(self.item(number)) }
        backlog.add(PacketBacklog.Item(line: [255], isPacket: false, missing: 7))
        #expect(backlog.dropped == 4)
        #expect(backlog.packets == Int64(PacketBacklog.limit - 1))
        let taken = backlog.take()
        #expect(taken.items.first?.line == [4])
        #expect(taken.items.last?.line == [255])
        #expect(backlog.isEmpty && backlog.dropped == 0)
    }

    @Test("may be any number by what a peer says, and the count stays one")
    func huge() {
        var backlog = PacketBacklog()
        backlog.add(self.item(0, missing: .max))
        for number in 0..<UInt8(2 * PacketBacklog.limit) { backlog.add(self.item(number)) }
        #expect(backlog.dropped == .max)
    }
}
