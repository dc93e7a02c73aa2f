import Testing

@Suite("What stands in the files")
struct SourceTests {
    /// The modules that touch C, threads or memory by hand.
    private static let unsafeModules: Set<String> = [
        "Posix", "Loop", "Storage", "Crypto", "Daemon", "Discovery", "stoa-sites", "stoa-web",
    ]

    private static func module(_ file: TextFile) -> String {
        String(file.path.split(separator: "/")[1])
    }

    private static let swift = Repository.files.filter { $0.path.hasSuffix(".swift") }
    private static let sources = Self.swift.filter { $0.path.hasPrefix("Sources/") }

    @Test("nothing is left unfinished")
    func unfinished() {
        // Put together here so that this file holds none of them.
        let words = [
            "TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "W" + "IP", "TB" + "D",
        ]
        let phrases = [
            "ot " + "implemented", "ot yet " + "implemented", "nimp" + "lemented",
            "work in " + "progress", "orem " + "ipsum", "st" + "ubbed",
        ]
        // The words of phrases are no prose.
        for file in Repository.files where file.path != "Sources/CWords/table.h" {
            for word in words {
                for line in file.lines(with: word) {
                    let isWord = line.text.split { !$0.isLetter }.contains(word[...])
                    #expect(!isWord, "\(line.place): \(line.text)")
                }
            }
            for phrase in phrases {
                for line in file.lines(with: phrase) {
                    Issue.record("\(line.place): \(line.text)")
                }
            }
        }
    }

    @Test("no file names a folder of one person's machine")
    func machinePaths() {
        // Ada is the person of the examples, and the labs make homes of their own.
        let folders = ["/ho" + "me/", "/Us" + "ers/", "/ro" + "ot/", "/wo" + "rk/", "/mn" + "t/"]
        for file in Repository.files where !file.path.hasPrefix("Tests/System/Labs/") {
            for folder in folders {
                for line in file.lines(with: folder) {
                    for range in line.text.ranges(of: folder) {
                        // A path that goes on inside another is not one from the top.
                        let before = line.text[..<range.lowerBound].last
                        let isInside = before.map {
                            $0.isLetter || $0.isNumber || "})_.".contains($0)
                        }
                        #expect(
                            isInside == true || line.text[range.upperBound...].hasPrefix("ada"),
                            "\(line.place): \(line.text)")
                    }
                }
            }
        }
    }

    @Test("files are short enough to be read")
    func length() {
        let limit = 600
        let endings = [".swift", ".py", ".c", ".h", ".sh"]
        // Written by a program, and read by none but the compiler.
        let tables = ["Sources/CConfusables/table.h", "Sources/CWords/table.h"]
        for file in Repository.files
        where endings.contains(where: { file.path.hasSuffix($0) }) && !tables.contains(file.path) {
            #expect(file.lines.count <= limit, "\(file.path) has \(file.lines.count) lines")
        }
    }

    @Test("what silences the compiler says why, and only where memory or threads are touched")
    func unchecked() {
        for file in Self.sources {
            for mark in ["@unchecked Sendable", "nonisolated(unsafe)"] {
                for line in file.code(with: mark) {
                    #expect(Self.unsafeModules.contains(Self.module(file)), "\(line.place)")
                    let index = file.lines.firstIndex { $0.place == line.place } ?? 0
                    let above = index > 0 ? file.lines[index - 1].text.drop { $0 == " " } : ""
                    let isSaid =
                        line.text.count > line.code.count + 4
                        || above.hasPrefix("//") && !above.hasPrefix("///")
                    #expect(isSaid, "\(line.place) needs its reason on the line or above it")
                }
            }
        }
    }

    /// Records every line of the files in whose code one of the marks stands.
    private func refuse(
        _ marks: [String], in files: [TextFile],
        unless isFine: (TextFile.Line) -> Bool = { _ in false }
    ) {
        for file in files {
            for mark in marks {
                for line in file.code(with: mark) where !isFine(line) {
                    Issue.record("\(line.place): \(mark): \(line.text)")
                }
            }
        }
    }

    @Test("pointers stay where C is")
    func pointers() {
        let marks = [
            "UnsafePointer", "UnsafeMutable", "UnsafeRaw", "UnsafeBuffer", "withUnsafe",
            "unsafeBitCast", "Unmanaged", "OpaquePointer",
        ]
        self.refuse(
            marks, in: Self.sources.filter { !Self.unsafeModules.contains(Self.module($0)) })
    }

    @Test("what decides holds no thread, task or lock, and reads no clock and no chance of its own")
    func pure() {
        let files = ["Formats", "Engine", "ControlAPI", "Chat", "Notifications", "Web"].flatMap {
            Repository.swift("Sources/\($0)")
        }
        self.refuse(
            [
                " async ", " await ", "Task {", "Task.", "Mutex", "DispatchQueue",
                "ContinuousClock", "SuspendingClock", "SystemRandomNumberGenerator",
                ".shuffled()", ".randomElement()", "getenv", "actor ", "class ",
            ], in: files)
        // Chance that is handed in is an argument.
        self.refuse([".random(in:"], in: files) { $0.code.contains("using: &") }
    }

    @Test("locks are of the kind that the thread sanitizer sees")
    func locks() {
        let watched = ["Sources/", "Tests/PosixTests/", "Tests/LoopTests/", "Tests/DaemonTests/"]
        self.refuse(
            ["Mutex<", "Mutex("],
            in: Self.swift.filter { file in watched.contains { file.path.hasPrefix($0) } })
    }

    @Test("columns and parameters of SQL are named, not counted")
    func numbers() {
        let readers = [
            "bind", "int", "optionalInt", "isNull", "text", "bytes", "optionalBytes", "bytes32",
            "optionalBytes64", "withBytes",
        ]
        let marks = readers.flatMap { reader in (0...9).map { ".\(reader)(\($0)" } }
        self.refuse(
            marks + (1...9).map { "?\($0)" },
            in: Self.sources.filter { Self.module($0) == "Storage" })
    }

    @Test("nothing in Sources traps on what others send")
    func traps() {
        self.refuse(["try" + "! ", " as" + "! ", "fatal" + "Error("], in: Self.sources)
    }

    @Test("no test sleeps")
    func sleeping() {
        let files = Self.swift.filter {
            $0.path.hasPrefix("Tests/") && !$0.path.hasPrefix("Tests/IntegrationTests/")
        }
        self.refuse(["sle" + "ep(", "usle" + "ep", "nanosle" + "ep"], in: files)
    }
}
