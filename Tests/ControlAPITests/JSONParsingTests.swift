import ControlAPI
import TestSupport
import Testing

@Suite("JSON parser")
struct JSONParsingTests {
    @Test("values of every kind are read and keep the order of their members")
    func everyKind() throws {
        let value = try JSON(
            parsing: #" {"z" : null , "a":[true,false,-1,1.5,"",[],{}],"é":"x"} "#)
        #expect(
            value == [
                "z": nil, "a": [true, false, -1, 1.5, "", [], [:]], "é": "x",
            ])
    }

    @Test(
        "numbers are read exactly",
        arguments: [
            ("0", JSON.integer(0)), ("-0", .number(-0.0)), ("-1", .integer(-1)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("1.0", .number(1)), ("1e2", .number(100)), ("1E+2", .number(100)),
            ("1e-2", .number(0.01)), ("0.1", .number(0.1)), ("-1.5e-3", .number(-0.0015)),
            ("2.2250738585072011e-308", .number(Double.leastNormalMagnitude.nextDown)),
            ("1e-400", .number(0)), ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
        ])
    func numbers(text: String, value: JSON) throws {
        let parsed = try JSON(parsing: text)
        #expect(parsed == value)
        // -0 and 0 are equal, so the sign is compared by its text.
        #expect(parsed.text == value.text)
    }

    @Test(
        "escapes of RFC 8259 are read",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u00E9""#, "Aéé"),
            (#""\ud83d\ude00""#, "😀"), (#""\uD83D\uDE00!""#, "😀!"), (#""\u0000""#, "\0"),
            (#""a\u0020b\\c""#, "a b\\c"), (#""日本\n😀""#, "日本\n😀"), ("\"\u{7F}\"", "\u{7F}"),
            (#""\uffff\uFFFE""#, "\u{FFFF}\u{FFFE}"),
        ])
    func escapes(text: String, value: String) throws {
        #expect(try JSON(parsing: text) == .string(value))
    }

    @Test(
        "what RFC 8259 does not allow is refused at its byte",
        arguments: [
            ("", JSONError.Reason.unexpectedEnd, 0), ("  ", .unexpectedEnd, 2),
            ("nul", .unexpectedEnd, 3), ("nulL", .unexpectedByte, 3), ("True", .unexpectedByte, 0),
            ("[1,]", .unexpectedByte, 3), ("[,1]", .unexpectedByte, 1),
            ("[1 2]", .unexpectedByte, 3),
            ("[1", .unexpectedEnd, 2), ("]", .unexpectedByte, 0), ("[1}", .unexpectedByte, 2),
            (#"{"a"}"#, .unexpectedByte, 4), (#"{"a":1,}"#, .unexpectedByte, 7),
            (#"{a:1}"#, .unexpectedByte, 1), (#"{1:1}"#, .unexpectedByte, 1),
            (#"{"a":}"#, .unexpectedByte, 5), (#"{"a":1"#, .unexpectedEnd, 6),
            ("01", .trailingBytes, 1), ("-", .unexpectedEnd, 1), ("-a", .unexpectedByte, 1),
            ("+1", .unexpectedByte, 0), (".5", .unexpectedByte, 0), ("1.", .unexpectedEnd, 2),
            ("1.e1", .unexpectedByte, 2), ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3),
            ("0x10", .trailingBytes, 1), ("NaN", .unexpectedByte, 0),
            ("Infinity", .unexpectedByte, 0), ("1 2", .trailingBytes, 2),
            ("{}x", .trailingBytes, 2),
            ("'a'", .unexpectedByte, 0), ("\"a", .unexpectedEnd, 2),
            ("\"\n\"", .controlCharacter, 1),
            ("\"a\u{1F}\"", .controlCharacter, 2), ("\"\0\"", .controlCharacter, 1),
            (#""\a""#, .invalidEscape, 1), (#""\u12g4""#, .invalidEscape, 5),
            (#""\u12"#, .unexpectedEnd, 5), (#""\"#, .unexpectedEnd, 2),
            ("\u{FEFF}1", .unexpectedByte, 0), ("/**/1", .unexpectedByte, 0),
            ("\u{C}1", .unexpectedByte, 0),
        ])
    func malformed(text: String, reason: JSONError.Reason, offset: Int) {
        #expect(throws: JSONError(reason, at: offset)) { try JSON(parsing: text) }
    }

    @Test(
        "lone and swapped surrogates are refused",
        arguments: [
            #""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\u0041""#,
            #""\ud800\ud800""#, #""\udc00\ud800""#, #""x\udfff\ud83d\ude00""#,
        ])
    func surrogates(text: String) {
        #expect {
            try JSON(parsing: text)
        } throws: {
            ($0 as? JSONError)?.reason == .loneSurrogate
        }
    }

    @Test(
        "strings that are not UTF-8 are refused at their byte",
        arguments: [
            ([0x80], 0), ([0x61, 0xFF], 1), ([0xC0, 0x80], 0), ([0xC3], 0),
            ([0xE0, 0x80, 0x80], 0),
            ([0xED, 0xA0, 0x80], 0), ([0xF4, 0x90, 0x80, 0x80], 0), ([0xF5, 0x80, 0x80, 0x80], 0),
            ([0x5C, 0x6E, 0x62, 0xFE], 3), ([0xF0, 0x9F, 0x98], 0),
        ] as [([UInt8], Int)])
    func invalidUTF8(content: [UInt8], offset: Int) {
        let text = [0x22] + content + [0x22]
        #expect(throws: JSONError(.invalidUTF8, at: offset + 1)) { try JSON(parsing: text) }
        // Also as a member's name.
        let object: [UInt8] = [0x7B] + text + [0x3A, 0x31, 0x7D]
        #expect(throws: JSONError(.invalidUTF8, at: offset + 2)) { try JSON(parsing: object) }
    }

    @Test("bytes outside strings that are not ASCII are refused")
    func notASCII() {
        #expect(throws: JSONError(.unexpectedByte, at: 1)) {
            try JSON(parsing: [0x5B, 0xC2, 0xA0, 0x5D])
        }
    }

    @Test(
        "numbers beyond 64 bits, beyond double or too long are refused, never rounded away",
        arguments: [
            "9223372036854775808", "-9223372036854775809", "100000000000000000000", "1e309",
            "-1e999", "0." + String(repeating: "1", count: 1_024),
            String(repeating: "9", count: 100_000),
        ])
    func outOfRange(text: String) {
        #expect(throws: JSONError(.numberOutOfRange, at: 1)) { try JSON(parsing: "[" + text + "]") }
    }

    @Test("two members of one name are refused, however the name is written")
    func duplicates() throws {
        #expect(throws: JSONError(.duplicateName, at: 7)) { try JSON(parsing: #"{"a":1,"a":1}"#) }
        #expect(throws: JSONError(.duplicateName, at: 7)) {
            try JSON(parsing: #"{"a":1,"\u0061":1}"#)
        }
        // Canonically equivalent names are different names: JSON compares code units.
        let equivalent = try JSON(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        #expect(equivalent.objectValue?.count == 2)
    }

    @Test("a large object with a duplicate at its end is refused in linear time")
    func manyMembers() throws {
        let members = (0..<50_000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
        let value = try JSON(parsing: "{\(members)}")
        #expect(value.objectValue?.count == 50_000)
        #expect(value["m49999"] == 49_999)
        #expect {
            try JSON(parsing: "{\(members),\"m7\":0}")
        } throws: {
            ($0 as? JSONError)?.reason == .duplicateName
        }
    }

    @Test("nesting is read up to the limit and refused beyond, without recursion running away")
    func depth() throws {
        let limit = ControlLimits.nestingDepth
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(throws: Never.self) { try JSON(parsing: nested(limit)) }
        #expect(throws: JSONError(.tooDeep, at: limit)) { try JSON(parsing: nested(limit + 1)) }
        let brackets = String(repeating: "[", count: 100_000)
        #expect(throws: JSONError(.tooDeep, at: limit)) { try JSON(parsing: brackets) }
        let objects = String(repeating: #"{"a":"#, count: 100_000)
        #expect(throws: JSONError(.tooDeep, at: limit * 5)) { try JSON(parsing: objects) }
        // Depth counts what is open, not what was opened.
        let siblings = "[" + Array(repeating: "[]", count: 1_000).joined(separator: ",") + "]"
        #expect(throws: Never.self) { try JSON(parsing: siblings) }
    }

    @Test("a text beyond the caller's limit is refused before it is read")
    func size() throws {
        let long = [UInt8](repeating: UInt8(ascii: " "), count: 10 << 20)
        #expect(throws: JSONError(.tooLong, at: ControlLimits.lineBytes)) {
            try JSON(parsing: long)
        }
        let text = "\"" + String(repeating: "é", count: 5 << 20) + "\""
        #expect(try JSON(parsing: text, byteLimit: 11 << 20).stringValue?.utf8.count == 10 << 20)
        #expect(throws: JSONError(.tooLong, at: 3)) { try JSON(parsing: "1234", byteLimit: 3) }
        #expect(try JSON(parsing: "1234", byteLimit: 4) == 1234)
    }

    @Test("every truncation of a text is refused and none traps")
    func truncation() {
        let text = Array(#"{"a":[1.5e3,"\ud83d\ude00é",null,{"b":true}],"c":-12}"#.utf8)
        for count in 0..<text.count {
            #expect(throws: JSONError.self) { try JSON(parsing: Array(text[..<count])) }
        }
    }

    @Test("changed bytes are read or refused and never trap, and what is read survives writing")
    func mutation() throws {
        let text = Array(#"{"a":[1.5e3,"\ud83d\ude00é",null,{"b":true}],"c":-12}"#.utf8)
        var random = SeededRandom(seed: 7)
        for _ in 0..<20_000 {
            var changed = text
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: changed.indices, using: &random)
                changed[index] = UInt8.random(in: 0...255, using: &random)
            }
            guard let value = try? JSON(parsing: changed) else { continue }
            #expect(try JSON(parsing: value.bytes) == value)
        }
    }
}
