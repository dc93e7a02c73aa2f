import Testing

@Suite("Names")
struct NameTests {
    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "actor", "protocol", "typealias",
    ]
    private static let modifiers: Set<Substring> = [
        "public", "package", "internal", "private", "fileprivate", "final", "indirect",
    ]

    /// The name that a line declares at the top of its file; nil where it declares none.
    private static func declared(_ line: TextFile.Line) -> Substring? {
        guard line.text.first?.isLetter == true else { return nil }
        let words = line.code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        guard let place = words.firstIndex(where: { !Self.modifiers.contains($0) }),
            Self.kinds.contains(words[place]), place + 1 < words.count
        else { return nil }
        return words[place + 1]
    }

    @Test("one name is one type in the whole package")
    func types() {
        var places: [Substring: [String]] = [:]
        for file in Repository.files
        where file.path.hasPrefix("Sources/") && file.path.hasSuffix(".swift") {
            for line in file.lines {
                if let name = Self.declared(line) { places[name, default: []].append(line.place) }
            }
        }
        #expect(places.count > 200)
        for (name, places) in places where places.count > 1 {
            Issue.record("\(name) is declared at \(places.joined(separator: " and "))")
        }
    }
}
