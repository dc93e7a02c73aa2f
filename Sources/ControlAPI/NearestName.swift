internal import Letters

/// Finds the word that someone probably meant.
package enum NearestName {
    /// Longer words are never compared, so a hostile word costs nothing.
    private static let wordCharacters = 40

    /// The candidate with the fewest edits from `word`, or nil when none is near.
    ///
    /// Near means at most a third of the word's length in edits, at least one: an insertion, a
    /// deletion, a substitution or a swap of neighbours (optimal string alignment). A candidate
    /// that begins with a `word` of two or more letters is near too, and so is one of which a word
    /// is. The first of equals wins.
    package static func find(_ word: String, among candidates: [String]) -> String? {
        let sought = Array(word.sought.unicodeScalars)
        guard !sought.isEmpty, sought.count <= Self.wordCharacters else { return nil }
        var best: (distance: Int, name: String)?
        for candidate in candidates where candidate.unicodeScalars.count <= Self.wordCharacters {
            let whole = candidate.sought
            for name in [whole[...]] + whole.split(separator: " ") {
                let name = Array(name.unicodeScalars)
                let isBeginning = sought.count >= 2 && name.starts(with: sought)
                let distance = isBeginning ? 1 : Self.distance(sought, name)
                if distance < best?.distance ?? .max { best = (distance, candidate) }
            }
        }
        guard let best, best.distance <= max(1, sought.count / 3) else { return nil }
        return best.name
    }

    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforePrevious = [Int](repeating: 0, count: right.count + 1)
        var previous = Array(0...right.count)
        for row in 1...left.count {
            var current = [row]
            current.reserveCapacity(right.count + 1)
            for column in 0..<right.count {
                let same = left[row - 1] == right[column]
                var cost = min(
                    previous[column + 1] + 1, current[column] + 1,
                    previous[column] + (same ? 0 : 1))
                if row > 1, column > 0, left[row - 1] == right[column - 1],
                    left[row - 2] == right[column]
                {
                    cost = min(cost, beforePrevious[column - 1] + 1)
                }
                current.append(cost)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[right.count]
    }
}
