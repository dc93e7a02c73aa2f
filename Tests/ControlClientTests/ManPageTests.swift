import Posix
import Testing

@testable import stoa

@Suite("The manual page")
struct ManPageTests {
    /// `Docs/stoa.1` beside `Tests`, found from where this file was compiled.
    private static let path: String = {
        let parts = #filePath.split(separator: "/").dropLast(3)
        return "/" + parts.joined(separator: "/") + "/Docs/stoa.1"
    }()

    @Test("has the commands and exit codes of the tables; STOA_WRITE_MAN=1 writes them anew")
    func published() throws {
        let bytes = try Files.read(Self.path, limitBytes: 1 << 20)
        let page = String(decoding: bytes, as: UTF8.self)
        var lines: [Substring] = []
        var part: String?
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if let open = part, line == ".\\\" \(open): end" { part = nil }
            if part == nil { lines.append(line) }
            let begun = ManPage.parts.first { line.hasPrefix(".\\\" \($0.name): made by") }
            guard let begun else { continue }
            part = begun.name
            lines += begun.text.split(separator: "\n")
        }
        #expect(part == nil)
        let due = lines.joined(separator: "\n")
        if ProcessEnvironment.variable("STOA_WRITE_MAN") == "1" {
            try Files.writeAtomically(Array(due.utf8), to: Self.path, mode: 0o644)
        } else {
            #expect(page == due)
        }
        #expect(due.contains(".Cm send\n.Ar TO\n.Op Ar TEXT...|\\-"))
    }
}
