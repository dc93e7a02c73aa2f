import Posix

/// The deliberate bugs of a debug build, as a program would hold them.
enum DeliberateBugs {
    /// Their names, as the source has them.
    static func names() throws -> [String] {
        let path = "\(Surroundings.project)/Sources/Formats/Mutant.swift"
        let text = String(
            decoding: try Files.read(path, limitBytes: 1_000_000), as: UTF8.self)
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            return words.count == 2 && words[0] == "case" ? String(words[1]) : nil
        }
    }

    /// Which of them stand in a program: in its texts, or in the names of its types and symbols.
    static func found(in program: String) throws -> [String] {
        let names = try Self.names()
        return try Self.found(names, in: program)
    }

    /// Which of some texts stand anywhere in a file.
    static func found(_ texts: [String], in path: String) throws -> [String] {
        guard Files.exists(path) else { throw Broken("there is no \(path)") }
        let search = "grep --text --only-matching --fixed-strings -- \"$1\" \"$2\" | sort -u"
        let output = try ChildProcess.run(
            ["sh", "-c", search, "sh", texts.joined(separator: "\n"), path])
        let found = output.split(separator: "\n").map(String.init)
        return texts.filter { found.contains($0) }
    }
}
