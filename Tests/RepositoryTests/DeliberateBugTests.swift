import Testing

@Suite("Deliberate bugs stay where they belong")
struct DeliberateBugTests {
    /// The bugs, as the source names them.
    private static let names: [String] = {
        let lines = Repository.file("Sources/Formats/Mutant.swift")?.lines ?? []
        return lines.compactMap { line in
            let words = line.code.split(separator: " ")
            return words.count == 2 && words[0] == "case" ? String(words[1]) : nil
        }
    }()

    /// Lines of a file that a build without them does not see.
    private static func hidden(_ file: TextFile) -> Set<String> {
        var places: Set<String> = []
        var depth = 0
        for line in file.lines {
            let words = line.code.split(separator: " ")
            if words.first == "#if" && (depth > 0 || words == ["#if", "MUTANTS"]) { depth += 1 }
            if depth > 0 { places.insert(line.place) }
            // What stands behind #else is the ordinary build again.
            if depth == 1 && (words.first == "#else" || words.first == "#elseif") { depth = 0 }
            if words.first == "#endif" && depth > 0 { depth -= 1 }
        }
        return places
    }

    @Test("no ordinary build sees one")
    func hidden() {
        var count = 0
        for file in Repository.swift("Sources") {
            let lines = file.code(with: "Mutant")
            guard !lines.isEmpty else { continue }
            let hidden = Self.hidden(file)
            for line in lines {
                count += 1
                #expect(hidden.contains(line.place), "\(line.place): \(line.text)")
            }
        }
        #expect(count > Self.names.count)
    }

    @Test("each stands somewhere in Engine or Storage, and there are enough")
    func sites() {
        #expect(Self.names.count >= 10)
        for name in Self.names {
            let files = Repository.files.filter { file in
                file.path.hasPrefix("Sources/")
                    && !file.code(with: "Mutant.\(name).isActive").isEmpty
            }
            #expect(!files.isEmpty, "\(name) is nowhere")
            for file in files {
                let isInPlace = ["Engine", "Formats", "Storage"].contains { module in
                    file.path.hasPrefix("Sources/\(module)/")
                }
                #expect(isInPlace, "\(name) in \(file.path)")
            }
        }
    }

    @Test("the page says of each what it does and what catches it")
    func page() throws {
        let page = try #require(Repository.file("Docs/Testing/Mutants.md"))
        let rows = page.lines.compactMap { line -> [Substring]? in
            let cells = line.text.split(separator: "|")
            return cells.count >= 3 && cells[0].hasPrefix(" `") ? cells : nil
        }
        let names = rows.map { String($0[0].filter { $0 != " " && $0 != "`" }) }
        #expect(names == Self.names)
        for row in rows {
            #expect(row.count == 3 && row.allSatisfy { $0.count > 5 }, "\(row)")
        }
    }
}
