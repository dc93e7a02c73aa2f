import ControlAPI
import Posix
import TestSupport
import Testing

@testable import stoa

@Suite("A durable stream that is received")
struct StreamSendingTests {
    private func piece(
        _ peer: String = "ada", _ session: Int64 = 1, at offset: Int64, end: Bool = false,
        bytes: Int = 1
    ) -> StreamPieceEvent {
        StreamPieceEvent {
            $0.peer = peer
            $0.session = session
            $0.offset = offset
            $0.data = Base64([UInt8](repeating: 0, count: bytes))
            $0.end = end
        }
    }

    @Test("is written from its beginning to its end, piece behind piece")
    func whole() throws {
        var sending: StreamSending?
        for (offset, end) in [(0, false), (10, false), (20, true)] {
            let verdict = try StreamSending.judge(
                self.piece(at: Int64(offset), end: end, bytes: 10), behind: sending)
            guard case .write(let next) = verdict else {
                Issue.record("\(verdict)")
                return
            }
            sending = next
            #expect(next?.bytes == (end ? nil : Int64(offset) + 10))
        }
    }

    @Test("is never written with a hole, with bytes twice, or from its middle on")
    func holes() throws {
        let ten = StreamSending(peer: "ada", session: 1, bytes: 10)
        for offset in [Int64(0), 9, 11, .max] {
            #expect(throws: StreamSending.Fault.missing(after: 10, next: offset)) {
                try StreamSending.judge(self.piece(at: offset), behind: ten)
            }
        }
        #expect(
            try StreamSending.judge(self.piece(at: 5), behind: nil) == .beginningMissed)
    }

    @Test("is not mixed with another one; a sender who begins anew leaves the first without an end")
    func others() throws {
        let ten = StreamSending(peer: "ada", session: 1, bytes: 10)
        #expect(
            try StreamSending.judge(self.piece("ben", at: 10), behind: ten) == .another)
        #expect(
            try StreamSending.judge(self.piece("ada", 2, at: 10), behind: ten) == .another
        )
        #expect(throws: StreamSending.Fault.begunAnew) {
            try StreamSending.judge(self.piece("ada", 2, at: 0), behind: ten)
        }
    }

    @Test("goes on in its file where it was: what was written and not kept is cut off")
    func file() throws {
        let folder = try TestFolder()
        let path = folder("out")
        let sending = StreamSending(peer: "ada", session: 7, bytes: 3)
        let first = try StreamFile(path)
        #expect(first.position == nil)
        try first.keep(4, nil)
        try first.append([1, 2, 3])
        try first.keep(5, sending)
        try first.append([9, 9])
        let second = try StreamFile(path)
        #expect(second.position == StreamFile.Position(cursor: 5, size: 3, sending: sending))
        try second.append([4])
        try second.keep(6, nil)
        #expect(TestFiles.read(path) == [1, 2, 3, 4])
        #expect(try StreamFile(path).position == StreamFile.Position(cursor: 6, size: 4))
    }

    @Test("is written into no file that something else has made, or that is shorter than it was")
    func foreignFile() throws {
        let folder = try TestFolder()
        try Files.writeAtomically(Array("a letter".utf8), to: folder("letter"))
        #expect(throws: Failure.self) { try StreamFile(folder("letter")) }
        let file = try StreamFile(folder("out"))
        try file.append([1, 2, 3])
        try file.keep(5, nil)
        try Files.writeAtomically([], to: folder("out"))
        #expect(throws: Failure.self) { try StreamFile(folder("out")) }
        #expect(TestFiles.read(folder("letter")) == Array("a letter".utf8))
    }
}
