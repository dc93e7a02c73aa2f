import Testing

@Suite("What clients read of the daemon's answers")
struct ClientTests {
    private static let modules = [
        "Chat", "ControlClient", "Doctor", "Notifications", "Screen", "stoa", "stoa-chat",
        "stoa-notify", "stoa-web", "Web",
    ]

    /// The files that may read a field by its name.
    ///
    /// The list may only shrink: a field that is renamed does not compile where results have their types.
    private static let exceptions: Set<String> = []

    /// What takes a JSON value apart.
    private static let parts = [
        ".stringValue", ".integerValue", ".boolValue", ".arrayValue", ".objectValue",
    ]

    /// Whether a line looks into something by a name that begins in lower case, as fields do.
    private static func looksUp(_ code: Substring) -> Bool {
        code.ranges(of: "[\"").contains { range in
            guard let before = code[..<range.lowerBound].last,
                let first = code[range.upperBound...].first
            else { return false }
            let isSubscript = before.isLetter || before.isNumber || ")]?_".contains(before)
            return isSubscript && first.isLetter && first.isLowercase
        }
    }

    @Test("clients read typed results, and no field by its name", arguments: Self.modules)
    func fields(module: String) {
        #expect(Repository.modules.contains(module))
        for file in Repository.swift("Sources/\(module)")
        where !Self.exceptions.contains(file.path) {
            for part in Self.parts {
                for line in file.code(with: part) {
                    Issue.record("\(line.place): \(line.text)")
                }
            }
            for line in file.code(with: "[\"") where Self.looksUp(line.code) {
                Issue.record("\(line.place): \(line.text)")
            }
        }
    }

    @Test("each file that may is there")
    func complete() {
        for path in Self.exceptions { #expect(Repository.file(path) != nil, "\(path)") }
    }

    @Test("a field that is read by its name is found, other brackets are not")
    func rule() {
        for code in [#"if json["kind"] == "x" {"#, #"a?["name"]"#, #"$0["id"]?.x"#, #"f()["a"]"#] {
            #expect(Self.looksUp(code[...]), "\(code)")
        }
        for code in [#"x == ["a", "b"]"#, #"environment["HOME"]"#, #"f(["a": 1])"#, #"["cat"]"#] {
            #expect(!Self.looksUp(code[...]), "\(code)")
        }
    }
}
