/// The lines of `Vectors/wire-1.txt`, which an independent implementation wrote from `Docs/Protocol`.
///
/// What each stands for says `Docs/Protocol/Vectors.md`.
enum GoldenFile {
    /// The bytes of every line by its name; empty where the file cannot be read or is not well formed.
    static let lines: [String: [UInt8]] = Self.parse(
        TestFiles.read("EngineTests/Vectors/wire-1.txt") ?? [])

    private static func parse(_ bytes: [UInt8]) -> [String: [UInt8]] {
        var lines: [String: [UInt8]] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: " "))
            guard parts.count == 2, let value = Self.hex(parts[1]) else { return [:] }
            let name = String(decoding: parts[0], as: UTF8.self)
            guard lines.updateValue(value, forKey: name) == nil else { return [:] }
        }
        return lines
    }

    private static func hex(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2), !digits.isEmpty else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
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
}
