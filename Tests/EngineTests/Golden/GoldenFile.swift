import TestSupport

/// The lines of the files in `Vectors`, which an independent implementation wrote from `Docs/Protocol`.
///
/// What each stands for says `Docs/Protocol/Vectors.md`.
enum GoldenFile {
    private static let names = [
        "link-2", "entries-2", "realms-2", "sync-2", "private-2", "files-2", "names-2",
        "groups-2",
    ]

    /// The bytes of every line by its name; empty where a file cannot be read or is not well formed.
    static let lines: [String: [UInt8]] = Self.parse(
        Self.names.flatMap {
            TestFiles.read("\(TestFiles.tests)/EngineTests/Vectors/\($0).txt") ?? []
        })

    private static func parse(_ bytes: [UInt8]) -> [String: [UInt8]] {
        var lines: [String: [UInt8]] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: " "))
            guard parts.count == 2, let value = TestFiles.bytes(ofHexadecimal: parts[1]),
                !value.isEmpty
            else { return [:] }
            let name = String(decoding: parts[0], as: UTF8.self)
            guard lines.updateValue(value, forKey: name) == nil else { return [:] }
        }
        return lines
    }
}
