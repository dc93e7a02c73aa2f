import Testing

/// How much one type owns, and how long one function is.
///
/// What is beyond a limit is listed with its size, so that it cannot grow.
@Suite("The shape of the sources")
struct ShapeTests {
    private static let outlines: [(path: String, outline: Outline)] =
        Repository.files.filter {
            $0.path.hasPrefix("Sources/") && $0.path.hasSuffix(".swift")
        }.map { file in
            (file.path, Outline(file.lines.map(\.text).joined(separator: "\n")))
        }

    private static let propertyLimit = 25
    /// Types with another bound: those beyond the limit may shrink, and not grow.
    private static let bounds: [String: Int] = [
        "Engine.Node": 22,
        // One property for each statement of SQL.
        "Storage.EntryStatements": 28, "Storage.NameStatements": 27, "Storage.ValueStatements": 33,
    ]

    private static let lineLimit = 80
    /// Functions that are longer, by their file and the line they begin with; they may shrink, and not grow.
    private static let longFunctions: [String: Int] = [:]

    @Test("no type stores more than 25 properties, and Node no more than 22")
    func properties() {
        var stored: [String: Int] = [:]
        for (path, outline) in Self.outlines {
            let module = path.split(separator: "/")[1]
            for (name, count) in outline.stored { stored["\(module).\(name)", default: 0] += count }
        }
        #expect((stored["Engine.Node"] ?? 0) > 10, "properties are not counted")
        for (name, count) in stored.sorted(by: { $0.key < $1.key }) {
            let bound = Self.bounds[name] ?? Self.propertyLimit
            #expect(count <= bound, "\(name) stores \(count) properties, not \(bound) at most")
        }
    }

    @Test("no function is longer than 80 lines")
    func functions() {
        #expect(Self.outlines.reduce(0) { $0 + $1.outline.functions.count } > 5_000)
        for (path, outline) in Self.outlines {
            for function in outline.functions where function.length > Self.lineLimit {
                let bound = Self.longFunctions["\(path): \(function.name)"] ?? Self.lineLimit
                #expect(
                    function.length <= bound,
                    "\(path):\(function.line) has \(function.length) lines: \(function.name)")
            }
        }
    }

    @Test("properties are told from what is computed, observed or shared")
    func outline() {
        let outline = Outline(
            """
            struct Outer {
                var one: Int
                let two = "a { b \\("{") c"
                let three, four: [String: Int]
                static let none = 1
                var observed = 1 { didSet { self.one = 2 } }
                var alsoObserved: Int {
                    didSet { self.one = 2 }
                }
                var computed: Int { self.one }
                var made: Int = { 4 }()
                struct Inner { let five: Int }
                func short(
                    _ value: Int
                ) {
                    let local = value
                }
            }
            """)
        #expect(outline.stored == ["Outer": 7, "Outer.Inner": 1])
        #expect(outline.functions.map(\.length) == [5])
    }
}
