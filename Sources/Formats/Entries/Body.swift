/// What an entry says: a kind, and typed fields of which older readers skip what they need not know.
///
/// `Docs/Protocol/Entries.md` section 3.
struct Body: Hashable, Sendable {
    /// Stands in for a body whose reader does not know it.
    private static let fallbackType: UInt64 = 2

    let kind: UInt64
    let fields: FieldList

    /// Reads what is in `bytes` from a place on; whether it says anything is for ``Content``.
    init(decoding bytes: [UInt8], from start: Int = 0) throws(WireError) {
        var reader = WireReader(bytes, from: start, to: bytes.count)
        self.kind = try reader.varint("body kind")
        self.fields = try FieldList(decoding: bytes, from: reader.position)
    }

    /// What to show where the body cannot be read; nil where nothing is.
    var fallback: String? {
        self.fields.text(of: Self.fallbackType, bytes: 1...Limits.fallbackBytes)
    }
}

/// Typed values, in bodies and records: `(type varint ‖ length varint ‖ value)*`, types ascending.
///
/// Whoever reads skips unknown even types, and must know the odd ones. Values are looked for where
/// they lie, so that reading one copies nothing else.
struct FieldList: Hashable, Sendable {
    private let bytes: [UInt8]
    private let start: Int

    /// Takes what is in `bytes` from a place on; throws where its form is not that of fields.
    init(decoding bytes: [UInt8], from start: Int = 0) throws(WireError) {
        self.bytes = bytes
        self.start = start
        try self.forEach { _, _ in }
    }

    private func forEach(_ body: (UInt64, Range<Int>) -> Void) throws(WireError) {
        var reader = WireReader(self.bytes, from: self.start, to: self.bytes.count)
        var last: UInt64?
        while reader.remaining > 0 {
            let type = try reader.varint("field type")
            if let last, type <= last { throw .order(field: "field type") }
            last = type
            let value = try reader.nested("field value", limit: self.bytes.count)
            body(type, value.position..<reader.position)
        }
    }

    /// The value of a type; nil where there is none.
    func value(of type: UInt64) -> ArraySlice<UInt8>? {
        var found: Range<Int>?
        // The form was checked when the list was made.
        try? self.forEach { if $0 == type { found = $1 } }
        return found.map { self.bytes[$0] }
    }

    /// The text of a type; nil where there is none, or it is no UTF-8 of so many bytes.
    func text(of type: UInt64, bytes: ClosedRange<Int>) -> String? {
        guard let value = self.value(of: type), bytes.contains(value.count) else { return nil }
        return String(utf8: value.span)
    }

    /// Whether all types that a reader must understand are among these.
    func isUnderstood(by known: [UInt64]) -> Bool {
        var isUnderstood = true
        try? self.forEach { type, _ in
            if type % 2 == 1 && !known.contains(type) { isUnderstood = false }
        }
        return isUnderstood
    }
}

extension WireWriter {
    /// Appends a field; types must ascend.
    mutating func field(_ type: UInt64, _ value: [UInt8]) {
        self.varint(type)
        self.sized(value)
    }

    /// Appends a field whose value is a text.
    mutating func field(_ type: UInt64, text: String) {
        self.varint(type)
        self.text(text)
    }
}

extension String {
    /// Copies a text; nil where the bytes are not UTF-8.
    ///
    /// The same as `String(validating:as:)`, which looks up types at run time for each text.
    init?(utf8 bytes: Span<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        self.init(copying: text)
    }
}
