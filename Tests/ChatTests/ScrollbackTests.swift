import Testing

@testable import Chat

@Suite("The part of a conversation that is here")
struct ScrollbackTests {
    private func message(_ id: Int, bytes: Int = 1) -> ChatMessage {
        var message = ChatMessage(note: "", isFault: false, id: "\(id)", time: 0)
        message.kind = .text
        message.text = String(repeating: "x", count: bytes)
        message.cursor = Int64(id)
        return message
    }

    private func page(_ ids: [Int]) -> [ChatMessage] { ids.map { self.message($0) } }

    private func ids(_ scrollback: Scrollback) -> [Int] {
        scrollback.messages.compactMap { Int($0.id) }
    }

    @Test("a page takes its place by what is known of it, at either end where nothing is")
    func merging() {
        var scrollback = Scrollback()
        scrollback.merge(self.page([10, 20, 30]), isOlder: false)
        scrollback.merge(self.page([5, 10, 15, 20, 25]), isOlder: true)
        #expect(self.ids(scrollback) == [5, 10, 15, 20, 25, 30])
        scrollback.merge(self.page([1, 2]), isOlder: true)
        scrollback.merge(self.page([40]), isOlder: false)
        #expect(self.ids(scrollback) == [1, 2, 5, 10, 15, 20, 25, 30, 40])
        for id in self.ids(scrollback) {
            #expect(scrollback.index(of: "\(id)") == self.ids(scrollback).firstIndex(of: id))
        }
    }

    @Test("the same message again changes what is here, and is not shown twice")
    func again() {
        var scrollback = Scrollback()
        scrollback.append(self.message(1))
        scrollback.append(self.message(1, bytes: 5))
        #expect(scrollback.messages.count == 1)
        #expect(scrollback["1"]?.text == "xxxxx")
        #expect(scrollback["1"]?.version == 1)
    }

    @Test("it is cut at the end that is not looked at, and holds no more than its bound")
    func trimming() {
        var scrollback = Scrollback()
        for id in 0..<2_000 {
            scrollback.append(self.message(id, bytes: 10_000))
            scrollback.trim(keepingOldest: false)
            #expect(scrollback.bytes <= Scrollback.byteLimit + 10_300)
        }
        #expect(scrollback.hasOlder && !scrollback.hasNewer)
        #expect(self.ids(scrollback).last == 1_999)
        #expect(scrollback.index(of: "1999") == scrollback.messages.count - 1)
        let first = self.ids(scrollback)[0]
        for id in 3_000..<4_000 {
            scrollback.append(self.message(id, bytes: 10_000))
            scrollback.trim(keepingOldest: true)
        }
        #expect(scrollback.hasNewer)
        #expect(self.ids(scrollback)[0] == first)
        #expect(scrollback.bytes <= Scrollback.byteLimit + 10_300)
    }
}
