/// A set whose order depends on nothing but on what was done to it: whichever of its elements are taken,
/// they are the same in each run.
struct ListedSet<Element: Hashable & Sendable>: Sendable {
    /// The elements: a new one is the last, and the last takes the place of one that is removed.
    private(set) var elements: [Element] = []
    private var places: [Element: Int] = [:]

    var isEmpty: Bool { self.elements.isEmpty }

    func contains(_ element: Element) -> Bool { self.places[element] != nil }

    mutating func insert(_ element: Element) {
        guard self.places[element] == nil else { return }
        self.places[element] = self.elements.count
        self.elements.append(element)
    }

    mutating func remove(_ element: Element) {
        guard let place = self.places.removeValue(forKey: element) else { return }
        let last = self.elements.removeLast()
        guard place < self.elements.count else { return }
        self.elements[place] = last
        self.places[last] = place
    }
}
