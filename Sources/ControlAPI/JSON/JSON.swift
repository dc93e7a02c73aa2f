/// One JSON value.
///
/// Objects keep their members in the order in which they were written or read, so what is printed
/// is stable. Two objects are equal when they have equal members in the same order.
package enum JSON: Equatable, Sendable {
    /// The literal `null`.
    case null
    /// The literal `true` or `false`.
    case bool(Bool)
    /// A number written without fraction and exponent.
    case integer(Int64)
    /// A number written with fraction or exponent, or `-0`. Must be finite to be written.
    case number(Double)
    /// A string of Unicode scalars; U+0000 is allowed.
    case string(String)
    case array([JSON])
    /// An object; the parser guarantees that names are unique, a maker must.
    case object([Member])
    /// A value of which only the compact text is kept, for large answers; no parser yields it.
    ///
    /// It is equal to the same bytes only.
    case written([UInt8])

    /// One name and value of an object.
    package struct Member: Equatable, Sendable {
        /// The name, compared byte by byte and never normalised.
        package let name: String
        package let value: JSON

        package init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }
}

extension JSON {
    /// Makes an object from the members whose value is not nil, in the given order.
    ///
    /// The names must be unique; optional members are simply left out.
    package static func members(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        var list: [Member] = []
        list.reserveCapacity(members.count)
        for (name, value) in members {
            if let value { list.append(Member(name, value)) }
        }
        return .object(list)
    }

    /// The member of that name, or nil when there is none or this is no object.
    package subscript(_ name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The string, or nil when this is none.
    package var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The integer, or nil when this is none (a number with a fraction is none).
    package var integerValue: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The truth value, or nil when this is none.
    package var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements, or nil when this is no array.
    package var arrayValue: [JSON]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, or nil when this is no object.
    package var objectValue: [Member]? {
        if case .object(let value) = self { value } else { nil }
    }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes `null`.
    package init(nilLiteral: ()) { self = .null }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    /// Makes an object that keeps the order of the literal; its names must be unique.
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
}
