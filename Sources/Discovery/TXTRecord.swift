/// The strings of a DNS-SD TXT record: RFC 6763 section 6.
enum TXTRecord {
    /// The largest string that its one length byte allows.
    static let longestStringBytes = 255

    /// Makes the `key=value` strings, `txtvers` first; what does not fit a string is our own fault.
    static func strings(of txt: [String: String]) -> [[UInt8]] {
        let keys = txt.keys.sorted { ($0 == "txtvers" ? 0 : 1, $0) < ($1 == "txtvers" ? 0 : 1, $1) }
        return keys.map { key in
            precondition(
                !key.isEmpty && key.utf8.allSatisfy { 0x20...0x7e ~= $0 && $0 != 0x3d },
                "TXT keys are printable ASCII without an equals sign")
            let string = Array("\(key)=\(txt[key, default: ""])".utf8)
            precondition(string.count <= self.longestStringBytes, "a TXT string has 255 bytes")
            return string
        }
    }

    /// Puts strings into their wire form; no strings are one empty one.
    static func encode(_ strings: [[UInt8]]) -> [UInt8] {
        if strings.isEmpty { return [0] }
        return strings.flatMap { [UInt8($0.count)] + $0 }
    }

    /// Cuts the wire form into strings; nil when a length points beyond the end.
    static func decode(_ bytes: [UInt8]) -> [[UInt8]]? {
        var strings: [[UInt8]] = []
        var rest = bytes[...]
        while let length = rest.popFirst() {
            guard rest.count >= Int(length) else { return nil }
            strings.append(Array(rest.prefix(Int(length))))
            rest.removeFirst(Int(length))
        }
        return strings
    }

    /// Reads the pairs: the first of equal keys counts, strings without a key are ignored.
    static func pairs(of strings: [[UInt8]]) -> [String: String] {
        var found: [String: String] = [:]
        for string in strings {
            let parts = string.split(
                separator: 0x3d, maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, !first.isEmpty else { continue }
            let key = String(decoding: first, as: UTF8.self).lowercased()
            guard found[key] == nil else { continue }
            found[key] = parts.count == 2 ? String(decoding: parts[1], as: UTF8.self) : ""
        }
        return found
    }
}
