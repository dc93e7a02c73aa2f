import ControlAPI
import TestSupport
import Testing

@Suite("JSON writer")
struct JSONWritingTests {
    @Test("values are written compactly in the order of their members")
    func compact() {
        let value: JSON = [
            "z": nil, "a": [true, false, -1, 1.5, "", [], [:]], "m": .integer(.min), "e": 1e300,
        ]
        #expect(
            value.text
                == #"{"z":null,"a":[true,false,-1,1.5,"",[],{}],"m":-9223372036854775808,"e":1e+300}"#
        )
    }

    @Test("members without a value are left out")
    func optionalMembers() {
        let absent: JSON? = nil
        #expect(JSON.members(["a": 1, "b": absent, "c": .null]).text == #"{"a":1,"c":null}"#)
    }

    @Test("quotes, backslashes and control characters are escaped")
    func escapes() {
        #expect(JSON.string("\"\\\n\r\t\0\u{1B}\u{7F}").text == #""\"\\\n\r\t\u0000\u001b\u007f""#)
        #expect(JSON.object([.init("\n", 1)]).text == #"{"\n":1}"#)
    }

    @Test("what is escaped is found wherever it stands among others")
    func everyPlace() throws {
        for value in UInt32(0)...0xFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let alone = JSON.string(String(scalar)).text.dropFirst().dropLast()
            for place in 0..<20 {
                for filler: Unicode.Scalar in [" ", "~", "#", "[", "a"] {
                    var text = String.UnicodeScalarView(repeating: filler, count: 20)
                    text.replaceSubrange(
                        text.index(
                            text.startIndex, offsetBy: place)..<text.index(
                                text.startIndex, offsetBy: place + 1), with: [scalar])
                    let before = String(repeating: String(filler), count: place)
                    let behind = String(repeating: String(filler), count: 19 - place)
                    #expect(JSON.string(String(text)).text == "\"\(before)\(alone)\(behind)\"")
                }
            }
        }
    }

    @Test("no scalar that can steer a terminal is written as itself, and all survive")
    func everyScalar() throws {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let hidden = TerminalText.isHidden(scalar)
            // Most of the planes are alike; of those a sample does.
            guard hidden || value < 0x30000 || value % 251 == 0 || value > 0xDFFF0 else { continue }
            let text = JSON.string(String(scalar)).text
            if hidden {
                #expect(text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "U+\(value)")
            }
            #expect(try JSON(parsing: text) == .string(String(scalar)), "U+\(value)")
        }
    }

    @Test("what a seeded generator makes is the same after writing and parsing", arguments: 0..<200)
    func roundTrip(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let value = Self.value(&random, depth: 0)
        let bytes = value.bytes
        let parsed = try JSON(parsing: bytes)
        #expect(parsed == value)
        #expect(parsed.bytes == bytes)
        #expect(!bytes.contains(0x0A))
    }

    @Test("a number that is not finite traps rather than becoming something else")
    func notFinite() async {
        await #expect(processExitsWith: .failure) {
            _ = JSON.number(.infinity).text
        }
    }

    private static func value(_ random: inout SeededRandom, depth: Int) -> JSON {
        switch Int.random(in: 0..<(depth < 5 ? 9 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .integer(Int64.random(in: .min ... .max, using: &random))
        case 3:
            let number = Double(bitPattern: random.next())
            return .number(number.isFinite ? number : 0.5)
        case 4, 5: return .string(Self.string(&random))
        case 6, 7:
            return .array(
                (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    Self.value(&random, depth: depth + 1)
                })
        default:
            // The index keeps the names unique.
            return .object(
                (0..<Int.random(in: 0...20, using: &random)).map {
                    JSON.Member(
                        Self.string(&random) + "\($0)", Self.value(&random, depth: depth + 1))
                })
        }
    }

    private static func string(_ random: inout SeededRandom) -> String {
        var string = ""
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let limits: [UInt32] = [0x20, 0x7F, 0x100, 0x3000, 0x10FFFF]
            let limit = limits.randomElement(using: &random) ?? 0x7F
            if let scalar = Unicode.Scalar(UInt32.random(in: 0...limit, using: &random)) {
                string.unicodeScalars.append(scalar)
            }
        }
        return string
    }
}
