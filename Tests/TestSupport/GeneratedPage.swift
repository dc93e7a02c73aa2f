internal import Glibc

/// A page of `Docs` of which parts are made from tables: each stands between two lines that name it.
///
/// `.\" NAME: made by …` begins a part, `.\" NAME: end` ends it.
package struct GeneratedPage {
    private let path: String
    private let text: String

    /// Reads a page of `Docs`; one that is not there is empty.
    package init(_ name: String) {
        self.path = TestFiles.tests + "/../Docs/\(name)"
        self.text = String(decoding: TestFiles.read(self.path) ?? [], as: UTF8.self)
    }

    /// Whether the page holds these parts as they are; with `STOA_WRITE_MAN=1` it does afterwards.
    package func holds(_ parts: [(name: String, text: String)]) -> Bool {
        var lines: [Substring] = []
        var open: String?
        var found: Set<String> = []
        for line in self.text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let name = open, line == ".\\\" \(name): end" { open = nil }
            if open == nil { lines.append(line) }
            guard let begun = parts.first(where: { line.hasPrefix(".\\\" \($0.name): made by") })
            else { continue }
            open = begun.name
            found.insert(begun.name)
            lines += begun.text.split(separator: "\n")
        }
        guard open == nil, found.count == parts.count else { return false }
        return self.holds(lines.joined(separator: "\n"))
    }

    /// Whether the page is this text; with `STOA_WRITE_MAN=1` it is afterwards.
    package func holds(_ due: String) -> Bool {
        guard getenv("STOA_WRITE_MAN") == nil else { return self.write(due) }
        return due == self.text
    }

    private func write(_ text: String) -> Bool {
        guard let file = fopen(self.path, "w") else { return false }
        defer { fclose(file) }
        return fputs(text, file) >= 0
    }

    /// Text as roff(7) takes it in a line.
    package static func roff(_ text: String) -> String {
        var output = ""
        for character in text {
            switch character {
            case "\\": output += "\\e"
            case "-": output += "\\-"
            default: output.append(character)
            }
        }
        return output
    }
}
