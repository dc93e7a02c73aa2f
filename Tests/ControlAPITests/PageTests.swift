import ControlAPI
import Testing

@Suite("Pages of lists")
struct PageTests {
    private struct Item: ControlValue {
        var name = ""
        mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name, .any, "")
        }
    }

    private static func page(
        _ names: [String], _ params: PageParams = .init(), byteLimit: Int = 1 << 20
    ) throws -> Page<Item> {
        try params.cut(of: "names").page(of: names, byteLimit: byteLimit) { name in
            PagePlace(rank: name.hasPrefix("friend") ? 0 : 1, key: name)
        } element: { name in
            Item { $0.name = name }
        }
    }

    private static func refusal(_ after: String) -> RPCError? {
        do {
            _ = try PageParams { $0.after = after }.cut(of: "names")
            return nil
        } catch { return error }
    }

    @Test("a list comes page by page, what has the lower rank first, then by key")
    func order() throws {
        let names = ["b", "friend z", "a", "friend c", "d"]
        var (seen, params): ([[String]], PageParams) = ([], PageParams { $0.limit = 2 })
        repeat {
            let page = try Self.page(names, params)
            seen.append(page.items.map(\.name))
            params.after = page.next
        } while params.after != nil
        #expect(seen == [["friend c", "friend z"], ["a", "b"], ["d"]])
    }

    @Test("the last page has no next, also where it is full or the list is empty")
    func ends() throws {
        #expect(try Self.page(["a", "b"], PageParams { $0.limit = 2 }).next == nil)
        #expect(try Self.page([]) == Page())
        let hundred = (100..<201).map { "\($0)" }
        let page = try Self.page(hundred)
        #expect(page.items.count == 100 && page.next == "names:1:199")
    }

    @Test("what stays in a list is shown once, whatever comes and goes between the pages")
    func changing() throws {
        let first = try Self.page(["b", "d", "f", "h"], PageParams { $0.limit = 2 })
        #expect(first.items.map(\.name) == ["b", "d"])
        // One shown is gone, another one too, and others have come before and behind.
        let rest = try Self.page(
            ["a", "b", "e", "f", "h", "i"], PageParams { $0.after = first.next })
        #expect(rest.items.map(\.name) == ["e", "f", "h", "i"])
    }

    // Shows: daemon.strangers
    @Test("a page ends before it is too long for a line, and has one element at least")
    func bytes() throws {
        let long = (0..<9).map { "\($0)" + String(repeating: "\u{1}", count: 99) }
        let page = try Self.page(long, byteLimit: 2_000)
        var bytes: [UInt8] = []
        page.items.write(into: &bytes)
        #expect(page.items.count == 3 && bytes.count <= 2_000)
        #expect(page.next?.hasPrefix("names:1:2") == true)
        #expect(try Self.page(long, byteLimit: 0).items.count == 1)
    }

    @Test("keys may hold anything")
    func keys() throws {
        let names = ["a:b:c", ":", "", "\u{0}", "é", "e\u{301}", "\u{1F600}"]
        var (seen, params): ([String], PageParams) = ([], PageParams { $0.limit = 1 })
        repeat {
            let page = try Self.page(names, params)
            seen += page.items.map(\.name)
            params.after = page.next
        } while params.after != nil
        #expect(
            seen.map { Array($0.utf8) }
                == names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test("what is no place of the list is refused with a remedy")
    func badPlaces() {
        for after in [
            "", "x", "names", "names:1", "names:x:a", "names:10:a", "names:-1:a", "rooms:1:a",
        ] {
            let refusal = Self.refusal(after)
            #expect(
                refusal?.knownCode == .invalidParams && refusal?.reason == "badPlace", "\(after)")
            #expect(refusal?.remedy?.contains("next") == true)
            #expect(refusal?.data?["param"] == "after")
        }
        #expect(Self.refusal("names:1:") == nil)
    }

    @Test("a limit is 1 to 1,000")
    func limits() {
        for limit: Int64 in [0, -1, 1_001] {
            let params = RPCParams.named([.init("limit", .integer(limit))])
            #expect(throws: RPCError.self) { try RoomsMethod.read(params) }
        }
    }
}
