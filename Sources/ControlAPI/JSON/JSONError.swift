/// Why a text is not the JSON that this API accepts, and where.
///
/// RFC 8259; the limits are those of `ControlLimits`.
package struct JSONError: Error, Equatable, Sendable {
    /// The kinds of fault, named as they appear in the `reason` of an error's data.
    package enum Reason: String, Sendable, CaseIterable {
        /// The text is longer than the caller allows.
        case tooLong
        /// The text ends inside a value.
        case unexpectedEnd
        /// A byte stands where the grammar has no place for it.
        case unexpectedByte
        /// Another value or word follows the first value.
        case trailingBytes
        /// Arrays and objects nest deeper than the limit.
        case tooDeep
        /// A string holds a control character that must be written as an escape.
        case controlCharacter
        /// A backslash is followed by something that is no escape.
        case invalidEscape
        /// One half of a surrogate pair stands alone.
        case loneSurrogate
        /// A string is not UTF-8.
        case invalidUTF8
        /// An integer does not fit 64 bits, a double is infinite, or a number's text is too long.
        case numberOutOfRange
        /// One object has two members of the same name.
        case duplicateName
    }

    package let reason: Reason
    /// The byte at which the fault was seen, counted from zero.
    package let offset: Int

    /// Makes an error; any reason and any offset within the text are allowed.
    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// A sentence fragment for people, for instance "two members have the same name at byte 12".
    package var text: String {
        let what =
            switch self.reason {
            case .tooLong: "the text is too long"
            case .unexpectedEnd: "the text ends inside a value"
            case .unexpectedByte: "unexpected byte"
            case .trailingBytes: "there is text after the value"
            case .tooDeep: "arrays and objects nest deeper than \(ControlLimits.nestingDepth)"
            case .controlCharacter: "a string holds a bare control character"
            case .invalidEscape: "a backslash is followed by an unknown escape"
            case .loneSurrogate: "half of a surrogate pair appears alone"
            case .invalidUTF8: "a string is not UTF-8"
            case .numberOutOfRange: "a number is out of range"
            case .duplicateName: "two members have the same name"
            }
        return "\(what) at byte \(self.offset)"
    }
}
