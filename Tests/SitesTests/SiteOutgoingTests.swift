import ControlAPI
import Sites
import Testing

@Suite("What goes to other sites") struct SiteOutgoingTests {
    private static func item(_ name: String, mine: Bool = false) -> ExportItemsMethod.Item {
        ExportItemsMethod.Item {
            $0.subject = name
            $0.data = Base64(Array("\(name) sealed".utf8))
            $0.mine = mine ? true : nil
        }
    }

    private static func sent(_ name: String) -> SiteOutgoing.Item {
        SiteOutgoing.Item(subject: name, data: Array("\(name) sealed".utf8))
    }

    @Test(
        "goes at once where this device wrote it, and the cursor follows when the servers have it")
    func own() {
        var outgoing = SiteOutgoing()
        let (page, items) = outgoing.take([Self.item("a", mine: true)], cursor: "1", at: 0)
        #expect(items == [Self.sent("a")])
        #expect(outgoing.cursor == nil)
        outgoing.settled(items, of: page)
        #expect(outgoing.cursor == "1")
        let again = outgoing.take([Self.item("a", mine: true)], cursor: "2", at: 1)
        #expect(again.items.isEmpty, "the servers have it")
        #expect(outgoing.cursor == "2")
    }

    @Test("waits ten seconds for another author, and is not looked for where it was seen meanwhile")
    func others() {
        var outgoing = SiteOutgoing()
        let page = outgoing.take([Self.item("a"), Self.item("b")], cursor: "1", at: 5)
        #expect(page.items.isEmpty)
        #expect(outgoing.due(at: 10_004).isEmpty)
        #expect(outgoing.nextDue == 10_005)
        outgoing.saw(Self.sent("a"))
        let due = outgoing.due(at: 10_005)
        #expect(due.map(\.item) == [Self.sent("b")])
        #expect(outgoing.cursor == nil)
        outgoing.settled([Self.sent("b")], of: due[0].page)
        #expect(outgoing.cursor == "1")
        #expect(outgoing.nextDue == nil)
    }

    @Test("the cursor passes nothing that is not settled, in whatever order pages are")
    func order() {
        var outgoing = SiteOutgoing()
        let first = outgoing.take([Self.item("a", mine: true)], cursor: "1", at: 0)
        let second = outgoing.take([Self.item("b", mine: true)], cursor: "2", at: 0)
        outgoing.settled(second.items, of: second.page)
        #expect(outgoing.cursor == nil)
        outgoing.settled(first.items, of: first.page)
        #expect(outgoing.cursor == "2")
    }

    // Shows: sites.bounds
    @Test("of too much that waits the oldest is looked for early, and no more is asked for")
    func bound() {
        var outgoing = SiteOutgoing()
        let large = ExportItemsMethod.Item {
            $0.subject = "large"
            $0.data = Base64([UInt8](repeating: 7, count: SiteOutgoing.heldBytes))
        }
        _ = outgoing.take([large], cursor: "1", at: 0)
        #expect(!outgoing.hasRoom)
        _ = outgoing.take([Self.item("b")], cursor: "2", at: 0)
        #expect(outgoing.due(at: 0).map(\.item.subject) == ["large"])
        #expect(outgoing.hasRoom)
    }

    @Test("replaces what is forged, and what is known where it says more of it, and nothing else")
    func replacing() {
        var item = Self.sent("a")
        #expect(SiteOutgoing.replaces(item, .forged) && SiteOutgoing.replaces(item, .unsealed))
        #expect(!SiteOutgoing.replaces(item, .known))
        item.replaces = true
        #expect(SiteOutgoing.replaces(item, .known))
        for verdict in [ImportItemsMethod.Verdict.taken, .waits, .early, .foreign, .room] {
            #expect(!SiteOutgoing.replaces(item, verdict))
        }
    }
}
