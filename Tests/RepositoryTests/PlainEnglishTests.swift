import Glibc
import TestSupport
import Testing

/// Patterns of translated English in what people read: help, errors, manual pages and documents.
///
/// `PlainEnglish.txt` beside this file says how many each file may still have. With
/// `STOA_WRITE_ENGLISH=1` the test lowers these numbers, and never raises one.
@Suite("Plain English")
struct PlainEnglishTests {
    /// One pattern, as regcomp(3) reads it, and what to write instead.
    struct Pattern {
        let expression: String
        let advice: String
        var isOnlyShown = false
        var isCaseBlind = true
    }

    static let patterns = [
        Pattern(
            expression: "(^|[.:;!] |\\| )(Who|Whoever|What|Whatever|Whichever) [a-z]+",
            advice: "name the subject: \"anyone who has it\", \"the text\"", isCaseBlind: false),
        Pattern(
            expression: "[;:] (who|whoever|what|whatever) [a-z]+",
            advice: "name the subject: \"people who\", \"anything that\"", isCaseBlind: false),
        Pattern(
            expression:
                "(^| )(of|from|by|with|to|for) (who|whoever) (is|are|was|has|have|can|does)",
            advice: "name the person: \"of people who are\""),
        Pattern(
            expression: "(^| )(no|any) longer *($|[.;:,)])",
            advice: "say what holds now, or put \"no longer\" before the verb"),
        Pattern(
            expression:
                "(^| )(stand|stands|stood|lie|lies) (in|on|behind|beside|before|with|alone|between|under|there|elsewhere)([ .,;:)]|$)",
            advice: "use \"is\", \"appears\" or \"is stored\""),
        Pattern(
            expression: "(^| )(go|goes|gone) (from|off) (this|the|its) disk",
            advice: "use \"is deleted from\""),
        Pattern(expression: "(^| )(tell|tells|told) of ", advice: "use \"report\" or \"announce\""),
        Pattern(expression: "(^| )also not ", advice: "use \"not … either\" or \"nor\""),
        Pattern(
            expression: "(^| )(give|gives|given|gave) [^.;]{1,24} another (text|name|secret|value)",
            advice: "use \"change\" or \"replace\""),
        Pattern(
            expression: "(^| )(take|takes|taken|took) ([a-z]+ ){0,2}back([ .,;:)]|$)",
            advice: "use \"delete\" for messages, \"remove\" for reactions"),
        Pattern(
            expression: "(^| )(put|puts) ([a-z]+ ){0,2}away([ .,;:)]|$)", advice: "use \"archive\""),
        Pattern(
            expression: "(^| )(erase|erases|erased|withdraw|withdraws|withdrawn)([ .,;:)]|$)",
            advice: "use \"delete\", or \"remove\" for reactions", isOnlyShown: true),
        Pattern(expression: "(^| )from here on", advice: "use \"from now on\", or leave it out"),
        Pattern(expression: "(^| )kept nowhere", advice: "use \"not stored\""),
        Pattern(expression: "(come|comes|came) to nothing", advice: "use \"fail\""),
        Pattern(
            expression:
                "(^|[^e] )(is|are) no (file|number|picture|option|room|message|key|name|socket|suite|backup|invitation|UTF-8|regular|JSON|folder|directory|kind|event|text)([ .,;:)]|$)",
            advice: "use \"is not a\""),
        Pattern(
            expression: "people whom you know|(those|somebody|nobody|anybody) whom you know",
            advice: "use \"contact\"", isOnlyShown: true),
    ]

    /// A line that people read, and whether a program shows it.
    private struct Prose {
        let place: String
        let path: String
        let text: String
        let isShown: Bool
    }

    @Test("has none of the patterns of translated English; STOA_WRITE_ENGLISH=1 lowers the counts")
    func patternsAreAbsent() throws {
        let found = try Self.findings()
        let allowed = Self.allowed()
        var left: [(path: String, count: Int)] = []
        for (path, places) in found.sorted(by: { $0.key < $1.key }) {
            let limit = allowed[path] ?? 0
            left.append((path, min(places.count, limit)))
            guard places.count > limit else { continue }
            Issue.record(
                """
                \(path) has \(places.count) sentences that read as translated, \(limit) allowed:
                \(places.joined(separator: "\n"))
                """)
        }
        guard getenv("STOA_WRITE_ENGLISH") != nil, let file = fopen(Self.list, "w") else { return }
        defer { fclose(file) }
        for entry in left where entry.count > 0 { fputs("\(entry.count) \(entry.path)\n", file) }
    }

    @Test("the patterns find what they are made for, and leave plain sentences alone")
    func examples() throws {
        let bad = [
            "Who has it is in the realm.", "it stays; who joins later gets it",
            "@ada is blocked no longer", "the time stands before the text",
            "it goes from this disk", "the log tells of it", "it is also not sent",
            "give a message another text", "that is no file", "a message is taken back",
            "the room is put away",
            "the name of who is linked", "the phrase is kept nowhere",
        ]
        for text in bad { #expect(try !Self.advice(on: text, isShown: true).isEmpty, "\(text)") }
        let good = [
            "Anyone who has it is in the realm.", "The room no longer exists.",
            "People who join later get it.", "it is deleted from this disk", "who is it for?",
            "remove it",
        ]
        for text in good {
            #expect(try Self.advice(on: text, isShown: true).isEmpty, "\(text)")
        }
    }

    // MARK: Looking

    private static let list = "\(Repository.root)/Tests/RepositoryTests/PlainEnglish.txt"

    /// How many findings each file may have.
    private static func allowed() -> [String: Int] {
        var allowed: [String: Int] = [:]
        let text = String(decoding: TestFiles.read(self.list) ?? [], as: UTF8.self)
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            if parts.count == 2, let count = Int(parts[0]) { allowed[String(parts[1])] = count }
        }
        return allowed
    }

    /// Every finding with its place and what to write instead, by file.
    private static func findings() throws -> [String: [String]] {
        let compiled = try self.compiled()
        defer { for entry in compiled { var expression = entry.regex; regfree(&expression) } }
        var found: [String: [String]] = [:]
        for line in Self.prose() {
            for entry in compiled where line.isShown || !entry.pattern.isOnlyShown {
                guard let match = Self.match(entry.regex, line.text) else { continue }
                found[line.path, default: []].append(
                    "  \(line.place): \"\(match)\": \(entry.pattern.advice)")
            }
        }
        return found
    }

    private static func advice(on text: String, isShown: Bool) throws -> [String] {
        let compiled = try self.compiled()
        defer { for entry in compiled { var expression = entry.regex; regfree(&expression) } }
        return compiled.filter { isShown || !$0.pattern.isOnlyShown }
            .filter { self.match($0.regex, text) != nil }.map(\.pattern.advice)
    }

    private static func compiled() throws -> [(pattern: Pattern, regex: regex_t)] {
        try self.patterns.map { pattern in
            var regex = regex_t()
            let flags = REG_EXTENDED | (pattern.isCaseBlind ? REG_ICASE : 0)
            try #require(regcomp(&regex, pattern.expression, flags) == 0, "\(pattern.expression)")
            return (pattern, regex)
        }
    }

    /// What matches in a line; nil where nothing does, or where it is part of a question.
    private static func match(_ regex: regex_t, _ text: String) -> String? {
        var (regex, found) = (regex, regmatch_t())
        guard !text.utf8.contains(UInt8(ascii: "?")), regexec(&regex, text, 1, &found, 0) == 0
        else {
            return nil
        }
        let bytes = Array(text.utf8)
        return String(decoding: bytes[Int(found.rm_so)..<Int(found.rm_eo)], as: UTF8.self)
    }

    /// All that people read, line by line.
    private static func prose() -> [Prose] {
        var prose: [Prose] = []
        for file in Repository.files {
            if file.path.hasPrefix("Sources/"), file.path.hasSuffix(".swift") {
                prose += self.literals(of: file)
            } else if self.isPage(file.path) {
                var isCode = false
                let isManual = !file.path.hasSuffix(".md")
                for line in file.lines {
                    if line.text.hasPrefix("```") { isCode.toggle() }
                    if isCode || line.text.hasPrefix("#") || line.text.hasPrefix(".\\\"") {
                        continue
                    }
                    let text = line.text.filter { $0 != "*" && $0 != "`" && $0 != "\\" }
                    prose.append(
                        Prose(place: line.place, path: file.path, text: text, isShown: isManual))
                }
            }
        }
        return prose
    }

    /// The manual pages, and the documents at the top.
    private static func isPage(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        guard parts.count == 1 || parts.count == 2 && parts[0] == "Docs" else { return false }
        return [".md", ".1", ".5", ".7", ".8"].contains { path.hasSuffix($0) }
    }

    /// The modules whose texts a person sees.
    private static let shownModules = [
        "stoa", "ControlAPI", "ControlClient", "Chat", "Notifications", "stoa-chat", "stoa-notify",
        "Screen", "stoa-web", "Web",
    ]

    /// The literals of a file that are sentences, or parts of one.
    private static func literals(of file: TextFile) -> [Prose] {
        let module = String(file.path.split(separator: "/")[1])
        let isShown = self.shownModules.contains(module)
        return file.lines(with: "\"").flatMap { line -> [Prose] in
            let parts = line.code.split(separator: "\"", omittingEmptySubsequences: false)
            guard !line.code.contains("precondition") else { return [] }
            return parts.enumerated().compactMap { index, part in
                guard !index.isMultiple(of: 2), part.contains(" ") else { return nil }
                return Prose(
                    place: line.place, path: file.path,
                    text: String(part).replacingEscapes, isShown: isShown)
            }
        }
    }
}

extension String {
    /// The text without the ends of lines that a literal writes out.
    fileprivate var replacingEscapes: String {
        self.hasSuffix("\\n") ? String(self.dropLast(2)) : self
    }
}
