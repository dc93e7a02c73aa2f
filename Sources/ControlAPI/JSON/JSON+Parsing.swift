extension JSON {
    /// Reads one JSON text, which must be the whole of `bytes` but for white space.
    ///
    /// Strict RFC 8259 with these choices, where the RFC leaves one: text that is not UTF-8, lone
    /// surrogates, two members of one name, nesting deeper than `ControlLimits.nestingDepth` and a
    /// byte-order mark are refused; `\u0000` is allowed. An integer that does not fit 64 bits is
    /// refused rather than rounded, because a rounded request id could never be matched by its
    /// sender; a number with fraction or exponent is rounded to the nearest double, and refused
    /// when that is infinite. Takes time linear in the number of bytes.
    package init(
        parsing bytes: Span<UInt8>, byteLimit: Int = ControlLimits.lineBytes
    ) throws(JSONError) {
        guard bytes.count <= byteLimit else { throw JSONError(.tooLong, at: byteLimit) }
        var parser = JSONParser()
        self = try parser.document(bytes)
    }

    /// Reads one JSON text; the same as for a span.
    package init(
        parsing bytes: [UInt8], byteLimit: Int = ControlLimits.lineBytes
    ) throws(JSONError) {
        try self.init(parsing: bytes.span, byteLimit: byteLimit)
    }

    /// Reads one JSON text from a string's UTF-8; the same as for a span.
    package init(
        parsing text: String, byteLimit: Int = ControlLimits.lineBytes
    ) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), byteLimit: byteLimit)
    }
}

/// A recursive-descent parser whose recursion is bounded by `ControlLimits.nestingDepth`.
///
/// The span is handed to every function because a value cannot store one without language
/// features that are still experimental; only position and depth are state.
struct JSONParser {
    private var index = 0
    private var depth = 0

    /// Above this number of members a set finds duplicates; below it, comparing is faster.
    private static let membersCompared = 12

    mutating func document(_ bytes: Span<UInt8>) throws(JSONError) -> JSON {
        self.skipSpace(bytes)
        let value = try self.value(bytes)
        self.skipSpace(bytes)
        guard self.index == bytes.count else { throw JSONError(.trailingBytes, at: self.index) }
        return value
    }

    private mutating func skipSpace(_ bytes: Span<UInt8>) {
        while self.index < bytes.count {
            switch bytes[self.index] {
            case 0x20, 0x0A, 0x0D, 0x09: self.index += 1
            default: return
            }
        }
    }

    private func peek(_ bytes: Span<UInt8>) throws(JSONError) -> UInt8 {
        guard self.index < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
        return bytes[self.index]
    }

    private mutating func value(_ bytes: Span<UInt8>) throws(JSONError) -> JSON {
        switch try self.peek(bytes) {
        case UInt8(ascii: "\""):
            return .string(try self.string(bytes))
        case UInt8(ascii: "{"):
            return try self.object(bytes)
        case UInt8(ascii: "["):
            return try self.array(bytes)
        case UInt8(ascii: "t"):
            try self.word("true", bytes)
            return .bool(true)
        case UInt8(ascii: "f"):
            try self.word("false", bytes)
            return .bool(false)
        case UInt8(ascii: "n"):
            try self.word("null", bytes)
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try self.number(bytes)
        default:
            throw JSONError(.unexpectedByte, at: self.index)
        }
    }

    private mutating func word(
        _ word: StaticString, _ bytes: Span<UInt8>
    ) throws(JSONError) {
        for expected in word.description.utf8 {
            guard try self.peek(bytes) == expected else {
                throw JSONError(.unexpectedByte, at: self.index)
            }
            self.index += 1
        }
    }

    private mutating func enter() throws(JSONError) {
        guard self.depth < ControlLimits.nestingDepth else {
            throw JSONError(.tooDeep, at: self.index)
        }
        self.depth += 1
        self.index += 1
    }

    private mutating func leave() {
        self.depth -= 1
        self.index += 1
    }

    private mutating func array(_ bytes: Span<UInt8>) throws(JSONError) -> JSON {
        try self.enter()
        var elements: [JSON] = []
        self.skipSpace(bytes)
        if try self.peek(bytes) == UInt8(ascii: "]") {
            self.leave()
            return .array(elements)
        }
        while true {
            elements.append(try self.value(bytes))
            self.skipSpace(bytes)
            switch try self.peek(bytes) {
            case UInt8(ascii: ","):
                self.index += 1
                self.skipSpace(bytes)
            case UInt8(ascii: "]"):
                self.leave()
                return .array(elements)
            default:
                throw JSONError(.unexpectedByte, at: self.index)
            }
        }
    }

    private mutating func object(_ bytes: Span<UInt8>) throws(JSONError) -> JSON {
        try self.enter()
        var members: [JSON.Member] = []
        var names = Set<[UInt8]>()
        self.skipSpace(bytes)
        if try self.peek(bytes) == UInt8(ascii: "}") {
            self.leave()
            return .object(members)
        }
        while true {
            let start = self.index
            guard try self.peek(bytes) == UInt8(ascii: "\"") else {
                throw JSONError(.unexpectedByte, at: self.index)
            }
            let name = try self.string(bytes)
            guard Self.isNew(name, members, &names) else {
                throw JSONError(.duplicateName, at: start)
            }
            self.skipSpace(bytes)
            guard try self.peek(bytes) == UInt8(ascii: ":") else {
                throw JSONError(.unexpectedByte, at: self.index)
            }
            self.index += 1
            self.skipSpace(bytes)
            members.append(JSON.Member(name, try self.value(bytes)))
            self.skipSpace(bytes)
            switch try self.peek(bytes) {
            case UInt8(ascii: ","):
                self.index += 1
                self.skipSpace(bytes)
            case UInt8(ascii: "}"):
                self.leave()
                return .object(members)
            default:
                throw JSONError(.unexpectedByte, at: self.index)
            }
        }
    }

    /// Whether no member bears that name, compared by bytes: Swift's `==` would normalise, which
    /// is slower and holds different names for the same.
    private static func isNew(
        _ name: String, _ members: [JSON.Member], _ names: inout Set<[UInt8]>
    ) -> Bool {
        if members.count < Self.membersCompared {
            let count = name.utf8.count
            return !members.contains {
                $0.name.utf8.count == count && $0.name.utf8.elementsEqual(name.utf8)
            }
        }
        if names.isEmpty { names = Set(members.map { Array($0.name.utf8) }) }
        return names.insert(Array(name.utf8)).inserted
    }
}

// Strings.
extension JSONParser {
    private mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        self.index += 1
        let start = self.index
        let plain = try self.skipPlain(bytes)
        if plain == UInt8(ascii: "\"") {
            defer { self.index += 1 }
            do {
                return String(
                    copying: try UTF8Span(validating: bytes.extracting(start..<self.index)))
            } catch {
                throw JSONError(.invalidUTF8, at: start + error.byteOffsets.lowerBound)
            }
        }
        return try self.escapedString(bytes, from: start)
    }

    /// Advances to the next quote or backslash, which it returns.
    private mutating func skipPlain(_ bytes: Span<UInt8>) throws(JSONError) -> UInt8 {
        var index = self.index
        defer { self.index = index }
        // Eight at a time, as long as nothing among them needs a look.
        while index + 8 <= bytes.count, JSON.isPlain(bytes.bytes.word(at: index)) { index += 8 }
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return byte }
            guard byte >= 0x20 else { throw JSONError(.controlCharacter, at: index) }
            index += 1
        }
        throw JSONError(.unexpectedEnd, at: bytes.count)
    }

    private mutating func escapedString(
        _ bytes: Span<UInt8>, from start: Int
    ) throws(JSONError) -> String {
        var buffer: [UInt8] = []
        var chunk = start
        while true {
            let stop = try self.skipPlain(bytes)
            // Each plain chunk is checked by itself, so that an error names its byte.
            do {
                let span = bytes.extracting(chunk..<self.index)
                _ = try UTF8Span(validating: span)
                for position in span.indices { buffer.append(span[position]) }
            } catch {
                throw JSONError(.invalidUTF8, at: chunk + error.byteOffsets.lowerBound)
            }
            self.index += 1
            if stop == UInt8(ascii: "\"") { return String(decoding: buffer, as: UTF8.self) }
            try self.escape(bytes, into: &buffer)
            chunk = self.index
        }
    }

    private mutating func escape(
        _ bytes: Span<UInt8>, into buffer: inout [UInt8]
    ) throws(JSONError) {
        let start = self.index - 1
        let letter = try self.peek(bytes)
        self.index += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(letter)
        case UInt8(ascii: "b"): buffer.append(0x08)
        case UInt8(ascii: "f"): buffer.append(0x0C)
        case UInt8(ascii: "n"): buffer.append(0x0A)
        case UInt8(ascii: "r"): buffer.append(0x0D)
        case UInt8(ascii: "t"): buffer.append(0x09)
        case UInt8(ascii: "u"):
            var code = try self.hexadecimal(bytes)
            if (0xD800...0xDBFF).contains(code) {
                guard self.index + 1 < bytes.count, bytes[self.index] == UInt8(ascii: "\\"),
                    bytes[self.index + 1] == UInt8(ascii: "u")
                else { throw JSONError(.loneSurrogate, at: start) }
                self.index += 2
                let low = try self.hexadecimal(bytes)
                guard (0xDC00...0xDFFF).contains(low) else {
                    throw JSONError(.loneSurrogate, at: start)
                }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else {
                throw JSONError(.loneSurrogate, at: start)
            }
            buffer.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        default:
            throw JSONError(.invalidEscape, at: start)
        }
    }

    private mutating func hexadecimal(_ bytes: Span<UInt8>) throws(JSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            let digit: UInt32
            switch try self.peek(bytes) {
            case let byte where (0x30...0x39).contains(byte): digit = UInt32(byte) - 0x30
            case let byte where (0x41...0x46).contains(byte): digit = UInt32(byte) - 0x41 + 10
            case let byte where (0x61...0x66).contains(byte): digit = UInt32(byte) - 0x61 + 10
            default: throw JSONError(.invalidEscape, at: self.index)
            }
            code = code << 4 | digit
            self.index += 1
        }
        return code
    }
}

// Numbers.
extension JSONParser {
    private mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> JSON {
        let start = self.index
        let negative = bytes[start] == UInt8(ascii: "-")
        if negative { self.index += 1 }
        // Summed as a negative number because that side reaches one further.
        var integer: Int64? = 0
        let first = try self.peek(bytes)
        if first == UInt8(ascii: "0") {
            self.index += 1
        } else {
            try self.digits(bytes) { digit in
                guard let sum = integer else { return }
                let (product, overflow) = sum.multipliedReportingOverflow(by: 10)
                let (result, underflow) = product.subtractingReportingOverflow(Int64(digit))
                integer = overflow || underflow ? nil : result
            }
        }
        var whole = true
        if self.index < bytes.count, bytes[self.index] == UInt8(ascii: ".") {
            whole = false
            self.index += 1
            try self.digits(bytes) { _ in }
        }
        if self.index < bytes.count, bytes[self.index] | 0x20 == UInt8(ascii: "e") {
            whole = false
            self.index += 1
            let sign = try self.peek(bytes)
            if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { self.index += 1 }
            try self.digits(bytes) { _ in }
        }
        guard self.index - start <= ControlLimits.numberBytes else {
            throw JSONError(.numberOutOfRange, at: start)
        }
        if whole, !(negative && integer == 0) {
            guard let integer else { throw JSONError(.numberOutOfRange, at: start) }
            if negative { return .integer(integer) }
            guard integer != .min else { throw JSONError(.numberOutOfRange, at: start) }
            return .integer(-integer)
        }
        return .number(try self.double(bytes, start))
    }

    private mutating func digits(
        _ bytes: Span<UInt8>, _ body: (UInt8) -> Void
    ) throws(JSONError) {
        guard (0x30...0x39).contains(try self.peek(bytes)) else {
            throw JSONError(.unexpectedByte, at: self.index)
        }
        while self.index < bytes.count, (0x30...0x39).contains(bytes[self.index]) {
            body(bytes[self.index] - 0x30)
            self.index += 1
        }
    }

    private func double(_ bytes: Span<UInt8>, _ start: Int) throws(JSONError) -> Double {
        var text = ""
        for position in start..<self.index {
            text.unicodeScalars.append(Unicode.Scalar(bytes[position]))
        }
        guard let value = Double(text), value.isFinite else {
            throw JSONError(.numberOutOfRange, at: start)
        }
        return value
    }
}
