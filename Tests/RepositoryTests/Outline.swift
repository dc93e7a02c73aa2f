/// The types of a Swift file with how many properties each of them stores, and its functions with their
/// lengths; read from the text, as far as `swift format` writes it.
struct Outline {
    private enum Scope {
        case type(String)
        case function(String, line: Int)
        case other
    }

    /// A declaration whose body or value has not come yet.
    private enum Header {
        case type(String)
        case function(String, line: Int)
        case property(names: Int)
    }

    /// How many properties each type stores, by its name with those around it.
    private(set) var stored: [String: Int] = [:]
    private(set) var functions: [(name: String, line: Int, length: Int)] = []
    private var scopes: [Scope] = []
    private var header: Header?
    /// How many parentheses and brackets are open.
    private var nesting = 0

    init(_ text: String) {
        let lines = Self.bare(Array(text.utf8)).split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self).trimmed }
        for (index, line) in lines.enumerated() {
            if self.nesting == 0 { self.open(line, index + 1) }
            let next = lines[(index + 1)...].first { !$0.isEmpty } ?? ""
            self.read(line, index + 1, next)
            if case .property(let names)? = self.header, self.nesting == 0, !next.hasPrefix("{") {
                self.store(names)
            }
        }
    }

    // MARK: Words

    private static let modifiers: Set<Substring> = [
        "package", "public", "private", "fileprivate", "internal", "package(set)", "private(set)",
        "internal(set)", "fileprivate(set)", "final", "mutating", "nonmutating", "override",
        "indirect", "consuming", "borrowing", "nonisolated", "nonisolated(unsafe)", "lazy", "weak",
        "unowned", "convenience", "required", "isolated",
    ]

    private static let types: Set<Substring> = [
        "struct", "class", "actor", "enum", "extension", "protocol",
    ]

    private mutating func open(_ line: String, _ number: Int) {
        var words = line.split(separator: " ")[...]
        while let word = words.first, word.hasPrefix("@") || Self.modifiers.contains(word) {
            words.removeFirst()
        }
        guard let keyword = words.popFirst() else { return }
        let name = words.first.map { String($0.prefix { $0.isLetter || $0.isNumber || $0 == "." }) }
        if Self.types.contains(keyword), let name {
            self.header = .type(([self.typeName, name].compactMap(\.self)).joined(separator: "."))
        } else if keyword == "func" || keyword == "static" && words.first == "func" {
            self.header = .function(String(line.prefix(70)), line: number)
        } else if ["init(", "init?(", "init<", "subscript("].contains(where: {
            keyword.hasPrefix($0)
        }) {
            self.header = .function(String(line.prefix(70)), line: number)
        } else if keyword == "var" || keyword == "let", case .type? = self.scopes.last {
            // Several names stand before the type, or before the value.
            let names = words.prefix { !$0.contains(":") && $0 != "=" }
            self.header = .property(names: 1 + names.count { $0.hasSuffix(",") })
        }
    }

    private var typeName: String? {
        if case .type(let name)? = self.scopes.last { name } else { nil }
    }

    private mutating func read(_ line: String, _ number: Int, _ next: String) {
        for index in line.utf8.indices {
            switch line.utf8[index] {
            case UInt8(ascii: "("), UInt8(ascii: "["): self.nesting += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"): self.nesting -= 1
            case UInt8(ascii: "=") where self.nesting == 0:
                if case .property(let names)? = self.header { self.store(names) }
            case UInt8(ascii: "{"):
                let rest = line[line.utf8.index(after: index)...].drop { $0 == " " }
                self.enter(rest.isEmpty ? next[...] : rest)
                if case .type? = self.scopes.last { self.open(String(rest), number) }
            case UInt8(ascii: "}"): self.leave(number)
            default: break
            }
        }
    }

    /// Braces within parentheses are those of closures.
    private mutating func enter(_ body: Substring) {
        guard self.nesting == 0 else { return self.scopes.append(.other) }
        switch self.header {
        case .type(let name)?:
            self.scopes.append(.type(name))
            self.stored[name, default: 0] += 0
        case .function(let name, let line)?: self.scopes.append(.function(name, line: line))
        case .property(let names)?:
            if ["didSet", "willSet"].contains(where: { body.hasPrefix($0) }) {
                self.stored[self.typeName ?? "", default: 0] += names
            }
            self.scopes.append(.other)
        case nil: self.scopes.append(.other)
        }
        self.header = nil
    }

    private mutating func leave(_ number: Int) {
        if case .property(let names)? = self.header { self.store(names) }
        if case .function(let name, let line)? = self.scopes.popLast() {
            self.functions.append((name, line, number - line + 1))
        }
    }

    private mutating func store(_ names: Int) {
        self.stored[self.typeName ?? "", default: 0] += names
        self.header = nil
    }

    // MARK: Texts and comments

    /// The file with blanks for its comments and for what stands in quotes.
    private static func bare(_ bytes: [UInt8]) -> [UInt8] {
        var bare = bytes
        var place = 0
        while place < bytes.count {
            let from = place
            if bytes[place...].starts(with: [0x2F, 0x2F]) {
                while place < bytes.count, bytes[place] != 0x0A { place += 1 }
            } else if bytes[place] == 0x22 {
                place = Self.end(ofTextAt: place, in: bytes)
            } else {
                place += 1
                continue
            }
            for index in from..<place where bytes[index] != 0x0A { bare[index] = 0x20 }
        }
        return bare
    }

    /// Where a text in quotes ends, which may hold others between `\(` and its parenthesis.
    private static func end(ofTextAt start: Int, in bytes: [UInt8]) -> Int {
        let isLong = bytes[start...].starts(with: [0x22, 0x22, 0x22])
        let quotes = [UInt8](repeating: 0x22, count: isLong ? 3 : 1)
        var place = start + quotes.count
        while place < bytes.count, !bytes[place...].starts(with: quotes) {
            guard bytes[place] == 0x5C, place + 1 < bytes.count else {
                place += 1
                continue
            }
            place += 2
            guard bytes[place - 1] == 0x28 else { continue }
            var open = 1
            while place < bytes.count, open > 0 {
                switch bytes[place] {
                case 0x22: place = Self.end(ofTextAt: place, in: bytes) - 1
                case 0x28: open += 1
                case 0x29: open -= 1
                default: break
                }
                place += 1
            }
        }
        return min(bytes.count, place + quotes.count)
    }
}

extension String {
    fileprivate var trimmed: String {
        String(self.drop { $0 == " " })
    }
}
