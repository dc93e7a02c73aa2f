/// What became of an input that holds to all that a target demands.
enum Verdict {
    /// The decoder took it.
    case accepted
    /// The decoder refused it, as it should what nobody would send.
    case refused
}

/// What a decoder did that it must never do; besides this only traps and sanitizers find faults.
struct Finding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// One decoder, or one way into it, as a function of bytes that a stranger chose.
///
/// The function takes every input. It says whether the decoder took it, and throws where the decoder
/// broke a promise.
struct FuzzTarget: Sendable {
    /// How it is called on the command line and in the names of its corpus and dictionary.
    let name: String
    /// The longest input that libFuzzer makes: what the longest interesting message needs.
    let longest: Int
    let run: @Sendable ([UInt8]) throws -> Verdict

    init(
        _ name: String, longest: Int,
        _ run: @escaping @Sendable ([UInt8]) throws -> Verdict
    ) {
        self.name = name
        self.longest = longest
        self.run = run
    }

    /// Every target, in the order of `Docs/Testing/Fuzzing.md`.
    static let all: [FuzzTarget] = [
        FuzzTarget("preface", longest: 2_400, PrefaceTarget.run),
        FuzzTarget("noise", longest: 512, NoiseTarget.run),
        FuzzTarget("introduction", longest: 1_600, IntroductionTarget.run),
        FuzzTarget("certificate", longest: 256, CertificateTarget.run),
        FuzzTarget("session", longest: 4_096, SessionTarget.run),
        FuzzTarget("frames", longest: 40_000, FramesTarget.run),
        FuzzTarget("clock", longest: 2_048, BodyTarget.clock),
        FuzzTarget("control-frames", longest: 2_048, BodyTarget.control),
        FuzzTarget("entry", longest: 4_096, EntryTarget.run),
        FuzzTarget("body", longest: 2_048, EntryBodyTarget.run),
        FuzzTarget("sealed", longest: 2_048, SealedTarget.run),
        FuzzTarget("run", longest: 8_192, RunTarget.run),
        FuzzTarget("fork-proof", longest: 8_192, ForkProofTarget.run),
        FuzzTarget("record", longest: 2_048, RecordTarget.run),
        FuzzTarget("act", longest: 3_000, ActTarget.run),
        FuzzTarget("control-line", longest: 8_192, ControlLineTarget.run),
        FuzzTarget("web-socket", longest: 2_048, WebSocketTarget.run),
        FuzzTarget("json", longest: 4_096, JSONTarget.run),
        FuzzTarget("configuration", longest: 4_096, ConfigurationTarget.run),
        FuzzTarget("arguments", longest: 1_024, ArgumentsTarget.run),
        FuzzTarget("address", longest: 256, AddressTarget.run),
        FuzzTarget("text", longest: 512, TextTarget.run),
        FuzzTarget("txt", longest: 2_048, TXTTarget.run),
        FuzzTarget("sightings", longest: 1_024, SightingsTarget.run),
    ]

    static func named(_ name: String) -> FuzzTarget? { Self.all.first { $0.name == name } }
}

/// Throws a finding unless a promise holds.
func demand(_ holds: Bool, _ promise: @autoclosure () -> String) throws {
    if !holds { throw Finding(promise()) }
}

/// The input, taken from its front; when it is used up there are zeros and nothing.
struct Feed {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { self.rest = bytes[...] }

    var isEmpty: Bool { self.rest.isEmpty }

    mutating func byte() -> UInt8 { self.rest.popFirst() ?? 0 }

    mutating func u16() -> Int { Int(self.byte()) << 8 | Int(self.byte()) }

    mutating func u64() -> UInt64 { (0..<8).reduce(0) { sum, _ in sum << 8 | UInt64(self.byte()) } }

    /// So many bytes, or what is left of them.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { self.rest = self.rest.dropFirst(count) }
        return Array(self.rest.prefix(count))
    }

    /// All that is left.
    mutating func remainder() -> [UInt8] {
        defer { self.rest = [] }
        return Array(self.rest)
    }
}
