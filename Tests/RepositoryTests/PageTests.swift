import Testing

@Suite("What the pages tell people to do can be done")
struct PageTests {
    /// The pieces of a page that are set as code: lines between fences, and what stands in
    /// backticks.
    private static func code(_ page: TextFile) -> [(place: String, text: Substring)] {
        var pieces: [(String, Substring)] = []
        var isFenced = false
        for line in page.lines {
            if line.text.drop(while: { $0 == " " }).hasPrefix("```") {
                isFenced.toggle()
            } else if isFenced {
                pieces.append((line.place, line.text))
            } else {
                let parts = line.text.split(separator: "`", omittingEmptySubsequences: false)
                for (index, part) in parts.enumerated() where !index.isMultiple(of: 2) {
                    pieces.append((line.place, part))
                }
            }
        }
        return pieces
    }

    /// The words of a command, without a prompt (`$`, `#`, `ada$`) and without a comment.
    private static func words(_ text: Substring) -> [Substring] {
        var words = text.split(separator: " ")
        if words.first?.hasSuffix("$") == true || words.first == "#" { words.removeFirst() }
        if words.first == "sudo" { words.removeFirst() }
        return Array(words.prefix { !$0.hasPrefix("#") })
    }

    private static let targets: Set<Substring> = {
        let lines = Repository.file("Makefile")?.lines ?? []
        return Set(
            lines.compactMap { entry -> Substring? in
                let line = entry.text
                guard let colon = line.firstIndex(of: ":"), !line.hasPrefix("\t"),
                    !line.hasPrefix("."), !line.hasPrefix("#")
                else { return nil }
                let name = line[..<colon]
                return name.contains(" ") || name.contains("$") ? nil : name
            })
    }()

    /// The commands of `stoa`, one file each.
    private static let commands: Set<String> = Set(
        Repository.swift("Sources/stoa/Commands").compactMap { file in
            let name = file.path.split(separator: "/").last ?? ""
            guard name.hasSuffix("Command.swift") else { return nil }
            return name.dropLast("Command.swift".count).lowercased()
        })

    @Test("there is a page that one reads first", .enabled(if: Repository.exists("README.md")))
    func readme() throws {
        let page = try #require(Repository.file("README.md"))
        #expect(page.lines.first?.text.hasPrefix("#") == true)
        #expect(Self.code(page).contains { Self.words($0.text).first == "make" })
    }

    @Test("every `make` goal that a page names is in the Makefile")
    func make() {
        #expect(Self.targets.contains("build"))
        for page in Repository.pages {
            for (place, text) in Self.code(page) {
                let words = Self.words(text)
                guard words.first == "make" else { continue }
                // Settings such as PREFIX=/usr stand among the goals; what follows && is another
                // command.
                for goal in words.dropFirst().prefix(while: { $0 != "&&" && $0 != ";" && $0 != "|" }
                )
                where !goal.contains("=") && !goal.hasPrefix("-") {
                    #expect(Self.targets.contains(goal), "\(place): make \(goal)")
                }
            }
        }
    }

    @Test("every goal of the Makefile that is meant for people says what it does")
    func goals() {
        for line in (Repository.file("Makefile")?.lines ?? []).map(\.text) {
            guard let name = line.split(separator: ":").first, Self.targets.contains(name) else {
                continue
            }
            #expect(line.contains("  ## "), "\(name)")
        }
    }

    @Test("every command of `stoa` that the pages for users show is one")
    func stoa() {
        #expect(Self.commands.contains("send"))
        let pages = ["README.md", "Docs/Guide.md", "Docs/Chat.md", "Docs/Web.md"]
        for page in Repository.pages where pages.contains(page.path) {
            for (place, text) in Self.code(page) {
                var words = Self.words(text)[...]
                guard words.first == "stoa" else { continue }
                words.removeFirst()
                // Options before the command; --socket takes a value.
                while let option = words.first, option.hasPrefix("-") {
                    words.removeFirst(option == "--socket" && words.count > 1 ? 2 : 1)
                }
                guard let command = words.first, command.allSatisfy(\.isLetter),
                    command.first?.isLowercase == true
                else { continue }
                #expect(
                    Self.commands.contains(String(command)),
                    "\(place): stoa \(command)")
            }
        }
    }

    @Test("every link of a page to a file here leads to one")
    func links() {
        for page in Repository.pages {
            let folder = page.path.split(separator: "/").dropLast().joined(separator: "/")
            for line in page.lines(with: "](") {
                for part in line.text.split(separator: "](", omittingEmptySubsequences: false)
                    .dropFirst()
                {
                    let target = part.prefix { $0 != ")" && $0 != "#" && $0 != " " }
                    guard !target.isEmpty, !target.contains(":") else { continue }
                    let path = folder.isEmpty ? String(target) : "\(folder)/\(target)"
                    #expect(Repository.exists(path), "\(line.place): \(target)")
                }
            }
        }
    }

    @Test("lines of prose are short; tables, code and what links lead to may be longer")
    func width() {
        for page in Repository.pages {
            var isFenced = false
            for line in page.lines {
                if line.text.hasPrefix("```") { isFenced.toggle() }
                guard !isFenced, !line.text.hasPrefix("|"), !line.text.hasPrefix("    ") else {
                    continue
                }
                let parts = line.text.split(separator: "](", omittingEmptySubsequences: false)
                let prose = parts.dropFirst().reduce(parts[0].count) { count, part in
                    count + part.drop { $0 != ")" }.count
                }
                #expect(prose <= 120, "\(line.place) has \(prose) characters")
            }
        }
    }

    @Test("no page has a line that a merge has left")
    func merged() {
        for line in Repository.pages.flatMap(\.lines) {
            let isLeft = ["<<<<<<< ", ">>>>>>> "].contains { line.text.hasPrefix($0) }
            #expect(!isLeft && line.text != "=======", "\(line.place)")
        }
    }

    @Test("the map of the tests names every folder")
    func map() throws {
        let page = try #require(Repository.file("Tests/README.md"))
        let modules = Set(Repository.modules.map { "\($0)Tests" })
        let folders = Set(
            Repository.files.compactMap { file -> String? in
                let parts = file.path.split(separator: "/")
                guard parts.count > 2, parts[0] == "Tests" else { return nil }
                if parts[1] == "System" { return parts.count > 3 ? "System/\(parts[2])" : nil }
                return modules.contains(String(parts[1])) ? nil : String(parts[1])
            })
        #expect(folders.contains("System/Driver"))
        for folder in folders {
            #expect(!page.lines(with: "| `\(folder)` |").isEmpty, "\(folder)")
        }
    }

    /// The tag of a promise in a row of the threat model: "| `wire.replay` | …".
    private static func tag(_ row: Substring) -> Substring? {
        guard row.hasPrefix("| `") else { return nil }
        let tag = row.dropFirst("| `".count).prefix { $0 != "`" }
        return tag.contains(".") ? tag : nil
    }

    @Test("every promise of the threat model has a test, and every tag in a test is a promise")
    func threats() throws {
        let page = try #require(Repository.file("Docs/Protocol/Threats.md"))
        let tags = page.lines.compactMap { Self.tag($0.text) }
        let promises = Set(tags)
        #expect(promises.count > 70)
        #expect(promises.count == tags.count, "a tag is there twice")

        // What a line begins with that a tag may be directly above.
        let tests = ["@Test", "@Suite", "def ", "async def ", "class ", "func "]
        let isTest = { (text: Substring) in tests.contains { text.hasPrefix($0) } }
        var shown: Set<Substring> = []
        for file in Repository.files where file.path.hasPrefix("Tests/") {
            guard !file.lines(with: " Shows: ").isEmpty else { continue }
            for (line, next) in zip(file.lines, file.lines.dropFirst()) {
                let text = line.text.drop { $0 == " " }
                guard text.hasPrefix("// Shows: ") || text.hasPrefix("# Shows: ") else { continue }
                #expect(isTest(next.text.drop { $0 == " " }), "\(line.place) is above no test")
                for tag in text.drop(while: { $0 != ":" }).dropFirst().split(separator: ",") {
                    let name = tag.trimmingPrefix(" ")
                    #expect(promises.contains(name), "\(line.place): \(name) is no promise")
                    shown.insert(name)
                }
            }
        }
        for tag in tags { #expect(shown.contains(tag), "no test shows \(tag)") }
    }
}
