/// Why bytes from a peer or from disk are not what the protocol writes.
///
/// For our own log; a peer is told `protocolViolation` and nothing else.
package enum WireError: Error, Hashable, Sendable {
    /// The bytes end inside a field.
    case truncated(field: StaticName)
    /// Bytes are left behind the last field.
    case trailing(field: StaticName, count: Int)
    /// A varint is longer than needed or over 64 bits.
    case varint(field: StaticName)
    /// A value that its field does not allow.
    case value(field: StaticName)
    /// A size or count above its limit.
    case limit(field: StaticName, limit: Int, got: UInt64)
    /// A list that must ascend without repeats does not.
    case order(field: StaticName)
    /// A text that is not UTF-8.
    case text(field: StaticName)
    /// A frame type with an odd number that this version does not know.
    case frameType(UInt64)
}

/// The name of a field as the protocol documents write it.
package struct StaticName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let description: String

    /// Names a field.
    package init(stringLiteral name: String) { self.description = name }
}

extension WireError: CustomStringConvertible {
    /// What was wrong with which field, for the log.
    package var description: String {
        switch self {
        case .truncated(let field): "\(field) is cut short"
        case .trailing(let field, let count): "\(count) extra bytes follow \(field)"
        case .varint(let field): "\(field) is not a shortest varint"
        case .value(let field): "\(field) has a value that is not allowed"
        case .limit(let field, let limit, let got): "\(field) is \(got), the limit is \(limit)"
        case .order(let field): "\(field) is not in ascending order without repeats"
        case .text(let field): "\(field) is not UTF-8"
        case .frameType(let type): "frame type \(type) is unknown and must be understood"
        }
    }
}
