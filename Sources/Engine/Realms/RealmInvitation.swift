internal import Crypto

/// The line by which a realm is handed on, and kept in its file.
///
///     stoa:realm?name=office&id=ID&secret=SECRET&check=CHECK
///     stoa:realm?name=office&id=ID&secret=SECRET&previous=SECRET&until=MILLISECONDS&check=CHECK
///
/// Ids and secrets are base32. The check is the first five bytes of `H("stoa invitation", what stands
/// before "&check=")`, so that a slip of the pen or a cut line is noticed at once. There is one line
/// for a realm: the order of the parts is this. `Docs/Data.md`.
public struct RealmInvitation: Hashable, Sendable {
    /// The realm, under the name that it has where the line was made.
    public var realm: Realm

    /// Invites to a realm.
    public init(_ realm: Realm) { self.realm = realm }

    /// What every line begins with.
    public static let prefix = "stoa:realm?"
    /// The longest line has 32 bytes of name, 4 texts of 52, a number of 20 and what stands between.
    public static let limitBytes = 512
    private static let checkBytes = 5
    private static let checkMark = "&check="

    /// The line, without a newline.
    public var line: String {
        var line = "\(Self.prefix)name=\(self.realm.name)&id=\(self.realm.id)"
        line += "&secret=\(Self.text(self.realm.secret))"
        if let previous = self.realm.previous {
            line += "&previous=\(Self.text(previous.secret))&until=\(previous.until)"
        }
        return line + Self.checkMark + Self.check(line)
    }

    private static func text(_ bytes: Bytes32) -> String { Base32.encode(bytes.bytes) }

    private static func check(_ text: String) -> String {
        let hash = BLAKE2b.hash256(Array(text.utf8), personal: .invitation)
        return Base32.encode(Array(hash.bytes.prefix(Self.checkBytes)))
    }

    // MARK: Reading

    /// Reads a line; spaces and newlines around it do not matter.
    ///
    /// Throws what is wrong with it; secrets are never part of that.
    public init(_ text: String) throws(RealmInvitationError) {
        let line = Self.trimmed(text)
        guard line.utf8.count <= Self.limitBytes else { throw .tooLong }
        guard line.hasPrefix(Self.prefix) else { throw .notAnInvitation }
        guard !line.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" || $0 == " " }) else {
            throw .broken
        }
        var parts = Parts(line.dropFirst(Self.prefix.count))
        let name = try parts.take("name")
        guard let name = RealmName(name), name != .open else { throw .value("name") }
        let id = try parts.bytes("id")
        let secret = try parts.bytes("secret")
        var previous: Realm.Previous?
        if parts.next == "previous" {
            let bytes = try parts.bytes("previous")
            let until = try parts.take("until")
            guard let number = UInt64(until), "\(number)" == until else { throw .value("until") }
            previous = Realm.Previous(secret: bytes, until: number)
        }
        let check = try parts.take("check")
        if let extra = parts.next { throw .unexpected(extra) }
        guard id != .zero else { throw .value("id") }
        guard secret != .zero, previous?.secret != .zero, previous?.secret != secret else {
            throw .value("secret")
        }
        guard Self.check(String(line.dropLast(Self.checkMark.count + check.count))) == check else {
            throw .check
        }
        self.realm = Realm(id: RealmID(id), name: name, secret: secret, previous: previous)
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
}

/// The `key=value` parts of a line, from the first on.
private struct Parts {
    private var rest: ArraySlice<(key: String, value: String)>

    init(_ text: Substring) {
        let parts = text.split(separator: "&", omittingEmptySubsequences: false)
        self.rest =
            parts.map { part in
                let halves = part.split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(halves[0]), halves.count == 2 ? String(halves[1]) : "")
            }[...]
    }

    /// The key of the next part; nil at the end.
    var next: String? { self.rest.first?.key }

    mutating func take(_ key: String) throws(RealmInvitationError) -> String {
        guard let part = self.rest.first else { throw .missing(key) }
        guard part.key == key else {
            throw self.rest.contains { $0.key == key } ? .unexpected(part.key) : .missing(key)
        }
        self.rest.removeFirst()
        guard !part.value.isEmpty else { throw .value(key) }
        return part.value
    }

    mutating func bytes(_ key: String) throws(RealmInvitationError) -> Bytes32 {
        let text = try self.take(key)
        guard text.utf8.count == 52, let bytes = Base32.decode(text).flatMap({ Bytes32($0) })
        else { throw .value(key) }
        return bytes
    }
}

/// What is wrong with a line that should invite to a realm.
public enum RealmInvitationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It does not begin as one.
    case notAnInvitation
    /// It is longer than any can be.
    case tooLong
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
    public var description: String {
        switch self {
        case .notAnInvitation: "it does not begin with \(RealmInvitation.prefix)"
        case .tooLong: "it has more than \(RealmInvitation.limitBytes) bytes"
        case .broken: "there is a space or a line break in it"
        case .missing(let key): "it has no \"\(key)\"; its end may have been cut off"
        case .unexpected: "a part of it stands in the wrong place or is unknown"
        case .value(let key): "the value of \"\(key)\" was mistyped or cut"
        case .check: "a character of it was changed"
        }
    }
}
