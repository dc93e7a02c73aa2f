import Testing

@testable import Engine
@testable import Formats

@Suite("Rows of a peer") struct PeerRowsTests {
    private static func row(
        _ seq: UInt64, _ state: ClockRow.State = .open, whole: UInt64? = nil
    ) -> ClockRow {
        var row = ClockRow(tag: 9, state: state, seq: seq, headTag: seq &+ 100)
        row.whole = whole
        return row
    }

    @Test("each is as it was told, but for its tag, and is news only once")
    func update() {
        var rows = PeerRows()
        let told = [
            (3 as UInt32, Self.row(7)), (0, Self.row(0, .refused)), (5, Self.row(9, whole: 4)),
            (4, Self.row(UInt64(Int64.max))),
        ]
        for (number, row) in told {
            let isNews = rows.update(row, of: number)
            var tagless = row
            tagless.tag = 0
            #expect(isNews && rows[number] == tagless)
            let isNewsAgain = rows.update(row, of: number)
            #expect(!isNewsAgain)
        }
        #expect(rows.count == 4 && rows.refused == [0])
        #expect(rows[1] == nil && rows[6] == nil && rows[1_000] == nil)
    }

    @Test("one that says more becomes one that does not, and the other way round")
    func change() {
        var rows = PeerRows()
        for row in [Self.row(9, whole: 4), Self.row(9), Self.row(9, .refused), Self.row(10)] {
            let isNews = rows.update(row, of: 2)
            #expect(isNews && rows.count == 1)
            #expect(rows[2]?.seq == row.seq && rows[2]?.state == row.state)
            #expect(rows[2]?.whole == row.whole)
        }
        #expect(rows.refused.isEmpty)
    }

    @Test("what is special about them is forgotten but for some, and how far each log goes stays")
    func specials() {
        var rows = PeerRows()
        rows.update(Self.row(9, whole: 4), of: 1)
        rows.update(Self.row(8, .refused), of: 2)
        rows.update(Self.row(7), of: 3)
        #expect(rows.specialCount == 2)
        rows.forgetSpecials { $0 == 2 }
        #expect(rows.specialCount == 1 && rows.count == 3 && rows.refused == [2])
        #expect(rows[1]?.seq == 9 && rows[1]?.headTag == 109 && rows[1]?.whole == nil)
    }

    @Test("one that is forgotten is gone, whatever it said")
    func remove() {
        var rows = PeerRows()
        rows.update(Self.row(1), of: 1)
        rows.update(Self.row(2, .refused), of: 2)
        let gone = [1, 2, 1, 3].map { rows.remove($0) }
        #expect(gone == [true, true, false, false])
        #expect(rows.isEmpty && rows.refused.isEmpty && rows[1] == nil && rows[2] == nil)
    }
}
