import Testing

/// What `Docs/Architecture.md` says that a change touches, held against the sources.
@Suite("What a change touches")
struct ChangeTests {
    /// One section of the page: the newest thing of its sort, and the files that may name it.
    private struct Change {
        let title: String
        var newest = ""
        var files: [String] = []
    }

    private static let page = "Docs/Architecture.md"

    private static let changes: [Change] = {
        var changes: [Change] = []
        for line in Repository.file(Self.page)?.lines ?? [] {
            let quoted = line.text.split(separator: "`", omittingEmptySubsequences: false)
            if line.text.hasPrefix("### A new ") {
                changes.append(Change(title: String(line.text.dropFirst("### A new ".count))))
            } else if line.text.hasPrefix("## ") || changes.isEmpty {
                continue
            } else if line.text.hasPrefix("Newest: `") {
                changes[changes.count - 1].newest = String(quoted[1])
            } else if line.text.hasPrefix("- `Sources/") {
                changes[changes.count - 1].files.append(String(quoted[1]))
            }
        }
        return changes
    }()

    private static func change(_ title: String) throws -> Change {
        try #require(Self.changes.first { $0.title == title }, "\(Self.page) lost its section")
    }

    /// The product files in which a line is about a thing.
    private static func files(where isAbout: (Substring) -> Bool) -> [String] {
        Repository.files.filter { file in
            file.path.hasPrefix("Sources/") && !file.path.hasPrefix("Sources/Simulation/")
                && file.path.hasSuffix(".swift")
                && file.lines.contains { isAbout($0.code) }
        }.map(\.path)
    }

    /// Whether a case of an enumeration stands in a line, declared or with nothing before its point.
    private static func hasCase(_ name: String, _ line: Substring, isBare: Bool = false) -> Bool {
        if line.contains("case \(name)"), Self.isWhole("case \(name)", line, isBare) { return true }
        return [" .", "(.", "[."].contains { Self.isWhole("\($0)\(name)", line, isBare) }
    }

    /// Whether a text stands in a line with no letter behind it, and no argument where it is bare.
    private static func isWhole(_ text: String, _ line: Substring, _ isBare: Bool) -> Bool {
        line.ranges(of: text).contains { range in
            guard range.upperBound < line.endIndex else { return true }
            let next = line[range.upperBound]
            return !next.isLetter && !next.isNumber && !(isBare && next == "(")
        }
    }

    private func check(_ change: Change, atMost count: Int, _ files: [String]) {
        #expect(!change.newest.isEmpty, "\(Self.pageName) does not name the newest \(change.title)")
        #expect(change.files.count <= count, "\(change.files)")
        #expect(
            files.sorted() == change.files.sorted(),
            "the files that name \(change.newest), and those that \(Self.pageName) lists")
    }

    private static var pageName: String { Self.page }

    @Test("a new kind of message is known to the files that the page lists, and no other")
    func kind() throws {
        let change = try Self.change("kind of message")
        self.check(
            change, atMost: 8, Self.files { Self.hasCase(change.newest, $0, isBare: true) })
    }

    @Test("a new read-only method is known to the files that the page lists, and no other")
    func method() throws {
        let change = try Self.change("read-only method")
        self.check(change, atMost: 4, Self.files { $0.contains("\(change.newest)Method") })
    }

    @Test("a new setting is known to the files that the page lists, and no other")
    func setting() throws {
        let change = try Self.change("setting")
        self.check(
            change, atMost: 3,
            Self.files { line in
                line.split { !$0.isLetter }.contains { $0 == change.newest }
            })
    }

    @Test("a new frame is known to the files that the page lists, and no other")
    func frame() throws {
        let change = try Self.change("frame")
        self.check(change, atMost: 8, Self.files { Self.hasCase(change.newest, $0) })
    }

    @Test("every file that the page names is there")
    func exist() {
        for change in Self.changes {
            for path in change.files { #expect(Repository.file(path) != nil, "\(path)") }
        }
        #expect(Self.changes.count >= 5)
    }
}
