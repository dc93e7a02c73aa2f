import TestSupport

/// The inputs that are kept of earlier fuzzing.
enum KeptInputs {
    private static let folder = "\(TestFiles.tests)/System/Fuzz"

    /// The committed corpus of a target: one input in a line, in hexadecimal; nil where a line is none.
    static func corpus(of target: String) -> [[UInt8]]? {
        guard let text = Self.read("Corpus/\(target).hex") else { return nil }
        var inputs: [[UInt8]] = []
        for line in text.split(separator: 0x0A) {
            guard let input = line == [0x2D] ? [] : TestFiles.bytes(ofHexadecimal: line) else {
                return nil
            }
            inputs.append(input)
        }
        return inputs
    }

    /// What once went wrong in a target, by the names of the files.
    static func failCases(of target: String) -> [(name: String, bytes: [UInt8])] {
        Self.names(in: "FailCases/\(target)").compactMap { name in
            Self.read("FailCases/\(target)/\(name)").map { (name, $0) }
        }
    }

    /// The names of what a folder beside this one holds, in order.
    static func names(in path: String) -> [String] {
        TestFiles.names(in: "\(Self.folder)/\(path)").filter { !$0.hasPrefix(".") }
    }

    private static func read(_ path: String) -> [UInt8]? {
        TestFiles.read("\(Self.folder)/\(path)")
    }
}
