/// The answer of a method that lists something.
package protocol ListResult: ControlValue {
    associatedtype Element: ControlValue
    var items: [Element] { get }
    /// Where the next page begins; nil at the end.
    var next: String? { get }
}

/// A part of a list: the answer of every method that lists something and says no more.
package struct Page<Element: ControlValue>: ListResult {
    package var items: [Element] = []
    package var next: String?

    /// The elements, and a little around them.
    package var expectedBytes: Int { self.items.expectedBytes + 40 }

    /// An empty page.
    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("items", &self.items, .any, "The elements, in the order of the list.")
        visitor.field(
            "next", &self.next, .any, "Where the next page begins, for after; left out at the end.")
    }
}

/// Which part of a list: the parameters of every method that lists something, alone or behind others.
package struct PageParams: ControlValue {
    /// The most elements to return, 1 to `ControlLimits.pageItems`.
    package var limit: Int64?
    /// The `next` of the page before; nil for the beginning.
    package var after: String?

    /// The first page.
    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field(
            "limit", &self.limit, .range(1...Int64(ControlLimits.pageItems)),
            "The most elements to return; 100 by default, fewer if they are long.")
        visitor.field(
            "after", &self.after, .bytes(ControlLimits.pagePlaceBytes),
            "The next of the page before; left out: the first page.")
    }

    /// Reads where the page of a list begins; throws `invalidParams` for a place that is none of this
    /// list.
    ///
    /// - Parameter list: the name of the method.
    package func cut(of list: String) throws(RPCError) -> PageCut {
        let limit = self.limit.map(Int.init) ?? ControlLimits.pageItemsDefault
        guard let after = self.after else { return PageCut(list: list, limit: limit) }
        guard let place = PagePlace(after, in: list) else {
            throw .invalidParams(
                "\"after\" of \(list) is not a place in that list", reason: "badPlace",
                remedy: "give the \"next\" of the page before, or leave it out to start again",
                details: [JSON.Member("param", "after")])
        }
        return PageCut(list: list, limit: limit, after: place)
    }
}

/// Where an element stands in a list, whatever is added or removed around it: by its rank, then by its
/// key.
///
/// Both belong to the element and not to the moment, so that a list which changes from page to page
/// still shows all that stays in it once.
package struct PagePlace: Hashable, Comparable, Sendable {
    /// What comes first: 0 to 9.
    package let rank: Int
    /// What the element alone has; ordered by its bytes of UTF-8.
    package let key: String

    /// A place.
    ///
    /// - Precondition: the rank is one digit.
    package init(rank: Int, key: String) {
        precondition((0...9).contains(rank), "a rank is one digit")
        self.rank = rank
        self.key = key
    }

    /// Reads what ``text(in:)`` wrote; nil for anything else.
    init?(_ text: String, in list: String) {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == list, parts[1].utf8.count == 1,
            let digit = parts[1].utf8.first, (0x30...0x39).contains(digit)
        else { return nil }
        self.init(rank: Int(digit - 0x30), key: String(parts[2]))
    }

    /// The place as clients hand it back.
    func text(in list: String) -> String { "\(list):\(self.rank):\(self.key)" }

    /// Orders by rank, then by key.
    package static func < (left: PagePlace, right: PagePlace) -> Bool {
        guard left.rank == right.rank else { return left.rank < right.rank }
        return left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
    }
}

/// How a page is cut out of a list.
package struct PageCut: Hashable, Sendable {
    let list: String
    let limit: Int
    var after: PagePlace?

    /// Cuts the page: `limit` elements, or fewer where more would not fit into `byteLimit` bytes of JSON,
    /// and one at least.
    ///
    /// - Parameters:
    ///   - all: the whole list in any order; each place is there once.
    ///   - place: where an element stands; cheap, since it is asked of all.
    ///   - element: how it is shown; asked only of those that the page needs.
    package func page<Source, Element>(
        of all: some Sequence<Source>, byteLimit: Int, place: (Source) -> PagePlace,
        element: (Source) -> Element
    ) -> Page<Element> {
        var sources: [Source] = []
        var places: [PagePlace] = []
        for source in all {
            let place = place(source)
            if let after = self.after, !(after < place) { continue }
            sources.append(source)
            places.append(place)
        }
        // Numbers are sorted, whatever the list is of: a sort of any type takes several times as long.
        let order = places.indices.sorted { places[$0] < places[$1] }
        var page = Page<Element>()
        var bytes: [UInt8] = []
        for number in order.prefix(self.limit) {
            let shown = element(sources[number])
            shown.write(into: &bytes)
            bytes.append(0x2C)
            if bytes.count > byteLimit, !page.items.isEmpty { break }
            page.items.append(shown)
        }
        if page.items.count < order.count {
            page.next = places[order[page.items.count - 1]].text(in: self.list)
        }
        return page
    }
}
