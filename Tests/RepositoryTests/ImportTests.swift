import Testing

@Suite("Imports point one way")
struct ImportTests {
    /// What each module may import; what is not named here no module may.
    private static let allowed: [String: Set<String>] = [
        "Crypto": ["COpenSSL", "CSodium", "Glibc", "Synchronization"],
        "Letters": ["Swift"],
        "Formats": ["CWords", "Crypto", "Letters"],
        "Engine": ["CConfusables", "Crypto", "Formats", "Letters", "Swift"],
        "ControlAPI": ["FoundationEssentials", "Letters"],
        "Posix": ["CLinux", "Glibc", "Synchronization"],
        "ControlClient": ["ControlAPI", "Glibc", "Posix"],
        "Doctor": ["ControlAPI", "Posix"],
        "Chat": ["ControlAPI", "Letters"],
        "Notifications": ["ControlAPI", "ControlClient"],
        "stoa-notify": [
            "ControlAPI", "ControlClient", "Glibc", "Loop", "Notifications", "Posix",
        ],
        "Web": ["CPage", "ControlAPI"],
        "stoa-web": [
            "CMicroHTTP", "ControlAPI", "ControlClient", "DaemonCalls", "Glibc", "Loop", "Posix",
            "Web",
        ],
        "DaemonCalls": ["ControlAPI", "ControlClient", "Loop", "Posix"],
        "Sites": ["ControlAPI"],
        "stoa-sites": [
            "CNATS", "ControlAPI", "ControlClient", "DaemonCalls", "Glibc", "Loop", "Posix",
            "Sites", "Synchronization",
        ],
        "Screen": ["CCurses", "Chat", "Glibc"],
        "stoa-chat": ["Chat", "ControlAPI", "ControlClient", "Glibc", "Posix", "Screen"],
        "Loop": ["CLinux", "CSystemd", "Glibc", "Posix", "Synchronization"],
        "Storage": ["CPages", "CSQLite", "Engine", "Formats", "Glibc", "Crypto"],
        "Blobs": ["Crypto", "Engine", "Formats", "Posix"],
        "Discovery": ["CAvahi", "CDNSSD", "Glibc", "Loop", "Posix"],
        "Daemon": [
            "Blobs", "ControlAPI", "Crypto", "Discovery", "Doctor", "Engine", "Formats", "Glibc",
            "Loop", "Posix", "Storage", "Synchronization",
        ],
        "Simulation": ["Crypto", "Engine", "Formats"],
        "simulate": ["Glibc", "Simulation"],
        "stoad": ["Daemon", "Glibc", "Posix"],
        "stoa": ["ControlAPI", "ControlClient", "Doctor", "Glibc", "Letters", "Posix"],
    ]

    /// The modules that a file imports, and the lines that say so.
    private static func imports(_ file: TextFile) -> [(module: String, line: TextFile.Line)] {
        file.code(with: "import ").compactMap { line in
            let words = line.code.split(separator: " ")
            guard let place = words.firstIndex(of: "import"), place + 1 < words.count,
                words[..<place].allSatisfy({ word in
                    word.hasPrefix("@")
                        || ["public", "package", "internal", "private", "fileprivate"]
                            .contains(word)
                })
            else { return nil }
            // `import struct Module.Name` and the like name the module before the point.
            return (String(words[words.count - 1].split(separator: ".")[0]), line)
        }
    }

    @Test("every module has a rule here, and every rule a module")
    func complete() {
        #expect(Repository.modules == Self.allowed.keys.sorted())
    }

    @Test("a module imports nothing that it must not see", arguments: Self.allowed.keys.sorted())
    func modules(module: String) {
        for file in Repository.swift("Sources/\(module)") {
            for (name, line) in Self.imports(file) {
                #expect(
                    Self.allowed[module]?.contains(name) == true, "\(line.place): \(line.text)")
            }
        }
    }

    @Test("no module and no test imports Foundation, Dispatch or a testing library in Sources")
    func foundation() {
        for file in Repository.files where file.path.hasSuffix(".swift") {
            for (name, line) in Self.imports(file) {
                #expect(name != "Foundation", "\(line.place): \(line.text)")
                if file.path.hasPrefix("Sources/") {
                    #expect(name != "Dispatch" && name != "Testing", "\(line.place): \(line.text)")
                    #expect(!line.code.hasPrefix("@testable"), "\(line.place): \(line.text)")
                }
            }
        }
    }

    @Test("a C library is imported by one module, and shown to no other")
    func libraries() {
        var importers: [String: Set<String>] = [:]
        for module in Repository.modules {
            for file in Repository.swift("Sources/\(module)") {
                for (name, line) in Self.imports(file)
                where [
                    "COpenSSL", "CSodium", "CSQLite", "CSystemd", "CDNSSD", "CAvahi", "CCurses",
                    "CMicroHTTP",
                ].contains(name) {
                    importers[name, default: []].insert(module)
                    #expect(
                        !line.code.hasPrefix("public") && !line.code.hasPrefix("@_exported"),
                        "\(line.place): \(line.text)")
                }
            }
        }
        for (library, modules) in importers {
            #expect(modules.count == 1, "\(library) is imported by \(modules.sorted())")
        }
    }
}
