import Glibc
import TestSupport

struct TextFile: Sendable {
    /// A line, numbered from 1.
    struct Line: Sendable {
        let place: String
        let text: Substring
        /// What the compiler sees: the line without its `//` comment.
        let code: Substring
    }

    /// Its path from the top of the repository.
    let path: String
    let lines: [Line]
    private let text: String

    init(path: String, text: String) {
        self.path = path
        self.text = text
        self.lines = text.utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
        )
        .enumerated().map { number, line in
            let text = Substring(line)
            return Line(
                place: "\(path):\(number + 1)", text: text, code: Substring(Self.code(line)))
        }
    }

    private static func code(_ line: Substring.UTF8View) -> Substring.UTF8View {
        let slash = UInt8(ascii: "/")
        var before: UInt8 = 0
        for index in line.indices {
            let next = line.index(after: index)
            // Not in the middle of a URL, which would stand in a string.
            if line[index] == slash, next < line.endIndex, line[next] == slash,
                before != UInt8(ascii: ":")
            {
                return line[..<index]
            }
            before = line[index]
        }
        return line
    }

    /// The lines in which a text stands.
    func lines(with mark: String) -> [Line] {
        // Most files hold it nowhere, which C sees a hundred times sooner.
        guard strstr(self.text, mark) != nil else { return [] }
        return self.lines.filter { strstr(String($0.text), mark) != nil }
    }

    /// The lines in whose code, comments left out, a text stands.
    func code(with mark: String) -> [Line] {
        self.lines(with: mark).filter { strstr(String($0.code), mark) != nil }
    }
}

/// The repository as it lies around these tests.
enum Repository {
    /// The folder that holds Package.swift.
    static let root: String =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        .joined(separator: "/")

    /// All text files that people write here, in the order of their paths.
    static let files: [TextFile] = {
        var paths = ["Sources", "Tests", "Docs", "systemd", ".ci"].flatMap { Self.walk($0) }
        paths += Self.names(in: "").filter { Self.isText($0) }
        return paths.sorted().compactMap { Self.file($0) }
    }()

    /// The Swift files under a folder.
    static func swift(_ folder: String) -> [TextFile] {
        Self.files.filter { $0.path.hasPrefix(folder + "/") && $0.path.hasSuffix(".swift") }
    }

    /// The folders in `Sources` that hold Swift.
    static let modules: [String] = Self.names(in: "Sources").sorted().filter {
        !Self.swift("Sources/\($0)").isEmpty
    }

    /// The pages that people read.
    static let pages: [TextFile] = Self.files.filter { $0.path.hasSuffix(".md") }

    /// One file; nil where it is not there.
    static func file(_ path: String) -> TextFile? {
        guard let bytes = TestFiles.read("\(Self.root)/\(path)"),
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        return TextFile(path: path, text: text)
    }

    /// Whether a path leads to something.
    static func exists(_ path: String) -> Bool { access("\(Self.root)/\(path)", F_OK) == 0 }

    private static func isText(_ name: String) -> Bool {
        let endings = [
            ".swift", ".md", ".py", ".sh", ".c", ".h", ".modulemap", ".service", ".socket", ".json",
            ".conf", ".yml", ".toml", ".1", ".5", ".7", ".8",
        ]
        return name == "Makefile" || endings.contains { name.hasSuffix($0) }
    }

    private static func walk(_ folder: String) -> [String] {
        Self.names(in: folder).flatMap { name -> [String] in
            let path = "\(folder)/\(name)"
            if Self.isText(name) { return [path] }
            // Caches and environments of tools are nobody's writing.
            return name.hasPrefix(".") || name.hasPrefix("__") ? [] : Self.walk(path)
        }
    }

    private static func names(in folder: String) -> [String] {
        TestFiles.names(in: "\(Self.root)/\(folder)")
    }
}
