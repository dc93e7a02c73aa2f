import Testing

@Suite("The package links only what it should")
struct PackageTests {
    /// The targets of the programs and libraries, with what they depend on as Package.swift says.
    private static let dependencies: [String: Set<String>] = {
        let text = (Repository.file("Package.swift")?.lines ?? []).map(\.code)
            .joined(separator: " ")
        var found: [String: Set<String>] = [:]
        for opening in ["library(", ".executableTarget("] {
            for part in text.split(separator: opening, omittingEmptySubsequences: false).dropFirst()
            {
                // The name, and then the first list behind it.
                let quoted = part.split(
                    separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
                let label = part.prefix { $0 != "\"" }.filter { $0 != " " }
                guard label.isEmpty || label == "name:", let name = Self.quoted(part).first,
                    let rest = quoted.last, let start = rest.firstIndex(of: "["),
                    let end = rest[start...].firstIndex(of: "]")
                else { continue }
                found[name] = Set(Self.quoted(rest[start..<end]))
            }
        }
        return found
    }()

    /// What stands between quotes.
    private static func quoted(_ text: Substring) -> [String] {
        text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }

    /// A target with all that it needs.
    private static func closure(_ target: String) -> Set<String> {
        var all: Set<String> = []
        var waiting = [target]
        while let next = waiting.popLast() {
            for name in Self.dependencies[next] ?? [] where all.insert(name).inserted {
                waiting.append(name)
            }
        }
        return all
    }

    @Test("the package is read right: all that holds Swift is a target in it")
    func reading() {
        #expect(Self.dependencies.keys.sorted() == Repository.modules)
        #expect(
            Self.dependencies["Engine"]?.sorted() == [
                "CConfusables", "Crypto", "Formats", "Letters",
            ])
        #expect(Self.dependencies["ControlAPI"] == ["Letters"])
        #expect(Self.dependencies["Letters"] == [])
        #expect(Self.dependencies["stoad"]?.contains("Daemon") == true)
    }

    @Test(
        "the command line links no database, no cryptography, no service manager and no discovery")
    func commandLine() {
        let linked = Self.closure("stoa")
        #expect(linked.contains("ControlAPI"))
        for name in [
            "COpenSSL", "CSodium", "CSQLite", "CSystemd", "CDNSSD", "CAvahi", "CCurses",
            "CMicroHTTP",
            "Chat", "Screen", "Web",
            "Crypto", "Engine", "Formats", "Storage",
            "Loop", "Discovery", "Daemon", "Simulation",
        ] {
            #expect(!linked.contains(name), "stoa depends on \(name)")
        }
    }

    @Test("the engine sees no system, and no program holds the simulation")
    func engine() {
        #expect(
            Self.closure("Formats") == ["COpenSSL", "CSodium", "CWords", "Crypto", "Letters"])
        #expect(
            Self.closure("Engine") == Self.closure("Formats").union(["CConfusables", "Formats"]))
        #expect(Self.closure("ControlAPI") == ["Letters"])
        #expect(!Self.closure("stoad").contains("Simulation"))
        #expect(!Self.closure("Storage").contains("Posix"))
        #expect(!Self.closure("Discovery").contains("Engine"))
    }

    @Test("what a module imports is in what it depends on")
    func imports() {
        for module in Repository.modules {
            let linked = Self.closure(module).union(["Glibc", "Swift", "Synchronization"])
            for file in Repository.swift("Sources/\(module)") {
                for line in file.code(with: "import ") {
                    let words = line.code.split(separator: " ")
                    guard let name = words.last.map(String.init),
                        words.dropLast().last == "import"
                    else { continue }
                    #expect(
                        linked.contains(name) || name == "FoundationEssentials",
                        "\(line.place): \(line.text)")
                }
            }
        }
    }

    @Test("no outside package, and one settings list for every Swift target")
    func settings() throws {
        let code = try #require(Repository.file("Package.swift")).lines.map(\.code)
            .joined(separator: "\n")
        #expect(!code.contains(".package("))
        #expect(code.contains(".treatAllWarnings(as: .error)"))
        for kind in [".executableTarget(", ".testTarget("] {
            for part in code.split(separator: kind, omittingEmptySubsequences: false).dropFirst() {
                let end = part.firstRange(of: "swiftSettings: strict")?.lowerBound
                let next = part.firstRange(of: "Target(")?.lowerBound ?? part.endIndex
                #expect(end.map { $0 < next } == true, "\(part.prefix(60))")
            }
        }
    }
}
