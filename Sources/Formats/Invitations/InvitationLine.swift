internal import Crypto

/// A line by which something is handed on: a beginning, parts `key=value` with `&` between, and a check.
///
/// The check is the first five bytes of `H("stoa invitation", what stands before "&check=")`, so that a
/// slip of the pen or a cut line is noticed at once.
struct InvitationLine {
    private var text: String
    private var isFirst = true

    private static let checkBytes = 5
    fileprivate static let checkMark = "&check="

    init(_ prefix: String) { self.text = prefix }

    mutating func add(_ key: String, _ value: String) {
        self.text += "\(self.isFirst ? "" : "&")\(key)=\(value)"
        self.isFirst = false
    }

    mutating func add(_ key: String, _ bytes: Bytes32) {
        self.add(key, Base32.encode(bytes.bytes))
    }

    /// The whole line.
    var checked: String { self.text + Self.checkMark + Self.check(self.text) }

    fileprivate static func check(_ text: String) -> String {
        let hash = BLAKE2b.hash256(Array(text.utf8), personal: .invitation)
        return Base32.encode(Array(hash.bytes.prefix(Self.checkBytes)))
    }
}

/// The parts of such a line, which are read from the first on.
struct InvitationParts {
    private let line: String
    private var rest: ArraySlice<(key: String, value: String)>

    /// Splits a line; spaces and newlines around it do not matter.
    init(of text: String, behind prefix: String, limit: Int) throws(InvitationError) {
        self.line = Self.trimmed(text)
        guard self.line.utf8.count <= limit else { throw .tooLong(limit) }
        guard self.line.hasPrefix(prefix) else { throw .notAnInvitation(prefix) }
        guard !self.line.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" || $0 == " " })
        else { throw .broken }
        let parts = self.line.dropFirst(prefix.count).split(
            separator: "&", omittingEmptySubsequences: false)
        self.rest =
            parts.map { part in
                let halves = part.split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(halves[0]), halves.count == 2 ? String(halves[1]) : "")
            }[...]
    }

    private static func trimmed(_ text: String) -> String {
        let isSpace: (Unicode.Scalar) -> Bool = {
            $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\n"
        }
        var scalars = Substring(text).unicodeScalars
        while let first = scalars.first, isSpace(first) { scalars.removeFirst() }
        while let last = scalars.last, isSpace(last) { scalars.removeLast() }
        return String(scalars)
    }

    /// The key of the next part; nil at the end.
    var next: String? { self.rest.first?.key }
    var value: String? { self.rest.first?.value }

    mutating func take(_ key: String) throws(InvitationError) -> String {
        guard let part = self.rest.first else { throw .missing(key) }
        guard part.key == key else {
            throw self.rest.contains { $0.key == key } ? .unexpected(part.key) : .missing(key)
        }
        self.rest.removeFirst()
        guard !part.value.isEmpty else { throw .value(key) }
        return part.value
    }

    mutating func bytes(_ key: String) throws(InvitationError) -> Bytes32 {
        let text = try self.take(key)
        guard text.utf8.count == 52, let bytes = Base32.decode(text).flatMap({ Bytes32($0) })
        else { throw .value(key) }
        return bytes
    }

    /// Takes the check, which is the last part, and compares it.
    mutating func end() throws(InvitationError) {
        let check = try self.take("check")
        if let extra = self.next { throw .unexpected(extra) }
        let checked = self.line.dropLast(InvitationLine.checkMark.count + check.count)
        guard InvitationLine.check(String(checked)) == check else { throw .check }
    }
}

/// What is wrong with a line that should invite somebody.
package enum InvitationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It does not begin as one: with what it should.
    case notAnInvitation(String)
    /// It is longer than any can be, in bytes.
    case tooLong(Int)
    /// There is a space or a line break in it.
    case broken
    /// A part is not there: the line was cut, mostly.
    case missing(String)
    /// A part stands where another one is due.
    case unexpected(String)
    /// A part has a value that it cannot have.
    case value(String)
    /// All parts are there, but not as they were written.
    case check

    /// What is wrong; never a part of a secret.
    package var description: String {
        switch self {
        case .notAnInvitation(let prefix): "it does not begin with \(prefix)"
        case .tooLong(let limit): "it has more than \(limit) bytes"
        case .broken: "there is a space or a line break in it"
        case .missing(let key): "it has no \"\(key)\"; its end may have been cut off"
        case .unexpected: "a part of it is unknown or in the wrong place"
        case .value(let key): "the value of \"\(key)\" was mistyped or cut off off"
        case .check: "a character of it was changed"
        }
    }
}
