import Glibc

/// The inputs that are kept of earlier fuzzing.
enum KeptInputs {
    private static let folder: String =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
        .joined(separator: "/")

    /// The committed corpus of a target: one input in a line, in hexadecimal; nil where a line is none.
    static func corpus(of target: String) -> [[UInt8]]? {
        guard let text = Self.read("Corpus/\(target).hex") else { return nil }
        var inputs: [[UInt8]] = []
        for line in text.split(separator: 0x0A) {
            guard let input = line == [0x2D] ? [] : Self.bytes(of: line) else { return nil }
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
        guard let stream = opendir("\(Self.folder)/\(path)") else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private static func bytes(of line: ArraySlice<UInt8>) -> [UInt8]? {
        guard line.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(line.count / 2)
        var high: UInt8?
        for digit in line {
            let value: UInt8
            switch digit {
            case 0x30...0x39: value = digit - 0x30
            case 0x61...0x66: value = digit - 0x61 + 10
            default: return nil
            }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    private static func read(_ path: String) -> [UInt8]? {
        let descriptor = open("\(Self.folder)/\(path)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = Glibc.read(descriptor, &buffer, buffer.count), count > 0 {
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }
}
