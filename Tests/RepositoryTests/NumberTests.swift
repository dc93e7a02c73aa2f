import Testing

/// The numbers of the wire stand twice, on the pages and in the code.
@Suite("Numbers on the pages are those of the code")
struct NumberTests {
    /// The rows of the tables of a page whose first cell is one number, by the name in the second;
    /// reserved ones are left out.
    private static func page(_ path: String, _ section: String, radix: Int) -> [String: Int] {
        var found: [String: Int] = [:]
        var isInside = false
        for line in Repository.file(path)?.lines ?? [] {
            if line.text.hasPrefix("| ") && line.text.hasPrefix("| \(section)") {
                isInside = true
            } else if !line.text.hasPrefix("|") {
                isInside = false
            }
            let cells = line.text.split(separator: "|").map { cell in
                String(cell.drop { $0 == " " }.prefix { $0 != " " && $0 != ":" })
            }
            guard isInside, cells.count >= 2, let number = Int(cells[0], radix: radix),
                !cells[1].isEmpty, !line.text.contains("reserved")
            else { continue }
            found[cells[1]] = number
        }
        return found
    }

    /// The cases of an enumeration whose numbers are given, from its line to the end of its cases.
    private static func code(_ path: String, _ enumeration: String) -> [String: Int] {
        var found: [String: Int] = [:]
        var isInside = false
        for line in Repository.file(path)?.lines ?? [] {
            let words = line.code.split(separator: " ")
            if line.code.contains("enum \(enumeration): ") {
                isInside = true
            } else if isInside, words.first == "case", words.count == 4, words[2] == "=" {
                let digits = words[3]
                let number =
                    digits.hasPrefix("0x")
                    ? Int(digits.dropFirst(2), radix: 16) : Int(digits)
                if let number { found[words[1].filter { $0 != "`" }] = number }
            } else if isInside, line.code.contains("func ") || line.code.contains("enum ") {
                break
            }
        }
        return found
    }

    @Test("of frames")
    func frames() {
        let page = Self.page("Docs/Protocol/Wire.md", "type |", radix: 16)
        #expect(page.count >= 20)
        #expect(page == Self.code("Sources/Formats/Wire/Frame+Coding.swift", "Kind"))
    }

    @Test("of reasons of a goodbye")
    func reasons() {
        let page = Self.page("Docs/Protocol/Wire.md", "reason |", radix: 10)
        #expect(page.count == 10)
        #expect(page == Self.code("Sources/Formats/Wire/Frame.swift", "GoawayReason"))
    }

    @Test("of kinds of entries")
    func kinds() {
        let page = Self.page("Docs/Protocol/Entries.md", "kind | name | class", radix: 10)
        #expect(page.count >= 4)
        #expect(page == Self.code("Sources/Formats/Entries/EntryKinds.swift", "EntryKind"))
    }

    @Test("of the worked entry, whose shortened values are parts of golden lines")
    func workedEntry() throws {
        let page = try #require(Repository.file("Docs/Protocol/Implementing.md"))
        let vectors = try ["entries-2.txt", "link-2.txt"].flatMap { name in
            try #require(Repository.file("Tests/EngineTests/Vectors/\(name)")).lines
                .compactMap { $0.text.split(separator: " ").last.map(String.init) }
        }
        var count = 0
        for word in page.lines.flatMap({ $0.text.split(separator: " ") }) {
            let ends = word.split(separator: "…").map(String.init)
            guard ends.count == 2, ends.allSatisfy({ $0.count >= 8 && $0.allSatisfy(\.isHexDigit) })
            else { continue }
            #expect(vectors.contains { $0.contains(ends[0]) && $0.contains(ends[1]) }, "\(word)")
            count += 1
        }
        #expect(count >= 9)
    }

    /// What stands between two marks in the first line of a file that has them.
    private static func first(_ path: String, _ opening: String, _ closing: Character) -> String? {
        for line in Repository.file(path)?.lines ?? [] {
            let parts = line.text.split(
                separator: opening, maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { return String(parts[1].prefix { $0 != closing }) }
        }
        return nil
    }

    @Test("the version is the same in the programs, the packages and the manual pages")
    func version() throws {
        let version = try #require(
            Self.first("Sources/ControlAPI/StoaVersion.swift", "text = \"", "\""))
        #expect(Self.first("debian/changelog", "stoa (", ")") == version)
        for page in ["stoad.8", "stoad.conf.5", "stoa-control.7"] {
            #expect(Self.first("Docs/\(page)", "\"stoa ", "\"") == version, "\(page)")
        }
    }
}
